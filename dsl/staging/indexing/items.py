"""Evaluated index items, and the plan for indexing one array.

It emits nothing but the static part of an index. Read next: `index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.sizes import is_traced, plain
from dsl.ops import builders
from dsl.ops.ragged import length
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.values import as_atom, as_int, literal
from dsl.types.dtype import I32
from dsl.types.size import Size

# ---------------------------------------------------------------- items, evaluated


class Pick(Struct, frozen=True):
    """A static index; the axis goes."""

    index: int
    guard: str
    from_end: bool


class Traced(Struct, frozen=True):
    """A traced index, scalar or array; the axis becomes those of the index."""

    index: Atom
    guard: str
    from_end: bool


class Cut(Struct, frozen=True):
    """A slice with static bounds; None where not written."""

    start: int | None
    stop: int | None
    step: int
    start_from_end: bool
    stop_from_end: bool


class Window(Struct, frozen=True):
    """A slice of `length` elements, `step` apart, whose start is known at run time. With a mode the start may be
    static."""

    start: Atom | int
    length: int
    step: int
    guard: str
    from_end: bool

    @property
    def one_by_one(self) -> bool:
        """Return whether each of its places leads where a policy says."""
        return self.guard not in ("proved", "check")


class New(Struct, frozen=True):
    pass


class Rest(Struct, frozen=True):
    pass


Item: TypeAlias = Pick | Traced | Cut | Window | New | Rest
WHOLE = Cut(None, None, 1, False, False)


def items_of(s: Stager, items: Sequence[core.Item], frame: Frame) -> list[Item]:
    return [_item(s, item, frame) for item in items]


def _item(s: Stager, item: core.Item, frame: Frame) -> Item:
    match item:
        case core.At(value, guard, from_end):
            index = s.eval(value, frame)
            if isinstance(index, int):
                return Pick(index, guard, from_end)
            if isinstance(index, tuple):
                index = builders.stack(s.b, [literal(n, I32) for n in index], 0)
            return Traced(as_atom(index), guard, from_end)
        case core.Range(start, stop, step, start_from_end, stop_from_end):
            bounds = [None if e is None else as_int(s.eval(e, frame)) for e in (start, stop, step)]
            return Cut(bounds[0], bounds[1], bounds[2] or 1, start_from_end, stop_from_end)
        case core.Window(start, length, step, guard, from_end):
            first = s.eval(start, frame)
            stride = 1 if step is None else as_int(s.eval(step, frame))
            first = first if isinstance(first, int) else as_atom(first)
            return Window(first, frame.variables.size(length), stride, guard, from_end)
        case core.NewAxis():
            return New()
        case core.Rest():
            return Rest()
        case _:
            assert_never(item)


# ---------------------------------------------------------------- the plan for one array


class Plan(Struct, frozen=True):
    """`starts stops steps` slice every axis (a negative step reads backwards); then a reshape to `shape`,
    which leaves out picked axes and puts in new ones; `traced` says what happens on axes of that shape.
    """

    starts: tuple[int, ...]
    stops: tuple[int, ...]
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    traced: tuple[tuple[int, Traced | Window], ...]

    @property
    def advanced(self) -> bool:
        """Return whether arrays index, so that the result is gathered."""
        return any(isinstance(item, Traced) and item.index.type.rank for _, item in self.traced)


def plan(b: Builder, items: Sequence[Item], type: Tensor) -> Plan:
    full = settled(b, items, type.shape)
    arrays = any(isinstance(item, Traced) and item.index.type.rank for item in full)
    starts, stops, steps, shape = [], [], [], []
    traced: list[tuple[int, Traced | Window]] = []
    extents = iter(type.shape)
    for item in full:
        if isinstance(item, New):
            shape.append(1)
            continue
        extent = next(extents)
        start, stop, step = static_places(item, extent, arrays)
        starts.append(start)
        stops.append(stop)
        steps.append(step)
        if isinstance(item, Pick) and arrays:
            traced.append((len(shape), Traced(literal(front_place(item, extent), I32), "proved", False)))
        elif isinstance(item, Traced | Window):
            traced.append((len(shape), item))
        if not isinstance(item, Pick) or arrays:
            shape.append(_count(start, stop, step))
    return Plan(tuple(starts), tuple(stops), tuple(steps), tuple(shape), tuple(traced))


def _count(start: int, stop: int, step: int) -> int:
    """The number of places of a slice; of one whose ends data decide, which does not end before it begins."""
    if is_traced(start) or is_traced(stop):
        return plain(-((start - stop) // step) if step > 0 else -((stop - start) // -step))
    return len(range(start, stop, step))


def number(b: Builder, size: int, like: Atom) -> Atom:
    """A size as an array of the dtype and the shape of another one; where data decide it, of a run."""
    if not is_traced(size):
        return literal(size, like.type.dtype, like.type.shape)
    found = builders.convert(b, length(b, Size.of(size)), like.type.dtype)
    return builders.broadcast_in_dim(b, found, like.type.shape, ())


def filled_items(items: Sequence[Item], rank: int) -> list[Item]:
    """The items with `...` spelled out and one for every axis."""
    missing = rank - sum(not isinstance(item, New | Rest) for item in items)
    spelled: list[Item] = []
    for item in (*items, *([] if any(isinstance(i, Rest) for i in items) else [Rest()])):
        spelled.extend([WHOLE] * missing if isinstance(item, Rest) else [item])
    return spelled


def settled(b: Builder, items: Sequence[Item], shape: Sequence[int]) -> list[Item]:
    """One item for every axis. A static index out of bounds is one as of the run, where its policy has the say; so is
    each of an axis whose size data decide."""
    extents = iter(shape)
    return [
        item if isinstance(item, New) else _settled(b, item, next(extents)) for item in filled_items(items, len(shape))
    ]


def _settled(b: Builder, item: Item, extent: int) -> Item:
    if isinstance(item, Pick) and is_traced(extent):
        return Traced(number(b, front_place(item, extent), literal(0, I32)), item.guard, False)
    if not isinstance(item, Pick) or item.guard == "proved":
        return item
    place = front_place(item, extent)
    if 0 <= place < extent:
        return Pick(place, "proved", False)
    return Traced(literal(_near(place, extent), I32), item.guard, False)


def _near(place: int, extent: int) -> int:
    """The place nearest to an axis that is outside on the same side and leaves the same rest: one to all policies."""
    around = place % max(extent, 1)
    return around - max(extent, 1) if place < 0 else around + extent


def front_place(item: Pick, extent: int) -> int:
    return extent - item.index if item.from_end else item.index


def static_places(item: Item, extent: int, arrays: bool) -> tuple[int, int, int]:
    """Return the range of positions that a static slice takes of an axis."""
    match item:
        case Pick() if not arrays:
            index = front_place(item, extent)
            return index, index + 1, 1
        case Cut(start, stop, step, start_from_end, stop_from_end):
            backwards = step < 0
            first = (extent - 1 if backwards else 0) if start is None else start
            last = (-1 if backwards else extent) if stop is None else stop
            first = extent - first if start_from_end else first
            last = extent - last if stop_from_end else last
            return first, last, step
        case _:
            return 0, extent, 1


def slice_static(s: Stager, x: Atom, p: Plan) -> Atom:
    """The static part of an index."""
    starts, stops, steps, reversed_ = [], [], [], []
    for axis, (start, stop, step) in enumerate(zip(p.starts, p.stops, p.steps, strict=True)):
        if is_traced(start) or is_traced(stop):
            backwards = step < 0
            first = start + (_count(start, stop, step) - 1) * step if backwards else start
            starts.append(plain(first))
            stops.append(plain(start + 1) if backwards else stop)
            steps.append(abs(step))
            reversed_ += [axis] if backwards else []
            continue
        places = range(start, stop, step)
        forward = places if places.step > 0 else places[::-1]
        if places.step < 0:
            reversed_.append(axis)
        starts.append(forward.start if len(forward) else 0)
        stops.append(forward[-1] + 1 if len(forward) else 0)
        steps.append(forward.step)
    if stops != list(x.type.shape) or any(starts) or any(step != 1 for step in steps):
        x = builders.slice_in(s.b, x, starts, stops, steps)
    return builders.reshape(s.b, builders.rev(s.b, x, reversed_), p.shape)

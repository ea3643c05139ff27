"""Usages of keys: what a run of a subterm moves, put together along a path, over branches, and in repeated bodies.

A place is a part of a local: fields and leading-axis indices selected from it. The axes of `T[n]` lie in front of every
leaf, so `ps[0].k` and `ps.k[0]` are one place. A body that runs many times is a region, with a number. A local bound
outside of it is used many times there, unless its indices tell the turns apart (`key_indices`). Which bodies there are
is `affine_keys`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker import errors
from typechecker.analyses.key_indices import Counter, Turns
from typechecker.env.static_values import OF_SIZES
from typechecker.errors.causes import Repeated
from typechecker.types.predicates import holds_key

Statics = Mapping[int, Size]
WIDE_INTEGERS = ("i32", "i64", "u32", "u64")


# ---------------------------------------------------------------- places


class Place(Struct, frozen=True):
    """Part of the local `root`. A `closed` place takes no more indices: one before was not static or kept its axis, so
    what later ones select from is not known. `slices` count the elements that slices among the indices take."""

    root: int
    name: str
    fields: tuple[str, ...] = ()
    indices: tuple[Size, ...] = ()
    closed: bool = False
    slices: tuple[Counter, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.fields)) + "".join(f"[{i}]" for i in self.indices)

    def part(self, step: str) -> Place:
        return replace(self, fields=(*self.fields, step))

    def overlaps(self, other: Place) -> bool:
        """Return whether the two may share a key: one contains the other, up to indices that may be equal."""
        indices = zip(self.indices, other.indices, strict=False)
        return self.shares_fields(other) and all((a - b).constant in (None, 0) for a, b in indices)

    def shares_fields(self, other: Place) -> bool:
        """Return whether fields of one contain those of the other."""
        return all(a == b for a, b in zip(self.fields, other.fields, strict=False))


def place_of(node: core.Expr, statics: Statics) -> Place | None:
    """The part of a local that an expression names; None for any other expression."""
    match node:
        case core.Local(_, _, id, name):
            return Place(id, name)
        case core.Project(base=base, index=step) | core.Select(base=base, field=step):
            found = place_of(base, statics)
            return None if found is None else found.part(str(step))
        case core.Index(base=base, items=items):
            found = place_of(base, statics)
            return None if found is None else _indexed(found, items, leading_axes(base.type) or Shape(()), statics)
        case core.Coerce(value=value):
            return place_of(value, statics)
        case _:
            return None


def _indexed(place: Place, items: tuple[core.Item, ...], axes: Shape, statics: Statics) -> Place:
    if place.closed:
        return place
    found = [_position(item, axis, axes, statics) for axis, item in enumerate(items)]
    known = [one for one in found if one is not None]
    slices = tuple([counter for _, counter in known if counter is not None])
    if len(known) < len(items):
        return replace(place, closed=True)
    indices = (*place.indices, *[index for index, _ in known])
    return replace(place, indices=indices, closed=bool(slices), slices=slices)


def _position(item: core.Item, axis: int, axes: Shape, statics: Statics) -> tuple[Size, Counter | None] | None:
    """The element that a static index selects, counted from the start; of a slice, with what counts its elements."""
    length = axes.dims[axis] if axis < len(axes.dims) else None
    match item:
        case core.At(value=node, guard="proved" | "check"):
            value = static_size(node, statics)
            if value is None or (item.guard == "check" and not in_steps_of_one(value)):
                return None
            if item.from_end:
                return (length - value, None) if isinstance(length, Size) else None
            return value, None
        case core.Range(start=start, stop=stop, step=step) if isinstance(length, Size):
            low = _bound(start, item.start_from_end, Size.of(0), length, statics)
            high = _bound(stop, item.stop_from_end, length, length, statics)
            stride = Size.of(1) if step is None else static_size(step, statics)
            return None if low is None or high is None or stride is None else _slice(low, high - low, stride, axis)
        case core.Window(start=first, length=taken, step=None, guard="proved", from_end=False):
            low = static_size(first, statics)
            return None if low is None else _slice(low, taken, Size.of(1), axis)
        case _:
            return None


def _slice(low: Size, length: Size, stride: Size, axis: int) -> tuple[Size, Counter | None] | None:
    """The elements of a slice that goes forward, or of a whole axis from its end."""
    step = 1 if stride.constant == -1 else stride.constant
    if step is None or step < 1:
        return None
    count = length if step == 1 else (length + (step - 1)) // step
    number = -1 - abs(hash((low, count, step, axis)))  # another one for another slice
    variable = SizeVar(number, f"{low}:{length}:{step}", False)
    return low + Size.of(variable) * step, Counter(variable, None, Size.of(0), count)


def _bound(node: core.Expr | None, from_end: bool, default: Size, length: Size, statics: Statics) -> Size | None:
    value = default if node is None else static_size(node, statics)
    return length - value if from_end and value is not None else value


def static_size(node: core.Expr, statics: Statics) -> Size | None:
    """The value of a static int, or of one that is linear in the counters of loops; None where it is not known here."""
    match node:
        case core.Const(value=bool()):
            return None
        case core.Const(value=int() as value):
            return Size.of(value)
        case core.SizeOf(size=size):
            return size
        case core.Local(id=id):
            return statics.get(id)
        case core.Coerce(value=value):
            return static_size(value, statics)
        case core.Convert(value=core.Local(id=id), dtype=dtype) if str(dtype) in WIDE_INTEGERS:
            found = statics.get(id)
            return found if found is not None and isinstance(found.as_atom(), SizeVar) else None
        case core.Unary(op="-", operand=operand):
            found = static_size(operand, statics)
            return None if found is None else -found
        case core.Binary(type=kind, op=op, left=left, right=right):
            a, b = static_size(left, statics), static_size(right, statics)
            return None if a is None or b is None else _computed(op, a, b, kind)
        case _:
            return None


def _computed(op: str, left: Size, right: Size, kind: Type) -> Size | None:
    """Return the result of an operator. A quotient, which does not track wrap-around, is computed for static integers
    only."""
    if op == "//" and isinstance(kind, ty.StaticType) and (right.constant or 1) >= 1:
        return left // right
    return OF_SIZES[op](left, right) if op in OF_SIZES else None


def in_steps_of_one(value: Size) -> bool:
    """Return whether an integer is the sum of variables and a number: then it is not the same for two values of one of
    them even if it wraps around."""
    return all(abs(times) == 1 and sum(power for _, power in factors) == 1 for factors, times in value.terms if factors)


def kept_places(place: Place, kind: Type, updates: Iterable[tuple[str, ...]]) -> Iterator[tuple[Place, Type]]:
    """The parts that `{place with …}` takes over: those with keys that no update replaces."""
    paths = list(updates)
    if () in paths or not holds_key(kind):
        return
    inner = kind.element if isinstance(kind, ty.StackedType) else kind
    if not paths or not isinstance(inner, ty.RecordType):
        yield place, kind
        return
    for name, leaf in inner.fields:
        yield from kept_places(place.part(name), leaf, [p[1:] for p in paths if p[0] == name])


# ---------------------------------------------------------------- what was moved


class Use(Struct, frozen=True):
    """A place moved by the expression `node`. `by` is the mention inside a local function that `node` calls.
    `data` makes other keys of the one at the place: `fold_in` with the index of a loop. It is what is certain to tell
    turns apart of all that is `folded` in. `around` are the repeated bodies that it is in, and its local is not."""

    place: Place
    type: Type
    node: core.Expr
    by: Span | None = None
    data: tuple[Size, ...] = ()
    folded: tuple[Size, ...] = ()
    around: tuple[int, ...] = ()

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def written_place(self) -> str:
        """The place as a user knows it; that of a slice is as it is written."""
        return self.node.span.text if self.place.slices else str(self.place)

    @property
    def written(self) -> str:
        """The key as it is made."""
        name = self.written_place
        for number in reversed(self.folded):
            name = f"fold_in({name}, {number})"
        return name

    @property
    def indices(self) -> tuple[Size, ...]:
        """Return the indices that select a key of those in the local, or derive one from them."""
        return (*self.place.indices, *self.data)


Usage: TypeAlias = tuple[Use, ...]
"""The uses of locals on any path through a subterm, in their order."""


class Usages:
    """Open regions, where each local is bound, reports of the errors found, and the locals in these. A report takes the
    definition that it is about."""

    def __init__(self, facts: Facts, bound_at: Callable[[int], Span | None]) -> None:
        self.facts = facts
        self.bound_at = bound_at
        self.found: list[Callable[[ast.Def], Diagnostic]] = []
        self.overused: set[int] = set()
        self._regions: list[int] = []
        self._kinds: list[Repeated] = []
        self._born: dict[int, int] = {}
        self._counters: dict[SizeVar, Counter] = {}
        self._repeated: set[tuple[int, int]] = set()
        self._told: set[Span | None] = set()

    # ------------------------------------------------------------ regions and locals

    @contextmanager
    def many_times(self, kind: Repeated) -> Iterator[None]:
        """In a body that runs many times."""
        self.open(kind)
        yield
        self.close()

    def open(self, kind: Repeated = Repeated.TURNS) -> None:
        """Open a region inside of the others."""
        self._regions.append(len(self._kinds))
        self._kinds.append(kind)

    def close(self, count: int = 1) -> None:
        """Leave the innermost regions."""
        del self._regions[len(self._regions) - count :]

    def count(self, id: int, name: str, low: Size | None, high: Size | None) -> Size:
        """A local that counts the turns of the innermost region."""
        variable = SizeVar(id, name, False)
        self._counters[variable] = Counter(variable, self._regions[-1], low, high)
        return Size.of(variable)

    def bind(self, id: int) -> None:
        """A local is bound in the innermost region."""
        self._born[id] = len(self._kinds)

    def _around(self, root: int) -> tuple[int, ...]:
        """The bodies around this place that run many times and that a local is bound outside of."""
        born = self._born.get(root, 0)
        return tuple([region for region in self._regions if region >= born])

    def _turns(self, *places: Place) -> Turns:
        """The counters of all such bodies, and of the slices that places take."""
        born = self._born.get(places[0].root, 0)
        counters = [c for c in self._counters.values() if c.region is not None and c.region >= born]
        return Turns([*counters, *[c for place in places for c in place.slices]], self.facts)

    def tells_turns_apart(self, key: Place, number: Size) -> bool:
        """Return whether a number made of counters is another one in each of their turns, and as small as these are
        many."""
        return self._turns(key).counts_densely(number)

    def _told_apart(self, place: Place, indices: Sequence[Size]) -> set[int | None]:
        return {counter.region for counter in self._turns(place).told_apart(indices)}

    # ------------------------------------------------------------ usages

    def once(self, use: Use) -> Usage:
        """One use, of a local that must be bound as often as this place is reached."""
        use = replace(use, around=self._around(use.place.root))
        if use.around and not self._is_reported(use):
            told = self._told_apart(use.place, use.indices)
            outside = [region for region in use.around if region not in told]
            if outside:
                self._repeated.add((use.place.root, outside[0]))
                self._report_repeated(use, outside)
        return (use,)

    def path(self, usages: Iterable[Usage]) -> Usage:
        """Join usages that follow one another: a key that one moves is gone in those after it."""
        before: Usage = ()
        for usage in usages:
            for use in usage if before else ():
                self._require_unused(before, use)
            before += usage
        return before

    def branches(self, arms: Iterable[Usage]) -> Usage:
        """Join usages of which a run takes one. Another turn may take another arm."""
        taken: Usage = ()
        for moved in arms:
            for use in moved:
                self._require_other_turns_apart(taken, use)
            taken += moved
        return taken

    def _require_unused(self, before: Usage, use: Use) -> None:
        first = next((u for u in before if self._meet(u, use)), None)
        if first is None or self._is_reported(use):
            return
        if first.span == use.span:
            self._report_repeated(use, use.around)
        elif use.around and not first.place.overlaps(use.place):
            self._report_other_turn(first, use)
        else:
            early, late = sorted((first, use), key=lambda u: u.span.start)
            name, kind = late.written_place, late.type
            self._report(use, lambda node: errors.keys.key_used_twice(node, name, late.span, early.span, kind, late.by))

    def _require_other_turns_apart(self, others: Usage, use: Use) -> None:
        around = self._around(use.place.root)
        met = [first for first in others if self._meet(first, use)] if around and not self._is_reported(use) else []
        first = next((u for u in met if not self._are_of_one_turn(u, use, around)), None)
        if first is not None:
            self._report_other_turn(first, use)

    def _meet(self, first: Use, other: Use) -> bool:
        """Return whether two uses may share a key, in whatever turns."""
        a, b = first.place, other.place
        return a.root == b.root and a.shares_fields(b) and self._turns(b, a).may_meet(a.indices, b.indices)

    def _are_of_one_turn(self, first: Use, use: Use, around: Collection[int]) -> bool:
        """Return whether one key is of one turn of all these bodies, by indices that both uses have: then one arm moves
        it."""
        pairs = [*zip(first.place.indices, use.place.indices, strict=False), *zip(first.data, use.data, strict=False)]
        return self._told_apart(use.place, [a for a, b in pairs if a == b]).issuperset(around)

    # ------------------------------------------------------------ errors

    def _is_reported(self, use: Use) -> bool:
        return any((use.place.root, region) in self._repeated for region in use.around)

    def _report(self, use: Use, report: Callable[[ast.Def], Diagnostic]) -> None:
        self.overused.add(use.place.root)
        self.found.append(report)

    def report_condition(self, use: Use) -> None:
        """Report a use in the condition of a loop, whose body uses the key, too."""
        self._report(use, lambda _: errors.keys.key_in_condition(use.span, name=str(use.place)))

    def _report_other_turn(self, first: Use, use: Use) -> None:
        places = use.written, use.span, first.written, first.span
        self._report(use, lambda _: errors.keys.key_of_another_turn(*places, use.by))

    def _report_repeated(self, use: Use, outside: Sequence[int]) -> None:
        """Report an error of a local function once, however often it is passed on."""
        if use.by is None or use.by not in self._told:
            self._told.add(use.by)
            self._report(use, self._many(use, outside))
        self.overused.add(use.place.root)

    def _many(self, use: Use, outside: Sequence[int]) -> Callable[[ast.Def], Diagnostic]:
        bound = self.bound_at(use.place.root)
        kind = self._kinds[outside[0]] if outside else Repeated.TURNS
        turns = self._turns(use.place)
        made = (*use.place.indices, *use.folded)
        variables = frozenset[SizeVar]().union(*[index.vars() for index in made])
        named = [c for c in turns.counters if c.region is not None and c.variable in variables]
        missing = [c.variable.name for c in turns.counters if c.region in outside and c not in named]
        met = turns.collision(made)
        if kind is Repeated.TURNS and named and missing:
            return lambda node: errors.keys.key_of_all_turns(node, use, missing, bound)
        if kind is Repeated.TURNS and met is not None:
            return lambda node: errors.keys.key_of_two_turns(node, use, met, bound)
        if kind is Repeated.TURNS and use.folded and {*outside} <= {c.region for c in named}:
            return lambda node: errors.keys.key_of_any_numbers(node, use, [c.variable.name for c in named], bound)
        return lambda _: errors.keys.key_in_loop(use.written_place, use.span, kind, bound, use.by)

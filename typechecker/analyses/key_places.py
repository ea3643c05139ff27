"""Places of keys: which part of which local a mention moves, and the record of what was moved where.

A place is a local with the fields and the leading-axis indices selected from it. The axes of `T[n]` lie in
front of every leaf, so `ps[0].k` and `ps.k[0]` are one place. Nothing here walks bodies: that
is `typechecker.analyses.affine_keys`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.env.static_values import OF_SIZES
from typechecker.types.predicates import holds_key

Statics = Mapping[int, Size]


# ---------------------------------------------------------------- places


class Place(Struct, frozen=True):
    """Part of the local `root`. A `closed` place takes no more indices: one before was not static, so what
    later ones select from is not known."""

    root: int
    name: str
    fields: tuple[str, ...] = ()
    indices: tuple[Size, ...] = ()
    closed: bool = False

    def __str__(self) -> str:
        return ".".join((self.name, *self.fields)) + "".join(f"[{i}]" for i in self.indices)

    def part(self, step: str) -> Place:
        return replace(self, fields=(*self.fields, step))

    def overlaps(self, other: Place) -> bool:
        """Whether the two may share a key: one contains the other, up to indices that may be equal."""
        fields = zip(self.fields, other.fields, strict=False)
        indices = zip(self.indices, other.indices, strict=False)
        return all(a == b for a, b in fields) and all((a - b).constant in (None, 0) for a, b in indices)


def place_of(node: core.Expr, statics: Statics) -> Place | None:
    """The part of a local that an expression names; None for any other expression."""
    match node:
        case core.Local(_, _, id, name):
            return Place(id, name)
        case core.Project(base=base, index=index):
            found = place_of(base, statics)
            return None if found is None else found.part(str(index))
        case core.Select(base=base, field=step):
            found = place_of(base, statics)
            return None if found is None else found.part(step)
        case core.Index(base=base, items=items):
            found = place_of(base, statics)
            return None if found is None else _indexed(found, items, leading_axes(base.type) or Shape(()), statics)
        case core.Coerce(value=value):
            return place_of(value, statics)
        case _:
            return None


def _indexed(place: Place, items: tuple[core.Item, ...], axes: Shape, statics: Statics) -> Place:
    found = [_position(item, axis, axes, statics) for axis, item in enumerate(items)]
    indices = tuple(i for i in found if i is not None)
    if place.closed or len(indices) < len(items):
        return replace(place, closed=True)
    return replace(place, indices=(*place.indices, *indices))


def _position(item: core.Item, axis: int, axes: Shape, statics: Statics) -> Size | None:
    """The element that a static index selects, counted from the start."""
    if not isinstance(item, core.At):
        return None
    value = static_size(item.value, statics)
    if value is None or not item.from_end:
        return value
    length = axes.dims[axis] if axis < len(axes.dims) else None
    return length - value if isinstance(length, Size) else None


def static_size(node: core.Expr, statics: Statics) -> Size | None:
    """The value of a static int, as a size; None where it is not known here."""
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
        case core.Unary(op="-", operand=operand):
            found = static_size(operand, statics)
            return None if found is None else -found
        case core.Binary(op=op, left=left, right=right) if op in OF_SIZES:
            a, b = static_size(left, statics), static_size(right, statics)
            return None if a is None or b is None else OF_SIZES[op](a, b)
        case _:
            return None


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
    `turns` are the repeated bodies of which every run moves another key: `fold_in` with the loop's index."""

    place: Place
    type: Type
    node: core.Expr
    by: Span | None = None
    turns: frozenset[int] = frozenset()

    @property
    def span(self) -> Span:
        return self.node.span


class Ledger(Struct, eq=False):
    """The uses on the path to the present place, in order, and by local."""

    trail: list[Use] = field(default_factory=list)
    _by_root: dict[int, list[Use]] = field(default_factory=dict)

    def add(self, use: Use) -> None:
        self.trail.append(use)
        self._by_root.setdefault(use.place.root, []).append(use)

    def earlier(self, place: Place) -> Use | None:
        """The first use of what a place shares keys with."""
        return next((u for u in self._by_root.get(place.root, ()) if u.place.overlaps(place)), None)

    def forget(self, root: int) -> None:
        """A local is bound anew: its body is walked again."""
        self._by_root.pop(root, None)

    def mark(self) -> int:
        return len(self.trail)

    def rollback(self, mark: int) -> list[Use]:
        """Take back, and return, the uses since a mark."""
        taken = self.trail[mark:]
        del self.trail[mark:]
        for use in reversed(taken):
            found = self._by_root.get(use.place.root)
            if found and found[-1] is use:
                found.pop()
        return taken

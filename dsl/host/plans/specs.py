"""Trees that say of each array of an argument or a result which of its axes lie along those of a mesh.

They are specs as Python and programs write them (`{"data": 0}`, `{data = 0}`), and shardings over devices that exist.
Read next: `layout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.staging.values import Missing, RecordValue, Slot, TupleValue, Value
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import ArrayType, IndexType, RecordType, StackedType, TupleType, Type
from lowering.xla.places import Mesh, Sharding


class Cut(Struct, frozen=True):
    """How one array lies: the axis of it that each axis of the mesh cuts."""

    axes: tuple[tuple[str, int], ...] = ()


class Fields(Struct, frozen=True):
    """How a record lies, by field."""

    parts: tuple[tuple[str, Tree], ...]


Tree: TypeAlias = "Cut | Fields | tuple[Tree, ...]"


def tree_of(value: Value | Missing, cuts: Iterator[Cut]) -> Tree:
    """The tree of a value whose arrays lie so, in order; one cut where all of them lie alike."""
    match value:
        case Slot():
            return next(cuts)
        case RecordValue(fields):
            named = [(name, tree_of(part, cuts)) for name, part in fields]
            return _common([part for _, part in named]) or Fields(tuple(named))
        case TupleValue(parts):
            found = tuple([tree_of(part, cuts) for part in parts])
            return _common(found) or found
        case _:
            return Cut()


def _common(parts: Sequence[Tree]) -> Tree | None:
    return parts[0] if parts and isinstance(parts[0], Cut) and len(set(parts)) == 1 else None


def python_spec(tree: Tree) -> Any:
    """The spec as Python writes it."""
    match tree:
        case Cut(axes):
            return dict(axes) or None
        case Fields(parts):
            return {name: python_spec(part) for name, part in parts}
        case _:
            return tuple(map(python_spec, tree))


def spec_text(tree: Tree) -> str:
    """The spec as programs write it."""
    match tree:
        case Cut(axes):
            return f"{{{', '.join([f'{name} = {axis}' for name, axis in axes])}}}" if axes else "none"
        case Fields(parts):
            return f"{{{', '.join([f'{name} = {spec_text(part)}' for name, part in parts])}}}"
        case _:
            inner = ", ".join(map(spec_text, tree))
            return f"({inner},)" if len(tree) == 1 else f"({inner})"


def shardings(tree: Tree, mesh: Mesh) -> Any:
    """The shardings over the devices of a mesh, as `dsl.jit` takes them."""
    match tree:
        case Cut(axes):
            return Sharding(mesh, dict(axes))
        case Fields(parts):
            return {name: shardings(part, mesh) for name, part in parts}
        case _:
            return tuple([shardings(part, mesh) for part in tree])


class Leaf(Struct, frozen=True):
    """An array of an argument or a result: its dotted name, its sizes as the signature has them, if it has them, and
    whether its axes may be cut."""

    name: str
    sizes: tuple[Size, ...] | None


def leaves_of(name: str, value: Value | Missing, type: Type | None, front: tuple[Size, ...] = ()) -> Iterator[Leaf]:
    """Each array of a value with this type, in order."""
    match value, type:
        case _, StackedType(inner, axes) if axes.sizes is not None:
            yield from leaves_of(name, value, inner, (*front, *axes.sizes))
        case RecordValue(fields), _:
            types: Mapping[str, Type] = dict(type.fields) if isinstance(type, RecordType) else {}
            for field, part in fields:
                yield from leaves_of(f"{name}.{field}", part, types.get(field), front)
        case TupleValue(parts), _:
            given = type.parts if isinstance(type, TupleType) and len(type.parts) == len(parts) else [None] * len(parts)
            for number, (part, each) in enumerate(zip(parts, given, strict=True)):
                yield from leaves_of(f"{name}.{number}", part, each, front)
        case Slot(), ArrayType(shape=Shape() as shape) | IndexType(shape=Shape() as shape):
            own = shape.sizes
            fits = own is not None and len(front) + len(own) == value.type.rank
            yield Leaf(name, (*front, *own) if fits and own is not None else None)
        case Slot(), _:
            yield Leaf(name, None)

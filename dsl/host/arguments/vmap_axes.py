"""The axes that `dsl.vmap` takes off the arguments of a call, leaf by leaf, before their sizes are looked at.

`in_axes` counts the parameters that are not static; an entry is an int, None for an argument that is the same for all,
or a tree of these that may end before the leaves. Read next: `binding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import Struct

from dsl.core.transformation import is_map
from dsl.host.argument_errors import Problem
from dsl.ir.function import Tensor
from dsl.staging.values import RecordValue, Slot, Transformed, TupleValue, Value, map_leaves


class Map(Struct, frozen=True):
    """One `vmap` around a definition: an entry for each parameter, and the name of its axis."""

    entries: Sequence[Value]
    name: str | None


@dataclass(slots=True)
class Found:
    """The size of a mapped axis in one call, and where it was found first."""

    size: int | None = None
    place: str = ""

    def strip(self, axes: Value, path: str, value: Value) -> Value:
        match axes, value:
            case None, _:
                return value
            case int(), _:
                return map_leaves(partial(self._leaf, axes, path), value)
            case TupleValue(inner), TupleValue(parts) if len(inner) == len(parts):
                pairs = enumerate(zip(inner, parts, strict=True))
                return TupleValue(tuple([self.strip(a, f"{path}.{k}", v) for k, (a, v) in pairs]))
            case RecordValue(inner), RecordValue(fields) if [n for n, _ in inner] == [n for n, _ in fields]:
                named = zip(inner, fields, strict=True)
                return RecordValue(tuple([(n, self.strip(a, f"{path}.{n}", v)) for (n, a), (_, v) in named]))
            case _:
                raise Problem("E0812", f"`in_axes` has {_kind(axes)} for {path}, which is {_kind(value)}")

    def _leaf(self, axis: int, path: str, leaf: Value) -> Value:
        if not isinstance(leaf, Slot):
            return leaf
        shape = list(leaf.type.shape)
        if not -len(shape) <= axis < len(shape):
            raise Problem("E0806", f"{path} is {leaf.type}, which has no axis {axis} to map over")
        size = shape.pop(axis)
        if self.size is None:
            self.size, self.place = size, f"axis {axis} of {path}"
        elif self.size != size:
            message = f"{self.place} has size {self.size}, but axis {axis} of {path} has size {size}"
            raise Problem("E0807", message)
        return Slot(Tensor(leaf.type.dtype, tuple(shape)))


class Stripping:
    """The maps of one call, the outermost first."""

    def __init__(self, maps: Sequence[Map]) -> None:
        self._levels = [(each, Found()) for each in maps]

    def strip(self, parameter: int, path: str, value: Value) -> Value:
        for each, found in self._levels:
            value = found.strip(each.entries[parameter], path, value)
        return value

    def sizes(self) -> dict[str, int]:
        """After all arguments: the sizes of the axes that have a name."""
        if any(found.size is None for _, found in self._levels):
            raise Problem("E0808", "`vmap` needs at least one mapped argument")
        named = [(each.name, found.size) for each, found in self._levels]
        return {name: size for name, size in named if name is not None and size is not None}


def maps_of(value: Value, count: int) -> tuple[Map, ...]:
    """The maps around a definition with `count` parameters that are not static."""
    maps: list[Map] = []
    while isinstance(value, Transformed):
        if is_map(value.kind):
            options = dict(value.options)
            axes, name = options.get("in_axes", 0), options.get("axis_name")
            entries = axes.parts if isinstance(axes, TupleValue) else [axes] * count
            if len(entries) != count:
                message = f"`in_axes` has {len(entries)} entries, the function {count} arguments that are not static"
                raise Problem("E0809", message)
            maps.append(Map(entries, name if isinstance(name, str) else None))
        value = value.function
    return tuple(maps)


def _kind(value: Value) -> str:
    match value:
        case TupleValue(parts):
            return f"a tuple of {len(parts)}"
        case RecordValue(fields):
            return f"a record of {', '.join([name for name, _ in fields])}"
        case Slot(type):
            return str(type)
        case _:
            return repr(value)

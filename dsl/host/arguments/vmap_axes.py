"""The axes that `dsl.vmap` takes off the arguments of a call, and the parts that `dsl.shard` makes of them, leaf by
leaf, before their sizes are looked at.

`in_axes` and `in_specs` count the parameters that are not static; an entry is an axis, or a spec, None for an argument
that is the same for all, or a tree of these that may end before the leaves. Read next: `binding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from dsl.core.transformation import Kind, is_map
from dsl.host.argument_errors import Problem
from dsl.ir.function import Tensor
from dsl.ir.region import Axes
from dsl.staging.env.axes_of_keys import as_called_from_python
from dsl.staging.env.mesh_specs import leaf_cuts, mesh_of
from dsl.staging.values import RecordValue, Slot, Transformed, TupleValue, Value, leaves, map_leaves


class Map(Struct, frozen=True):
    """One `vmap` around a definition: an entry for each parameter, and the name of its axis."""

    entries: Sequence[Value]
    name: str | None

    @property
    def names(self) -> Sequence[str]:
        """Of the axes around the definition."""
        return [] if self.name is None else [self.name]


class Cut(Struct, frozen=True):
    """One `shard` around a definition: a spec for each parameter, and the axes of its mesh."""

    entries: Sequence[Value]
    mesh: Mapping[str, int]

    @property
    def names(self) -> Sequence[str]:
        """Of the axes around the definition."""
        return list(self.mesh)

    def strip(self, spec: Value, path: str, value: Value) -> Value:
        """The skeleton of one part."""
        slots = [leaf for leaf in leaves(value) if isinstance(leaf, Slot)]
        cuts = zip(slots, leaf_cuts(spec, value, self.mesh), strict=True)
        parts = iter([self._part(path, slot.type, cut) for slot, cut in cuts])
        return map_leaves(lambda leaf: Slot(next(parts)) if isinstance(leaf, Slot) else leaf, value)

    def _part(self, path: str, type: Tensor, cut: Axes) -> Tensor:
        shape = list(type.shape)
        for (name, size), axis in zip(self.mesh.items(), cut, strict=True):
            if axis is None:
                continue
            if not 0 <= axis < type.rank:
                raise Problem("E1010", f"{path} is {type}, which has no axis {axis} to cut along `{name}`")
            if shape[axis] % size:
                message = f"axis {axis} of {path} ({type}) cannot be cut into {size} equal parts along `{name}`"
                raise Problem("E1012", message)
            shape[axis] //= size
        return Tensor(type.dtype, tuple(shape))


@dataclass(slots=True)
class Found:
    """The size of a mapped axis in one call, and where it was found first."""

    size: int | None = None
    place: str = ""

    def strip(self, axes: Value, path: str, value: Value) -> Value:
        match axes, value:
            case None, _:
                return value
            case int(), TupleValue(parts):
                return self.strip(TupleValue((axes,) * len(parts)), path, value)
            case int(), RecordValue(fields):
                return self.strip(RecordValue(tuple([(name, axes) for name, _ in fields])), path, value)
            case int(), _:
                return self._leaf(axes, path, value)
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
            help = "`in_axes` has an axis for each argument, or None where it is not mapped: `in_axes=(None, 0)`"
            raise Problem("E0806", f"{path} is {leaf.type}, which has no axis {axis} to map over", help)
        size = shape.pop(axis)
        if self.size is None:
            self.size, self.place = size, f"axis {axis} of {path}"
        elif self.size != size:
            message = f"{self.place} has size {self.size}, but axis {axis} of {path} has size {size}"
            raise Problem("E0807", message)
        return Slot(Tensor(leaf.type.dtype, tuple(shape)))


class Stripping:
    """The maps of one call, the outermost first."""

    def __init__(self, maps: Sequence[Map | Cut]) -> None:
        self._levels = [(each, Found()) for each in maps]

    def strip(self, parameter: int, path: str, value: Value) -> Value:
        for each, found in self._levels:
            if parameter >= len(each.entries):
                code, option = ("E1010", "in_specs") if isinstance(each, Cut) else ("E0809", "in_axes")
                raise Problem(code, f"`{option}` has no entry for {path}, which is argument {parameter + 1}")
            level = each if isinstance(each, Cut) else found
            value = level.strip(each.entries[parameter], path, value)
        return value

    def sizes(self) -> dict[str, int]:
        """After all arguments: the sizes of the axes that have a name."""
        named: dict[str, int] = {}
        for each, found in self._levels:
            if isinstance(each, Cut):
                named |= each.mesh
            elif found.size is None:
                raise Problem("E0808", "`vmap` needs at least one mapped argument")
            elif each.name is not None:
                named[each.name] = found.size
        return named


def maps_of(value: Value, count: int) -> tuple[Map | Cut, ...]:
    """The maps around a definition with `count` parameters that are not static."""
    maps: list[Map | Cut] = []
    value = as_called_from_python(value)
    while isinstance(value, Transformed):
        options = dict(value.options)
        if is_map(value.kind):
            name = options.get("axis_name")
            entries = _entries(options.get("in_axes", 0), count)
            maps.append(Map(entries, name if isinstance(name, str) else None))
        elif value.kind is Kind.SHARD:
            entries = _entries(options["in_specs"], count)
            maps.append(Cut(entries, mesh_of(options["mesh"])))
        value = value.function
    return tuple(maps)


def _entries(axes: Value, count: int) -> Sequence[Value]:
    return axes.parts if isinstance(axes, TupleValue) else [axes] * count


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

"""Finds what the variables of a signature stand for, from the values given for its parameters.

Sizes are read off shapes: alone, or solved from `a * v + b` once the rest of it is known. The same
matching serves calls inside a program, where the checker has shown that all agrees, and the Python
boundary, where `conflicts` and `unsolved` say what does not. Read next: `dsl.host.arguments.binding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.ir.function import Tensor
from dsl.staging.env.environment import Variables
from dsl.staging.values import (
    ATOMS,
    RecordValue,
    Slot,
    TupleValue,
    Value,
    VariantValue,
    as_ints,
    leaves,
    map_leaves,
    skeleton,
)
from dsl.types.dtype import DType
from dsl.types.effect import Axis
from dsl.types.shape import Shape, ShapeCall, ShapeVar, Splice, StaticArg, StaticName, StaticVariant, Written
from dsl.types.size import Size, SizeVar
from dsl.types.type import (
    ArrayType,
    DTypeVar,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    TupleType,
    Type,
    TypeVar,
)


class Place(Struct, frozen=True):
    """Where a size was read: the parameter, the path inside its value, and the axis."""

    parameter: str
    path: str = ""
    axis: int | None = None


class Conflict(Struct, frozen=True):
    """`what` (a size, or a shape variable) is `first` by one place and `second` by another one.

    `first_place` is None where the size is fixed by the type itself.
    """

    what: str
    first: int | tuple[int, ...]
    first_place: Place | None
    second: int | tuple[int, ...]
    second_place: Place


Equation: TypeAlias = "tuple[Size, int, Place]"


@dataclass(slots=True)
class Matcher:
    """Collects what types say about sizes; `finish` solves it."""

    variables: Variables
    conflicts: list[Conflict] = field(default_factory=list)
    unlike: list[tuple[TypeVar, Place]] = field(default_factory=list)
    pending: list[Equation] = field(default_factory=list)
    later: list[tuple[Shape, Tensor, Place]] = field(default_factory=list)
    origins: dict[SizeVar | ShapeVar | DTypeVar, Place] = field(default_factory=dict)

    def match(self, type: Type, value: Value, place: Place, axes: tuple[Shape, ...] = ()) -> None:
        """`axes` are those that enclosing `T[n]` put in front of every leaf."""
        match type:
            case ArrayType(dtype, shape):
                self._array(dtype, Shape.of(*axes, shape), value, place)
            case IndexType(_, shape):
                self._shape(Shape.of(*axes, shape), tensor_of(value), place)
            case KeyType(shape):
                found = tensor_of(value)
                if found is not None and found.shape[-1:] != (2,):  # a map took the axis of its words for one of keys
                    self.conflicts.append(Conflict("rank", 1, None, 0, place))
                self._shape(Shape.of(*axes, shape), found and Tensor(found.dtype, found.shape[:-1]), place)
            case TupleType(parts) if isinstance(value, TupleValue):
                for k, (part, inner) in enumerate(zip(parts, value.parts, strict=True)):
                    self.match(part, inner, Place(place.parameter, f"{place.path}.{k}"), axes)
            case RecordType(fields) if isinstance(value, RecordValue):
                for (name, part), (_, inner) in zip(fields, value.fields, strict=True):
                    self.match(part, inner, Place(place.parameter, f"{place.path}.{name}"), axes)
            case StackedType(element, more):
                self.match(element, value, place, (*axes, more))
            case OptionalType(base) if value is not None:
                self.match(base, value, place, axes)
            case TypeVar():
                self._tree(type, value, place, axes)
            case _:
                pass

    def _array(self, dtype: DType | DTypeVar, shape: Shape, value: Value, place: Place) -> None:
        found = tensor_of(value)
        if found is None:
            return
        while isinstance(dtype, DTypeVar) and dtype in self.variables.solution:
            dtype = self.variables.solution[dtype]
        if isinstance(dtype, DTypeVar):
            self.variables.dtypes.setdefault(dtype, found.dtype)
            self.origins.setdefault(dtype, place)
        self._shape(shape, found, place)

    def _tree(self, var: TypeVar, value: Value, place: Place, axes: tuple[Shape, ...]) -> None:
        """The structure of one element; axes in front of it are read off every leaf."""
        lead = Shape.of(*axes)
        count = lead.rank or 0
        if axes:
            for leaf in leaves(value):
                found = tensor_of(leaf)
                if found is not None:
                    self._shape(lead, Tensor(found.dtype, found.shape[:count]), place)
        structure = map_leaves(lambda leaf: _element(leaf, count), skeleton(value))
        if self.variables.types.setdefault(var, structure) != structure:
            self.unlike.append((var, place))

    def _shape(self, shape: Shape, found: Tensor | None, place: Place) -> None:
        if found is None:
            return
        if sum(isinstance(dim, Splice) for dim in shape.dims) > 1:
            shape = self.variables.known_shapes(shape)
        lead, extents = shape.leading, found.shape
        trail = shape.trailing if lead < len(shape.dims) else 0
        if len(extents) < lead + trail or (lead == len(shape.dims) and len(extents) != lead):
            self.conflicts.append(Conflict("rank", lead + trail, None, len(extents), place))
            return
        for axis in range(lead):
            self._axis(shape.dims[axis], extents[axis], axis, place)
        for k in range(1, trail + 1):
            self._axis(shape.dims[-k], extents[-k], len(extents) - k, place)
        middle = shape.dims[lead : len(shape.dims) - trail]
        if middle:
            self._splice(middle, Tensor(found.dtype, extents[lead : len(extents) - trail]), place)

    def _axis(self, dim: Size | Splice, extent: int, axis: int, place: Place) -> None:
        assert isinstance(dim, Size)
        atom = dim.as_atom()
        here = Place(place.parameter, place.path, axis)
        if isinstance(atom, SizeVar) and atom not in self.variables.sizes:
            self.variables.sizes[atom] = extent
            self.origins[atom] = here
        else:
            self.pending.append((dim, extent, here))

    def _splice(self, middle: Sequence[Size | Splice], found: Tensor, place: Place) -> None:
        """One `*s`; what is computed from others, and pieces that others may tell, is for later."""
        first = middle[0]
        if len(middle) > 1 or not isinstance(first, Splice) or not isinstance(first.of, ShapeVar):
            self.later.append((Shape(tuple(middle)), found, place))
            return
        known = self.variables.shapes.setdefault(first.of, found.shape)
        if known != found.shape:
            origin = self.origins.get(first.of)
            self.conflicts.append(Conflict(first.of.name, known, origin, found.shape, place))
        self.origins.setdefault(first.of, place)

    def finish(self) -> None:
        """Solves what is pending and checks what is determined."""
        progress = True
        while progress and (self.pending or self.later):
            equations, self.pending = self.pending, []
            self.pending += [equation for equation in equations if not self._settled(*equation)]
            shapes, self.later = self.later, []
            self.later += [shape for shape in shapes if not self._told(*shape)]
            progress = len(self.pending) < len(equations) or len(self.later) < len(shapes)

    def _told(self, shape: Shape, found: Tensor, place: Place) -> bool:
        """Whether others tell all axes of a shape but those of one variable, and so all of them."""
        known = self.variables.substitution().shape(shape)
        open_axes = [dim.of for dim in known.dims if isinstance(dim, Splice)]
        if known.literal is not None and known.literal != found.shape:
            self.conflicts.append(Conflict(str(shape), known.literal, self._origin(shape), found.shape, place))
        elif len(open_axes) > 1 or any(isinstance(each, ShapeCall) for each in open_axes):
            return False
        else:
            self._shape(known, found, place)
        return True

    def _origin(self, shape: Shape) -> Place | None:
        inside: Set[SizeVar | ShapeVar | DTypeVar] = shape.vars() | shape.shape_vars()
        return next((origin for var, origin in self.origins.items() if var in inside), None)

    def _settled(self, size: Size, extent: int, place: Place) -> bool:
        sizes = self.variables.sizes
        unknown = [var for var in size.vars() if var not in sizes]
        if not unknown:
            self._compare(size, extent, place)
            return True
        if len(unknown) > 1:
            return False
        parts = size.linear_in(unknown[0])
        if parts is None:
            return False
        slope, rest = (self.variables.substitution().size(part).constant for part in parts)
        if slope is None or rest is None:
            return False
        value, left = divmod(extent - rest, slope) if slope else (0, 1)
        if left or value < 0:
            self.conflicts.append(Conflict(str(size), extent, None, extent, place))
            value = max(value, 0)
        sizes[unknown[0]] = value
        self.origins[unknown[0]] = place
        return True

    def _compare(self, size: Size, extent: int, place: Place) -> None:
        known = self.variables.substitution().size(size).constant
        if known is not None and known != extent:
            origins = (self.origins.get(var) for var in size.vars())
            origin = next((o for o in origins if o is not None), None)
            self.conflicts.append(Conflict(str(size), known, origin, extent, place))


def tensor_of(value: Value) -> Tensor | None:
    """The type of a traced leaf or its slot; None for static leaves."""
    return value.type if isinstance(value, (*ATOMS, Slot)) else None


def _element(leaf: Value, count: int) -> Value:
    return Slot(Tensor(leaf.type.dtype, leaf.type.shape[count:])) if isinstance(leaf, Slot) else leaf


def bind_static(parameter: core.Parameter, value: Value, variables: Variables) -> None:
    """What a static parameter stands for in types."""
    if parameter.size is not None and isinstance(value, int):
        variables.sizes[parameter.size] = value
    if parameter.shape is not None:
        variables.shapes[parameter.shape] = as_ints(value)
    if parameter.dtype is not None and isinstance(value, DType):
        variables.dtypes[parameter.dtype] = value
    if parameter.static:
        variables.statics[StaticName(parameter.id, parameter.name)] = _argument(value)
    if parameter.parts:
        for part, item in _parts(parameter, value):
            bind_static(part, item, variables)


def _parts(parameter: core.Parameter, value: Value) -> Iterator[tuple[core.Parameter, Value]]:
    """The parts of a static tuple or record, and what they are."""
    match value:
        case TupleValue(parts):
            yield from zip(parameter.parts, parts, strict=True)
        case RecordValue():
            yield from ((part, value.get(part.name.rpartition(".")[2])) for part in parameter.parts)
        case _:
            return


def _argument(value: Value) -> StaticArg:
    """A static value as shapes and conditions speak of it."""
    match value:
        case int() | str() | None:
            return value
        case TupleValue(parts):
            return tuple(map(_argument, parts))
        case RecordValue(fields):
            return tuple(_argument(item) for _, item in fields)
        case tuple():
            return value
        case VariantValue(variant=name, parts=parts):
            return StaticVariant(name, tuple(map(_argument, parts)))
        case _:
            return Written(str(value))


def solve_signature(
    signature: core.Signature, given: Mapping[int, Value], variables: Variables, axes: Mapping[str, int]
) -> None:
    """Fills `variables` from the values of the parameters, by their ids, and from the sizes of named `axes`.
    The checker has shown that they agree.
    """
    matcher = Matcher(variables)
    for parameter in signature.params:
        if parameter.id in given:
            bind_static(parameter, given[parameter.id], variables)
    for parameter in signature.params:
        if parameter.id in given:
            matcher.match(parameter.type, given[parameter.id], Place(parameter.name))
    for effect in signature.effects.effects:
        if isinstance(effect, Axis) and effect.size is not None and effect.name in axes:
            matcher.pending.append((effect.size, axes[effect.name], Place(str(effect))))
    matcher.finish()

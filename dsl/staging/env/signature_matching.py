"""Finds what the variables of a signature stand for, from the values given for its parameters.

Sizes are read off shapes: alone, or solved from `a * v + b` once the rest of it is known. The same
matching serves calls inside a program, where the checker has shown that all agrees, and the Python
boundary, where `conflicts` and `unsolved` say what does not. Read next: `dsl.host.arguments.binding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import field

from dsl.core import core
from dsl.core.solving import Conflict, Equations, Place
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
from dsl.types.shape import (
    Shape,
    ShapeVar,
    StaticArg,
    StaticName,
    StaticVariant,
    Substitution,
    Written,
)
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


class Matcher(Equations, eq=False, kw_only=True):
    """Collects what types say about sizes of values, which are numbers; `settle` solves it."""

    variables: Variables
    unlike: list[tuple[TypeVar, Place]] = field(default_factory=list)

    def meaning(self, variable: SizeVar | ShapeVar) -> Size | Shape | None:
        if isinstance(variable, SizeVar):
            size = self.variables.sizes.get(variable)
            return None if size is None else Size.of(size)
        shape = self.variables.shapes.get(variable)
        return None if shape is None else Shape.of(*shape)

    def put(self, variable: SizeVar | ShapeVar, meaning: Size | Shape, place: Place) -> None:
        self.origins[variable] = place
        if isinstance(variable, SizeVar) and isinstance(meaning, Size):
            self.variables.sizes[variable] = self.variables.size(meaning)
        elif isinstance(variable, ShapeVar) and isinstance(meaning, Shape):
            self.variables.shapes[variable] = self.variables.shape(meaning)

    def substitution(self) -> Substitution:
        return self.variables.substitution()

    def bind(self, type: Type, value: Value, place: Place, axes: tuple[Shape, ...] = ()) -> None:
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
                    self.bind(part, inner, Place(place.parameter, f"{place.path}.{k}"), axes)
            case RecordType(fields) if isinstance(value, RecordValue):
                for (name, part), (_, inner) in zip(fields, value.fields, strict=True):
                    self.bind(part, inner, Place(place.parameter, f"{place.path}.{name}"), axes)
            case StackedType(element, more):
                self.bind(element, value, place, (*axes, more))
            case OptionalType(base) if value is not None:
                self.bind(base, value, place, axes)
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
        if found is not None:
            self.match(shape, Shape.of(*found.shape), place)


def tensor_of(value: Value) -> Tensor | None:
    """The type of a traced leaf or its slot; None for static leaves."""
    return value.type if isinstance(value, (*ATOMS, Slot)) else None


def _element(leaf: Value, count: int) -> Value:
    return Slot(Tensor(leaf.type.dtype, leaf.type.shape[count:])) if isinstance(leaf, Slot) else leaf


def bind_static(parameter: core.Parameter, value: Value, variables: Variables) -> None:
    """Bind a static parameter for use in types."""
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
    matcher = Matcher(variables=variables)
    for parameter in signature.params:
        if parameter.id in given:
            bind_static(parameter, given[parameter.id], variables)
    for parameter in signature.params:
        if parameter.id in given:
            matcher.bind(parameter.type, given[parameter.id], Place(parameter.name))
    for effect in signature.effects.effects:
        if isinstance(effect, Axis) and effect.size is not None and effect.name in axes:
            matcher.equate(effect.size, Size.of(axes[effect.name]), Place(str(effect)))
    matcher.settle()

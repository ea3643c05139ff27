"""Functions of shapes that have laws, as `reduced(s, axis, keepdims)`: one table for known arguments, shapes as tuples,
and for those that are not, of which a function may give its own call.

Where one has no value, as `reduced` along an axis that is not there, it is a `ValueError`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core.statics.lists import items_of
from dsl.core.statics.ranges import holds_call, holds_float
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.extents import decided
from dsl.types.facts import Facts, Known, Prop, simplified
from dsl.types.shape import Shape, StaticArg, Written
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type

Found: TypeAlias = Shape | ShapeFailure | Size | Prop


class ShapeFunction(Struct, frozen=True):
    """A function of arguments of these types, None for any other, that gives a shape, an integer or a truth. `compute`
    gives it under facts."""

    compute: Callable[..., Found]
    params: tuple[Type | None, ...]
    result: Type = ty.SHAPE

    def of_known(self, *args: Any) -> Any:
        """The value for arguments that are known. Raises `ValueError` where there is none."""
        return _value(self.compute(Facts(), *map(_argument, args, self.params)))


def _argument(value: Any, type_: Type | None) -> StaticArg:
    match value:
        case _ if type_ == ty.SHAPE:
            return Shape.of(*items_of(value))
        case int() if type_ == ty.INT:
            return Size.of(value)
        case DType() | float() | complex():
            return Written(str(value))
        case _:
            found: StaticArg = value
            return found


def _value(found: Found) -> Any:
    match found:
        case Shape() if found.sizes is not None and None not in (sizes := tuple(map(decided, found.sizes))):
            if any(size.constant is not None and size.constant < 0 for size in found.sizes):
                raise ValueError(f"no value: {found}")
            return sizes
        case Size() if (size := decided(found)) is not None:
            return size
        case Shape() | Size() | ShapeFailure():
            raise ValueError(f"no value: {found}")
        case _:
            return simplified(found) == Known(True)


def _without_facts(function: Callable[..., Found]) -> Callable[..., Found]:
    return lambda facts, *args: function(*args)


def _call(function: Callable[[Shape, Shape], Shape]) -> ShapeFunction:
    """One that needs sizes to be equal: what it needs is demanded where its shape is used."""
    return ShapeFunction(_without_facts(function), (ty.SHAPE, ty.SHAPE))


def _test(function: Callable[..., Prop], *params: Type | None) -> ShapeFunction:
    return ShapeFunction(_without_facts(function), params, ty.BOOLEAN)


def _holds(dtype: StaticArg, number: Size | int) -> Prop:
    return holds_call(dtype, Size.of(number))


SHAPE_FUNCTIONS: Mapping[str, ShapeFunction] = MappingProxyType(
    {
        "reduced": ShapeFunction(shapefn.reduced, (ty.SHAPE, None, None)),
        "removed": ShapeFunction(shapefn.removed, (ty.SHAPE, None)),
        "inserted": ShapeFunction(shapefn.inserted, (ty.SHAPE, None, ty.INT)),
        "permuted": ShapeFunction(shapefn.permuted, (ty.SHAPE, None)),
        "transposed": ShapeFunction(shapefn.transposed, (ty.SHAPE,)),
        "replaced": ShapeFunction(shapefn.replaced, (ty.SHAPE, None, ty.INT)),
        "swapped": ShapeFunction(shapefn.swapped, (ty.SHAPE, None, None)),
        "broadcasted": _call(shapefn.broadcasted_call),
        "stretched": _call(shapefn.stretched_call),
        "reshaped": _call(shapefn.reshaped_call),
        "contracted": _call(shapefn.contracted_call),
        "extent": ShapeFunction(_without_facts(shapefn.extent), (ty.SHAPE, None), ty.INT),
        "has_axis": _test(shapefn.has_axis, ty.SHAPE, None),
        "is_order": _test(shapefn.is_order, ty.SHAPE, None),
        "holds": _test(_holds, None, ty.INT),
        "holds_float": _test(holds_float, None, None),
    }
)
"""By the intrinsics that the definitions of the library are."""

SHAPES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: function.of_known for name, function in SHAPE_FUNCTIONS.items()}
)

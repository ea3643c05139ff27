"""Shape functions of shapes that are known through and through, which are tuples here: `SHAPES` maps the name of an
intrinsic to its meaning. Where one has no value, as `reduced` along an axis that is not there, it is a `ValueError`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from dsl.core.statics.lists import Items, items_of
from dsl.core.statics.ranges import fits_in, holds
from dsl.types import shapefn
from dsl.types.dtype import DType
from dsl.types.facts import Facts, Known, Prop, simplified
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import Formed, ShapeFailure
from dsl.types.size import Size

_Found: TypeAlias = Shape | Formed | ShapeFailure


def _shape(items: Any) -> Shape:
    return Shape.of(*items_of(items))


def _sizes(found: _Found) -> Items:
    shape = found.shape if isinstance(found, Formed) else found
    if isinstance(shape, ShapeFailure) or shape.literal is None or min(shape.literal, default=0) < 0:
        raise ValueError(f"no shape: {found}")
    return shape.literal


def _truth(prop: Prop) -> bool:
    return simplified(prop) == Known(True)


def _of_axes(function: Callable[..., _Found]) -> Callable[..., Items]:
    return lambda shape, *args: _sizes(function(Facts(), _shape(shape), *args))


def _of_a_size(function: Callable[..., _Found]) -> Callable[..., Items]:
    return lambda shape, axis, size: _sizes(function(Facts(), _shape(shape), axis, Size.of(size)))


def _of_shapes(function: Callable[..., _Found]) -> Callable[..., Items]:
    return lambda left, right: _sizes(function(Facts(), _shape(left), _shape(right)))


def _test(condition: Callable[[Shape, StaticArg], Prop]) -> Callable[..., bool]:
    return lambda shape, axes: _truth(condition(_shape(shape), axes))


def _extent(shape: Any, axis: Any) -> int:
    found = shapefn.extent(_shape(shape), axis).constant
    if found is None:
        raise ValueError(f"no axis {axis}")
    return found


def _holds(dtype: DType, number: int) -> bool:
    return _truth(holds(dtype, Size.of(number)))


def _holds_float(dtype: DType, number: float) -> bool:
    return fits_in(number, dtype)


SHAPES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "reduced": _of_axes(shapefn.reduced),
        "removed": _of_axes(shapefn.removed),
        "inserted": _of_a_size(shapefn.inserted),
        "permuted": _of_axes(shapefn.permuted),
        "transposed": _of_axes(shapefn.transposed),
        "replaced": _of_a_size(shapefn.replaced),
        "swapped": _of_axes(shapefn.swapped),
        "broadcasted": _of_shapes(shapefn.broadcasted),
        "stretched": _of_shapes(shapefn.stretched),
        "reshaped": _of_shapes(shapefn.reshaped),
        "contracted": _of_shapes(shapefn.contracted),
        "extent": _extent,
        "has_axis": _test(shapefn.has_axis),
        "is_order": _test(shapefn.is_order),
        "holds": _holds,
        "holds_float": _holds_float,
    }
)

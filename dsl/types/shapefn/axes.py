"""Shape functions that name axes: reductions, replaced and inserted axes, permutations.

They need no size to equal another; those that do are in `join` and `product`.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import reduce
from typing import cast

from dsl.types.decide import normalise
from dsl.types.facts import Facts, Known, OpaqueProp, Prop
from dsl.types.open_shapes import axes_within
from dsl.types.shape import PRESENT, Dim, Shape, ShapeCall, Splice, StaticArg, StaticVariant
from dsl.types.shapefn.calls import stuck
from dsl.types.shapefn.outcome import ShapeFailure, normalise_shape
from dsl.types.size import Opaque, Size

# One axis.


def place(shape: Shape, axis: int) -> int | ShapeFailure | None:
    """Where an axis is in `shape.dims`, as an index that is negative if it counts from the end; None if that
    depends on a rank that is not known."""
    if -shape.trailing <= axis < shape.leading:
        return axis
    if shape.rank is not None:
        return ShapeFailure("axis out of range", (shape,), value=axis)
    return None


def has_axis(shape: Shape, axis: StaticArg) -> Prop:
    """Return the condition that a shape has an axis, counted from the end if negative; for several axes, that each
    exists and they are distinct."""
    axis = _given(axis)
    if axis is None:
        return Known(True)
    axes = _axis_tuple(axis)
    places = None if axes is None else _places(shape, axes)
    if places is not None:
        return Known(isinstance(places, tuple))
    return OpaqueProp("has_axis", (shape, axis if axes is None else _plain_axis(axes, axis)), has_axis, axes_within)


def missing_axis(shape: Shape, axis: StaticArg) -> ShapeFailure:
    """Why there is no such axis, or not each of several."""
    axis = _given(axis)
    found = _places(shape, _axis_tuple(axis) or (axis,))
    return found if isinstance(found, ShapeFailure) else ShapeFailure("axis out of range", (shape,), value=axis)


def extent(shape: Shape, axis: StaticArg) -> Size:
    """The size of one axis; of all together for None; a call where that is not known."""
    axis = _given(axis)
    if axis is None:
        return shape.product()
    if isinstance(axis, Shape) and axis.literal is not None:
        return extent(shape, axis.literal)
    if isinstance(axis, tuple):
        return reduce(lambda total, one: total * extent(shape, one), axis, Size.of(1))
    match shape.dims:
        case (Splice(ShapeCall("replaced" | "inserted", (_, same, Size() as size))),) if same == axis and _is_one(axis):
            return size
        case (Splice(ShapeCall("reduced", (_, same, True))),) if same == axis:
            return Size.of(1)
    at = place(shape, axis) if isinstance(axis, int) else None
    if at is None:
        return Size.of(Opaque("extent", (shape, axis), True, _extent_of, True))
    return shape.axis(at) if isinstance(at, int) else Size.of(0)


def _is_one(axis: StaticArg) -> bool:
    """Return whether this is one axis, whatever its number: `axes` that are not known may be several, or all."""
    return isinstance(axis, int | Size)


def _given(axis: StaticArg) -> StaticArg:
    """The axis that stands in an optional one."""
    return axis.args[0] if isinstance(axis, StaticVariant) and axis.name == PRESENT else axis


def _extent_of(shape: Hashable, axis: Hashable) -> Size | None:
    known = axis.constant if isinstance(axis, Size) else None
    return extent(shape, cast(StaticArg, axis if known is None else known)) if isinstance(shape, Shape) else None


def _places(shape: Shape, axes: tuple[StaticArg, ...]) -> tuple[int, ...] | ShapeFailure | None:
    """Indices into `dims`, from the front, of distinct axes."""
    found: list[int] = []
    for axis in axes:
        if not isinstance(axis, int):
            return None
        at = place(shape, axis)
        if at is None or isinstance(at, ShapeFailure):
            return at
        found.append(at % len(shape.dims))
    if len(set(found)) != len(found):
        return ShapeFailure("repeated axis", (shape,), value=axes)
    return tuple(found)


def _axis_tuple(axis: StaticArg) -> tuple[StaticArg, ...] | None:
    value = axis.constant if isinstance(axis, Size) else axis.literal if isinstance(axis, Shape) else axis
    if isinstance(value, tuple):
        return tuple(a.constant if isinstance(a, Size) and a.constant is not None else a for a in value)
    return (value,) if isinstance(value, int) else None


# Reductions and changes of one axis.


def reduced(facts: Facts, shape: Shape, axis: StaticArg, keepdims: StaticArg) -> Shape | ShapeFailure:
    """The shape of a reduction along an axis, several, or all (None)."""
    shape = normalise_shape(shape, facts)
    if not isinstance(keepdims, bool):
        return stuck(reduced, shape, axis, keepdims)
    if axis is None:
        return _reduced_fully(shape, keepdims)
    axes = _axis_tuple(axis)
    if axes == ():
        return shape
    inner = _same_axis_changed(shape, axis)
    if inner is not None:
        return reduced(facts, inner, axis, keepdims)
    without = _same_axis_inserted(shape, axis)
    if without is not None:
        return inserted(facts, without, axis) if keepdims else without
    places = None if axes is None else _places(shape, axes)
    if isinstance(places, ShapeFailure):
        return places
    if places is None:
        return stuck(reduced, shape, _plain_axis(axes, axis), keepdims)
    new: dict[int, tuple[Dim, ...]] = dict.fromkeys(places, (Size.of(1),) if keepdims else ())
    return Shape(tuple(part for i, dim in enumerate(shape.dims) for part in new.get(i, (dim,))))


def _reduced_fully(shape: Shape, keepdims: bool) -> Shape:
    if not keepdims:
        return Shape()
    ones: list[Shape | Size] = []
    for dim in shape.dims:
        known = isinstance(dim, Size)
        ones.append(Size.of(1) if known else stuck(reduced, Shape((dim,)), None, True))
    return Shape.of(*ones)


def _plain_axis(axes: tuple[StaticArg, ...] | None, axis: StaticArg) -> StaticArg:
    return axis if axes is None else axes[0] if len(axes) == 1 else axes


def _same_axis_changed(shape: Shape, axis: StaticArg) -> Shape | None:
    """`s` if the shape is `reduced(s, axis, true)` or `replaced(s, axis, k)`."""
    match shape.dims:
        case (Splice(ShapeCall("reduced" | "replaced" as name, (Shape() as inner, same, last))),):
            kept = name == "replaced" or last is True
            return inner if same == axis and kept and not isinstance(axis, tuple) else None
        case _:
            return None


def _same_axis_inserted(shape: Shape, axis: StaticArg) -> Shape | None:
    """`s` if the shape is `inserted(s, axis, k)`."""
    match shape.dims:
        case (Splice(ShapeCall("inserted", (Shape() as inner, same, _))),) if same == axis:
            return None if isinstance(axis, tuple) else inner
        case _:
            return None


def removed(facts: Facts, shape: Shape, axis: StaticArg) -> Shape | ShapeFailure:
    """The shape without an axis, or several."""
    return reduced(facts, shape, axis, False)


def replaced(facts: Facts, shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    """The shape with another size at an axis, at each of several, or at all (None)."""
    shape = normalise_shape(shape, facts)
    size = normalise(size, facts)
    axes = _axis_tuple(axis)
    if size.is_literal(1):
        return reduced(facts, shape, axis, True)
    if axis is None and shape.rank is not None:
        return Shape((size,) * shape.rank)
    inner = _same_axis_changed(shape, axis)
    if inner is not None:
        return replaced(facts, inner, axis, size)
    without = _same_axis_inserted(shape, axis)
    if without is not None:
        return inserted(facts, without, axis, size)
    places = None if axes is None else _places(shape, axes)
    if isinstance(places, ShapeFailure):
        return places
    if places is None and _is_one(axis) and size == extent(shape, _plain_axis(axes, axis)):
        return shape
    if places is None:
        return stuck(replaced, shape, _plain_axis(axes, axis), size)
    return Shape(tuple(size if i in places else dim for i, dim in enumerate(shape.dims)))


def inserted(facts: Facts, shape: Shape, axis: StaticArg, size: Size | None = None) -> Shape | ShapeFailure:
    """The shape with a new axis (or several, of the same size, 1 if not given) at places of the result."""
    shape = normalise_shape(shape, facts)
    new = Size.of(1) if size is None else normalise(size, facts)
    axes = _axis_tuple(axis)
    if axis is None:
        return ShapeFailure("no place for an axis", (shape,), value=None)
    if axes is None:
        return stuck(inserted, shape, axis, new)
    if len(axes) == 1:
        return _inserted_one(shape, axes[0], new)
    rank = shape.rank
    if rank is None or not all(isinstance(a, int) for a in axes):
        return stuck(inserted, shape, axes, new)
    total = rank + len(axes)
    places = _places(Shape.of(*[0] * total), axes)
    if not isinstance(places, tuple):
        return ShapeFailure(
            "repeated axis" if places and places.kind == "repeated axis" else "no place for an axis",
            (shape,),
            value=axes,
        )
    rest = iter(shape.dims)
    return Shape(tuple(new if i in places else next(rest) for i in range(total)))


def _inserted_one(shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    if isinstance(axis, int):
        if 0 <= axis <= shape.leading:
            return Shape((*shape.dims[:axis], size, *shape.dims[axis:]))
        if -shape.trailing - 1 <= axis < 0:
            at = len(shape.dims) + 1 + axis
            return Shape((*shape.dims[:at], size, *shape.dims[at:]))
        if shape.rank is not None:
            return ShapeFailure("no place for an axis", (shape,), value=axis)
    return stuck(inserted, shape, axis, size)


# Permutations.


def permuted(facts: Facts, shape: Shape, axes: StaticArg) -> Shape | ShapeFailure:
    """The shape with axis `axes[i]` at place `i`; for None in reverse order."""
    shape = normalise_shape(shape, facts)
    rank = shape.rank
    if axes is None:
        return stuck(permuted, shape, None) if rank is None else Shape(shape.dims[::-1])
    order = _axis_tuple(axes)
    if order is None or not all(isinstance(a, int) for a in order):
        return stuck(permuted, shape, axes)
    numbers = [a % len(order) for a in order if isinstance(a, int) and -len(order) <= a < len(order)]
    if sorted(numbers) != list(range(len(order))) or rank not in (None, len(order)):
        return ShapeFailure("not a permutation", (shape,), value=order)
    if numbers == list(range(len(order))):
        return shape
    match shape.dims:
        case (Splice(ShapeCall("permuted", (Shape() as inner, tuple() as before))),) if len(before) == len(order):
            return permuted(facts, inner, tuple(before[n] for n in numbers))
    if rank is None:
        return stuck(permuted, shape, tuple(numbers))
    return Shape(tuple(shape.dims[n] for n in numbers))


def has_place(shape: Shape, axis: StaticArg) -> Prop:
    """Return the condition that new axes can be inserted: each is in range, and they are distinct."""
    axes = axis if isinstance(axis, tuple) else _axis_tuple(axis)
    if axis is None:
        return Known(False)
    if axes is None and not _is_one(axis):
        return OpaqueProp("has_place", (shape, axis), has_place)
    return has_axis(Shape.of(*[1] * (1 if axes is None else len(axes)), shape), axis)


def is_order(shape: Shape, axes: StaticArg) -> Prop:
    """Return the condition that the axes are a permutation of those of a shape."""
    order = _axis_tuple(axes)
    if axes is None or isinstance(permuted(Facts(), shape, axes), ShapeFailure):
        return Known(axes is None)
    if shape.rank is not None and order is not None and all(isinstance(axis, int) for axis in order):
        return Known(True)
    return OpaqueProp("is_order", (shape, axes if order is None else order), is_order)


def transposed(facts: Facts, shape: Shape) -> Shape | ShapeFailure:
    """`.T`: the last two axes swapped."""
    shape = normalise_shape(shape, facts)
    if shape.trailing >= 2:
        return Shape((*shape.dims[:-2], shape.dims[-1], shape.dims[-2]))
    if shape.rank is not None:
        return ShapeFailure("axis out of range", (shape,), value=-2)
    return stuck(transposed, shape)


def swapped(facts: Facts, shape: Shape, first: StaticArg, second: StaticArg) -> Shape | ShapeFailure:
    """The shape with two axes swapped."""
    shape = normalise_shape(shape, facts)
    axes = _axis_tuple((first, second)) or ()
    if shape.rank is None and {axis for axis in axes if isinstance(axis, int)} == {-1, -2}:
        return transposed(facts, shape)
    places = [at for axis in axes if isinstance(axis, int) and (at := place(shape, axis)) is not None]
    wrong = next((at for at in places if isinstance(at, ShapeFailure)), None)
    if wrong is not None:
        return wrong
    dims = list(shape.dims)
    whole = [at % len(dims) for at in places if isinstance(at, int)]
    if len(whole) < 2:
        return stuck(swapped, shape, *axes)
    dims[whole[0]], dims[whole[1]] = dims[whole[1]], dims[whole[0]]
    return Shape(tuple(dims))

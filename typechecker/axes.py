"""Shape functions of one axis or two that keep the sizes: `along`, `moved`, `swapped`.

`along(s, axis)` is `s`, provided that it has the axis. Where the arguments are not known the call stays, as with the
shape functions of `dsl.types.shapefn`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.types import shapefn
from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeCall, Splice, StaticArg
from dsl.types.shapefn import Formed, ShapeFailure
from dsl.types.size import Size


def _along(facts: Facts, shape: Shape, axis: StaticArg) -> Shape | ShapeFailure:
    """The shape itself, provided that it has the axis."""
    if isinstance(axis, tuple):
        problems = [f for one in axis if isinstance(f := _along(facts, shape, one), ShapeFailure)]
        return problems[0] if problems else shape
    if isinstance(axis, int):
        found = shapefn.replaced(facts, shape, axis, Size.of(1))
        return found if isinstance(found, ShapeFailure) else shape
    return shape if axis is None else _stuck("along", (shape, axis))


def _moved(facts: Facts, shape: Shape, source: StaticArg, destination: StaticArg) -> Shape | ShapeFailure:
    if shape.rank is None or not isinstance(source, int) or not isinstance(destination, int):
        return _stuck("moved", (shape, source, destination))
    taken = shapefn.removed(facts, shape, source)
    if isinstance(taken, ShapeFailure):
        return taken
    return shapefn.inserted(facts, taken, destination, shape.axis(source))


def _swapped(facts: Facts, shape: Shape, first: StaticArg, second: StaticArg) -> Shape | ShapeFailure:
    if not isinstance(first, int) or not isinstance(second, int):
        return _stuck("swapped", (shape, first, second))
    if shape.rank is None and (first < 0) != (second < 0):
        return _stuck("swapped", (shape, first, second))
    try:
        a, b = shape.axis(first), shape.axis(second)
    except IndexError:
        return ShapeFailure("axis out of range", (shape,), value=max(first, second))
    once = shapefn.replaced(facts, shape, first, b)
    return once if isinstance(once, ShapeFailure) else shapefn.replaced(facts, once, second, a)


def _literal(arg: StaticArg) -> StaticArg:
    """A size that is known as the integer it is."""
    return arg.constant if isinstance(arg, Size) and arg.constant is not None else arg


def _stuck(name: str, args: tuple[StaticArg, ...]) -> Shape:
    """A call that waits for its arguments."""

    def compute(*given: StaticArg) -> Shape:
        new = tuple(map(_literal, given))
        result = AXES[name](Facts(), *new)
        if isinstance(result, ShapeFailure):
            return Shape((Splice(ShapeCall(name, new, compute)),))
        return result.shape if isinstance(result, Formed) else result

    return Shape((Splice(ShapeCall(name, args, compute)),))


AXES: Mapping[str, Callable[..., Shape | ShapeFailure]] = MappingProxyType(
    {"along": _along, "moved": _moved, "swapped": _swapped}
)


def plain(shape: Shape) -> Shape:
    """The shape with `along(s, axis)` as the `s` that it is, wherever it has a value."""
    return Shape.of(*(_plain(dim) for dim in shape.dims))


def _plain(dim: Size | Splice) -> Shape | Size | Splice:
    match dim:
        case Splice(ShapeCall(function="along", args=(Shape() as inner, *_))):
            return plain(inner)
        case _:
            return dim


def failure(call: ShapeCall) -> ShapeFailure | None:
    """Why a call of one of these has no value."""
    if call.function not in AXES:
        return None
    result = AXES[call.function](Facts(), *map(_literal, call.args))
    return result if isinstance(result, ShapeFailure) else None

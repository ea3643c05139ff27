"""Calls that a shape still contains: why they have no value, and what they wait for."""

from __future__ import annotations

from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeCall
from dsl.types.shapefn.axes import inserted, permuted, reduced, replaced, transposed
from dsl.types.shapefn.join import broadcasted
from dsl.types.shapefn.outcome import Formed, Obligation, ShapeFailure
from dsl.types.size import Size


def failures(facts: Facts, shape: Shape) -> tuple[ShapeFailure, ...]:
    """Why calls in a shape have no value, for those that fail with the arguments they have."""
    results = (_again(facts, call) for call in shape.calls())
    return tuple(result for result in results if isinstance(result, ShapeFailure))


def obligations(facts: Facts, shape: Shape) -> tuple[Obligation, ...]:
    """What calls in a shape need to be true before they have a value."""
    results = (_again(facts, call) for call in shape.calls())
    return tuple(need for result in results if isinstance(result, Formed) for need in result.obligations)


def _again(facts: Facts, call: ShapeCall) -> Shape | Formed | ShapeFailure | None:
    match call.function, call.args:
        case "reduced", (Shape() as shape, axis, keepdims):
            return reduced(facts, shape, axis, keepdims)
        case "replaced", (Shape() as shape, axis, Size() as size):
            return replaced(facts, shape, axis, size)
        case "inserted", (Shape() as shape, axis, Size() as size):
            return inserted(facts, shape, axis, size)
        case "permuted", (Shape() as shape, axes):
            return permuted(facts, shape, axes)
        case "transposed", (Shape() as shape,):
            return transposed(facts, shape)
        case "broadcasted", (Shape() as left, Shape() as right):
            return broadcasted(facts, left, right)
        case _:
            return None

"""Calls that a shape still contains: why they have no value, and what they wait for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence, Set
from typing import Any, cast

from msgspec import Struct

from dsl.types.facts import And, Facts, Known, Le, OpaqueProp, Prop, simplified
from dsl.types.shape import Computed, Dim, Shape, ShapeCall, Splice, StaticArg, StaticName
from dsl.types.shapefn.axes import has_axis, has_place, is_order
from dsl.types.shapefn.calls import Found, compute_under
from dsl.types.shapefn.outcome import Formed, Obligation, ShapeFailure
from dsl.types.size import Size
from dsl.types.static_conditions import may_be_negative
from dsl.types.static_parts import has_gap

_IS_SHAPE = "{} to be a shape"
_HAS_VALUE = "{} to have a value"


def failures(facts: Facts, shape: Shape, declared: Set[ShapeCall] = frozenset()) -> tuple[ShapeFailure, ...]:
    """Why calls in a shape have no value, for those that fail with the arguments they have. The `declared` ones
    have a value."""
    results = (_again(facts, call) for call in shape.calls() if call not in declared)
    return tuple(result for result in results if isinstance(result, ShapeFailure))


def obligations(facts: Facts, shape: Shape, declared: Set[ShapeCall] = frozenset()) -> tuple[Obligation, ...]:
    """Return the conditions under which the calls in a shape, except `declared` ones, have a value."""
    return tuple(need for call in shape.calls() if call not in declared for need in _needs(call, _again(facts, call)))


def settled(facts: Facts, shape: Shape, declared: Set[ShapeCall] = frozenset()) -> Shape:
    """The shape with the values that its calls have where their obligations are met; `declared` ones stay calls."""
    return Shape.of(*[_value(facts, dim, declared) for dim in shape.dims])


def _value(facts: Facts, dim: Dim, declared: Set[ShapeCall]) -> Shape | Dim:
    match dim:
        case Splice(ShapeCall() as call) if call not in declared:
            found = _again(facts, call)
            return found.shape if isinstance(found, Formed) else dim
        case _:
            return dim


def _needs(call: ShapeCall, result: Found | None) -> Iterator[Obligation]:
    if isinstance(result, Formed):
        yield from result.obligations
    if not isinstance(result, ShapeFailure):
        needed = [*axes_needed(call.function, call.args)]
        if "." in call.function and may_be_negative(call) is None:
            needed.append(is_shape(Shape((Splice(call),))))
        yield from (Obligation(prop, "range") for prop in needed if prop != Known(True))


def axes_needed(function: str, args: Sequence[StaticArg]) -> Iterator[Prop]:
    """Yield the conditions that the axes of a shape function's call exist."""
    match function, args:
        case "reduced" | "replaced", (Shape() as shape, axis, _):
            yield has_axis(shape, axis)
        case "swapped", (Shape() as shape, *axes):
            yield from (has_axis(shape, axis) for axis in axes)
        case "inserted", (Shape() as shape, axis, _):
            yield has_place(shape, axis)
        case "permuted", (Shape() as shape, StaticName() | tuple() as axes):
            yield is_order(shape, axes)
        case "transposed", (Shape() as shape,):
            yield has_axis(shape, -2)


def is_shape(shape: Shape) -> Prop:
    """Return the condition that no size is negative: a computed list may not be a shape."""
    calls = tuple(shape.calls())
    if any(not has_gap(call.args) or _is_without_value(call) for call in calls):
        return Known(False)
    if is_signed(shape) or any(may_be_negative(call) is None for call in calls):
        return OpaqueProp(_IS_SHAPE, (shape,), is_shape)
    return simplified(And(tuple([Le(Size.of(0), dim) for dim in shape.dims if isinstance(dim, Size)])))


def is_signed(shape: Shape) -> bool:
    """Return whether a given list of integers in a shape may have negative ones."""
    return any(var.signed for var in shape.shape_vars()) or any(map(may_be_negative, shape.calls()))


class StaticFunction(ABC):
    """Evaluates the calls of a static function."""

    __slots__ = ()

    @abstractmethod
    def has_value(self, *args: Any) -> bool | None:
        """Return whether a call has a value; None where that depends on what is not known yet."""

    @abstractmethod
    def __call__(self, *args: Any) -> Any:
        """Evaluate the call."""


class _Unevaluated(Struct, frozen=True):
    """Keeps a call of a function a call, whatever becomes known of its arguments."""

    shown: str
    function: StaticFunction

    def __call__(self, *args: StaticArg) -> Computed:
        return Computed(self.shown, args, self)


def has_value(function: StaticFunction, shown: str, args: tuple[StaticArg, ...]) -> Prop:
    """Return the condition that a call of a static function has a value. It is a single condition, decided by
    evaluation: substituting known arguments determines some parts, in no order."""
    return OpaqueProp(_HAS_VALUE, (Computed(shown, args, _Unevaluated(shown, function)),), _has_value)


def _has_value(call: Computed) -> Prop:
    assert isinstance(call.compute, _Unevaluated)
    found = call.compute.function.has_value(*call.args)
    return OpaqueProp(_HAS_VALUE, (call,), _has_value) if found is None else Known(found)


def valued(prop: Prop) -> StaticFunction | None:
    """The function that a call is of, if a condition says that the call has a value."""
    match prop:
        case OpaqueProp(args=(Computed(compute=_Unevaluated(function=function)),)):
            return function
        case _:
            return None


def _is_without_value(call: ShapeCall) -> bool:
    """Return whether a call has no value, whatever becomes known of its arguments."""
    return isinstance(call.compute, StaticFunction) and call.compute.has_value(*call.args) is False


def _again(facts: Facts, call: ShapeCall) -> Found | None:
    """Evaluate a call under the facts, for failures, obligations and the shape."""
    key = "call", call
    if key not in facts.memo:
        facts.memo[key] = compute_under(facts, call)
    return cast("Found | None", facts.memo[key])

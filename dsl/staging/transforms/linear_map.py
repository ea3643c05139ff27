"""The intrinsics that take functions: a linear map with its transpose, a function that is 0 with its first derivatives.

They stand here and not among the intrinsics since they trace what they are given. Read next:
`dsl.ops.control.linear_map`.
"""

from __future__ import annotations

from collections.abc import Mapping

from dsl.ops.annotations import stop_gradient
from dsl.ops.control import FLAT, LINEAR_MAP, FlatParams, LinearMapParams
from dsl.staging.env.stager import Stager
from dsl.staging.transforms.custom_rules import over, union_of
from dsl.staging.transforms.differentiate import give, trace
from dsl.staging.values import Value, as_int, fill, traced_numbers


def linear_map(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    """Apply a function to an operand, with another function as its transpose.

    What both capture is a constant; with `still` the value is 0, and the map is only its derivative, of which `order`
    may be taken one inside the other.
    """
    function, transposed, operand = args[0], args[1], traced_numbers(args[2])
    span = s.b.span
    assert span is not None
    there = trace(s, function, [operand], span, result=traced_numbers)
    image = fill(there.output, iter(there.function.results))
    back = trace(s, transposed, [image], span, result=traced_numbers)
    captures = union_of(there, back.inputs[: back.captures])
    params = LinearMapParams(
        over(there.function, there.inputs[: there.captures], captures),
        over(back.function, back.inputs[: back.captures], captures),
        len(captures),
        still=bool(statics["still"]),
        orders=_orders(statics),
    )
    s.b.span = span
    constants = [stop_gradient(s.b, x) for x in captures]
    return give(s, there, s.b.emit(LINEAR_MAP, params, (*constants, *there.inputs[there.captures :])))


def flat(s: Stager, args: tuple[Value, ...], statics: Mapping[str, Value]) -> Value:
    """Apply a function whose value is 0, with its first derivatives: `still` in all."""
    span = s.b.span
    assert span is not None
    there = trace(s, args[0], [traced_numbers(args[1])], span, result=traced_numbers)
    s.b.span = span
    return give(s, there, s.b.emit(FLAT, FlatParams(there.function, as_int(statics["still"])), there.inputs))


def _orders(statics: Mapping[str, Value]) -> int | None:
    order = statics.get("order")
    return None if order is None else as_int(order)

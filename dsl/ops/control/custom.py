"""Functions with derivative rules of their own: custom_jvp, custom_vjp, and what the latter leaves on a
tape.

A rule is a closed function over the same leaves; where no derivative is meant, the function itself is split.
`custom_vjp` has only a way back: forward it leaves a `custom_linear`, which stands for the linear map that `bwd` is the
transpose of, and can be transposed and batched but not run. Read next: `call`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Linear, RegionOp, Sample, Tangent, Zero
from dsl.ir.region import (
    Axes,
    BatchAxis,
    BatchBody,
    CannotTransform,
    Facts,
    Flags,
    FlowBody,
    JvpBody,
    Problem,
    PruneBody,
    Tangents,
    TransposeBody,
)
from dsl.ops.control.call import admit_call, call, evaluate_call, expand_call, split_call
from dsl.ops.control.region_utils import build_function, check_results, check_signature, move_batch_to_front
from dsl.ops.control.signature import Called, batch_behind, cotangents_behind, keep_whole, region
from dsl.ops.elementwise import add, mul
from dsl.ops.flags import cut, either, front_axes, has_batch_axis, knowns, least_flags, linears, nonzero
from dsl.ops.rule_helpers import materialise
from dsl.types.dtype import F64

CAPTURES = "its function or rule uses a value from outside that is differentiated"
ONLY_BACK = "it has a custom_vjp rule, which only says how to go backwards"


class CustomJvpParams(Called, frozen=True):
    """`rule`: params, then tangents of the inexact ones -> results, then tangents of the inexact ones. The first
    `captured` params come from outside; the rule says nothing of their derivative."""

    rule: Function
    captured: int = 0


class CustomVjpParams(Called, frozen=True):
    """`fwd`: params -> results, then saved values. `bwd`: saved values, then cotangents of the inexact
    results

    -> cotangents of the inexact params. The first `captured` params come from outside.
    """

    fwd: Function
    bwd: Function
    captured: int = 0


class CustomLinearParams(Struct, frozen=True):
    """The linear map from tangents to `bwd`'s cotangent operands whose transpose is `bwd` at `saved`
    values."""

    bwd: Function
    saved: int


def inexact(types: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The types of floats and complex numbers among `types`."""
    return tuple([t for t in types if t.dtype.is_inexact])


def _tangents_of(values: Sequence[Atom], found: Sequence[Atom]) -> tuple[Tangent, ...]:
    """`found` beside the inexact values, structural zeros beside the others."""
    left = iter(found)
    return tuple([next(left) if y.type.dtype.is_inexact else Zero(y.type) for y in values])


def _refuse_captured(params: CustomJvpParams | CustomVjpParams, name: str, ts: Tangents) -> None:
    """A rule that captures what is differentiated would give a silently wrong derivative."""
    if any(not isinstance(t, Zero) for t in ts[: params.captured]):
        raise CannotTransform(Problem.CAPTURED, name, CAPTURES)


_SCALAR = Tensor(F64)
_SQUARE = build_function("square", (_SCALAR,), lambda b, x: mul(b, x, x))
_FORWARD = build_function("forward", (_SCALAR,), lambda b, x: (mul(b, x, x), x))
_BACKWARD = build_function("backward", (_SCALAR,) * 2, lambda b, x, ct: mul(b, add(b, x, x), ct))


def _tangent(b: Builder, x: Atom, dx: Atom) -> tuple[Atom, ...]:
    return mul(b, x, x), mul(b, add(b, x, x), dx)


# --- custom_jvp -------------------------------------------------------------------------------------------


def _jvp_type(params: CustomJvpParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    f = params.function
    check_signature("custom_jvp", f, types)
    check_signature("custom_jvp", params.rule, (*types, *inexact(types)))
    check_results("custom_jvp", params.rule, (*f.result_types, *inexact(f.result_types)))
    return f.result_types


def _jvp_jvp(
    b: Builder, params: CustomJvpParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    _refuse_captured(params, "custom_jvp", ts)
    given = [materialise(t) for t in ts if t.type.dtype.is_inexact]
    outs, found = cut(call(b, params.rule, (*xs, *given)), len(params.function.results))
    return outs, _tangents_of(outs, found)


def _jvp_batch(
    b: Builder, params: CustomJvpParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    flags = has_batch_axis(axes)
    types = params.function.param_types
    late = tuple([f for f, t in zip(flags, types, strict=True) if t.dtype.is_inexact])
    results = params.function.result_types
    count = len(results)

    def joined(force: Flags) -> Flags:
        return (*force, *[f for f, t in zip(force, results, strict=True) if t.dtype.is_inexact])

    def step(force: Flags) -> tuple[tuple[Function, Function], Flags]:
        own = recur(params.function, flags, force)
        rule = recur(params.rule, (*flags, *late), joined(force))
        tangents = iter(rule.batched[count:])
        from_rule = tuple([next(tangents) if t.dtype.is_inexact else False for t in results])
        return (own.function, rule.function), either(either(own.batched, rule.batched[:count]), from_rule)

    (f, rule), force = least_flags((False,) * count, step)
    outs = CUSTOM_JVP(b, CustomJvpParams(f, rule, params.captured), *move_batch_to_front(b, xs, axes, flags, size))
    return outs, front_axes(force)


CUSTOM_JVP: RegionOp[CustomJvpParams] = region(
    name="custom_jvp",
    params=CustomJvpParams,
    doc="The results of `function`; its derivative is what `rule` says.",
    bodies=("function", "rule"),
    type_rule=_jvp_type,
    evaluate=evaluate_call,
    jvp=_jvp_jvp,
    split=split_call,
    batch=_jvp_batch,
    prune=keep_whole,
    admit=admit_call,
    samples=(Sample(CustomJvpParams(_SQUARE, build_function("rule", (_SCALAR,) * 2, _tangent)), (_SCALAR,)),),
    expand=expand_call,
)


# --- custom_vjp -------------------------------------------------------------------------------------------


def _vjp_type(params: CustomVjpParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    f, fwd, bwd = params.function, params.fwd, params.bwd
    check_signature("custom_vjp", f, types)
    check_signature("custom_vjp", fwd, types)
    results, saved = cut(fwd.result_types, len(f.results))
    if results != f.result_types:
        raise IRTypeError("custom_vjp: fwd gives other results than the function")
    check_signature("custom_vjp", bwd, (*saved, *inexact(results)))
    check_results("custom_vjp", bwd, inexact(types))
    return results


def _vjp_jvp(
    b: Builder, params: CustomVjpParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    _refuse_captured(params, "custom_vjp", ts)
    outs, saved = cut(call(b, params.fwd, xs), len(params.function.results))
    given = [materialise(t) for t in ts if t.type.dtype.is_inexact]
    found = CUSTOM_LINEAR(b, CustomLinearParams(params.bwd, len(saved)), *saved, *given)
    return outs, _tangents_of(outs, found)


def _vjp_batch(
    b: Builder, params: CustomVjpParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    # All operands and results get the axis, so that a cotangent has it where its parameter has.
    flags = (True,) * len(xs)
    count = len(params.function.results)
    f = recur(params.function, flags, (True,) * count)
    fwd = recur(params.fwd, flags, (True,) * count + (False,) * (len(params.fwd.results) - count))
    late = (True,) * (len(params.bwd.params) - len(params.fwd.results) + count)
    bwd = recur(params.bwd, (*fwd.batched[count:], *late), (True,) * len(params.bwd.results))
    made = CustomVjpParams(f.function, fwd.function, bwd.function, params.captured)
    return CUSTOM_VJP(b, made, *move_batch_to_front(b, xs, axes, flags, size)), (0,) * count


CUSTOM_VJP: RegionOp[CustomVjpParams] = region(
    name="custom_vjp",
    params=CustomVjpParams,
    doc="The results of `function`; its derivative in reverse is what `fwd` and `bwd` say.",
    bodies=("function", "fwd", "bwd"),
    type_rule=_vjp_type,
    evaluate=evaluate_call,
    jvp=_vjp_jvp,
    split=split_call,
    batch=_vjp_batch,
    prune=keep_whole,
    admit=admit_call,
    samples=(Sample(CustomVjpParams(_SQUARE, _FORWARD, _BACKWARD), (_SCALAR,)),),
    expand=expand_call,
)


# --- custom_linear ----------------------------------------------------------------------------------------


def _linear_type(params: CustomLinearParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    saved, tangents = cut(types, params.saved)
    if params.bwd.param_types[: params.saved] != saved or params.bwd.result_types != tangents:
        raise IRTypeError("custom_linear: the operands do not fit the rule")
    return params.bwd.param_types[params.saved :]


def _refuse(*args: Any) -> Any:
    raise CannotTransform(Problem.FORWARD_CUSTOM, "custom_vjp", ONLY_BACK)


def _linear_jvp(
    b: Builder, params: CustomLinearParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    saved, tangents = cut(ts, params.saved)
    if any(nonzero(saved)):
        _refuse()
    outs = CUSTOM_LINEAR(b, params, *xs)
    return outs, CUSTOM_LINEAR(b, params, *xs[: params.saved], *[materialise(t) for t in tangents])


def _linear_transpose(
    b: Builder, params: CustomLinearParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    saved = xs[: params.saved]
    if any(linears(saved)):
        _refuse()
    found = call(b, params.bwd, (*knowns(saved), *[materialise(ct) for ct in cts]))
    return cotangents_behind(params.saved, found, xs)


def _linear_prune(params: CustomLinearParams, used: Flags, recur: PruneBody) -> tuple[CustomLinearParams, Flags, Flags]:
    return params, (True,) * (params.saved + len(params.bwd.results)), (True,) * len(used)


def _linear_flow(params: CustomLinearParams, facts: Facts, recur: FlowBody) -> tuple[CustomLinearParams, Facts]:
    """It is not run: whatever may be true of one operand may be of every result."""
    return params, (reduce(or_, facts),) * (len(params.bwd.params) - params.saved)


def _no_forward(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...]:
    """Report that a function with only a reverse rule was differentiated forward."""
    raise CannotTransform(Problem.FORWARD_CUSTOM, "custom_vjp", ONLY_BACK, equation.span)


CUSTOM_LINEAR: RegionOp[CustomLinearParams] = region(
    name="custom_linear",
    params=CustomLinearParams,
    doc="The linear map that `bwd` is the transpose of. It can be transposed and batched, not run.",
    bodies=("bwd",),
    type_rule=_linear_type,
    evaluate=_refuse,
    jvp=_linear_jvp,
    transpose=_linear_transpose,
    batch=lambda b, params, *rest: batch_behind(CUSTOM_LINEAR, b, params.saved, params, *rest),
    prune=_linear_prune,
    flow=_linear_flow,
    samples=(),
    expand=_no_forward,
)

"""A linear map that is given by a function and by its transpose, such as the solution of a linear system.

How the function computes is its own affair: it may be a loop that stops when a residual is small, which no rule could
see to be linear. Derivatives run the map, and on the way back its transpose, but never look into either. What the two
capture is a constant of every derivative. Read next: `custom`, for rules of functions that are not linear.
"""

from __future__ import annotations

from typing import Any, cast

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    BatchAxis,
    CannotTransform,
    JvpBody,
    Problem,
    Tangents,
    TransposeBody,
)
from dsl.ops.control.call import call
from dsl.ops.control.region_utils import build_function, check_results, check_signature
from dsl.ops.control.signature import Called, batch_behind, cotangents_behind, keep_whole, region
from dsl.ops.elementwise import add, neg, sub
from dsl.ops.flags import cut
from dsl.ops.rule_helpers import materialise, zeros
from dsl.records import replace
from dsl.types.dtype import F64

NO_MORE_ORDERS = "this derivative is of a higher order than its solver was called with"


class LinearMapParams(Called, frozen=True):
    """`function`: captures, operands -> results, linear in the operands together. `transposed`: captures, then what has
    the types of the results -> what has those of the operands. The first `captured` params are the captures of both.

    With `still` the results are 0, and the map is only their derivative. `orders` is how many derivatives may be taken
    of them, one inside the other, before their values would lack a term; none where there is no bound.
    """

    transposed: Function
    captured: int = 0
    still: bool = False
    orders: int | None = None


def _type(params: LinearMapParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    f, back = params.function, params.transposed
    captures, operands = cut(types, params.captured)
    if not all(t.dtype.is_inexact for t in (*operands, *f.result_types)):
        raise IRTypeError("linear_map: operands and results are floats or complex numbers")
    check_signature("linear_map", f, types)
    check_signature("linear_map", back, (*captures, *f.result_types))
    check_results("linear_map", back, operands)
    return f.result_types


def _evaluate(recur: Any, params: LinearMapParams, *xs: Any) -> Any:
    found = recur(params.function, *xs)
    return tuple([0 * y for y in found]) if params.still else found


def _jvp(
    b: Builder, params: LinearMapParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    if params.orders == 0:
        raise CannotTransform(Problem.TOO_HIGH_ORDER, "a solution", NO_MORE_ORDERS)
    captures = xs[: params.captured]
    moved = [materialise(t) for t in ts[params.captured :]]
    less = replace(params, orders=None if params.orders is None else params.orders - 1)
    along = replace(params, still=False, orders=None)
    return LINEAR_MAP(b, less, *xs), LINEAR_MAP(b, along, *captures, *moved)


def _transpose(
    b: Builder, params: LinearMapParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    captures = xs[: params.captured]
    back = LinearMapParams(params.transposed, params.function, params.captured)
    known = cast("tuple[Atom, ...]", captures)
    found = LINEAR_MAP(b, back, *known, *[materialise(ct) for ct in cts])
    return cotangents_behind(params.captured, found, xs)


def _expand(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...]:
    params = cast(LinearMapParams, equation.params)
    if params.still:
        return tuple([zeros(t) for t in params.function.result_types])
    return call(b, params.function, equation.inputs)


_SCALAR = Tensor(F64)
_TURN = build_function("turn", (_SCALAR,) * 2, lambda b, x, y: (add(b, x, y), sub(b, y, x)))
_BACK = build_function("back", (_SCALAR,) * 2, lambda b, x, y: (add(b, x, neg(b, y)), add(b, x, y)))

LINEAR_MAP: RegionOp[LinearMapParams] = region(
    name="linear_map",
    params=LinearMapParams,
    doc="The results of `function`, a linear map; its transpose is `transposed`.",
    bodies=("function", "transposed"),
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    transpose=_transpose,
    batch=lambda b, params, *rest: batch_behind(LINEAR_MAP, b, params.captured, params, *rest),
    prune=keep_whole,
    samples=(Sample(LinearMapParams(_TURN, _BACK), (_SCALAR,) * 2),),
    expand=_expand,
)

"""A function whose value is 0, with its first derivatives: none of these is computed, the next one is.

A solution whose first derivatives are right is given the next by such a term: `inverse(residual(x))` is 0, and so are
as many of its derivatives as x has right. That holds of the whole function, by each of its operands, and of none of its
parts: so it stays one through derivatives and transpositions. Read next: `linear_map`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import RegionOp, Sample
from dsl.ir.region import BatchAxis, JvpBody, Tangents
from dsl.ops.control.call import call
from dsl.ops.control.region_utils import build_function, check_signature, function
from dsl.ops.control.signature import Called, region
from dsl.ops.elementwise import sub
from dsl.ops.flags import nonzero, present, scatter_flagged
from dsl.ops.rule_helpers import zeros
from dsl.records import replace
from dsl.types.dtype import F64


class FlatParams(Called, frozen=True):
    """`still` counts what is 0: the results, and one less of their derivatives."""

    still: int = 1


def _type(params: FlatParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_signature("flat", params.function, types)
    return params.function.result_types


def _evaluate(recur: Any, params: FlatParams, *xs: Any) -> Any:
    return tuple([np.zeros(t.shape, t.dtype.numpy) for t in params.function.result_types])


def _jvp(
    b: Builder, params: FlatParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    made, types = recur(params.function, nonzero(ts)), params.function.result_types
    along = function(made.function, made.function.params, made.function.results[len(types) :])
    found = _flat(b, replace(params, function=along, still=params.still - 1), (*xs, *present(ts)))
    return FLAT(b, params, *xs), scatter_flagged(found, made.nonzero, types)


def _flat(b: Builder, params: FlatParams, xs: tuple[Atom, ...]) -> tuple[Atom, ...]:
    return FLAT(b, params, *xs) if params.still else call(b, params.function, xs)


def _expand(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...]:
    body: Function = cast(FlatParams, equation.params).function
    return tuple([zeros(t) for t in body.result_types])


_SCALAR = Tensor(F64)
_NOTHING = build_function("nothing", (_SCALAR,) * 2, lambda b, x, y: (sub(b, x, x), sub(b, y, y)))

FLAT: RegionOp[FlatParams] = region(
    name="flat",
    params=FlatParams,
    doc="0 for each result of `function`, of which `still` - 1 derivatives are 0, too.",
    bodies=("function",),
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    samples=tuple([Sample(FlatParams(_NOTHING, still), (_SCALAR,) * 2) for still in (1, 2)]),
    expand=_expand,
)

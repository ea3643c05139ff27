"""Matrices: triangular systems and Cholesky factors, which XLA has itself."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from dsl.ir.function import Equation
from dsl.ir.op import NoParams
from dsl.ops.linalg import SolveParams
from lowering.stablehlo.context import Context

_TRANSFORMS = MappingProxyType({"none": "NO_TRANSPOSE", "transpose": "TRANSPOSE", "adjoint": "ADJOINT"})


def triangular_solve(
    cx: Context, params: SolveParams, equation: Equation, operands: list[str]
) -> Sequence[str]:
    a, right = equation.inputs
    text = (
        f'"stablehlo.triangular_solve"({operands[0]}, {operands[1]}) <{{left_side = {_bool(params.left)}, '
        f"lower = {_bool(params.lower)}, unit_diagonal = {_bool(params.unit)}, "
        f"transpose_a = #stablehlo<transpose {_TRANSFORMS[params.transform]}>}}> : "
        f"({cx.type(a.type)}, {cx.type(right.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)


def cholesky(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The lower factor. XLA's own algorithm leaves zeros above the diagonal, and nan if there is none."""
    type = cx.type(equation.outputs[0].type)
    return (cx.emit(f'"stablehlo.cholesky"({operands[0]}) <{{lower = true}}> : ({type}) -> {type}'),)


def _bool(value: bool) -> str:
    return "true" if value else "false"

"""Matrices: triangular systems and Cholesky factors, which XLA has itself."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.ops.linalg import SolveParams
from dsl.types.dtype import BOOL, I32
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import choice, comparison

_TRANSFORMS = MappingProxyType({"none": "NO_TRANSPOSE", "transpose": "TRANSPOSE", "adjoint": "ADJOINT"})


def triangular_solve(cx: Context, params: SolveParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a, right = equation.inputs
    text = (
        f'"stablehlo.triangular_solve"({operands[0]}, {operands[1]}) <{{left_side = {_bool(params.left)}, '
        f"lower = {_bool(params.lower)}, unit_diagonal = {_bool(params.unit)}, "
        f"transpose_a = #stablehlo<transpose {_TRANSFORMS[params.transform]}>}}> : "
        f"({cx.type(a.type)}, {cx.type(right.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)


def cholesky(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The lower factor. XLA's own algorithm puts nan everywhere if there is none, also above the diagonal."""
    kind = equation.outputs[0].type
    type = cx.type(kind)
    factor = cx.emit(f'"stablehlo.cholesky"({operands[0]}) <{{lower = true}}> : ({type}) -> {type}')
    return (triangle(cx, "ge", factor, kind),)


def triangle(cx: Context, direction: str, x: str, type: Tensor) -> str:
    """Zero but where the row is `direction` the column."""
    places, truth = Tensor(I32, type.shape), Tensor(BOOL, type.shape)
    row, column = [
        cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(places)}") for axis in (type.rank - 2, type.rank - 1)
    ]
    kept = comparison(cx, direction, row, column, places)
    return choice(cx, kept, x, cx.constant(0, type), truth, type)


def _bool(value: bool) -> str:
    return "true" if value else "false"

"""Matrices: triangular systems and Cholesky factors, by LAPACK.

Arrays lie row by row, and LAPACK takes matrices column by column: systems are given as transposes, and transposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.ops.linalg import SolveParams
from dsl.types.dtype import BOOL, I32
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.lapack import Side, failures, mask_failures, routine, transpose, transpose_type

_TRANSFORMS = MappingProxyType({"none": "N", "transpose": "T", "adjoint": "C"})


def triangular_solve(cx: Context, params: SolveParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """`op(a) x = b` as `x^T op(a^T) = b^T`: the other side, the other triangle, the same op."""
    types = [x.type for x in equation.inputs]
    a, right = [Side(transpose_type(type), True) for type in types]
    (found,) = routine(
        cx,
        "trsm",
        [transpose(cx, x, type) for x, type in zip(operands, types, strict=True)],
        [a, right],
        [right],
        overwritten=1,
        side="R" if params.left else "L",
        uplo="U" if params.lower else "L",
        trans_x=_TRANSFORMS[params.transform],
        diag="U" if params.unit else "N",
    )
    return (transpose(cx, found, right.type),)


def cholesky(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The lower factor; nan where there is none. LAPACK finds it faster than the upper factor of the transpose, by more
    than the changes of layout take."""
    type = equation.inputs[0].type
    matrix, number = Side(type, True), failures(type)
    factor, failed = routine(cx, "potrf", operands, [matrix], [matrix, number], uplo="L")
    (fine,) = mask_failures(cx, failed, type, [factor], [type])
    return (triangle(cx, "ge", fine, type),)


def triangle(cx: Context, direction: str, x: str, type: Tensor) -> str:
    """Zero but where the row is `direction` the column."""
    places, truth = Tensor(I32, type.shape), Tensor(BOOL, type.shape)
    row, column = [
        cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(places)}") for axis in (type.rank - 2, type.rank - 1)
    ]
    kept = comparison(cx, direction, row, column, places)
    return choice(cx, kept, x, cx.constant(0, type), truth, type)

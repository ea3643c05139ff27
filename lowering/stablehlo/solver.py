"""Matrices on GPUs: triangular systems by XLA itself, factors by cuSOLVER or hipSOLVER.

The routines see matrices column by column. They have the conventions of LAPACK's, but for names and options: an option
is a truth value, and there is one name for all dtypes. Read next: `lapack`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from dsl.diagnostics.diagnostic import DeviceError, Diagnostic, Help, Label
from dsl.diagnostics.source import Source, Span
from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.ops.extent import PadParams
from dsl.ops.linalg import SolveParams
from dsl.types.dtype import BOOL, I32
from lowering.lowered import LIBRARIES
from lowering.stablehlo.context import Context
from lowering.stablehlo.decompose import by_reflectors
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert
from lowering.stablehlo.extent import emit_corner, emit_pad
from lowering.stablehlo.lapack import Side, failures, library_call, mask_failures, transpose, transpose_type
from lowering.stablehlo.layout import emit_broadcast
from lowering.stablehlo.linalg import triangle
from lowering.stablehlo.reduce import emit_reduce

_TRANSFORMS = MappingProxyType({"none": "NO_TRANSPOSE", "transpose": "TRANSPOSE", "adjoint": "ADJOINT"})

_PIVOTS = MappingProxyType({"cuda": "cu_lu_pivots_to_permutation", "rocm": "hip_lu_pivots_to_permutation"})

_JACOBI = 1024
"""The size up to which Jacobi's rotations are faster than a reduction to two diagonals."""

_JACOBI_BATCH = 32
"""The size up to which the routine takes a whole batch at once, and gives square factors."""


def _routine(
    cx: Context,
    name: str,
    operands: Sequence[str],
    sources: Sequence[Side],
    targets: Sequence[Side],
    overwritten: int | None = 0,
    **options: bool,
) -> Sequence[str]:
    """A call of the platform's library."""
    prefix = LIBRARIES[cx.module.platform]
    attributes = {key: _spelled(value) for key, value in options.items()}
    return library_call(cx, f"{prefix}{name}_ffi", operands, sources, targets, overwritten, attributes)


def missing(cx: Context, params: Any, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Raise `DeviceError` E1005: the platform has no library of linear algebra."""
    label = Label(equation.span or Span(Source("<python>", ""), 0, 0))
    message = f"`{equation.op.name}` is not available on `{cx.module.platform}`"
    raise DeviceError([Diagnostic("E1005", message, label, help=(Help("compute it on a CPU or a GPU"),))])


def triangular_solve(cx: Context, params: SolveParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """An operation of XLA, which calls a library."""
    a, right = [x.type for x in equation.inputs]
    flags = f"left_side = {_spelled(params.left)}, lower = {_spelled(params.lower)}"
    text = (
        f'"stablehlo.triangular_solve"({", ".join(operands)}) <{{{flags}, unit_diagonal = {_spelled(params.unit)}, '
        f"transpose_a = #stablehlo<transpose {_TRANSFORMS[params.transform]}>}}> : "
        f"({cx.type(a)}, {cx.type(right)}) -> {cx.type(right)}"
    )
    return (cx.emit(text),)


def _spelled(value: bool) -> str:
    return "true" if value else "false"


def cholesky(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The lower factor; nan where there is none."""
    a = equation.inputs[0].type
    matrix, numbers = Side(a, True), failures(a)
    factor, failed = _routine(cx, "potrf", operands, [matrix], [matrix, numbers], lower=True)
    (fine,) = mask_failures(cx, failed, a, [factor], [a])
    return (triangle(cx, "ge", fine, a),)


def lu(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a, rows = equation.inputs[0].type, equation.outputs[1].type
    matrix = Side(a, True)
    factors, steps, _ = _routine(cx, "getrf", operands, [matrix], [matrix, Side(rows), failures(a)])
    pivots = emit_binary(cx, "subtract", steps, cx.constant(1, rows), rows)
    name = _PIVOTS[cx.module.platform]
    (order,) = library_call(cx, name, [pivots], [Side(rows)], [Side(rows)], None, {})
    return factors, pivots, order


def qr(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return by_reflectors(cx, _routine, "orgqr", equation, operands)


def eigh(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The library chooses the algorithm, by the size and the number of matrices."""
    a, values = equation.inputs[0].type, equation.outputs[0].type
    matrix, attributes = Side(a, True), {"lower": "true", "algorithm": "0 : ui8"}
    name = f"{LIBRARIES[cx.module.platform]}syevd_ffi"
    targets = [matrix, Side(values), failures(a)]
    vectors, found, info = library_call(cx, name, operands, [matrix], targets, 0, attributes)
    failed = _or_nan(cx, info, a, found, values)
    return mask_failures(cx, failed, a, [found, vectors], [values, a])


def svd(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a = equation.inputs[0].type
    types = [y.type for y in equation.outputs]
    is_used = any(map(cx.is_used, equation.outputs[::2]))
    by = _by_rotations if max(a.shape[-2:]) <= _JACOBI else _by_bidiagonal
    left, found, right, info = by(cx, operands, a, types, is_used)
    failed = _or_nan(cx, info, a, found, types[1])
    return mask_failures(cx, failed, a, [left, found, right], types)


def _or_nan(cx: Context, info: str, a: Tensor, values: str, type: Tensor) -> str:
    """The numbers of failures, with one more for matrices of which some values are nan: the library counts these as
    found, and gives them vectors of numbers."""
    numbers, truths = failures(a).type, Tensor(I32, type.shape)
    nan = comparison(cx, "ne", values, values, type)
    counted = emit_convert(cx, nan, Tensor(BOOL, type.shape), truths)
    without = emit_reduce(cx, "maximum", 0, counted, truths, numbers, (type.rank - 1,))
    return emit_binary(cx, "or", info, without, numbers)


def _by_rotations(
    cx: Context, operands: Sequence[str], a: Tensor, types: Sequence[Tensor], is_used: bool
) -> tuple[str, str, str, str]:
    """The routine gives the right vectors as columns, and for small matrices as many vectors as rows or columns."""
    u, s, vh = types
    *batch, rows, columns = a.shape
    is_short = min(rows, columns) > _JACOBI_BATCH
    width = s.shape[-1]
    left = Tensor(a.dtype, (*batch, rows, width if is_short else rows))
    right = Tensor(a.dtype, (*batch, columns, width if is_short else columns))
    targets = [Side(a, True), Side(s), Side(left, True), Side(right, True), failures(a)]
    options = {"full_matrices": not is_short, "compute_uv": is_used}
    _, found, us, vs, info = _routine(cx, "gesvdj", operands, [Side(a, True)], targets, **options)
    turned = _conjugate(cx, transpose(cx, vs, right), transpose_type(right))
    return emit_corner(cx, us, left, u), found, emit_corner(cx, turned, transpose_type(right), vh), info


def _conjugate(cx: Context, x: str, type: Tensor) -> str:
    return cx.emit(f"chlo.conj {x} : {cx.type(type)} -> {cx.type(type)}") if type.dtype.is_complex else x


def _by_bidiagonal(
    cx: Context, operands: Sequence[str], a: Tensor, types: Sequence[Tensor], is_used: bool
) -> tuple[str, str, str, str]:
    """The routine takes matrices with no more columns than rows. A wide matrix, row by row in memory, is its transpose
    column by column, whose left vectors are the right ones."""
    u, s, vh = types
    is_wide = a.shape[-2] < a.shape[-1]
    firsts = [vh, u] if is_wide else [u, vh]
    targets = [Side(a, not is_wide), Side(s), *[Side(t, not is_wide) for t in firsts], failures(a)]
    options = {"full_matrices": False, "compute_uv": is_used, "transposed": is_wide}
    _, found, first, second, info = _routine(cx, "gesvd", operands, [Side(a, not is_wide)], targets, **options)
    left, right = (second, first) if is_wide else (first, second)
    return left, found, right, info


def eig(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a = equation.inputs[0].type
    values, vectors = [y.type for y in equation.outputs]
    matrix, packed = Side(a, True), Side(a, True)
    targets = [matrix, Side(values), packed, packed, failures(a)]
    options = {"left": False, "right": any(map(cx.is_used, equation.outputs[1:]))}
    _, found, _, right, info = _routine(cx, "geev", operands, [matrix], targets, None, **options)
    whole = right if a.dtype.is_complex else _unpacked(cx, found, values, right, a, vectors)
    return mask_failures(cx, info, a, [found, whole], [values, vectors])


def _unpacked(cx: Context, values: str, values_type: Tensor, x: str, type: Tensor, whole: Tensor) -> str:
    """The eigenvectors of real matrices: those of a pair are a column plus and minus i times the next one, and the
    first of a pair has the eigenvalue with the positive imaginary part."""
    parts = Tensor(type.dtype, values_type.shape)
    imaginary = cx.emit(f"stablehlo.imag {values} : ({cx.type(values_type)}) -> {cx.type(parts)}")
    zero, nothing = cx.constant(0, parts), cx.constant(0, type)
    is_first, is_second = [
        _by_column(cx, comparison(cx, direction, imaginary, zero, parts), type) for direction in ("gt", "lt")
    ]
    truth = Tensor(BOOL, type.shape)
    before, after = _moved(cx, x, type, 1), _moved(cx, x, type, -1)
    minus = cx.emit(f"stablehlo.negate {x} : {cx.type(type)}")
    re = choice(cx, is_second, before, x, truth, type)
    im = choice(cx, is_first, after, choice(cx, is_second, minus, nothing, truth, type), truth, type)
    return cx.emit(f"stablehlo.complex {re}, {im} : ({cx.type(type)}, {cx.type(type)}) -> {cx.type(whole)}")


def _by_column(cx: Context, mask: str, type: Tensor) -> str:
    """Truth values of columns, along their rows."""
    few, all = Tensor(BOOL, (*type.shape[:-2], type.shape[-1])), Tensor(BOOL, type.shape)
    return emit_broadcast(cx, mask, [*range(type.rank - 2), type.rank - 1], few, all)


def _moved(cx: Context, x: str, type: Tensor, by: int) -> str:
    """The columns moved by one to the right or to the left, with zeros where none comes."""
    none = (0,) * (type.rank - 1)
    params = PadParams((*none, by), (*none, -by), (*none, 0))
    return emit_pad(cx, x, cx.constant(0, Tensor(type.dtype)), params, type, type)

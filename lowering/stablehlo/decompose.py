"""Factors of general matrices, by LAPACK."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.ir.function import Equation, Tensor, Var
from dsl.ir.op import NoParams
from dsl.types.dtype import BOOL
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import INDEX, loop
from lowering.stablehlo.elementwise import choice, comparison, emit_binary
from lowering.stablehlo.extent import emit_corner
from lowering.stablehlo.lapack import Side, failures, mask_failures, routine
from lowering.stablehlo.layout import emit_broadcast
from lowering.stablehlo.linalg import triangle


def lu(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a, rows = equation.inputs[0].type, equation.outputs[1].type
    matrix = Side(a, True)
    factors, steps, _ = routine(cx, "getrf", operands, [matrix], [matrix, Side(rows), failures(a)])
    pivots = emit_binary(cx, "subtract", steps, cx.constant(1, rows), rows)
    return factors, pivots, _permutation(cx, pivots, rows)


def _permutation(cx: Context, pivots: str, rows: Tensor) -> str:
    """The order of the rows after all exchanges: step k exchanges row k with row pivots[k]."""
    places = cx.emit(f"stablehlo.iota dim = {rows.rank - 1} : {cx.type(rows)}")
    start = cx.constant(0, INDEX)
    end = rows.shape[-1]

    def test(inner: Context, names: list[str]) -> Sequence[str]:
        return (comparison(inner, "lt", names[0], inner.constant(end, INDEX), INDEX),)

    def step(inner: Context, names: list[str]) -> Sequence[str]:
        k, order = names
        one = inner.constant(1, INDEX)
        after = emit_binary(inner, "add", k, one, INDEX)
        return after, _exchanged(inner, k, order, pivots, places, rows)

    return loop(cx, False, [start, places], [INDEX, rows], test, step)[1]


def _exchanged(cx: Context, k: str, order: str, pivots: str, places: str, rows: Tensor) -> str:
    """`order` with its elements k and pivots[k] exchanged, in every line."""
    here = emit_broadcast(cx, k, (), INDEX, rows)
    there = _spread_element(cx, pivots, k, rows)
    is_here, is_there = comparison(cx, "eq", places, here, rows), comparison(cx, "eq", places, there, rows)
    truth = Tensor(BOOL, rows.shape)
    old_here, old_there = _spread_element(cx, order, k, rows), _spread_masked(cx, order, is_there, rows)
    moved = choice(cx, is_there, old_here, order, truth, rows)
    return choice(cx, is_here, old_there, moved, truth, rows)


def _spread_element(cx: Context, x: str, k: str, rows: Tensor) -> str:
    """Element k of each line, along the whole line."""
    single = Tensor(rows.dtype, (*rows.shape[:-1], 1))
    starts = ", ".join([*[cx.constant(0, INDEX)] * (rows.rank - 1), k])
    indices = ", ".join([cx.type(INDEX)] * rows.rank)
    part = cx.emit(
        f"stablehlo.dynamic_slice {x}, {starts}, sizes = {list(single.shape)} : "
        f"({cx.type(rows)}, {indices}) -> {cx.type(single)}"
    )
    return emit_broadcast(cx, part, range(rows.rank), single, rows)


def _spread_masked(cx: Context, x: str, mask: str, rows: Tensor) -> str:
    """The one element of each line where the mask is true, along the whole line."""
    few, element = Tensor(rows.dtype, rows.shape[:-1]), Tensor(rows.dtype)
    alone = choice(cx, mask, x, cx.constant(0, rows), Tensor(BOOL, rows.shape), rows)
    total = cx.emit(
        f"stablehlo.reduce({alone} init: {cx.constant(0, element)}) applies stablehlo.add across "
        f"dimensions = [{rows.rank - 1}] : ({cx.type(rows)}, {cx.type(element)}) -> {cx.type(few)}"
    )
    return emit_broadcast(cx, total, range(few.rank), few, rows)


def qr(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    multiply = "ungqr" if equation.inputs[0].type.dtype.is_complex else "orgqr"
    return by_reflectors(cx, routine, multiply, equation, operands)


def by_reflectors(
    cx: Context, routine: Callable[..., Sequence[str]], multiply: str, equation: Equation, operands: list[str]
) -> Sequence[str]:
    """Householder reflectors, which are then multiplied out, by routines of a library."""
    a = equation.inputs[0].type
    basis, upper = (y.type for y in equation.outputs)
    reflectors = Side(Tensor(a.dtype, (*a.shape[:-2], basis.shape[-1])))
    packed, scales = routine(cx, "geqrf", operands, [Side(a, True)], [Side(a, True), reflectors])
    most = Side(basis, True)
    (q,) = routine(cx, multiply, [emit_corner(cx, packed, a, basis), scales], [most, reflectors], [most])
    return q, triangle(cx, "le", emit_corner(cx, packed, a, upper), upper)


def eigh(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a = equation.inputs[0].type
    values = equation.outputs[0].type
    matrix, name = Side(a, True), "heevd" if a.dtype.is_complex else "syevd"
    mode = _if_used(cx, equation.outputs[1:], "V")
    vectors, found, info = routine(
        cx, name, operands, [matrix], [matrix, Side(values), failures(a)], mode=mode, uplo="L"
    )
    return mask_failures(cx, info, a, [found, vectors], [values, a])


def _if_used(cx: Context, vectors: Sequence[Var], mode: str) -> str:
    """The mode of a routine, which computes values alone where nothing needs the vectors."""
    return mode if any(map(cx.is_used, vectors)) else "N"


def eig(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The routine gives the parts of the eigenvalues of a real matrix one by one, and would give left eigenvectors."""
    a = equation.inputs[0].type
    values, vectors = [y.type for y in equation.outputs]
    parts = [Side(values)] if a.dtype.is_complex else [Side(Tensor(a.dtype, values.shape))] * 2
    targets = [*parts, Side(vectors, True), Side(vectors, True), failures(a)]
    wanted = {"compute_left": "N", "compute_right": _if_used(cx, equation.outputs[1:], "V")}
    *found, _, right, info = routine(cx, "geev", operands, [Side(a, True)], targets, overwritten=None, **wanted)
    whole = found[0] if a.dtype.is_complex else _complex(cx, found, values)
    return mask_failures(cx, info, a, [whole, right], [values, vectors])


def _complex(cx: Context, parts: Sequence[str], type: Tensor) -> str:
    real, whole = cx.type(Tensor(type.dtype.real, type.shape)), cx.type(type)
    return cx.emit(f"stablehlo.complex {', '.join(parts)} : ({real}, {real}) -> {whole}")


def svd(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    a = equation.inputs[0].type
    types = [y.type for y in equation.outputs]
    matrix, (u, s, vh) = Side(a, True), types
    targets = [matrix, Side(s), Side(u, True), Side(vh, True), failures(a)]
    mode = _if_used(cx, equation.outputs[::2], "S")
    _, found, left, right, info = routine(cx, "gesdd", operands, [matrix], targets, mode=mode)
    return mask_failures(cx, info, a, [left, found, right], types)

"""Factors of general matrices, by LAPACK: calls of its routines, which see matrices column by column.

A routine that fails says so in a number per matrix; its results are then nan. XLA has to be told of the
routines before such a program is compiled or loaded: `compile` sees to that by the prefix of their names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.types.dtype import BOOL, C64, C128, F32, F64, I32
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.control import INDEX, loop
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.linalg import triangle

PREFIX = "lapack_"
_LETTERS = MappingProxyType({F32: "s", F64: "d", C64: "c", C128: "z"})


@dataclass(frozen=True, slots=True)
class Side:
    """An operand or result of a routine. The elements of matrices lie column by column, those of others in
    row-major order."""

    type: Tensor
    is_matrix: bool = False

    @property
    def layout(self) -> str:
        rank = self.type.rank
        order = list(reversed(range(rank)))
        if self.is_matrix:
            order[0], order[1] = order[1], order[0]
        return f"dense<{order}> : tensor<{rank}xindex>"


def routine(
    cx: Context,
    name: str,
    operands: Sequence[str],
    sources: Sequence[Side],
    targets: Sequence[Side],
    **options: int,
) -> Sequence[str]:
    """A call that may overwrite its first operand with its first result. `name` goes without the letter of
    the dtype; options are characters."""
    single = len(targets) == 1
    alias = (
        f"#stablehlo.output_operand_alias<output_tuple_indices = {'[]' if single else '[0]'}, "
        "operand_index = 0, operand_tuple_indices = []>"
    )
    attributes = ", ".join([f"{key} = {value} : ui8" for key, value in options.items()])
    types = ", ".join([cx.type(side.type) for side in targets])
    text = (
        f"stablehlo.custom_call @{PREFIX}{_LETTERS[sources[0].type.dtype]}{name}_ffi({', '.join(operands)}) "
        f"{{backend_config = {{{attributes}}}, api_version = 4 : i32, "
        f"operand_layouts = [{', '.join([side.layout for side in sources])}], "
        f"result_layouts = [{', '.join([side.layout for side in targets])}], "
        f"output_operand_aliases = [{alias}]}} : ({', '.join([cx.type(side.type) for side in sources])}) -> "
        f"{types if single else f'({types})'}"
    )
    return cx.emit_many(text, len(targets))


def factored(write: Callable[[Context, Equation, str], Sequence[str]]) -> Rule:
    """A rule for matrices that have elements; of those that have none, no factor has any."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        if equation.inputs[0].type.size == 0:
            return [cx.constant(0, y.type) for y in equation.outputs]
        return write(cx, equation, operands[0])

    return rule


def _info(a: Tensor) -> Side:
    """One number per matrix: 0 where the routine succeeded."""
    return Side(Tensor(I32, a.shape[:-2]))


def succeeded(cx: Context, info: str, a: Tensor, values: Sequence[str], types: Sequence[Tensor]) -> Sequence[str]:
    """The values of matrices whose routine succeeded, nan for the others."""
    numbers = _info(a).type
    fine = comparison(cx, "eq", info, cx.constant(0, numbers), numbers)
    return [_where(cx, fine, value, type, numbers.rank) for value, type in zip(values, types, strict=True)]


def _where(cx: Context, fine: str, value: str, type: Tensor, batch: int) -> str:
    few, truth = Tensor(BOOL, type.shape[:batch]), Tensor(BOOL, type.shape)
    signature = f"({cx.type(few)}) -> {cx.type(truth)}"
    spread = cx.emit(f"stablehlo.broadcast_in_dim {fine}, dims = {list(range(batch))} : {signature}")
    return choice(cx, spread, value, cx.constant(math.nan, type), truth, type)


# --- the four ---------------------------------------------------------------------------------------------


def lu(cx: Context, equation: Equation, x: str) -> Sequence[str]:
    a, rows = equation.inputs[0].type, equation.outputs[1].type
    matrix = Side(a, True)
    factors, steps, _ = routine(cx, "getrf", [x], [matrix], [matrix, Side(rows), _info(a)])
    pivots = cx.emit(f"stablehlo.subtract {steps}, {cx.constant(1, rows)} : {cx.type(rows)}")
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
        after = inner.emit(f"stablehlo.add {k}, {one} : {inner.type(INDEX)}")
        return after, _exchanged(inner, k, order, pivots, places, rows)

    return loop(cx, False, [start, places], [INDEX, rows], test, step)[1]


def _exchanged(cx: Context, k: str, order: str, pivots: str, places: str, rows: Tensor) -> str:
    """`order` with its elements k and pivots[k] exchanged, in every line."""
    text = cx.type(rows)
    here = cx.emit(f"stablehlo.broadcast_in_dim {k}, dims = [] : ({cx.type(INDEX)}) -> {text}")
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
    dims = list(range(rows.rank))
    return cx.emit(f"stablehlo.broadcast_in_dim {part}, dims = {dims} : ({cx.type(single)}) -> {cx.type(rows)}")


def _spread_masked(cx: Context, x: str, mask: str, rows: Tensor) -> str:
    """The one element of each line where the mask is true, along the whole line."""
    few, element = Tensor(rows.dtype, rows.shape[:-1]), Tensor(rows.dtype)
    alone = choice(cx, mask, x, cx.constant(0, rows), Tensor(BOOL, rows.shape), rows)
    total = cx.emit(
        f"stablehlo.reduce({alone} init: {cx.constant(0, element)}) applies stablehlo.add across "
        f"dimensions = [{rows.rank - 1}] : ({cx.type(rows)}, {cx.type(element)}) -> {cx.type(few)}"
    )
    dims = list(range(few.rank))
    return cx.emit(f"stablehlo.broadcast_in_dim {total}, dims = {dims} : ({cx.type(few)}) -> {cx.type(rows)}")


def qr(cx: Context, equation: Equation, x: str) -> Sequence[str]:
    """Householder reflectors, which are then multiplied out."""
    a = equation.inputs[0].type
    basis, upper = (y.type for y in equation.outputs)
    reflectors = Side(Tensor(a.dtype, (*a.shape[:-2], basis.shape[-1])))
    packed, scales = routine(cx, "geqrf", [x], [Side(a, True)], [Side(a, True), reflectors])
    most = Side(basis, True)
    name = "ungqr" if a.dtype.is_complex else "orgqr"
    (q,) = routine(cx, name, [_corner(cx, packed, a, basis), scales], [most, reflectors], [most])
    return q, triangle(cx, "le", _corner(cx, packed, a, upper), upper)


def _corner(cx: Context, x: str, type: Tensor, part: Tensor) -> str:
    """The first rows and columns."""
    if type == part:
        return x
    ranges = ", ".join([f"0:{extent}" for extent in part.shape])
    return cx.emit(f"stablehlo.slice {x} [{ranges}] : ({cx.type(type)}) -> {cx.type(part)}")


def eigh(cx: Context, equation: Equation, x: str) -> Sequence[str]:
    a = equation.inputs[0].type
    values = equation.outputs[0].type
    matrix, name = Side(a, True), "heevd" if a.dtype.is_complex else "syevd"
    options = {"mode": ord("V"), "uplo": ord("L")}
    vectors, found, info = routine(cx, name, [x], [matrix], [matrix, Side(values), _info(a)], **options)
    return succeeded(cx, info, a, [found, vectors], [values, a])


def svd(cx: Context, equation: Equation, x: str) -> Sequence[str]:
    a = equation.inputs[0].type
    types = [y.type for y in equation.outputs]
    matrix, (u, s, vh) = Side(a, True), types
    targets = [matrix, Side(s), Side(u, True), Side(vh, True), _info(a)]
    _, found, left, right, info = routine(cx, "gesdd", [x], [matrix], targets, mode=ord("S"))
    return succeeded(cx, info, a, [left, found, right], types)

"""Calls of LAPACK's routines and of those of GPUs, which see matrices column by column.

A routine that fails says so in a number per matrix; its results are then nan. XLA has to be told of the
routines before such a program is compiled or loaded: `compile` sees to that by the prefix of their names.
Read next: `linalg` and `decompose`, for the routines; `solver`, for those of GPUs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from dsl.ir.function import Equation, Tensor
from dsl.types.dtype import BOOL, C64, C128, F32, F64, I32
from lowering.lowered import CPU, LIBRARIES
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.layout import emit_broadcast, emit_transpose

_LETTERS = MappingProxyType({F32: "s", F64: "d", C64: "c", C128: "z"})


class Side(Struct, frozen=True):
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
    overwritten: int | None = 0,
    **options: str,
) -> Sequence[str]:
    """A call of LAPACK. `name` goes without the letter of the dtype; options are characters."""
    spelled = f"{LIBRARIES[CPU]}{_LETTERS[sources[0].type.dtype]}{name}_ffi"
    attributes = {key: f"{ord(value)} : ui8" for key, value in options.items()}
    return library_call(cx, spelled, operands, sources, targets, overwritten, attributes)


def library_call(
    cx: Context,
    name: str,
    operands: Sequence[str],
    sources: Sequence[Side],
    targets: Sequence[Side],
    overwritten: int | None,
    attributes: Mapping[str, str],
) -> Sequence[str]:
    """A call that may overwrite one operand with its first result, if one is named."""
    single = len(targets) == 1
    alias = (
        f"#stablehlo.output_operand_alias<output_tuple_indices = {'[]' if single else '[0]'}, "
        f"operand_index = {overwritten}, operand_tuple_indices = []>"
        if overwritten is not None
        else ""
    )
    given = ", ".join([f"{key} = {value}" for key, value in attributes.items()])
    types = ", ".join([cx.type(side.type) for side in targets])
    text = (
        f"stablehlo.custom_call @{name}({', '.join(operands)}) "
        f"{{backend_config = {{{given}}}, api_version = 4 : i32, "
        f"operand_layouts = [{', '.join([side.layout for side in sources])}], "
        f"result_layouts = [{', '.join([side.layout for side in targets])}], "
        f"output_operand_aliases = [{alias}]}} : ({', '.join([cx.type(side.type) for side in sources])}) -> "
        f"{types if single else f'({types})'}"
    )
    return cx.emit_many(text, len(targets))


def nonempty(write: Rule) -> Rule:
    """A rule for matrices that have elements; where an operand has none, no result has any."""

    def rule(cx: Context, params: Any, equation: Equation, operands: list[str]) -> Sequence[str]:
        if any(x.type.size == 0 for x in equation.inputs):
            return [cx.constant(0, y.type) for y in equation.outputs]
        return write(cx, params, equation, operands)

    return rule


def transpose_type(type: Tensor) -> Tensor:
    *batch, rows, columns = type.shape
    return Tensor(type.dtype, (*batch, columns, rows))


def transpose(cx: Context, x: str, type: Tensor) -> str:
    """The matrices of `x` transposed: row by row in memory, they are `x` column by column, so that nothing is moved
    where a routine takes or gives them."""
    last = type.rank - 1
    dims = [*range(last - 1), last, last - 1]
    return emit_transpose(cx, x, dims, type)


def failures(a: Tensor) -> Side:
    """One number per matrix: 0 where the routine succeeded."""
    return Side(Tensor(I32, a.shape[:-2]))


def mask_failures(cx: Context, info: str, a: Tensor, values: Sequence[str], types: Sequence[Tensor]) -> Sequence[str]:
    """The values of matrices whose routine succeeded, nan for the others."""
    numbers = failures(a).type
    fine = comparison(cx, "eq", info, cx.constant(0, numbers), numbers)
    return [_where(cx, fine, value, type, numbers.rank) for value, type in zip(values, types, strict=True)]


def _where(cx: Context, fine: str, value: str, type: Tensor, batch: int) -> str:
    few, truth = Tensor(BOOL, type.shape[:batch]), Tensor(BOOL, type.shape)
    spread = emit_broadcast(cx, fine, range(batch), few, truth)
    return choice(cx, spread, value, cx.constant(math.nan, type), truth, type)

"""Results that XLA computes elsewhere than in the place of an array that they are made of. Whether that is worth it is
known when the whole program is written: until then, they or an operand pass through a private function, which is
written last.
Read next: `in_place`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from dsl.ir.function import Equation, Tensor, Var
from dsl.types.dtype import BOOL
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.extent import emit_corner
from lowering.stablehlo.layout import emit_reshape
from lowering.stablehlo.work import is_costly

Fences: TypeAlias = dict[tuple[Tensor, Tensor], str]
"""The names of private functions, by the types of a value and of an array that it is kept apart from."""


def apart_ahead(equation: Equation) -> int | None:
    """Return which operand passes through functions in place of the result, if one does.

    XLA keeps what costs more than to wait for memory if several kernels read it, so that an operand passes through
    once. The result would do so in each of these kernels, and the arrays would be kept until then. What costs less is
    computed in each of them anyway, and its operand may be a value that a library reads.
    """
    if not is_costly(equation):
        return None
    shape = equation.outputs[0].type.shape
    return next((k for k, x in enumerate(equation.inputs) if isinstance(x, Var) and x.type.shape == shape), None)


def emit_apart(cx: Context, fences: Fences, value: str, type: Tensor, sources: Iterable[Var]) -> str:
    """Pass a value through a function for each of these arrays of floats."""
    for source in sources:
        name = fences.setdefault((type, source.type), f"apart_{len(fences)}")
        signature = f"({cx.type(type)}, {cx.type(source.type)}) -> {cx.type(type)}"
        value = cx.emit(f"func.call @{name}({value}, {cx.operand(source)}) : {signature}")
    return value


def fence(cx: Context, name: str, type: Tensor, source: Tensor, is_apart: bool) -> list[str]:
    """The lines of a function that returns its first argument. If `is_apart`, the result also needs the first element
    of the second one: XLA writes in the place of an array only where each element needs the one there alone. No float
    is less than itself: LLVM drops the choice."""
    found = _chosen(cx, "%a0", "%a1", type, source) if is_apart else "%a0"
    result = cx.type(type)
    opening = f"func.func private @{name}(%a0: {result}, %a1: {cx.type(source)}) -> {result} {{"
    return [opening, *cx.lines, f"return {found} : {result}", "}"]


def _chosen(cx: Context, result: str, x: str, type: Tensor, source: Tensor) -> str:
    first = Tensor(source.dtype)
    corner = Tensor(source.dtype, (1,) * source.rank)
    one = emit_reshape(cx, emit_corner(cx, x, source, corner), corner, first)
    never = comparison(cx, "lt", one, one, first)
    return choice(cx, never, cx.constant(0, type), result, Tensor(BOOL), type)

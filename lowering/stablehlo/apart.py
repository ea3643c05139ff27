"""Results that XLA computes elsewhere than in the place of an array that they are made of. Read next: `in_place`."""

from __future__ import annotations

from collections.abc import Iterable

from dsl.ir.function import Tensor, Var
from dsl.types.dtype import BOOL
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.extent import emit_corner
from lowering.stablehlo.layout import emit_reshape


def emit_apart(cx: Context, result: str, type: Tensor, sources: Iterable[Var]) -> str:
    """A result, which also needs the first element of each of these arrays of floats: XLA writes in the place of
    an array only where each element needs the one there alone. No float is less than itself: LLVM drops the choice."""
    for source in sources:
        first = Tensor(source.type.dtype)
        corner = Tensor(source.type.dtype, (1,) * source.type.rank)
        x = emit_reshape(cx, emit_corner(cx, cx.operand(source), source.type, corner), corner, first)
        never = comparison(cx, "lt", x, x, first)
        result = choice(cx, never, cx.constant(0, type), result, Tensor(BOOL), type)
    return result

"""Functions of another compiler: their text stands in the module as it is, or at the sizes of the call."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.foreign import ForeignParams
from lowering.stablehlo.context import Context


def stablehlo(cx: Context, params: ForeignParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A call of the entry, whose text is written once however often it is called."""
    called = cx.module.settled(params) if params.open else params
    cx.module.include(called.functions)
    given, made = (", ".join(map(cx.type, types)) for types in (called.operands, called.results))
    return cx.emit_many(
        f"func.call @{called.entry}({', '.join(operands)}) : ({given}) -> ({made})", len(called.results)
    )

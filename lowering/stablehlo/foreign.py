"""Functions of another compiler: their text stands in the module as it is."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.foreign import ForeignParams
from lowering.stablehlo.context import Context


def stablehlo(cx: Context, params: ForeignParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A call of the entry, whose text is written once however often it is called."""
    cx.module.include(params.functions)
    given, made = (", ".join(map(cx.type, types)) for types in (params.operands, params.results))
    return cx.emit_many(f"call @{params.entry}({', '.join(operands)}) : ({given}) -> ({made})", len(params.results))

"""Host actions of a running program: Python callbacks, ordered by a token."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.io import CallbackParams, PrintParams
from lowering.lowered import RUN_TYPE
from lowering.stablehlo import collective
from lowering.stablehlo.context import TOKEN, Context


def _callback(cx: Context) -> str:
    """The name under which XLA knows how to call Python."""
    return f"xla_ffi_python_{'cpu' if cx.is_for_cpu else 'gpu'}_callback"


def call(cx: Context, params: PrintParams | CallbackParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A call of a host function by number, with the number of the run, from the first device or from each that comes
    here; it waits for the token of the one before, and gives the next."""
    types = ", ".join([TOKEN, cx.type(RUN_TYPE), *[cx.type(x.type) for x in equation.inputs]])
    number = cx.module.callback(equation)
    everywhere = isinstance(params, PrintParams) and params.everywhere
    where = f"{collective.ONCE}, " if cx.module.mesh and not everywhere else ""
    results = ", ".join([TOKEN, *[cx.type(x.type) for x in equation.outputs]])
    cx.token, *made = cx.emit_many(
        f"stablehlo.custom_call @{_callback(cx)}({', '.join([str(cx.token), cx.run, *operands])}) "
        f"{{has_side_effect = true, {where}api_version = 4 : i32, backend_config = {{index = {number} : ui64}}}} : "
        f"({types}) -> ({results})",
        1 + len(equation.outputs),
    )
    return made

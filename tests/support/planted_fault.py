"""A plugin of pytest that plants a fault: a value that is wrong only where XLA optimises.

The rule of `div` adds what the product of its operands loses by rounding, many times over. It is computed as
`x * y - (2 * x) * y / 2`, which is zero as long as each product is rounded: a factor of two is exact. Where the
compiler contracts the first product and the difference to one fused multiply-add, that product is not rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import pytest

from dsl.ir.function import Equation
from dsl.ir.op import NoParams
from dsl.types.dtype import F32
from lowering.stablehlo import module, registry
from lowering.stablehlo.context import Context

TIMES = 2.0**20


def faulty_div(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type_ = equation.outputs[0].type

    def apply(name: str, x: str, y: str) -> str:
        return cx.emit(f"stablehlo.{name} {x}, {y} : {cx.type(type_)}")

    x, y = operands
    right = apply("divide", x, y)
    if type_.dtype != F32:
        return (right,)
    twice = apply("multiply", apply("add", x, x), y)
    lost = apply("subtract", apply("multiply", x, y), apply("multiply", twice, cx.constant(0.5, type_)))
    return (apply("add", right, apply("multiply", lost, cx.constant(TIMES, type_))),)


def pytest_configure(config: pytest.Config) -> None:
    patch = pytest.MonkeyPatch()
    faulty = MappingProxyType({**registry.RULES, "div": faulty_div})
    patch.setattr(module, "rules_for", lambda platform: faulty)
    config.add_cleanup(patch.undo)

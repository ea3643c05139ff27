"""A program is written once, in a time that grows with its equations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.ir.build import Builder
from dsl.ir.function import Equation, Function, Tensor
from dsl.ops.control.call import call
from dsl.ops.elementwise import add
from dsl.transforms.pipeline import LOWERING, run
from dsl.types.dtype import F64
from lowering.stablehlo import module, registry
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.module import lower

SQUARE = np.ones((128, 128))
LAST = 1.2
"""The work for twice as many equations, beside twice the work."""


def slices(count: int) -> str:
    """Parts of a large value."""
    rows = "".join(f"    let y = y * z[{row}]\n" for row in range(count))
    return f"def f(x: f64[128, 128]) -> f64[128] =\n    let z = exp(x)\n    let y = z[0]\n{rows}    y\n"


def factors(count: int) -> str:
    """Decompositions, of which a part is not used."""
    lines = "".join("    let x = svd(x).1[:, None] * x\n" for _ in range(count))
    return f"from linalg import svd\ndef f(x: f64[128, 128]) -> f64[128, 128] =\n{lines}    x\n"


def products(count: int) -> str:
    """Results that could be kept apart, beside a formula in place."""
    lines = "".join("    let x = tanh(x @ x + 1.0)\n" for _ in range(count))
    return f"def f(x: f64[128, 128]) -> f64[128, 128] =\n{lines}    x + atan(x)\n"


def waves(count: int) -> str:
    """Sines, each of the one before, and what follows from them."""
    lines = "".join(f"    let x = sin(x) * {number}.5\n" for number in range(count))
    return f"def f(x: f64[128, 128]) -> f64[128, 128] =\n{lines}    x\n"


PROGRAMS = (slices, factors, products)


def nested(depth: int) -> Function:
    """Functions of which each calls the one before twice."""
    number, b = Tensor(F64), Builder()
    x = b.param(number)
    f = b.finish("f", [add(b, x, x)])
    for _ in range(depth):
        b = Builder()
        (y,) = call(b, f, [b.param(number)])
        f = b.finish("f", call(b, f, [y]))
    return f


def prepared(text: str) -> Function:
    return run(dsl.program(text).f.staged((SQUARE,), {})[0].function, LOWERING)


def readings(function: Function, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often the operands and the params of an equation are looked at to lower a function."""
    count = 0

    def counted(part: Any) -> property:
        def get(equation: Equation) -> Any:
            nonlocal count
            count += 1
            return part.__get__(equation)

        return property(get)

    with monkeypatch.context() as patch:
        for name in ("inputs", "params"):
            patch.setattr(Equation, name, counted(vars(Equation)[name]))
        lower(function)
    return count


@pytest.mark.parametrize("program", (*PROGRAMS, waves))
def test_the_work_is_linear(program: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    once, twice = (readings(prepared(program(count)), monkeypatch) for count in (20, 40))
    assert 2 * once <= twice * LAST <= 2 * once * LAST**2


def test_functions_that_are_called_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once, twice = (readings(nested(depth), monkeypatch) for depth in (10, 20))
    assert twice <= 2 * once * LAST


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_equation_is_written_once(program: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    written: Counter[Equation] = Counter()

    def counting(rule: Rule) -> Rule:
        def counted(cx: Context, params: Any, equation: Equation, operands: list[str]) -> Sequence[str]:
            written[equation] += 1
            return rule(cx, params, equation, operands)

        return counted

    def rules_that_count(platform: str) -> Mapping[str, Rule]:
        return {name: counting(rule) for name, rule in registry.rules_for(platform).items()}

    monkeypatch.setattr(module, "rules_for", rules_that_count)
    function = prepared(program(3))
    lower(function)
    assert [written[equation] for equation in function.equations] == [1] * len(function.equations)


def test_the_text_is_the_same_wherever_values_lie_in_memory() -> None:
    sums = "def f(x: f64[128, 128]) -> f64[128, 128] = exp(" + " + ".join(["x @ x"] * 8) + ")"
    parts = sums.replace("x @ x + x @ x", "(x @ (x + 1.0)) + (x @ (x + 2.0)) + (x @ (x + 3.0)) + (x @ (x + 4.0))", 1)
    kept: list[Function] = []
    for _ in range(5):
        kept.append(prepared(parts))
        assert lower(kept[-1]).text == lower(kept[0]).text

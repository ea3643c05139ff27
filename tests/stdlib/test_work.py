"""The work of functions of the library grows as that of their kind: what XLA estimates at two sizes, without a clock.

Sixteen times as many elements take at most sixteen times the operations and bytes, times a little; a power of two more
where matrices are multiplied or solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some

pytestmark = pytest.mark.cpu

SMALL, FACTOR = 4096, 16  # other formulas are written for fewer elements
SLACK = 1.5
"""For logarithms, and for what is padded."""

SECOND_PASS: Mapping[str, float] = MappingProxyType({"logsumexp": 1.75})
"""What takes the extreme of an array in memory, where nan is looked for in a second pass over large ones."""

LINEAR: Mapping[str, str] = MappingProxyType(
    {
        "elements": "sin(x) * special.gamma(x)",
        "comparison": "where(x > 0.5, x, -x)",
        "sum": "sum(x)",
        "mean": "mean(x)",
        "variance": "var(x)",
        "softmax": "nn.softmax(x)",
        "logsumexp": "logsumexp(x)",
        "argmax": "argmax(x)",
        "diff": "diff(x)",
        "gradient": "gradient(x)",
        "trapezoid": "trapezoid(x)",
        "flip": "flip(x)",
        "roll": "roll(x, [3])",
        "pad": "pad(x, [(3, 4)])",
        "tile": "tile(x, [3])",
        "repeat": "repeat(x, 3)",
        "gather": "x[flip(arange(n))]",
        "take": "take(x, arange(n))",
        "segment_sum": "segment_sum(x, arange(n), n)",
        "bincount": "bincount(arange(n), n)",
        "convolve": "convolve(x, [1.0, 2.0, 3.0])",
        "polyval": "polyval([1.0, 2.0, 3.0], x)",
        "isin": "isin(x, [0.25, 0.5])",
        "histogram": "histogram(x, [0.0, 0.5, 1.0]).0",
        "comprehension": "[sin(v) * v for v in x]",
        "grad": "grad(fn v -> sum(sin(v) * v))(x)",
        "grad of gather": "grad(fn v -> sum(v[flip(arange(n))] ** 2.0))(x)",
        "grad of prod": "grad(fn v -> prod(v))(x)",
        "jvp": "jvp(fn v -> sin(v) * v, (x,), (x,))",
        "vmap": "vmap(fn v -> sum(v) * v)(reshape(x, [n // 16, 16]))",
    }
)
SQUARE: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        "transpose": ("x.T + x", FACTOR),
        "trace": ("trace(x)", FACTOR),
        "tril": ("tril(x)", FACTOR),
        "fill_diagonal": ("fill_diagonal(x, 2.0)", FACTOR),
        "sum of rows": ("sum(x, axis=1)", FACTOR),
        "standardize": ("nn.standardize(x)", FACTOR),
        "matmul": ("x @ x", FACTOR**1.5),
        "cov": ("cov(x)", FACTOR**1.5),
        "grad of matmul": ("grad(fn v -> sum(v @ v))(x)", FACTOR**1.5),
    }
)


@pytest.fixture(autouse=True)
def _no_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA counts the body of a loop once, so that a loop over tiles would hide what it does."""
    monkeypatch.setattr("dsl.transforms.pipeline.tile_of_machine", lambda: 1 << 40)


def work(expression: str, parameter: str, x: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Operations and bytes."""
    where = "n % 16 == 0 and n >= 16" if parameter == "f32[n]" else "n >= 2"
    text = f"import special\nimport nn\ndef f(x: {parameter}) where {where} = {expression}"
    cost = dsl.program(text).f.cost(x)
    return cost.get("flops", 0.0) + cost.get("transcendentals", 0.0), cost["bytes accessed"]


@pytest.mark.parametrize("name", LINEAR)
def test_work_is_linear(name: str) -> None:
    small, large = [work(LINEAR[name], "f32[n]", np.ones(n, np.float32)) for n in (SMALL, FACTOR * SMALL)]
    slack = SECOND_PASS.get(name, SLACK)
    for before, after in some(zip(small, large, strict=True)):
        assert after <= FACTOR * slack * max(before, SMALL), (small, large)


@pytest.mark.parametrize("name", SQUARE)
def test_work_of_matrices(name: str) -> None:
    expression, factor = SQUARE[name]
    small, large = [work(expression, "f32[n, n]", np.ones((n, n), np.float32)) for n in (32, 128)]
    for before, after in some(zip(small, large, strict=True)):
        assert after <= factor * SLACK * max(before, SMALL), (small, large)


@pytest.mark.parametrize("expression", ["polyval(x[:16], x)", "special.i0e(x)", "special.i1(x)", "isin(x, x[:16])"])
def test_short_sums_take_one_pass(expression: str) -> None:
    """Sums of a few terms for each element read and write each element once, not once for each term."""
    n = FACTOR * SMALL
    assert work(expression, "f32[n]", np.ones(n, np.float32))[1] <= 6 * 4 * n


def test_a_hole_is_seen() -> None:
    """All pairs of elements are too much for a linear function."""
    pairs = "[sum([abs(v - w) for w in x]) for v in x]"
    small, large = [work(pairs, "f32[n]", np.ones(n, np.float32)) for n in (SMALL, FACTOR * SMALL)]
    assert large[0] > FACTOR * SLACK * max(small[0], SMALL)

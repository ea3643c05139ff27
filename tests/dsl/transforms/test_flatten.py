"""Elementwise work between products is done on matrices: same values, same types, fewer changes of shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl
from dsl.host.measures.costs import arguments_of
from dsl.interp import evaluate
from dsl.ir.function import Function
from dsl.ir.walk import functions
from dsl.transforms.flatten import flatten
from dsl.transforms.pipeline import LOWERING, over_devices, run
from tests.support.cases import some

PROGRAM = """
def two(x: f32[b, n, d], w: f32[d, h], v: f32[h, d]) -> f32[b, n, d] = tanh(2.0 * (x @ w)) @ v
def gated(x: f32[b, n, d], w: f32[d, h], u: f32[d, h], v: f32[h, d]) -> f32[b, n, d] = (tanh(x @ w) * (x @ u)) @ v
def seen(x: f32[b, n, d], w: f32[d, h], v: f32[h, d]) -> (f32[b, n, d], f32[b, n, h]) =
    let y = tanh(x @ w)
    (y @ v, y)
def beside(x: f32[b, n, d], z: f32[b, n, h], w: f32[d, h], v: f32[h, d]) -> f32[b, n, d] = (tanh(x @ w) + z) @ v
def looped(x: f32[b, n, d], w: f32[d, h], v: f32[h, d]) -> f32[b, n, d] =
    fold x = x for _ in range(3) do exp(x @ w) @ v
def plain(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v
"""
SIZES = {"b": 2, "n": 3, "d": 4, "h": 5}


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def staged(f: Any) -> Function:
    sizes = {s.name: SIZES[s.name] for s in f.signature.sizes}
    function: Function = f.staged((), arguments_of(f, sizes))[0].function
    return run(function, LOWERING)


def shapes(function: Function, name: str) -> list[int]:
    """The ranks of what ops of this name give."""
    every = [e for body in functions(function) for e in body.equations]
    return [e.outputs[0].type.rank for e in every if e.op.name == name]


@pytest.mark.parametrize("name", ["two", "gated", "seen", "beside", "looped", "plain"])
def test_values_and_types_stay(m: Any, name: str) -> None:
    function = staged(getattr(m, name))
    flat = run(function, over_devices((), 1), check=True)
    assert flat.param_types == function.param_types and flat.result_types == function.result_types
    rng = np.random.default_rng(0)
    given = [rng.normal(size=t.shape).astype("f4") for t in function.param_types]
    for a, b in zip(some(evaluate(flat, given)), evaluate(function, given), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_what_lies_between_products_is_flat(m: Any) -> None:
    assert shapes(flatten(staged(m.two)), "tanh") == [2]
    assert shapes(flatten(staged(m.gated)), "mul") == [2]
    assert shapes(flatten(staged(m.looped)), "exp") == [2]


@pytest.mark.parametrize("name", ["seen", "beside", "plain"])
def test_what_something_else_needs_or_gives_stays(m: Any, name: str) -> None:
    function = staged(getattr(m, name))
    assert flatten(function) is function


@pytest.mark.cpu
def test_a_layer_between_products_takes_no_memory_of_its_own(m: Any) -> None:
    x, w, v = np.zeros((8, 64, 64), "f4"), np.zeros((64, 512), "f4"), np.zeros((512, 64), "f4")
    hidden = 4 * 8 * 64 * 512
    assert m.two.memory(x, w, v).between < 1.1 * hidden

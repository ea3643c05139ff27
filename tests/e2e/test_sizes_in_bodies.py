"""Sizes that data decide inside of bodies, of results and of checks: compiled, evaluated, and as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.library import Array

X, KEEP = np.array([1, 2, 3, 4], np.float32), np.array([1, 0, 1, 1], bool)
HEAD = """
def g(y: f32[n]) -> f32 = sum(y) / n
def checked(v: f32) -> f32 ! check =
    assert v > 0.0, "negative"
    log(v)
"""
BODIES: dict[str, tuple[str, Callable[[Array], Any]]] = {
    "a loop that reads no element": ("fold s = f32(1.0) for v in y do s * 2.0", lambda y: 2.0 ** len(y)),
    "a scan that reads no element": ("(scan s = 0 for v in y do (s + 1, s)).1", lambda y: np.arange(len(y))),
    "a size in a loop": ("fold s = f32(0.0) for v in x do s + v / f32(y.shape[0])", lambda y: X.sum() / len(y)),
    "a size in a loop over it": ("fold s = f32(0.0) for v in y do s + v / f32(y.shape[0])", lambda y: y.sum() / len(y)),
    "a size in a branch": ("if sum(x) > 0.0 then f32(y.shape[0]) else 0.0", lambda y: len(y)),
    "a constant gradient": ("grad(g)(y)", lambda y: np.full(len(y), 1 / len(y))),
    "a constant gradient of a lambda": ("grad(fn y -> sum(y))(y)", np.ones_like),
    "a check for each element": ("with checks do [checked(v) for v in y]", lambda y: np.log(y)),
}


@pytest.mark.parametrize("how", ["compiled", "evaluated"])
@pytest.mark.parametrize("name", BODIES)
def test_values_are_those_of_the_selection(name: str, how: str) -> None:
    body, wanted = BODIES[name]
    m = dsl.program(f"{HEAD}\ndef f(x: f32[n], keep: bool[n]) =\n    let y = x[keep]\n    {body}\n")
    found = (m.f if how == "compiled" else m.f.interpret)(X, KEEP)
    found = found[0] if isinstance(found, tuple) else found
    np.testing.assert_allclose(np.asarray(found), wanted(X[KEEP]), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"])
def test_the_largest_integers_are_sorted(dtype: str) -> None:
    m = dsl.program(f"def f(x: {dtype}[n], keep: bool[n]) = sort(x[keep])")
    numpy = np.dtype(dtype.replace("i", "int").replace("u", "uint"))
    x = np.array([3, 1, 2, 0], numpy) + np.array(np.iinfo(numpy).max - 3, numpy)
    assert np.array_equal(m.f(x, KEEP), np.sort(x[KEEP]))


def test_updates_for_each_selected_element() -> None:
    text = "def f(x: f32[n], y: f32[m]) where m >= 1 =\n    let p = x[x > 0.0]\n    [y.at[0].add(v) for v in p]\n"
    x, y = np.array([1.0, -2.0, 3.0], np.float32), np.array([1.0, 2.0], np.float32)
    np.testing.assert_array_equal(dsl.program(text).f(x, y), [[2.0, 2.0], [4.0, 2.0]])


def test_a_kernel_for_each_selected_element_is_refused_with_a_code() -> None:
    head = "def f(x: f32[n], y: f32[m]) where m >= 3 =\n    let p = x[x > 0.0]\n"
    text = f"{head}    [convolve(v * y, v * ones([3])) for v in p]\n"
    with pytest.raises(dsl.DslError) as refused:
        dsl.program(text).f(np.ones(4, "f4"), np.ones(5, "f4"))
    assert refused.value.code == "E0425"


def test_places_of_selected_elements_in_descending_order() -> None:
    m = dsl.program("def f(x: f32[n], keep: bool[n]) = argsort(x[keep], descending=true)")
    x = np.array([3, 1, 2, 3], np.float32)
    np.testing.assert_array_equal(m.f(x, KEEP), np.argsort(-x[KEEP], kind="stable"))
    np.testing.assert_array_equal(m.f.interpret(x, KEEP), np.argsort(-x[KEEP], kind="stable"))

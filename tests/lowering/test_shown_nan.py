"""Extremes that XLA's library may take, since their results show nan by themselves; and those that keep nan."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

pytestmark = pytest.mark.cpu

PROGRAMS = """
import nn
def soft(x: f32[n, m]) -> f32[n, m] where m >= 1 = nn.softmax(x, axis=1)
def first(x: f32[n, m]) -> f32[n, m] where n >= 1 and m >= 1 = nn.softmax(x, axis=0)
def total(x: f32[n, m]) -> f32[n] where m >= 1 = logsumexp(x, axis=1)
def shifted(x: f32[n, m]) -> f32[n, m] where m >= 1 = exp(x - max(x, axis=1, keepdims=true))
def turned(x: f32[n, n]) -> f32[n, n] where n >= 1 =
    let e = exp(x - max(x, axis=1, keepdims=true))
    e / sum(e, axis=1)[None, :]
def chosen(x: f32[n, m]) -> f32[n, m] where m >= 1 =
    let e = exp(x - max(x, axis=1, keepdims=true))
    where(e > 0.5, e, 0.0) / sum(where(e > 0.5, e, 0.0), axis=1, keepdims=true)
def apart(x: f32[n, 1, m]) -> f32[n, 1, m] where m >= 1 = nn.softmax(x, axis=2)
def dropped(x: f32[n, 1, m]) -> f32[n, m] where m >= 1 =
    let e = exp(x[:, 0, :] - max(x, axis=2)[:, 0][:, None])
    e / sum(e, axis=1, keepdims=true)
def printed(x: f32[n, m]) -> f32[n, m] ! io where m >= 1 =
    let top = max(x, axis=1, keepdims=true)
    print("{}", top)
    exp(x - top) / sum(exp(x - top), axis=1, keepdims=true)
def positive(x: f32[n, m]) -> f32[n, m] where m >= 1 =
    let e = maximum(exp(x - max(x, axis=1, keepdims=true)), 0.0)
    e / sum(e, axis=1, keepdims=true)
def both(x: f32[n, m]) -> (f32[n, m], f32[n]) where m >= 1 = (nn.softmax(x, axis=1), max(x, axis=1))
"""
PLAIN = "applies stablehlo.maximum"


def values() -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(192, 192)).astype(np.float32)
    x[3, 5] = x[7, 0] = np.nan
    x[11, 190] = np.inf
    x[13] = np.nan
    return x


def shares(x: np.ndarray, axis: int) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        e = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return np.asarray(e / np.sum(e, axis=axis, keepdims=True))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("soft", True), ("first", True), ("shifted", False), ("turned", False), ("chosen", False), ("both", False)],
)
def test_the_library_takes_extremes_that_show_nan(name: str, plain: bool) -> None:
    text = getattr(dsl.program(PROGRAMS), name).lower(values()).stablehlo.text
    assert (PLAIN in text) is plain


@pytest.mark.parametrize(("name", "axis"), [("soft", 1), ("first", 0)])
def test_a_softmax_has_nan_where_its_elements_have(name: str, axis: int) -> None:
    found = np.asarray(getattr(dsl.program(PROGRAMS), name)(values()))
    np.testing.assert_allclose(found, shares(values(), axis), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("name", "plain"), [("apart", True), ("dropped", False)])
def test_axes_of_one_element_do_not_matter(name: str, plain: bool) -> None:
    function, x = getattr(dsl.program(PROGRAMS), name), values()[:, None, :]
    assert (PLAIN in function.lower(x).stablehlo.text) is plain
    np.testing.assert_allclose(np.asarray(function(x)).reshape(192, 192), shares(values(), 1), rtol=1e-5, atol=1e-7)


def test_what_is_printed_is_not_left_to_the_library() -> None:
    assert PLAIN not in dsl.program(PROGRAMS).printed.lower(values()).stablehlo.text


def test_lines_of_greater_elements_have_nan_where_these_have() -> None:
    found = np.asarray(dsl.program(PROGRAMS).positive(values()))
    np.testing.assert_allclose(found, shares(values(), 1), rtol=1e-5, atol=1e-7)


def test_other_uses_of_an_extreme_keep_nan() -> None:
    program, x = dsl.program(PROGRAMS), values()
    with np.errstate(invalid="ignore"):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
    np.testing.assert_allclose(np.asarray(program.shifted(x)), e, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(np.asarray(program.turned(x)), e / np.sum(e, axis=1)[None, :], rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(np.asarray(program.both(x)[1]), np.max(x, axis=1), rtol=0)
    assert np.isnan(np.asarray(program.total(x))[[3, 7, 13]]).all()


@pytest.mark.parametrize(("size", "counted"), [(100, False), (5000, True), (1 << 20, False)])
def test_flags_that_a_cache_holds_as_numbers_are_counted(size: int, counted: bool) -> None:
    program = dsl.program("def waves(x: f64[n]) -> f64[n] = sin(x)")
    assert ("applies stablehlo.add" in program.waves.lower(np.zeros(size)).stablehlo.text) is counted


@pytest.mark.parametrize("place", [0, 4999])
def test_one_large_argument_is_found_among_many(place: int) -> None:
    x = np.linspace(-3.0, 3.0, 5000)
    x[place], x[17] = 1e15, np.nan
    found = np.asarray(dsl.program("def waves(x: f64[n]) -> f64[n] = sin(x)").waves(x))
    np.testing.assert_allclose(found, np.sin(x), rtol=1e-14, atol=1e-15)

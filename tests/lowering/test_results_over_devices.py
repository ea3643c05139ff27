"""Costly results of f64 over several devices, beside loops in place, in derivatives and with arguments that are given
up: the values are those of one device, and no element is sent from one device to the others to keep results apart."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dsl

pytestmark = pytest.mark.cpu

PROGRAM = """
let grid = mesh(i=4)

def mixed(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = exp(-(x @ y)) + tanh(x @ x) * sqrt(abs(y @ y) + 1.0)
def looped(x: f64[n, n], y: f64[n, n]) -> f64[n, n] =
    fold z = y for _ in range(3) do
        let a = exp(-(x @ z))
        a / (1.0 + a * a) + 0.5 * z
def updated(x: f64[n, n], y: f64[n, n]) -> f64[n, n] where n >= 1 =
    fold z = y for _ in range(3) do (z + tanh(x @ z)).at[0].set(exp(-z[n - 1]))
def talking(x: f64[n, n], y: f64[n, n]) -> f64[n, n] ! axis("i") =
    let mean = pmean(exp(-(x @ y)), "i")
    fold z = y for _ in range(2) do tanh(z @ mean) + pmean(exp(-(x @ z)), "i")
def chosen(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = if sum(x) > 0.0 then exp(-(x @ y)) else tanh(y @ y)

def maps(x: f64[k, n, n], y: f64[k, n, n]) where n >= 1 =
    (pmap(mixed)(x, y), pmap(looped)(x, y), pmap(updated)(x, y), pmap(chosen)(x, y))
def means(x: f64[k, n, n], y: f64[k, n, n]) = pmap(talking, axis_name="i")(x, y)
def rows(x: f64[k, n, n], y: f64[k, n, n]) = shard(vmap(mixed), grid, ({i = 0}, {i = 0}), {i = 0})(x, y)
def laid(x: f64[k, n, n], y: f64[k, n, n]) where n >= 1 and k >= 1 =
    let x = with_sharding(x[0], grid, {i = 0})
    let y = with_sharding(y[0], grid, {i = 1})
    mixed(x, y)
def laid_in_loops(x: f64[k, n, n], y: f64[k, n, n]) where n >= 1 and k >= 1 =
    let x = with_sharding(x[0], grid, {i = 0})
    looped(x, y[0]) + updated(x, y[0]) + mixed(x, y[0])
def slopes(x: f64[k, n, n], y: f64[k, n, n]) where n >= 1 and k >= 1 =
    let total = fn (x, y) -> sum(pmap(mixed)(x, y)) + sum(pmap(looped)(x, y)) + sum(rows(x, y)) + sum(laid(x, y))
    grad(total, argnums=(0, 1))(x, y)
def tangents(x: f64[k, n, n], y: f64[k, n, n]) where n >= 1 = jvp(maps, (x, y), (y, x))
"""
NAMES = ("maps", "means", "rows", "laid", "laid_in_loops", "slopes", "tangents")
APART = r"compare LT, (%\w+), \1, FLOAT"
X, Y = np.random.default_rng(0).normal(size=(2, 4, 48, 48)) * 0.1

program = dsl.program(PROGRAM)


def leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [np.asarray(value)]


def agree(found: Any, wanted: Any, tolerance: float) -> None:
    for got, want in zip(leaves(found), leaves(wanted), strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_one_device(name: str) -> None:
    f = getattr(program, name)
    with dsl.default_device(dsl.devices()[0]):
        wanted = f(X, Y)
    agree(wanted, f.interpret(X, Y), 1e-11)
    for count in (2, 4):
        with dsl.default_device(*dsl.devices()[:count]):
            agree(f(X, Y), wanted, 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_may_be_given_up(name: str) -> None:
    f = getattr(program, name)
    wanted = f.interpret(X, Y)
    with dsl.default_device(*dsl.devices()[:4]):
        for _ in range(2):
            agree(dsl.jit(f, donate=("x", "y"))(dsl.array(X), dsl.array(Y)), wanted, 1e-11)


@pytest.mark.parametrize("name", ["rows", "laid"])
def test_nothing_is_sent_to_keep_results_apart(name: str) -> None:
    for count in (1, 4):
        with dsl.default_device(*dsl.devices()[:count]):
            lowered = getattr(program, name).lower(X, Y).stablehlo
        assert (re.search(APART, lowered.text) is None) == lowered.hints.in_place == (count == 4)

"""`flat`: a function that is 0 with its first derivatives computes none of them, in either mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pytest

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function
from dsl.ops.control import FLAT, FlatParams
from dsl.ops.control.call import call
from dsl.ops.elementwise import mul
from dsl.ops.rule_helpers import splat
from dsl.transforms.pipeline import LOWERING, TIDY, run
from tests.support.cases import some
from tests.support.derivative import forward, grad
from tests.support.programs import SCALAR, program

TEXT = """
import solve
def layer(w: f64[n, n], x: f64[n]) -> f64[n] = solve.fixed_point(fn z -> tanh(w @ z + x), zeros([n], f64)).value
def once(w: f64[n, n], x: f64[n]) -> f64[n] =
    solve.fixed_point(fn z -> tanh(w @ z + x), zeros([n], f64), order=1).value
def slopes(w: f64[n, n], x: f64[n]) -> f64[n, n] = grad(fn w -> sum(layer(w, x)))(w)
def slopes_once(w: f64[n, n], x: f64[n]) -> f64[n, n] = grad(fn w -> sum(once(w, x)))(w)
def bend(w: f64[n, n], x: f64[n]) -> f64[n, n] = hessian(fn x -> sum(layer(w, x)))(x)
def slope_by_x(w: f64[n, n], x: f64[n]) -> f64[n] = grad(fn x -> sum(layer(w, x)))(x)
"""
CUBE = program([SCALAR], lambda b, x: mul(b, x, mul(b, x, x)), "cube")


def flat(still: int) -> Function:
    """A function whose value and first derivatives are those of x ** 3 at 0, where `still` says that they are 0."""

    def write(b: Builder, x: Atom) -> Atom:
        return FLAT(b, FlatParams(CUBE, still), x)[0]

    return program([SCALAR], write)


def along(f: Function) -> Function:
    """The derivative of a function of one number, in forward mode."""

    def write(b: Builder, x: Atom) -> Atom:
        return call(b, forward(f).function, (x, splat(1, SCALAR)))[1]

    return program([SCALAR], write)


DERIVATIVES: Mapping[str, Callable[[Function], Function]] = {"f": along, "r": lambda f: grad(f, (0,))}


def value(f: Function, x: float) -> float:
    (found,) = evaluate(run(f, LOWERING, check=True), [np.array(x)])
    return float(found)


@pytest.mark.parametrize("modes", some([*product("rf", repeat=3)]), ids="".join)
def test_the_first_derivatives_are_zero_and_the_next_is_that_of_the_function(modes: tuple[str, ...]) -> None:
    for still, wanted in ((1, [0.0, 12.0, 12.0, 6.0]), (2, [0.0, 0.0, 12.0, 6.0]), (3, [0.0, 0.0, 0.0, 6.0])):
        f, found = flat(still), list[float]()
        for mode in ("", *modes):
            f = run(DERIVATIVES[mode](f), TIDY, check=True) if mode else f
            found.append(value(f, 2.0))
        assert found == wanted


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(TEXT)


RANDOM = np.random.default_rng(0)
W, X = 0.3 * RANDOM.normal(size=(3, 3)), RANDOM.normal(size=3)


def test_a_first_derivative_costs_one_system_whatever_the_order(m: dsl.Program) -> None:
    assert m.slopes.hlo(W, X).count(" while(") == m.slopes_once.hlo(W, X).count(" while(")
    np.testing.assert_allclose(np.asarray(m.slopes(W, X)), np.asarray(m.slopes_once(W, X)), rtol=1e-9)


def test_a_second_derivative_is_right(m: dsl.Program) -> None:
    step = 1e-4 * np.eye(3)
    wanted = [(np.asarray(m.slope_by_x(W, X + h)) - np.asarray(m.slope_by_x(W, X - h))) / 2e-4 for h in step]
    np.testing.assert_allclose(np.asarray(m.bend(W, X)), wanted, rtol=1e-6, atol=1e-8)

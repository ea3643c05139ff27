"""A branch that is not taken never contributes to a derivative, however infinite its own derivative is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.op import NONE
from dsl.ops.builders import (
    add,
    compare,
    cumsum,
    div,
    exp,
    integer_pow,
    log,
    maximum,
    mul,
    power,
    reduce_prod,
    reduce_sum,
    rsqrt,
    select,
    splat,
    sqrt,
    zeros,
)
from dsl.ops.elementwise import SCALE
from dsl.types.dtype import F64
from tests.support.derivative import forward, grad, hvp

POINTS = np.array([-1.0, 0.0, 4.0])
Body = Callable[[Builder, Atom], Atom]


def guarded(body: Body) -> Function:
    """sum(where(x > 0, body(x), 0)) of three numbers, one of each sign."""
    b = Builder()
    x = b.param(Tensor(F64, (3,)))
    chosen = select(b, compare(b, "gt", x, zeros(x.type)), body(b, x), zeros(x.type))
    return b.finish("guarded", [reduce_sum(b, chosen, (0,))])


def reciprocal(b: Builder, x: Atom) -> Atom:
    return div(b, splat(1, x.type), x)


BODIES: dict[str, tuple[Body, float, float]] = {
    "sqrt": (sqrt, 0.25, -1 / 32),
    "log": (log, 0.25, -1 / 16),
    "rsqrt": (rsqrt, -1 / 16, 3 / 128),
    "reciprocal": (reciprocal, -1 / 16, 1 / 32),
    "sqrt of sqrt": (lambda b, x: sqrt(b, sqrt(b, x)), 4**-0.75 / 4, -3 / 16 * 4**-1.75),
    "x times 1 / x": (lambda b, x: mul(b, x, reciprocal(b, x)), 0.0, 0.0),
    "exp of 1 / x": (
        lambda b, x: exp(b, reciprocal(b, x)),
        -np.exp(0.25) / 16,
        np.exp(0.25) * (1 / 256 + 1 / 32),
    ),
    "pow": (lambda b, x: power(b, x, splat(0.5, x.type)), 0.25, -1 / 32),
    "integer_pow": (lambda b, x: integer_pow(b, x, -1), -1 / 16, 1 / 32),
    "max of logs": (lambda b, x: maximum(b, log(b, x), splat(-3, x.type)), 0.25, -1 / 16),
}


@pytest.mark.parametrize("name", BODIES)
def test_reverse(name: str) -> None:
    body, slope, _ = BODIES[name]
    (found,) = evaluate(grad(guarded(body), (0,)), [POINTS])
    np.testing.assert_allclose(found, [0, 0, slope], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", BODIES)
def test_forward(name: str) -> None:
    body, slope, _ = BODIES[name]
    for k, expected in enumerate([0, 0, slope]):
        _, tangent = evaluate(forward(guarded(body)).function, [POINTS, np.eye(3)[k]])
        np.testing.assert_allclose(tangent, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", BODIES)
def test_second_order(name: str) -> None:
    body, _, curvature = BODIES[name]
    found = evaluate(hvp(guarded(body), (0,)), [POINTS, np.ones(3)])[-1]
    np.testing.assert_allclose(found, [0, 0, curvature], rtol=1e-12, atol=1e-15)


def test_whole_rows() -> None:
    """Through ops that mix elements: a running sum and a product of what was selected."""
    b = Builder()
    x = b.param(Tensor(F64, (3,)))
    safe = select(b, compare(b, "gt", x, zeros(x.type)), sqrt(b, x), splat(1, x.type))
    mixed = add(b, reduce_sum(b, cumsum(b, safe, 0), (0,)), reduce_prod(b, safe, (0,)))
    (found,) = evaluate(grad(b.finish("f", [mixed]), (0,)), [POINTS])
    np.testing.assert_allclose(found, [0, 0, 0.5], rtol=1e-12)


ANY = st.floats(allow_nan=True, allow_infinity=True)


@given(ANY, ANY)
def test_scale_is_a_product_in_which_zero_absorbs(x: float, y: float) -> None:
    arrays: list[np.ndarray[Any, Any]] = [np.asarray(x), np.asarray(y)]
    (found,) = SCALE.evaluate(NONE, (Tensor(F64), Tensor(F64)), *arrays)
    with np.errstate(all="ignore"):
        expected = 0.0 if x == 0 or y == 0 else np.multiply(x, y)
    np.testing.assert_array_equal(found, expected)

"""Special functions: erf, erfc, erf_inv, lgamma, polygamma.

The evaluator computes in f64 by formulas given at each function; the standard library of Python has the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Op
from dsl.ir.traits import MODERATE
from dsl.ops.elementwise import Atoms, Tangents, mul, neg, scale_by
from dsl.ops.pointwise import unary
from dsl.ops.rule_helpers import NOT_LINEAR, Array, Arrays, Axes, Batched, alike, as_type, over, splat
from dsl.ops.unary import exp
from dsl.types.dtype import F32, F64, FLOATS


def _elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of a Python float over an array; nan where it has no value."""

    def compute(x: Array) -> Array:
        out = np.empty(x.shape, np.float64)
        for place in np.ndindex(x.shape):
            out[place] = function(float(x[place]))
        return out

    return compute


# --- the error function -----------------------------------------------------------------------------------


def _bell(b: Builder, x: Atom) -> Atom:
    """2 / sqrt(pi) exp(-x x)."""
    return mul(b, splat(2 / math.sqrt(math.pi), x.type), exp(b, neg(b, mul(b, x, x))))


def _erf_inv(x: float) -> float:
    """Winitzki's estimate, then Newton's steps on erf, or on erfc where erf is flat."""
    if not -1 < x < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0:
        return x
    a, tail = 0.147, 1 - abs(x)
    log = math.log(tail * (1 + abs(x)))
    centre = 2 / (math.pi * a) + log / 2
    y = math.sqrt(math.sqrt(centre * centre - log / a) - centre)
    for _ in range(4):
        error = tail - math.erfc(y) if y > 0.5 else math.erf(y) - abs(x)
        y -= error * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return math.copysign(y, x)


def _erf_inv_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return mul(b, splat(math.sqrt(math.pi) / 2, y.type), exp(b, mul(b, y, y)))


ERF = unary("erf", "The error function.", _elementwise(math.erf), FLOATS, lambda b, x, y: _bell(b, x), traits=MODERATE)
ERFC = unary(
    "erfc",
    "1 - erf(x), exact for large x.",
    _elementwise(math.erfc),
    FLOATS,
    lambda b, x, y: neg(b, _bell(b, x)),
)
ERF_INV = unary(
    "erf_inv",
    "The inverse of erf; infinite at -1 and 1.",
    _elementwise(_erf_inv),
    FLOATS,
    _erf_inv_slope,
    domain=(-0.9, 0.9),
)


# --- the gamma function -----------------------------------------------------------------------------------


def _lgamma(x: float) -> float:
    if math.isnan(x):
        return x
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


class OrderParams(Struct, frozen=True):
    """`order` 0 is the digamma function, order n its n-th derivative."""

    order: int


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _polygamma(order: int, x: float) -> float:
    """Recurrence up to x >= 12, there the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.11)."""
    if math.isnan(x) or (x <= 0 and (math.isinf(x) or x == math.floor(x))):
        return math.nan
    if math.isinf(x):
        return x if order == 0 else 0.0
    total, sign = 0.0, -1.0 if order % 2 else 1.0
    while x < 12:
        total -= sign * math.factorial(order) / x ** (order + 1)
        x += 1
    return total + _asymptotic(order, x)


def _asymptotic(order: int, x: float) -> float:
    if order == 0:
        tail = sum(c / (2 * k * x ** (2 * k)) for k, c in enumerate(_BERNOULLI, 1))
        return math.log(x) - 1 / (2 * x) - tail
    head = math.factorial(order - 1) / x**order + math.factorial(order) / (2 * x ** (order + 1))
    tail = sum(
        c * math.factorial(2 * k + order - 1) / (math.factorial(2 * k) * x ** (2 * k + order))
        for k, c in enumerate(_BERNOULLI, 1)
    )
    return (head + tail) * (1 if order % 2 else -1)


def _polygamma_eval(params: OrderParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    return (as_type(_elementwise(lambda v: _polygamma(params.order, v))(x), types[0]),)


def _polygamma_jvp(b: Builder, params: OrderParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    return (scale_by(b, ts[0], lambda: polygamma(b, xs[0], params.order + 1)),)


def _polygamma_batch(b: Builder, params: OrderParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return POLYGAMMA(b, params, *xs), axes


LGAMMA = unary(
    "lgamma",
    "The logarithm of the absolute value of the gamma function.",
    _elementwise(_lgamma),
    FLOATS,
    lambda b, x, y: polygamma(b, x, 0),
    domain=(0.5, 4.0),
)
POLYGAMMA: Op[OrderParams] = Op(
    name="polygamma",
    params=OrderParams,
    doc="The digamma function (`order` 0) and its derivatives.",
    type_rule=alike("polygamma", 1, FLOATS),
    evaluate=_polygamma_eval,
    jvp=_polygamma_jvp,
    transpose=NOT_LINEAR,
    batch=_polygamma_batch,
    sharding="...->...",
    samples=(
        *over(FLOATS, (2, 3), params=OrderParams(0), domain=(0.5, 4.0)),
        *over((F32, F64), (2,), params=OrderParams(1), domain=(0.7, 4.0)),
        *over((F64,), (), params=OrderParams(2), domain=(0.7, 4.0)),
    ),
)

SPECIAL: tuple[Op[Any], ...] = (ERF, ERFC, ERF_INV, LGAMMA, POLYGAMMA)


def polygamma(b: Builder, x: Atom, order: int) -> Atom:
    """The derivative of order `order` of digamma, elementwise."""
    return POLYGAMMA(b, OrderParams(order), x)[0]

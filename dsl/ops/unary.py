"""Functions of one variable, each element by itself: name, NumPy function, derivative.

Everything they share is in `pointwise.unary`. Read next: `power`, `special`.
"""

from __future__ import annotations

import math

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE, NoParams, Op
from dsl.ir.traits import MODERATE
from dsl.ops.elementwise import INEXACT, add, div, mul, neg, reciprocal, sub
from dsl.ops.pointwise import unary
from dsl.ops.rule_helpers import Array, splat
from dsl.types.dtype import FLOATS

_POSITIVE = (0.2, 3.0)
_INSIDE = (-0.8, 0.8)


# --- derivatives that take more than one equation ---------------------------------------------------------


def _square(b: Builder, x: Atom) -> Atom:
    return mul(b, x, x)


def _one_minus(b: Builder, x: Atom) -> Atom:
    return sub(b, splat(1, x.type), x)


def _one_plus(b: Builder, x: Atom) -> Atom:
    return add(b, splat(1, x.type), x)


def _one_minus_square(b: Builder, x: Atom) -> Atom:
    """(1 - x) (1 + x), exact near 1 where 1 - x * x is not."""
    return mul(b, _one_minus(b, x), _one_plus(b, x))


def _over_root(b: Builder, x: Atom, y: Atom) -> Atom:
    return div(b, splat(0.5, y.type), y)


def _rsqrt_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return div(b, mul(b, splat(-0.5, y.type), y), x)


def _cbrt_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return div(b, splat(1 / 3, y.type), _square(b, y))


def _exp2_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return mul(b, splat(math.log(2.0), y.type), y)


def _asin_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return rsqrt(b, _one_minus_square(b, x))


def _atanh_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return reciprocal(b, _one_minus_square(b, x))


def _acosh_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    one = splat(1, x.type)
    return mul(b, rsqrt(b, sub(b, x, one)), rsqrt(b, add(b, x, one)))


# --- roots, exponentials and logarithms -------------------------------------------------------------------

SQRT = unary(
    "sqrt", "The square root; nan below zero.", np.sqrt, INEXACT, _over_root, domain=_POSITIVE, traits=MODERATE
)
RSQRT = unary(
    "rsqrt",
    "One over the square root.",
    lambda x: 1 / np.sqrt(x),
    INEXACT,
    _rsqrt_slope,
    domain=_POSITIVE,
    traits=MODERATE,
)
CBRT = unary("cbrt", "The real cube root.", np.cbrt, FLOATS, _cbrt_slope, domain=_POSITIVE)
EXP = unary("exp", "e to the x.", np.exp, INEXACT, lambda b, x, y: y, traits=MODERATE)
EXP2 = unary("exp2", "2 to the x.", np.exp2, FLOATS, _exp2_slope)
EXPM1 = unary("expm1", "exp(x) - 1, exact near 0.", np.expm1, INEXACT, lambda b, x, y: _one_plus(b, y), traits=MODERATE)
LOG = unary(
    "log",
    "The natural logarithm.",
    np.log,
    INEXACT,
    lambda b, x, y: reciprocal(b, x),
    domain=_POSITIVE,
    traits=MODERATE,
)
LOG1P = unary(
    "log1p",
    "log(1 + x), exact near 0.",
    np.log1p,
    INEXACT,
    lambda b, x, y: reciprocal(b, _one_plus(b, x)),
    domain=(-0.5, 2.0),
    traits=MODERATE,
)


# --- circular and hyperbolic functions --------------------------------------------------------------------


def _logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


SIN = unary("sin", "The sine.", np.sin, INEXACT, lambda b, x, y: cos(b, x), traits=MODERATE)
COS = unary("cos", "The cosine.", np.cos, INEXACT, lambda b, x, y: neg(b, sin(b, x)), traits=MODERATE)
TAN = unary("tan", "The tangent.", np.tan, INEXACT, lambda b, x, y: _one_plus(b, _square(b, y)), domain=(-1.0, 1.0))
ASIN = unary("asin", "The arc sine.", np.arcsin, INEXACT, _asin_slope, domain=_INSIDE)
ACOS = unary(
    "acos",
    "The arc cosine.",
    np.arccos,
    INEXACT,
    lambda b, x, y: neg(b, _asin_slope(b, x, y)),
    domain=_INSIDE,
)
ATAN = unary(
    "atan",
    "The arc tangent.",
    np.arctan,
    INEXACT,
    lambda b, x, y: reciprocal(b, _one_plus(b, _square(b, x))),
    domain=_INSIDE,
)
SINH = unary("sinh", "The hyperbolic sine.", np.sinh, INEXACT, lambda b, x, y: cosh(b, x))
COSH = unary("cosh", "The hyperbolic cosine.", np.cosh, INEXACT, lambda b, x, y: sinh(b, x))
TANH = unary(
    "tanh", "The hyperbolic tangent.", np.tanh, INEXACT, lambda b, x, y: _one_minus_square(b, y), traits=MODERATE
)
ASINH = unary(
    "asinh",
    "The inverse of sinh.",
    np.arcsinh,
    INEXACT,
    lambda b, x, y: rsqrt(b, _one_plus(b, _square(b, x))),
    domain=_INSIDE,
)
ACOSH = unary("acosh", "The inverse of cosh.", np.arccosh, INEXACT, _acosh_slope, domain=(1.2, 3.0))
ATANH = unary("atanh", "The inverse of tanh.", np.arctanh, INEXACT, _atanh_slope, domain=_INSIDE)
LOGISTIC = unary(
    "logistic",
    "1 / (1 + exp(-x)).",
    _logistic,
    INEXACT,
    lambda b, x, y: mul(b, y, _one_minus(b, y)),
    traits=MODERATE,
)


# --- steps ------------------------------------------------------------------------------------------------


def _round_away(x: Array) -> Array:
    """`trunc(x)`, and one more where what is left is at least a half: x + 0.5 may itself round up."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


FLOOR = unary("floor", "The largest integer not above x.", np.floor, FLOATS, None)
CEIL = unary("ceil", "The smallest integer not below x.", np.ceil, FLOATS, None)
ROUND = unary("round_nearest_even", "The nearest integer, halves to the even one.", np.rint, FLOATS, None)
ROUND_AWAY = unary("round_nearest_afz", "The nearest integer, halves away from zero.", _round_away, FLOATS, None)

UNARY: tuple[Op[NoParams], ...] = (
    *(SQRT, RSQRT, CBRT, EXP, EXP2, EXPM1, LOG, LOG1P),
    *(SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH, LOGISTIC),
    *(FLOOR, CEIL, ROUND, ROUND_AWAY),
)


# --- builders ---------------------------------------------------------------------------------------------


def exp(b: Builder, x: Atom) -> Atom:
    """e to the power `x`, elementwise."""
    return EXP(b, NONE, x)[0]


def log(b: Builder, x: Atom) -> Atom:
    """The natural logarithm, elementwise."""
    return LOG(b, NONE, x)[0]


def sqrt(b: Builder, x: Atom) -> Atom:
    """The square root, elementwise."""
    return SQRT(b, NONE, x)[0]


def rsqrt(b: Builder, x: Atom) -> Atom:
    """One over the square root, elementwise."""
    return RSQRT(b, NONE, x)[0]


def sin(b: Builder, x: Atom) -> Atom:
    """The sine, elementwise."""
    return SIN(b, NONE, x)[0]


def cos(b: Builder, x: Atom) -> Atom:
    """The cosine, elementwise."""
    return COS(b, NONE, x)[0]


def sinh(b: Builder, x: Atom) -> Atom:
    """The hyperbolic sine, elementwise."""
    return SINH(b, NONE, x)[0]


def cosh(b: Builder, x: Atom) -> Atom:
    """The hyperbolic cosine, elementwise."""
    return COSH(b, NONE, x)[0]


def tanh(b: Builder, x: Atom) -> Atom:
    """The hyperbolic tangent, elementwise."""
    return TANH(b, NONE, x)[0]

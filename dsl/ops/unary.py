"""Functions of one variable, each element by itself: name, NumPy function, derivative.

Everything they share is in `elementwise.unary`. Read next: `special`.
"""

from __future__ import annotations

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE, NoParams, Op
from dsl.ops.elementwise import INEXACT, div, mul, neg, reciprocal, sub
from dsl.ops.pointwise import unary
from dsl.ops.rule import splat


def _sin(b: Builder, x: Atom) -> Atom:
    return SIN(b, NONE, x)[0]


def _cos(b: Builder, x: Atom) -> Atom:
    return COS(b, NONE, x)[0]


def _tanh_slope(b: Builder, x: Atom, y: Atom) -> Atom:
    return sub(b, splat(1, y.type), mul(b, y, y))


EXP = unary("exp", "e to the x.", np.exp, INEXACT, lambda b, x, y: y)
LOG = unary(
    "log", "The natural logarithm.", np.log, INEXACT, lambda b, x, y: reciprocal(b, x), domain=(0.2, 3.0)
)
SIN = unary("sin", "The sine.", np.sin, INEXACT, lambda b, x, y: _cos(b, x))
COS = unary("cos", "The cosine.", np.cos, INEXACT, lambda b, x, y: neg(b, _sin(b, x)))
TANH = unary("tanh", "The hyperbolic tangent.", np.tanh, INEXACT, _tanh_slope)
SQRT = unary(
    "sqrt",
    "The square root; nan below zero.",
    np.sqrt,
    INEXACT,
    lambda b, x, y: div(b, splat(0.5, y.type), y),
    domain=(0.2, 3.0),
)

UNARY: tuple[Op[NoParams], ...] = (EXP, LOG, SIN, COS, TANH, SQRT)


def exp(b: Builder, x: Atom) -> Atom:
    return EXP(b, NONE, x)[0]


def log(b: Builder, x: Atom) -> Atom:
    return LOG(b, NONE, x)[0]


def sin(b: Builder, x: Atom) -> Atom:
    return _sin(b, x)


def cos(b: Builder, x: Atom) -> Atom:
    return _cos(b, x)


def tanh(b: Builder, x: Atom) -> Atom:
    return TANH(b, NONE, x)[0]


def sqrt(b: Builder, x: Atom) -> Atom:
    return SQRT(b, NONE, x)[0]

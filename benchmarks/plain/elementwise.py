"""Functions of each element, and what moves elements."""

from __future__ import annotations

import numpy as np
import scipy.special

from benchmarks.plain.row import ROWS, VECTORS, Row, bases, inside, normal, positive, taken, two

_PLAIN = {"atan": "arctan", "asin": "arcsin", "acos": "arccos"}
_SPECIAL = {
    "lgamma": "gammaln",
    "digamma": "digamma",
    "erf": "erf",
    "special.erfinv": "erfinv",
    "special.expit": "expit",
}
_ANY = (
    *("exp", "sin", "cos", "tan", "tanh", "atan", "sinh", "cosh", "expm1", "cbrt", "exp2"),
    *("floor", "round", "sign", "abs", "nan_to_num", "isnan"),
)

UNARY = (
    *[(name, normal) for name in _ANY],
    *[(name, positive) for name in ("log", "log1p", "log2", "log10", "sqrt")],
    *[(name, inside) for name in ("asin", "acos")],
)
BINARY = (
    ("pow", "x ** y", np.power, bases),
    ("atan2", "atan2(x, y)", np.arctan2, two),
    ("hypot", "hypot(x, y)", np.hypot, two),
    ("mod", "mod(x, y)", np.mod, bases),
    ("add", "x + y", np.add, two),
    ("maximum", "maximum(x, y)", np.maximum, two),
    ("where", "where(x > 0, x, y)", lambda x, y: np.where(x > 0, x, y), two),
)


def _unary(name: str) -> str:
    return f"(x: F[*s]) -> {'bool' if name == 'isnan' else 'F'}[*s] = {name}(x)"


KERNELS = (
    *[Row(name, _unary(name), getattr(np, _PLAIN.get(name, name)), draw, VECTORS) for name, draw in UNARY],
    *[
        Row(
            name, _unary(name), getattr(scipy.special, there), inside if name == "special.erfinv" else positive, VECTORS
        )
        for name, there in _SPECIAL.items()
    ],
    *[Row(name, f"(x: F[*s], y: F[*s]) -> F[*s] = {body}", f, draw, VECTORS) for name, body, f, draw in BINARY],
    Row("clip", "(x: F[*s]) -> F[*s] = clip(x, -1.0, 1.0)", lambda x: np.clip(x, -1, 1), normal, VECTORS),
    Row("diff", "(x: F[n]) -> F[n - 1] where n >= 1 = diff(x)", np.diff, normal, VECTORS),
    Row("diff rows", "(x: F[n, m]) -> F[n, m - 1] where m >= 1 = diff(x)", np.diff, normal, ROWS),
    Row("roll", "(x: F[n]) -> F[n] = roll(x, 7, axis=0)", lambda x: np.roll(x, 7, 0), normal, VECTORS),
    Row("flip", "(x: F[n]) -> F[n] = flip(x)", lambda x: np.ascontiguousarray(np.flip(x)), normal, VECTORS),
    Row("transpose", "(x: F[n, m]) -> F[m, n] = x.T", lambda x: np.ascontiguousarray(x.T), normal, ROWS),
    Row("tril", "(x: F[n, m]) -> F[n, m] = tril(x)", np.tril, normal, ROWS),
    Row("take", "(x: F[n], i: idx[n][n]) -> F[n] = take(x, i)", np.take, taken, VECTORS),
    Row("repeat", "(x: F[n]) -> F[2 * n] = repeat(x, 2)", lambda x: np.repeat(x, 2), normal, VECTORS),
    Row(
        "concatenate",
        "(x: F[n], y: F[n]) -> F[2 * n] = concatenate([x, y])",
        lambda x, y: np.concatenate([x, y]),
        two,
        VECTORS,
    ),
)

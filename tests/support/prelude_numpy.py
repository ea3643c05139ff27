"""Cases of the prelude by NumPy's names, several functions in each, so that few programs are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.library import Array, Case

X = np.array([[1.5, -2.0, 0.5, 3.0], [0.25, 4.0, -1.0, 2.5], [-0.5, 1.0, 2.0, -3.0]], np.float32)
GAPS = np.where(X > 2.9, np.float32(np.nan), X)
V = np.array([3.0, -1.0, 2.0, 3.0, 0.0, -1.0], np.float32)
WHOLE = np.array([12, -18, 0, 7], np.int32)
OTHER = np.array([18, 12, 0, 0], np.int32)
TURNS = np.array([0.0, 2.5, 5.5, 8.0, 4.0, -1.0], np.float32)
LOOKUP = np.array([2, 0, 2, 1], np.int32)


def of_floats(x: Array, y: Array) -> tuple[Any, ...]:
    return (
        np.signbit(x),
        np.copysign(x, y[0]),
        np.fmax(x, y),
        np.fmin(y, x),
        np.logaddexp2(x, 1.0),
        np.rint(x),
        np.fix(x),
        np.conjugate(x),
        np.isposinf(x * np.float32(np.inf)),
        np.isneginf(x * np.float32(np.inf)),
        np.select([x > 2.0, x > 0.0], [x, -x], 7.0).astype(np.float32),
    )


def over_gaps(x: Array) -> tuple[Any, ...]:
    return (
        np.nanquantile(x, 0.3, axis=1).astype(np.float32),
        np.nanmedian(x),
        np.nanpercentile(x, 80.0, axis=0).astype(np.float32),
        np.nanprod(x, axis=0),
        np.nancumsum(x, axis=1),
        np.int32(np.nanargmax(x)),
        np.nanargmin(x, axis=1).astype(np.int32),
        np.quantile(x, np.array([0.1, 0.6], np.float32), axis=0).astype(np.float32),
        np.percentile(np.nan_to_num(x), np.array([[25.0], [75.0]], np.float32)).astype(np.float32),
    )


def made() -> tuple[Any, ...]:
    def pairs(found: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(part.astype(np.int32) for part in found)

    return (
        np.geomspace(1.0, 81.0, 5).astype(np.float32),
        np.tri(3, 5, 1, dtype=np.float32),
        pairs(np.triu_indices(4)),
        pairs(np.triu_indices(4, -2)),
        pairs(np.tril_indices(4, 1)),
        pairs(np.tril_indices(3, -5)),
        pairs(np.diag_indices(3)),
        tuple(f(n).astype(np.float32) for f in (np.hanning, np.hamming, np.blackman, np.bartlett) for n in (7, 1)),
    )


def joined(x: Array, v: Array) -> tuple[Any, ...]:
    filled = x.copy()
    np.fill_diagonal(filled, 9.0)
    y = x[:, :2]
    return (
        np.vstack((x, x[0])),
        np.vstack((v, v, v)),
        np.hstack((x, y)),
        np.hstack((v, v[:2], v)),
        np.column_stack((v, v)),
        np.column_stack((x[:, 0], x, y)),
        np.dstack((x, x)),
        np.dstack((v, v)),
        np.stack(np.split(x, 2, axis=1)),
        np.split(v, 3)[1],
        filled,
        np.delete(v, 2),
        np.insert(v, 4, 8.0),
        np.ravel_multi_index((np.array([0, 2]), np.array([3, 1])), (3, 4)).astype(np.int32),
    )


def moved(x: Array) -> tuple[Any, ...]:
    updated = x.copy()
    updated[1:3, 2:4] = [[1.0, 2.0], [3.0, 4.0]]
    return x[1:3, 2:4], x[0:2, 1:4], updated


def differences(x: Array, turns: Array) -> tuple[Any, ...]:
    sums = np.cumsum((x[1:] + x[:-1]) / 2, axis=0) * np.float32(0.5)
    return (
        np.gradient(x, 0.5, axis=1),
        np.gradient(x[:2], axis=0),
        sums,
        np.unwrap(turns),
        np.unwrap(turns, period=3.0),
        np.diff(x, 2, axis=1),
        np.diff(x, 0),
        np.trapezoid(x, dx=0.5, axis=0),
    )


def polynomials(p: Array) -> tuple[Any, ...]:
    return tuple(found.astype(np.float32) for found in (np.polyder(p), np.polyint(p), np.polymul(p, p[:2])))


def found(v: Array, ids: Array, weights: Array) -> tuple[Any, ...]:
    places = np.concatenate((np.flatnonzero(v > 0.0), [6, 6])).astype(np.int32)
    different = np.concatenate((np.unique(v), [9.0])).astype(np.float32)
    return places, different, np.unique(v)[:2], np.bincount(ids, weights, 4).astype(np.float32)


NUMPY: tuple[Case, ...] = (
    Case(
        "of_floats",
        "(x: f32[n, m], y: f32[n, m]) where n >= 1 = (signbit(x), copysign(x, y[0]), fmax(x, y), fmin(y, x), "
        "logaddexp2(x, 1.0), rint(x), fix(x), conjugate(x), isposinf(x * inf), isneginf(x * inf), "
        "select([x > 2.0, x > 0.0], [x, -x], 7.0))",
        (X, GAPS),
        of_floats,
    ),
    Case(
        "of_integers",
        "(x: i32[n], y: i32[n]) = (gcd(x, y), lcm(x, y))",
        (WHOLE, OTHER),
        lambda x, y: (np.gcd(x, y), np.lcm(x, y)),
    ),
    Case(
        "over_gaps",
        "(x: f32[n, m]) where n >= 1 and m >= 1 = (nanquantile(x, 0.3, axis=1), nanmedian(x), "
        "nanpercentile(x, 80.0, axis=0), nanprod(x, axis=0), nancumsum(x, axis=1), i32(nanargmax(x)), "
        "i32(nanargmin(x, axis=1)), quantile(x, [0.1, 0.6], axis=0), percentile(nan_to_num(x), [[25.0], [75.0]]))",
        (GAPS,),
        over_gaps,
    ),
    Case(
        "made",
        "() = (geomspace(1.0, f32(81.0), 5), tri(3, 5, 1), triu_indices(4), triu_indices(4, -2), tril_indices(4, 1), "
        "tril_indices(3, -5), diag_indices(3), (hanning(7), hanning(1), hamming(7), hamming(1), blackman(7), "
        "blackman(1), bartlett(7), bartlett(1)))",
        (),
        made,
    ),
    Case(
        "joined",
        "(x: f32[3, 4], v: f32[6]) = (vstack((x, x[0])), vstack((v, v, v)), hstack((x, x[:, :2])), "
        "hstack((v, v[:2], v)), column_stack((v, v)), column_stack((x[:, 0], x, x[:, :2])), dstack((x, x)), "
        "dstack((v, v)), split(x, 2, axis=1), split(v, 3)[1], fill_diagonal(x, 9.0), delete(v, 2), insert(v, 4, 8.0), "
        "ravel_multi_index(([0, 2], [3, 1]), (3, 4)))",
        (X, V),
        joined,
    ),
    Case(
        "moved",
        "(x: f32[3, 4]) = (dynamic_slice(x, [1, 5], [2, 2]), dynamic_slice(x, [-1, 1], [2, 3]), "
        "dynamic_update_slice(x, [[1.0, 2.0], [3.0, 4.0]], [2, 2]))",
        (X,),
        moved,
    ),
    Case(
        "differences",
        "(x: f32[n, m], t: f32[k]) where n >= 2 and m >= 2 and k >= 1 = (gradient(x, 0.5, axis=1), "
        "gradient(x[:2], axis=0), cumulative_trapezoid(x, dx=0.5, axis=0), unwrap(t), unwrap(t, period=3.0), "
        "diff(x, 2, axis=1), diff(x, 0), trapezoid(x, dx=0.5, axis=0))",
        (X, TURNS),
        differences,
    ),
    Case("polynomials", "(p: f32[n]) where n >= 2 = (polyder(p), polyint(p), polymul(p, p[:2]))", (V,), polynomials),
    Case(
        "found",
        "(v: f32[n], ids: idx[4][k], w: f32[k]) = (flatnonzero(v > 0.0, size=5, fill_value=6), "
        "unique(v, size=5, fill_value=9.0), unique(v, size=2, fill_value=9.0), bincount(ids, w, length=4))",
        (V, LOOKUP, X[0]),
        found,
    ),
    Case(
        "switch",
        "(i: i32[n], x: f32) = ([switch(k, (sin, fn v -> 2.0 * v), x) for k in i], "
        "[switch(k, (sin, cos, exp), x) for k in i], [switch(k, (sin, cos, exp, tanh), x) for k in i])",
        (np.array([-1, 0, 1, 2, 3, 7], np.int32), np.float32(0.5)),
        lambda i, x: tuple(
            np.array([f[min(max(k, 0), len(f) - 1)](x) for k in i], np.float32)
            for f in ((np.sin, lambda v: 2.0 * v), (np.sin, np.cos, np.exp), (np.sin, np.cos, np.exp, np.tanh))
        ),
    ),
)

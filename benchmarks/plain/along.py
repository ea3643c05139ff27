"""Functions along axes: reductions, searches, sorts, histograms, windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.special

from benchmarks.plain.row import (
    ROWS,
    VECTORS,
    NDArray,
    Row,
    few_values,
    filtered,
    knots,
    labels,
    near_one,
    normal,
    searched,
    weighted,
)


def _at(f: Callable[..., Any], axis: int) -> Callable[[NDArray], Any]:
    return lambda x: f(x, axis)


def _reductions() -> Iterator[Row]:
    for name in ("sum", "mean", "var", "std", "max", "min", "prod", "median"):
        plain, full = getattr(np, name), " where n >= 1 and m >= 1"
        yield Row(name, f"(x: F[n]) -> F where n >= 1 = {name}(x)", plain, normal, VECTORS, 1e-3)
        yield Row(f"{name} rows", f"(x: F[n, m]) -> F[n]{full} = {name}(x, axis=1)", _at(plain, 1), normal, ROWS, 1e-3)
        yield Row(
            f"{name} columns", f"(x: F[n, m]) -> F[m]{full} = {name}(x, axis=0)", _at(plain, 0), normal, ROWS, 1e-3
        )


def _searches() -> Iterator[Row]:
    for name in ("argmax", "argmin"):
        plain, full = getattr(np, name), " where n >= 1 and m >= 1"
        rows, columns = _at(plain, 1), _at(plain, 0)
        yield Row(name, f"(x: F[n]) -> idx[n] where n >= 1 = {name}(x)", plain, normal, VECTORS)
        yield Row(f"{name} rows", f"(x: F[n, m]) -> idx[m][n]{full} = {name}(x, axis=1)", rows, normal, ROWS)
        yield Row(f"{name} columns", f"(x: F[n, m]) -> idx[n][m]{full} = {name}(x, axis=0)", columns, normal, ROWS)


def _running() -> Iterator[Row]:
    for name, plain in (("cumsum", np.cumsum), ("cumprod", np.cumprod), ("cummax", np.maximum.accumulate)):
        rows, columns = _at(plain, 1), _at(plain, 0)
        yield Row(name, f"(x: F[n]) -> F[n] = {name}(x)", plain, near_one, VECTORS, 1e-2)
        yield Row(f"{name} rows", f"(x: F[n, m]) -> F[n, m] = {name}(x, axis=1)", rows, near_one, ROWS, 1e-2)
        yield Row(f"{name} columns", f"(x: F[n, m]) -> F[n, m] = {name}(x, axis=0)", columns, near_one, ROWS, 1e-2)


def _sorts() -> Iterator[Row]:
    def stably(x: NDArray) -> NDArray:
        return np.argsort(x, -1, stable=True)

    yield Row("sort", "(x: F[n]) -> F[n] = sort(x)", np.sort, normal, VECTORS)
    yield Row("sort rows", "(x: F[n, m]) -> F[n, m] = sort(x, axis=1)", np.sort, normal, ROWS)
    yield Row("sort columns", "(x: F[n, m]) -> F[n, m] = sort(x, axis=0)", _at(np.sort, 0), normal, ROWS)
    yield Row("argsort", "(x: F[n]) -> idx[n][n] = argsort(x)", stably, normal, VECTORS)
    yield Row("argsort rows", "(x: F[n, m]) -> idx[m][n, m] = argsort(x, axis=1)", stably, normal, ROWS)


KERNELS = (
    *_reductions(),
    *_searches(),
    *_running(),
    *_sorts(),
    Row("any", "(x: F[n]) -> bool = any(x > 100)", lambda x: np.any(x > 100), normal, VECTORS),
    Row("count", "(x: F[n]) -> i32 = sum(x > 0)", lambda x: np.count_nonzero(x > 0), normal, VECTORS),
    Row("logsumexp", "(x: F[n]) -> F where n >= 1 = logsumexp(x)", scipy.special.logsumexp, normal, VECTORS, 1e-3),
    Row(
        "softmax rows",
        "(x: F[n, m]) -> F[n, m] where m >= 1 = special.softmax(x, axis=1)",
        _at(scipy.special.softmax, 1),
        normal,
        ROWS,
    ),
    Row("unique", "(x: F[n]) -> F[100] = unique(x, size=100, fill_value=0.0)", np.unique, few_values, VECTORS),
    Row("searchsorted", "(a: F[n], v: F[n]) -> idx[n + 1][n] = searchsorted(a, v)", np.searchsorted, searched, VECTORS),
    Row(
        "bincount",
        "(x: idx[100][n]) -> i32[100] = bincount(x, 100)",
        lambda x: np.bincount(x, minlength=100),
        labels,
        VECTORS,
    ),
    Row(
        "bincount weights",
        "(x: idx[100][n], w: F[n]) -> F[100] = bincount(x, w, 100)",
        lambda x, w: np.bincount(x, w, 100),
        weighted,
        VECTORS,
        1e-3,
    ),
    Row(
        "histogram",
        "(x: F[n]) -> i32[50] = histogram(x, 50, range=(-3.0, 3.0)).0",
        lambda x: np.histogram(x, 50, (-3, 3))[0],
        normal,
        VECTORS,
        1e-3,
    ),
    Row("interp", "(x: F[n], xp: F[k], fp: F[k]) -> F[n] where k >= 2 = interp(x, xp, fp)", np.interp, knots, VECTORS),
    Row("convolve", "(x: F[n], v: F[15]) -> F[n + 14] where n >= 1 = convolve(x, v)", np.convolve, filtered, VECTORS),
)

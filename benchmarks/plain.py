"""Functions that users call by themselves, beside NumPy, SciPy and JAX: on one core, in processor time.

    python -m benchmarks.plain [--only NAME …] [--dtypes f32 f64] [--jax] [--tie 1.1]

A row is a function of one size; the three sides run in turns in one process, and the median of each counts. `/NumPy` is
ours over that of NumPy or SciPy: where it is above `--tie`, the row is marked, and listed once more at the end.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.special

import dsl

NDArray = np.ndarray[Any, Any]
ONE_CORE = {"NPROC": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "DSL_CACHE": "off"}
SECONDS, CALLS = 0.25, 300


@dataclass(frozen=True, slots=True)
class Row:
    """A function. `text` is its parameters, its result and its body, with `F` for the dtype; `plain` is that of NumPy, and
    `arguments` makes arrays of sizes from a generator. `jax` is the path of the function in `jax.numpy`, if it has one."""

    name: str
    text: str
    plain: Callable[..., Any]
    arguments: Callable[..., tuple[NDArray, ...]]
    sizes: tuple[tuple[int, ...], ...]
    tolerance: float = 1e-5


VECTORS = ((10_000,), (1_000_000,))
ROWS = ((1000, 1000),)
BOTH = (*VECTORS, *ROWS)
SQUARES = ((64,), (512,), (1024,))
SMALLER = ((64,), (256,), (512,))


def normal(r: np.random.Generator, *size: int) -> tuple[NDArray, ...]:
    return (r.normal(size=size),)


def positive(r: np.random.Generator, *size: int) -> tuple[NDArray, ...]:
    return (r.uniform(0.1, 20.0, size),)


def two(r: np.random.Generator, *size: int) -> tuple[NDArray, ...]:
    return r.normal(size=size), r.normal(size=size)


def bases(r: np.random.Generator, *size: int) -> tuple[NDArray, ...]:
    return r.uniform(0.1, 20.0, size), r.uniform(-3.0, 3.0, size)


def square(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    return (r.normal(size=(n, n)) + n * np.eye(n),)


def symmetric(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    x = r.normal(size=(n, n))
    return (x + x.T,)


def definite(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    x = r.normal(size=(n, n))
    return (x @ x.T + n * np.eye(n),)


def squares(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    return r.normal(size=(n, n)), r.normal(size=(n, n))


def labels(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    return (r.integers(0, 100, n).astype(np.int32),)


def taken(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    return r.normal(size=n), r.integers(0, n, n).astype(np.int32)


def knots(r: np.random.Generator, n: int) -> tuple[NDArray, ...]:
    return r.uniform(-1, 11, n), np.linspace(0, 10, 1000), r.normal(size=1000)


def _rows() -> Iterator[Row]:
    for name in ("exp", "log", "sin", "cos", "tan", "tanh", "arctan", "arcsin", "sinh", "cosh", "log1p", "expm1", "sqrt",
                 "cbrt", "floor", "round", "sign", "abs", "exp2", "log2", "log10"):  # fmt: skip
        draw = positive if name.startswith("log") and name != "log1p" or name in ("sqrt", "log1p") else normal
        if name == "arcsin":
            draw = lambda r, *s: (r.uniform(-1, 1, s),)
        text = {"arctan": "atan", "arcsin": "asin"}.get(name, name)
        yield Row(name, f"(x: F[*s]) -> F[*s] = {text}(x)", getattr(np, name), draw, VECTORS)
    for name, there in (
        ("lgamma", scipy.special.gammaln),
        ("digamma", scipy.special.digamma),
        ("erf", scipy.special.erf),
    ):
        yield Row(name, f"(x: F[*s]) -> F[*s] = {name}(x)", there, positive, VECTORS)
    yield Row(
        "erfinv",
        "(x: F[*s]) -> F[*s] = special.erfinv(x)",
        scipy.special.erfinv,
        lambda r, *s: (r.uniform(-1, 1, s),),
        VECTORS,
    )
    yield Row("expit", "(x: F[*s]) -> F[*s] = special.expit(x)", scipy.special.expit, normal, VECTORS)
    yield Row("pow", "(x: F[*s], y: F[*s]) -> F[*s] = x ** y", np.power, bases, VECTORS)
    yield Row("arctan2", "(x: F[*s], y: F[*s]) -> F[*s] = atan2(x, y)", np.arctan2, two, VECTORS)
    yield Row("hypot", "(x: F[*s], y: F[*s]) -> F[*s] = hypot(x, y)", np.hypot, two, VECTORS)
    yield Row("mod", "(x: F[*s], y: F[*s]) -> F[*s] = mod(x, y)", np.mod, bases, VECTORS)
    yield Row("add", "(x: F[*s], y: F[*s]) -> F[*s] = x + y", np.add, two, BOTH)
    yield Row("maximum", "(x: F[*s], y: F[*s]) -> F[*s] = maximum(x, y)", np.maximum, two, VECTORS)
    yield Row(
        "where", "(x: F[*s], y: F[*s]) -> F[*s] = where(x > 0, x, y)", lambda x, y: np.where(x > 0, x, y), two, VECTORS
    )
    yield Row("clip", "(x: F[*s]) -> F[*s] = clip(x, -1.0, 1.0)", lambda x: np.clip(x, -1, 1), normal, VECTORS)
    yield Row("nan_to_num", "(x: F[*s]) -> F[*s] = nan_to_num(x)", np.nan_to_num, normal, VECTORS)
    yield Row("isnan", "(x: F[*s]) -> bool[*s] = isnan(x)", np.isnan, normal, VECTORS)
    yield Row("diff", "(x: F[n]) -> F[n - 1] where n >= 1 = diff(x)", np.diff, normal, VECTORS)
    yield Row("diff_rows", "(x: F[n, m]) -> F[n, m - 1] where m >= 1 = diff(x)", np.diff, normal, ROWS)
    yield Row(
        "roll",
        "(x: F[*s]) -> F[*s] where has_axis(s, 0) = roll(x, 7, axis=0)",
        lambda x: np.roll(x, 7, 0),
        normal,
        BOTH,
    )
    yield Row("flip", "(x: F[n]) -> F[n] = flip(x)", np.flip, normal, VECTORS)
    yield Row("transpose", "(x: F[n, m]) -> F[m, n] = x.T", lambda x: np.ascontiguousarray(x.T), normal, ROWS)
    yield Row("tril", "(x: F[n, m]) -> F[n, m] = tril(x)", np.tril, normal, ROWS)
    yield Row("take", "(x: F[n], i: idx[n][n]) -> F[n] = take(x, i)", np.take, taken, VECTORS)
    yield Row("repeat", "(x: F[n]) -> F[2 * n] = repeat(x, 2)", lambda x: np.repeat(x, 2), normal, VECTORS)
    yield Row(
        "concatenate",
        "(x: F[n], y: F[n]) -> F[2 * n] = concatenate([x, y])",
        lambda x, y: np.concatenate([x, y]),
        two,
        VECTORS,
    )
    yield Row("outer", "(x: F[n], y: F[n]) -> F[n, n] = outer(x, y)", np.outer, two, ((100,), (1000,)))
    for name in ("sum", "mean", "var", "std", "max", "min", "prod", "median"):
        good = "" if name in ("sum", "prod", "mean", "var", "std") else " where n >= 1"
        rows = "" if name in ("sum", "prod", "mean", "var", "std") else " where n >= 1 and m >= 1"
        plain = getattr(np, name)
        where = lambda name, axis, good: f"= {name}(x{axis})"
        yield Row(name, f"(x: F[n]) -> F{good or ' where n >= 1'} = {name}(x)", plain, normal, VECTORS, 1e-3)
        bound = rows or " where n >= 1 and m >= 1"
        yield Row(
            f"{name}_rows",
            f"(x: F[n, m]) -> F[n]{bound} = {name}(x, axis=1)",
            lambda x, f=plain: f(x, 1),
            normal,
            ROWS,
            1e-3,
        )
        yield Row(
            f"{name}_columns",
            f"(x: F[n, m]) -> F[m]{bound} = {name}(x, axis=0)",
            lambda x, f=plain: f(x, 0),
            normal,
            ROWS,
            1e-3,
        )
    for name in ("argmax", "argmin"):
        plain = getattr(np, name)
        yield Row(name, f"(x: F[n]) -> idx[n] where n >= 1 = {name}(x)", plain, normal, VECTORS)
        yield Row(
            f"{name}_rows",
            f"(x: F[n, m]) -> idx[m][n] where m >= 1 = {name}(x, axis=1)",
            lambda x, f=plain: f(x, 1),
            normal,
            ROWS,
        )
        yield Row(
            f"{name}_columns",
            f"(x: F[n, m]) -> idx[n][m] where n >= 1 = {name}(x, axis=0)",
            lambda x, f=plain: f(x, 0),
            normal,
            ROWS,
        )
    for name in ("cumsum", "cumprod"):
        plain = getattr(np, name)
        yield Row(
            name, f"(x: F[n]) -> F[n] = {name}(x)", plain, lambda r, *s: (1 + 1e-6 * r.normal(size=s),), VECTORS, 1e-2
        )
        yield Row(
            f"{name}_rows",
            f"(x: F[n, m]) -> F[n, m] = {name}(x, axis=1)",
            lambda x, f=plain: f(x, 1),
            lambda r, *s: (1 + 1e-6 * r.normal(size=s),),
            ROWS,
            1e-2,
        )
        yield Row(
            f"{name}_columns",
            f"(x: F[n, m]) -> F[n, m] = {name}(x, axis=0)",
            lambda x, f=plain: f(x, 0),
            lambda r, *s: (1 + 1e-6 * r.normal(size=s),),
            ROWS,
            1e-2,
        )
    yield Row("cummax", "(x: F[n]) -> F[n] = cummax(x)", np.maximum.accumulate, normal, VECTORS)
    yield Row("any", "(x: F[n]) -> bool = any(x > 100)", lambda x: np.any(x > 100), normal, VECTORS)
    yield Row("count_nonzero", "(x: F[n]) -> i32 = sum(x > 0)", lambda x: np.count_nonzero(x > 0), normal, VECTORS)
    yield Row(
        "logsumexp",
        "(x: F[n]) -> F where n >= 1 = logsumexp(x)",
        lambda x: np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x),
        normal,
        VECTORS,
        1e-3,
    )
    yield Row("softmax_rows", "(x: F[n, m]) -> F[n, m] where m >= 1 = softmax(x)", scipy_softmax, normal, ROWS)
    yield Row("sort", "(x: F[n]) -> F[n] = sort(x)", np.sort, normal, VECTORS)
    yield Row("sort_rows", "(x: F[n, m]) -> F[n, m] = sort(x, axis=1)", lambda x: np.sort(x, 1), normal, ROWS)
    yield Row("sort_columns", "(x: F[n, m]) -> F[n, m] = sort(x, axis=0)", lambda x: np.sort(x, 0), normal, ROWS)
    yield Row("argsort", "(x: F[n]) -> idx[n][n] = argsort(x)", lambda x: np.argsort(x, stable=True), normal, VECTORS)
    yield Row(
        "argsort_rows",
        "(x: F[n, m]) -> idx[m][n, m] = argsort(x, axis=1)",
        lambda x: np.argsort(x, 1, stable=True),
        normal,
        ROWS,
    )
    yield Row(
        "unique",
        "(x: F[n]) -> F[100] = unique(x, size=100, fill_value=0.0)",
        np.unique,
        lambda r, n: (r.integers(0, 100, n) * 1.0,),
        VECTORS,
    )
    yield Row(
        "searchsorted",
        "(a: F[n], v: F[n]) -> idx[n + 1][n] = searchsorted(a, v)",
        np.searchsorted,
        lambda r, n: (np.sort(r.normal(size=n)), r.normal(size=n)),
        VECTORS,
    )
    yield Row(
        "bincount",
        "(x: idx[100][n]) -> i32[100] = bincount(x, 100)",
        lambda x: np.bincount(x, minlength=100),
        labels,
        VECTORS,
    )
    yield Row(
        "bincount_weights",
        "(x: idx[100][n], w: F[n]) -> F[100] = bincount(x, w, 100)",
        lambda x, w: np.bincount(x, w, 100),
        lambda r, n: (*labels(r, n), r.uniform(size=n)),
        VECTORS,
        1e-3,
    )
    yield Row(
        "histogram",
        "(x: F[n]) -> i32[50] = histogram(x, 50, range=(-3.0, 3.0)).0",
        lambda x: np.histogram(x, 50, (-3, 3))[0],
        normal,
        VECTORS,
    )
    yield Row(
        "interp", "(x: F[n], xp: F[1000], fp: F[1000]) -> F[n] = interp(x, xp, fp)", np.interp, knots, VECTORS, 1e-3
    )
    yield Row(
        "convolve",
        "(x: F[n], v: F[15]) -> F[n + 14] where n >= 1 = convolve(x, v)",
        np.convolve,
        lambda r, n: (r.normal(size=n), r.normal(size=15)),
        VECTORS,
        1e-3,
    )
    yield Row(
        "convolve_101",
        "(x: F[n], v: F[101]) -> F[n + 100] where n >= 1 = convolve(x, v)",
        np.convolve,
        lambda r, n: (r.normal(size=n), r.normal(size=101)),
        VECTORS,
        1e-3,
    )
    yield Row("norm", "(x: F[n]) -> F = linalg.norm(x)", np.linalg.norm, normal, VECTORS)
    yield Row(
        "norm_rows", "(x: F[n, m]) -> F[n] = linalg.norm(x, axis=1)", lambda x: np.linalg.norm(x, axis=1), normal, ROWS
    )
    yield Row("dot", "(x: F[n], y: F[n]) -> F = x @ y", np.dot, two, VECTORS, 1e-2)
    yield Row(
        "matvec",
        "(x: F[n, n], y: F[n]) -> F[n] = x @ y",
        np.matmul,
        lambda r, n: (r.normal(size=(n, n)), r.normal(size=n)),
        ((100,), (1000,)),
        1e-2,
    )
    yield Row(
        "vecmat",
        "(x: F[n, n], y: F[n]) -> F[n] = y @ x",
        lambda x, y: y @ x,
        lambda r, n: (r.normal(size=(n, n)), r.normal(size=n)),
        ((100,), (1000,)),
        1e-2,
    )
    yield Row("matmul", "(x: F[n, n], y: F[n, n]) -> F[n, n] = x @ y", np.matmul, squares, SQUARES, 1e-2)
    yield Row(
        "matmul_nt", "(x: F[n, n], y: F[n, n]) -> F[n, n] = x @ y.T", lambda x, y: x @ y.T, squares, SQUARES, 1e-2
    )
    yield Row(
        "matmul_tn", "(x: F[n, n], y: F[n, n]) -> F[n, n] = x.T @ y", lambda x, y: x.T @ y, squares, SQUARES, 1e-2
    )
    yield Row(
        "gram",
        "(x: F[n, n]) -> F[n, n] = x.T @ x",
        lambda x: x.T @ x,
        lambda r, n: (r.normal(size=(n, n)),),
        SQUARES,
        1e-2,
    )
    yield Row(
        "batched_matmul",
        "(x: F[100, n, n], y: F[100, n, n]) -> F[100, n, n] = x @ y",
        np.matmul,
        lambda r, n: (r.normal(size=(100, n, n)), r.normal(size=(100, n, n))),
        ((16,), (64,)),
        1e-2,
    )
    yield Row(
        "einsum_ij_jk",
        '(x: F[n, n], y: F[n, n]) -> F[n, n] = einsum("ij,jk->ik", x, y)',
        lambda x, y: np.einsum("ij,jk->ik", x, y, optimize=True),
        squares,
        ((512,),),
        1e-2,
    )
    yield Row(
        "einsum_ij_ij",
        '(x: F[n, n], y: F[n, n]) -> F[n] = einsum("ij,ij->i", x, y)',
        lambda x, y: np.einsum("ij,ij->i", x, y),
        squares,
        ((1000,),),
        1e-2,
    )
    yield Row(
        "einsum_ii", '(x: F[n, n]) -> F = einsum("ii->", x)', lambda x: np.einsum("ii->", x), square, ((1000,),), 1e-2
    )
    yield Row(
        "einsum_bij",
        '(x: F[50, n, n], y: F[50, n, n]) -> F[n, n] = einsum("bij,bjk->ik", x, y)',
        lambda x, y: np.einsum("bij,bjk->ik", x, y, optimize=True),
        lambda r, n: (r.normal(size=(50, n, n)), r.normal(size=(50, n, n))),
        ((64,),),
        1e-2,
    )
    yield Row(
        "cov",
        "(x: F[n, n]) -> F[n, n] where n > 1 = cov(x)",
        np.cov,
        lambda r, n: (r.normal(size=(n, n)),),
        ((512,),),
        1e-2,
    )
    yield Row(
        "corrcoef",
        "(x: F[n, n]) -> F[n, n] where n > 1 = corrcoef(x)",
        np.corrcoef,
        lambda r, n: (r.normal(size=(n, n)),),
        ((512,),),
        1e-2,
    )
    yield Row("trace", "(x: F[n, n]) -> F = trace(x)", np.trace, square, ((100,), (1000,)), 1e-2)
    yield Row(
        "solve",
        "(a: F[n, n], b: F[n]) -> F[n] = linalg.solve(a, b)",
        np.linalg.solve,
        lambda r, n: (*square(r, n), r.normal(size=n)),
        SMALLER,
        1e-2,
    )
    yield Row("inv", "(a: F[n, n]) -> F[n, n] = linalg.inv(a)", np.linalg.inv, square, SMALLER, 1e-2)
    yield Row(
        "det", "(a: F[n, n]) -> F = linalg.slogdet(a).1", lambda a: np.linalg.slogdet(a)[1], square, SMALLER, 1e-2
    )
    yield Row("cholesky", "(a: F[n, n]) -> F[n, n] = linalg.cholesky(a)", np.linalg.cholesky, definite, SMALLER, 1e-2)
    yield Row("eigh", "(a: F[n, n]) -> F[n] = linalg.eigvalsh(a)", np.linalg.eigvalsh, symmetric, ((64,), (256,)), 1e-2)
    yield Row(
        "eigh_vectors",
        "(a: F[n, n]) -> F[n, n] = abs(linalg.eigh(a).1)",
        lambda a: abs(np.linalg.eigh(a)[1]),
        symmetric,
        ((64,), (256,)),
        1e-1,
    )
    yield Row(
        "svd",
        "(a: F[n, n]) -> (F[n, n], F[n], F[n, n]) = linalg.svd(a)",
        lambda a: np.linalg.svd(a),
        square,
        ((64,), (256,)),
        0,
    )
    yield Row("qr", "(a: F[n, n]) -> F[n, n] = linalg.qr(a).1", lambda a: np.linalg.qr(a)[1], square, SMALLER, 0)
    yield Row(
        "lstsq",
        "(a: F[n, 50], b: F[n]) -> F[50] where n >= 50 = linalg.lstsq(a, b)",
        lambda a, b: np.linalg.lstsq(a, b)[0],
        lambda r, n: (r.normal(size=(n, 50)), r.normal(size=n)),
        ((1000,),),
        1e-2,
    )
    yield Row("pinv", "(a: F[n, n]) -> F[n, n] where n >= 1 = linalg.pinv(a)", np.linalg.pinv, square, ((64,),), 1e-2)
    yield Row(
        "rfft",
        "(x: F[n]) -> F[n // 2 + 1] where n >= 1 = real(fft.rfft(x))",
        lambda x: np.fft.rfft(x).real,
        normal,
        ((10_000,), (1 << 20,)),
        1e-2,
    )
    yield Row(
        "fft",
        "(x: F[n]) -> F[n] where n >= 1 = real(fft.fft(x))",
        lambda x: np.fft.fft(x).real,
        normal,
        ((10_000,), (1 << 20,)),
        1e-2,
    )
    yield Row(
        "rfft_rows",
        "(x: F[n, m]) -> F[n, m // 2 + 1] where m >= 1 = real(fft.rfft(x))",
        lambda x: np.fft.rfft(x).real,
        normal,
        ((1000, 1000),),
        1e-2,
    )
    yield Row(
        "fft2",
        "(x: F[n, m]) -> F[n, m] where n >= 1 and m >= 1 = real(fft.fft2(x))",
        lambda x: np.fft.fft2(x).real,
        normal,
        ((512, 512),),
        1e-2,
    )


def scipy_softmax(x: NDArray) -> NDArray:
    y = np.exp(x - np.max(x, axis=1, keepdims=True))
    return y / np.sum(y, axis=1, keepdims=True)


def program(row: Row, dtype: str) -> Any:
    return dsl.program("import linalg\nimport special\nimport fft\ndef f" + row.text.replace("F", dtype))


def times(acts: Sequence[Callable[[], Any]]) -> list[float]:
    """The median of each of these, which run in turns."""
    found: list[list[float]] = [[] for _ in acts]
    for act in acts:
        act()
    while len(found[0]) < 5 or (sum(map(sum, found)) < SECONDS * len(acts) and len(found[0]) < CALLS):
        for act, times in zip(acts, found, strict=True):
            start = time.process_time()
            act()
            times.append(time.process_time() - start)
    return [statistics.median(each) for each in found]


@dataclass(frozen=True, slots=True)
class Found:
    name: str
    ours: float
    numpy: float
    jax: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.numpy

    def line(self, tie: float) -> str:
        jax = "" if self.jax is None else f"{self.jax * 1e3:10.3f}{self.ours / self.jax:7.2f}"
        mark = "  behind" if self.ratio > tie else ""
        return f"{self.name:32}{self.ours * 1e3:10.3f}{self.numpy * 1e3:10.3f}{self.ratio:8.2f}{jax}{mark}"


def measured(row: Row, dtype: str, size: tuple[int, ...]) -> Found:
    made = row.arguments(np.random.default_rng(0), *size)
    there = {"f32": np.float32, "f64": np.float64}[dtype]
    given = [x.astype(there) if x.dtype.kind == "f" else x for x in made]
    f, placed = program(row, dtype).f, [dsl.array(x) for x in given]

    def ours() -> Any:
        result = f(*placed)
        (result[0] if isinstance(result, tuple) else result).block_until_ready()
        return result

    found, wanted = ours(), row.plain(*given)
    if row.tolerance and row.name != "unique":
        np.testing.assert_allclose(
            np.asarray(found), wanted, rtol=row.tolerance, atol=row.tolerance * np.abs(wanted).max(), err_msg=row.name
        )
    label = f"{row.name} {dtype} {'×'.join(map(str, size))}"
    mine, numpy = times([ours, lambda: row.plain(*given)])
    return Found(label, mine, numpy, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--dtypes", nargs="*", default=["f32", "f64"])
    parser.add_argument("--tie", type=float, default=1.1)
    options = parser.parse_args()
    found = []
    for row in _rows():
        if options.only and not any(word in row.name for word in options.only):
            continue
        for dtype in options.dtypes:
            for size in row.sizes:
                try:
                    found.append(measured(row, dtype, size))
                    print(found[-1].line(options.tie), flush=True)
                except Exception as error:
                    print(row.name, dtype, size, type(error).__name__, str(error)[:600], flush=True)
    behind = sorted([each for each in found if each.ratio > options.tie], key=lambda each: -each.ratio)
    print(f"\n{len(behind)} of {len(found)} are behind:")
    for each in behind:
        print(each.line(options.tie))


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_CORE.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.plain", *sys.argv[1:]], os.environ | ONE_CORE)
    main()

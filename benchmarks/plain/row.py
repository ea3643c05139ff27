"""A function of the library beside one of NumPy, and the arrays that both get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

NDArray: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = tuple[NDArray, ...]
Random: TypeAlias = np.random.Generator
Sizes: TypeAlias = tuple[tuple[int, ...], ...]

VECTORS: Sizes = ((10_000,), (1_000_000,))
ROWS: Sizes = ((1000, 1000),)
SQUARES: Sizes = ((64,), (512,), (1024,))
SMALLER: Sizes = ((64,), (256,), (512,))
FEW: Sizes = ((64,), (256,))
LINES: Sizes = ((100,), (1000,))


@dataclass(frozen=True, slots=True)
class Row:
    """A function. `text` is its parameters, its result and its body, with `F` for the dtype; `plain` is the function of
    NumPy or SciPy, and `arguments` draws arrays of a size. Results agree up to `near` of the largest of them; 0 where
    they need not, as vectors of a decomposition do."""

    name: str
    text: str
    plain: Callable[..., Any]
    arguments: Callable[..., Arrays]
    sizes: Sizes
    near: float = 1e-5


def normal(r: Random, *size: int) -> Arrays:
    return (r.normal(size=size),)


def positive(r: Random, *size: int) -> Arrays:
    return (r.uniform(0.1, 20.0, size),)


def inside(r: Random, *size: int) -> Arrays:
    return (r.uniform(-1.0, 1.0, size),)


def near_one(r: Random, *size: int) -> Arrays:
    return (1 + 1e-6 * r.normal(size=size),)


def two(r: Random, *size: int) -> Arrays:
    return r.normal(size=size), r.normal(size=size)


def bases(r: Random, *size: int) -> Arrays:
    return r.uniform(0.1, 20.0, size), r.uniform(-3.0, 3.0, size)


def labels(r: Random, n: int) -> Arrays:
    return (r.integers(0, 100, n).astype(np.int32),)


def weighted(r: Random, n: int) -> Arrays:
    return (*labels(r, n), r.uniform(size=n))


def few_values(r: Random, n: int) -> Arrays:
    return (r.integers(0, 100, n) * 1.0,)


def taken(r: Random, n: int) -> Arrays:
    return r.normal(size=n), r.integers(0, n, n).astype(np.int32)


def knots(r: Random, n: int) -> Arrays:
    return r.uniform(-1, 11, n), np.linspace(0, 10, 1000), r.normal(size=1000)


def searched(r: Random, n: int) -> Arrays:
    return np.sort(r.normal(size=n)), r.normal(size=n)


def filtered(r: Random, n: int) -> Arrays:
    return r.normal(size=n), r.normal(size=15)


def matrix(r: Random, n: int) -> Arrays:
    return (r.normal(size=(n, n)),)


def regular(r: Random, n: int) -> Arrays:
    return (r.normal(size=(n, n)) + n * np.eye(n),)


def symmetric(r: Random, n: int) -> Arrays:
    x = r.normal(size=(n, n))
    return (x + x.T,)


def definite(r: Random, n: int) -> Arrays:
    x = r.normal(size=(n, n))
    return (x @ x.T + n * np.eye(n),)


def matrices(r: Random, n: int) -> Arrays:
    return r.normal(size=(n, n)), r.normal(size=(n, n))


def with_vector(r: Random, n: int) -> Arrays:
    return r.normal(size=(n, n)), r.normal(size=n)


def system(r: Random, n: int) -> Arrays:
    return (*regular(r, n), r.normal(size=n))


def long_system(r: Random, n: int) -> Arrays:
    return r.normal(size=(n, 50)), r.normal(size=n)


def many(r: Random, n: int) -> Arrays:
    return r.normal(size=(100, n, n)), r.normal(size=(100, n, n))

"""A row of the table, and the arguments that rows are measured with. Read next: `library`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isqrt
from typing import Any

import numpy as np
from msgspec import Struct

SMALL = 4096
"""Elements at the smaller size; the larger has 16 times as many."""
KEY = np.array([0, 7], np.uint32)

Arguments = Callable[[int], tuple[Any, ...]]
Table = Mapping[str, tuple[str, Any]]
"""For each row the text that defines `f` and its counterpart, None where JAX has none."""


class Row(Struct, frozen=True):
    """`text` defines `f`. `theirs` is the counterpart, None where JAX has none. `arguments` makes those of both for a
    number of elements. `drawn` results are random: only their number can be compared."""

    name: str
    text: str
    theirs: Callable[..., Any] | None
    arguments: Arguments
    drawn: bool = False


def table(arguments: Arguments, texts: Table, module: str = "", drawn: bool = False) -> Iterator[Row]:
    """Rows with these arguments. Texts of a module of the library import it, and their names begin with it."""
    start, prefix = (f"import {module}\n", f"{module}.") if module else ("", "")
    for name, (text, theirs) in texts.items():
        yield Row(prefix + name, start + text, theirs, arguments, drawn)


def vector(n: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(0.2, 0.9, n).astype(np.float32)


def matrix(n: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """A symmetric, positive definite matrix of so many elements."""
    side = isqrt(n)
    x = vector(side * side, seed).reshape(side, side)
    symmetric: np.ndarray[Any, Any] = (x + x.T) / side
    return symmetric + 2 * np.eye(side, dtype=np.float32)


def one(n: int) -> tuple[Any, ...]:
    return (vector(n),)


def two(n: int) -> tuple[Any, ...]:
    return vector(n), vector(n, 1)


def rectangle(n: int) -> tuple[Any, ...]:
    return (vector(n).reshape(isqrt(n), -1),)


def picked(n: int) -> tuple[Any, ...]:
    return vector(n), (vector(n, 1) * n).astype(np.int32) % n


def short(n: int) -> tuple[Any, ...]:
    return vector(n), vector(16, 1)


def with_key(n: int) -> tuple[Any, ...]:
    return vector(n), KEY


def images(n: int) -> tuple[Any, ...]:
    """One image of four channels, and eight kernels for it."""
    return vector(n).reshape(1, 4, isqrt(n // 4), -1), vector(8 * 4 * 9, 1).reshape(8, 4, 3, 3)


def heads(n: int) -> tuple[Any, ...]:
    """64 positions of 4 heads, and as many batches as there are elements for."""
    return tuple([vector(n, seed).reshape(-1, 64, 4, 16) for seed in range(3)])

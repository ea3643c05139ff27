"""The constructs of ragged programs in NumPy, by the names that they have in the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def put(x: Array, places: Array, values: Any, change: Any = None) -> Array:
    """A copy of an array with values at different places, or with what a change makes of both."""
    made = np.array(x)
    made[places] = values if change is None else change(made[places], values)
    return made


def folded(first: Any, elements: Iterable[Any], step: Callable[[Any, Any], Any]) -> Any:
    return reduce(step, elements, first)


def decayed(first: Any, elements: Iterable[Any]) -> Any:
    """The last of the sums each of which is an element more than half of the one before."""
    return folded(first, elements, lambda total, e: np.float32(0.5) * total + e)


def scanned(first: Any, elements: Array) -> Array:
    """The elements times the decayed sums before them."""
    return np.array([decayed(first, elements[:k]) * e for k, e in enumerate(elements)], np.float32)


def stepped(x: Array) -> Array:
    """Four times a half more, while that is below one."""
    return np.asarray(folded(np.array(x), range(4), lambda e, _: np.where(e < 1.0, e + np.float32(0.5), e)))


def selected_sums(x: Array, masks: Array) -> Array:
    return np.array([np.sum(x[mask]) for mask in masks], np.float32)


def highest(labels: Array, x: Array) -> Any:
    """The greatest of each of three groups, and of zero, weighted by their numbers."""
    return sum((k + 1) * max([np.float32(0), *x[labels == k]]) for k in range(3))


def filled(x: Array, size: int) -> Any:
    """The sum of the elements, with a half for each that is missing."""
    return np.sum(x) + 0.5 * (size - len(x))


def turned(x: Array) -> Any:
    return np.sum(x * np.cos(np.cumsum(x)))


def above(x: Array, t: Any) -> Any:
    return np.sum(x[x > t]) - len(x[x > t])


def sine_slope(x: Array, c: Any) -> Any:
    return np.sum(x * np.cos(x * c))


def branched_slope(x: Array, t: Any) -> Array:
    """The slope of the sum of sin(s x), where s is the sum of the elements above t."""
    s = np.sum(x[x > t])
    return np.asarray(s * np.cos(s * x) + np.where(x > t, np.sum(x * np.cos(s * x)), 0.0))


def einsum(form: str, *operands: Array) -> Any:
    return np.einsum(form, *operands, optimize=False)


def _of_numpy(*names: str) -> dict[str, Any]:
    return {name: getattr(np, name) for name in names}


NAMES: Mapping[str, Any] = MappingProxyType(
    {
        **_of_numpy("sin", "cos", "tanh", "exp", "sqrt", "log", "abs", "where", "flip", "minimum", "cumsum", "sort"),
        **_of_numpy("cumprod", "outer", "swapaxes", "stack", "concatenate", "reshape", "sum", "prod", "any", "all"),
        **_of_numpy("dot", "inner", "count_nonzero", "flatnonzero", "repeat", "mean", "unique", "max", "min", "argmax"),
        "np": np,
        "array": lambda items: np.array(items, np.float32),
        "arange": lambda count: np.arange(count, dtype=np.float32),
        "argsort": lambda x: np.argsort(x, kind="stable"),
        "cummax": np.maximum.accumulate,
        "f32": np.float32,
        "i32": lambda x: np.asarray(x).astype(np.int32),
        **{f.__name__: f for f in (put, folded, decayed, scanned, stepped, selected_sums, highest, filled, turned)},
        **{f.__name__: f for f in (above, sine_slope, branched_slope, einsum)},
    }
)

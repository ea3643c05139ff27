"""Arguments for `test_` definitions: drawn from a seed, and made simpler while the property still fails.

Knows nothing of running: the caller says whether a case fails. Read next: `testing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core.core import Signature
from dsl.records import replace
from dsl.tools.specimens import specimens
from dsl.types.type import KeyType

MOST = 4
"""The largest size and static integer that is drawn."""
TRIES = 400
"""The most cases that are tried to make one simpler."""

Fails = Callable[["Case"], bool]


class Case(Struct, frozen=True, eq=False):
    """Arguments of a property: sizes and static integers by name, the elements of all arrays in order, and the seed
    that they and the keys come from."""

    signature: Signature
    seed: int
    sizes: Mapping[str, int]
    statics: Mapping[str, int]
    arrays: tuple[np.ndarray, ...]

    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        ready = iter(self.arrays)

        def make(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
            return next(ready)

        keys = {p.name: self.seed for p in self.signature.params if isinstance(p.type, KeyType)}
        return {**_traced(self.signature, self.sizes, self.statics, make), **self.statics, **keys}


def drawn(signature: Signature, seed: int) -> Case:
    """The arguments that a seed gives: sizes and static integers from 1 to `MOST`, small numbers."""
    random = np.random.default_rng(seed)
    sizes = {size.name: int(random.integers(1, MOST + 1)) for size in signature.sizes}
    counts = [p.name for p in signature.params if p.size is not None and p.default is None]
    statics = {name: int(random.integers(1, MOST + 1)) for name in counts}
    arrays: list[np.ndarray] = []

    def make(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        arrays.append(_numbers(random, shape, np.dtype(dtype)))
        return arrays[-1]

    _traced(signature, sizes, statics, make)
    return Case(signature, seed, sizes, statics, tuple(arrays))


def _numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    match dtype.kind:
        case "f":
            return np.asarray(random.normal(size=shape)).astype(dtype)
        case "c":
            return np.asarray(random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
        case _:
            return np.asarray(random.integers(0, 2, shape)).astype(dtype)


def shrunk(case: Case, fails: Fails) -> Case:
    """A case that fails as well, with sizes as small and numbers as simple as `TRIES` attempts find."""
    left = TRIES

    def still_fails(candidate: Case) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails(candidate)

    before = None
    while case is not before and left > 0:
        before = case
        case = _smaller(case, still_fails)
        case = _simpler(case, still_fails)
    return case


def _smaller(case: Case, fails: Fails) -> Case:
    """Make one size and static integer after another as small as possible."""
    for name in (*case.sizes, *case.statics):
        counts = range(1, {**case.sizes, **case.statics}[name])
        candidates = (found for count in counts for found in _cut(case, name, count))
        case = next((found for found in candidates if fails(found)), case)
    return case


def _cut(case: Case, name: str, count: int) -> Iterator[Case]:
    """A case with another size: with the first elements of each axis, with the last ones, and with ones alone."""
    sizes = {**case.sizes, **({name: count} if name in case.sizes else {})}
    statics = {**case.statics, **({name: count} if name in case.statics else {})}
    for first in (True, False):
        found = replace(case, sizes=sizes, statics=statics, arrays=_resized(case, sizes, statics, first))
        yield found
    yield _of_ones(found)


def _of_ones(case: Case) -> Case:
    return replace(case, arrays=tuple([np.ones_like(array) for array in case.arrays]))


def _resized(case: Case, sizes: Mapping[str, int], statics: Mapping[str, int], first: bool) -> tuple[np.ndarray, ...]:
    ready, arrays = iter(case.arrays), list[np.ndarray]()

    def make(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        arrays.append(_fitted(next(ready), shape, first))
        return arrays[-1]

    _traced(case.signature, sizes, statics, make)
    return tuple(arrays)


def _simpler(case: Case, fails: Fails) -> Case:
    """Make whole arrays zero, then one element after another as simple as possible."""
    for at, array in enumerate(case.arrays):
        if array.any() and fails(zero := _with(case, at, np.zeros_like(array))):
            case = zero
    for at, array in enumerate(case.arrays):
        for place in np.ndindex(array.shape):
            case = _simpler_element(case, at, place, fails)
    return case


def _simpler_element(case: Case, at: int, place: tuple[int, ...], fails: Fails) -> Case:
    for value in _simpler_values(case.arrays[at][place]):
        array = case.arrays[at].copy()
        array[place] = value
        candidate = _with(case, at, array)
        if fails(candidate):
            return candidate
    return case


def _simpler_values(element: Any) -> Iterator[Any]:
    """Values that are simpler than an element, the simplest first."""
    value = element.item()
    real, imaginary = float(value.real), value.imag
    candidates = sorted({0.0, 1.0, -1.0, 2.0, float(np.trunc(real)), round(real, 1)}, key=_complexity)
    yield from (each for each in candidates if imaginary or _complexity(each) < _complexity(real))


def _complexity(value: float) -> tuple[int, float, bool]:
    """The order of simplicity: fewer decimals first, then what is nearer to 0, then what is positive."""
    decimals = next((n for n in (0, 1) if round(value, n) == value), 2)
    return decimals, abs(value), value < 0


def _with(case: Case, at: int, array: np.ndarray) -> Case:
    return replace(case, arrays=(*case.arrays[:at], array, *case.arrays[at + 1 :]))


def _fitted(array: np.ndarray, shape: tuple[int, ...], first: bool) -> np.ndarray:
    """The first or the last elements of each axis, filled up with zeros where a computed size has grown."""
    made = np.zeros(shape, array.dtype)
    common = [min(old, new) for old, new in zip(array.shape, shape, strict=True)]
    kept = tuple(slice(n) if first else slice(old - n, None) for n, old in zip(common, array.shape, strict=True))
    made[tuple(map(slice, common))] = array[kept]
    return made


def _traced(
    signature: Signature, sizes: Mapping[str, int], statics: Mapping[str, int], make: Callable[..., np.ndarray]
) -> dict[str, Any]:
    """The arguments that are arrays or made of them; `make` is called for each array, always in the same order."""
    by_name = {name: str(count) for name, count in sizes.items()}
    return specimens(signature, by_name, {name: str(count) for name, count in statics.items()}, make)

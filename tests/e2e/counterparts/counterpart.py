"""A program and what it is compared with: the same function written for JAX, and arguments for both.

Every program defines an objective `f` with a scalar result, in f64; with `f64` replaced by `f32` it is the same
program in single precision. Read next: the tables beside this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Draw:
    """Makes arguments."""

    random: np.random.Generator

    def normal(self, *shape: int, scale: float = 1.0) -> Floats:
        return scale * np.asarray(self.random.normal(size=shape))

    def positive(self, *shape: int) -> Floats:
        """Numbers from 0.5 to 1.5."""
        return np.asarray(self.random.uniform(0.5, 1.5, size=shape))

    def shares(self, *shape: int) -> Floats:
        """Positive numbers that add up to 1 along the last axis."""
        numbers = self.positive(*shape)
        return np.asarray(numbers / numbers.sum(axis=-1, keepdims=True))

    def spd(self, n: int) -> Floats:
        """A well-conditioned symmetric positive definite matrix."""
        a = self.normal(n, n, scale=0.3)
        return np.asarray(a @ a.T + np.eye(n))

    def ids(self, *shape: int, below: int) -> Ints:
        return self.random.integers(0, below, size=shape, dtype=np.int32)


def well_conditioned(*arguments: Any) -> tuple[float, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A program, its JAX counterpart and its arguments; which argument examples differ in (the last float).

    Where terms of a result cancel, `conditions` computes from the arguments how much larger the terms are than what is
    left of them: a number for the value and one for each gradient. Rounding errors grow by it.
    """

    name: str
    text: str
    jax: Callable[..., Any]
    draw: Callable[[Draw], tuple[Any, ...]]
    second: bool = True  # whether second derivatives are compared as well
    conditions: Callable[..., tuple[float, ...]] = well_conditioned

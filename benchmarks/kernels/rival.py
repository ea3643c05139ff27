"""What JAX and NumPy have under different names: loops, and changes of arrays.

A kernel is written once for both, over `Rival`, where the best way to say it is the same but for these; NumPy's loops
are Python's, and its changes are made in place, of arrays that the kernel owns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True, slots=True)
class Rival:
    """`np` is the module of arrays. `fold(n, step, carry)` calls `step(i, carry)` for i below n; `scan(step, carry,
    xs)` is that of JAX; `put` and `add` give the array with a part replaced or increased."""

    name: str
    np: Any
    fold: Callable[..., Any]
    scan: Callable[..., Any]
    put: Callable[..., Any]
    add: Callable[..., Any]
    is_jax: bool


def _fold_of_python(n: int, step: Callable[..., Any], carry: Any) -> Any:
    for i in range(n):
        carry = step(i, carry)
    return carry


def _scan_of_python(step: Callable[..., Any], carry: Any, xs: Any) -> Any:
    outs = []
    rows = zip(*xs, strict=True) if isinstance(xs, tuple) else xs
    for x in rows:
        carry, out = step(carry, x)
        outs.append(out)
    if isinstance(outs[0], tuple):
        return carry, tuple(np.stack(column) for column in zip(*outs, strict=True))
    return carry, np.stack(outs)


def _put_in_place(x: Any, where: Any, value: Any) -> Any:
    x[where] = value
    return x


def _add_in_place(x: Any, where: Any, value: Any) -> Any:
    x[where] += value
    return x


NUMPY = Rival("numpy", np, _fold_of_python, _scan_of_python, _put_in_place, _add_in_place, False)
JAX = Rival(
    "jax",
    jnp,
    lambda n, step, carry: jax.lax.fori_loop(0, n, step, carry),
    jax.lax.scan,
    lambda x, where, value: x.at[where].set(value),
    lambda x, where, value: x.at[where].add(value),
    True,
)


class Static(dict[str, int]):
    """What is static, by name: the last of the arguments of a kernel that has such parameters."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function of a program, and its rivals.

    `arguments(random, *size)` gives the arguments. `theirs(rival, *arguments)` is the version of JAX, and of NumPy
    unless `plain` is another; None says that NumPy has none. The program is that of the family unless `path` is
    another, and the function that of the name unless `ours` chooses. Results agree within `tolerance`.
    """

    name: str
    arguments: Callable[..., tuple[Any, ...]]
    theirs: Callable[..., Any]
    tiny: tuple[int, ...]
    small: tuple[int, ...]
    plain: Callable[..., Any] | Literal["same"] | None = "same"
    tolerance: float = 1e-9
    path: Path | None = None
    ours: Callable[[Any], Callable[..., Any]] | None = None

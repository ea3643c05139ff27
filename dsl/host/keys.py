"""Keys from Python: `dsl.key(seed)`, and what `key=` accepts. The same bits as `jax.random.key(seed)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem, argument_error
from dsl.types.dtype import U32
from lowering.xla.array import Array, array


def key(seed: int) -> Array:
    """The key of a seed of at most 64 bits, high word first (the high word is 0 for seeds of 32 bits)."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not -(2**63) <= seed < 2**64:
        place = Label(Span(Source("<python>", ""), 0, 0))
        raise ArgumentError([Diagnostic("E0914", f"a seed is an integer of 64 bits, not {seed!r}", place)])
    return array(words(int(seed)))


def words(seed: int) -> np.ndarray[Any, Any]:
    bits = seed % 2**64 if not -(2**31) <= seed < 2**32 else seed % 2**32
    return np.array([bits >> 32, bits % 2**32], U32.numpy)


def key_data(given: Any, definition: core.Function) -> Any:
    """The value of `key=`: a key, or an int that seeds one."""
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return words(int(given))
    shape, dtype = getattr(given, "shape", None), getattr(given, "dtype", None)
    if shape == (2,) and dtype == U32.numpy:
        return given
    what = "is missing" if given is None else f"is {given!r}"
    message = f"{definition.name} draws random numbers: `key` {what}, and must be a key or an int"
    raise argument_error([Problem("E0914", message)], definition)

"""Keys from Python: `dsl.key(seed)`, and what `key=` accepts. The same bits as `jax.random.key(seed)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem, argument_error
from dsl.host.arguments.conversions import Convert, kind_of
from dsl.types.dtype import U32
from lowering.xla.array import Array, array


def key(seed: int) -> Array:
    """The key of a seed of at most 64 bits, high word first (the high word is 0 for seeds of 32 bits)."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not -(2**63) <= seed < 2**64:
        place = Label(Span(Source("<python>", ""), 0, 0))
        raise ArgumentError([Diagnostic("E0914", f"a seed is an integer of 64 bits, not {seed!r}", place)])
    return array(words(int(seed))).as_keys()


def words(seed: int) -> np.ndarray[Any, Any]:
    bits = seed % 2**64 if not -(2**31) <= seed < 2**32 else seed % 2**32
    return np.array([bits >> 32, bits % 2**32], U32.numpy)


def is_seed(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def key_of_seed(given: Any, path: str) -> np.ndarray[Any, Any]:
    """The key of a seed that stands where a key is wanted. Raises `Problem` E0914."""
    seed = int(given)
    if not -(2**63) <= seed < 2**64:
        raise Problem("E0914", f"{path} is {seed}, and a seed is an integer of 64 bits")
    return words(seed)


def keys_of_seeds(given: Any, rank: int | None, path: str) -> tuple[tuple[int, ...], Convert] | None:
    """The shape of the keys of seeds, one for each of an array of keys of this rank, and what makes them; None where it
    has the words of keys, or anything else. An array of 32 bits without sign has words, whatever its shape."""
    if (
        not rank
        or getattr(given, "dtype", None) == U32.numpy
        or not isinstance(given, (list, tuple, range, np.ndarray))
    ):
        return None
    try:
        seeds = np.asarray(given, object)
    except ValueError:
        return None
    floats = getattr(given, "dtype", seeds.dtype).kind not in "iuO"
    if floats or seeds.ndim != rank or not all(map(is_seed, seeds.flat)):
        return None

    def convert(leaves: Any) -> Any:
        for leaf in leaves:
            if isinstance(leaf, Array):
                raise no_key(leaf, path)
        flat = [seed for leaf in leaves for seed in np.asarray(leaf, object).flat]
        keys = np.array([key_of_seed(seed, path) for seed in flat], U32.numpy).reshape(-1, 2)
        _check_distinct(keys, flat, path)
        return keys.reshape(*seeds.shape, 2)

    convert([given])
    return seeds.shape, convert


def _check_distinct(keys: np.ndarray[Any, Any], seeds: Sequence[int], path: str) -> None:
    """Raises `Problem` E0914 if two seeds make the same key, whose random numbers would be the same."""
    packed = keys.astype(np.uint64) @ np.array([2**32, 1], np.uint64)
    _, first, counts = np.unique(packed, return_index=True, return_counts=True)
    for place in first[counts > 1][:1]:
        again = int(np.flatnonzero(packed == packed[place])[1])
        same = (
            f"the seed {seeds[place]}"
            if seeds[place] == seeds[again]
            else f"{seeds[place]} and {seeds[again]}, the same key,"
        )
        message = f"{path} has {same} at {place} and at {again}, so that both draw the same random numbers"
        raise Problem("E0914", message, "pass different seeds, such as `range(n)`")


def no_key(given: Any, path: str) -> Problem:
    typed = str(getattr(given, "dtype", "")).startswith("key<")
    repair = f"give its words: `jax.random.key_data({path})`" if typed else "make one with `dsl.key(seed)`"
    shown = repr(given) if isinstance(given, bool | float) else kind_of(given)
    return Problem("E0914", f"{path} is {shown}, not a key", repair)


def key_data(given: Any, definition: core.Function) -> Any:
    """The value of `key=`: a key, or an int that seeds one."""
    try:
        if is_seed(given):
            return key_of_seed(given, "key")
        shape, dtype = getattr(given, "shape", None), getattr(given, "dtype", None)
        if shape == (2,) and dtype == U32.numpy:
            return given if type(given) in (Array, np.ndarray) else np.asarray(given)
        if given is None:
            message = f"{definition.written_name} draws random numbers: `key` is missing"
            raise Problem("E0914", message, "give a key, or a seed: `key=0`")
        raise no_key(given, "key")
    except Problem as problem:
        raise argument_error([problem], definition) from None

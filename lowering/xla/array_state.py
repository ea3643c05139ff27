"""The state of arrays that other packages need and users do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from lowering.xla.array import Array
from lowering.xla.array_buffer import Guard
from lowering.xla.parts import SEVERAL, Joined, PlacedPart


def types_of(leaves: Sequence[Any]) -> tuple[Hashable, ...]:
    """The types of leaves: calls of one structure that have them in common are bound alike. An array of our own says
    its place, too, and one that is a part of a buffer where it begins."""
    array, host_array = Array, np.ndarray
    found: list[Any] = [
        (x._ready if type(x._ready) is PlacedPart else x._impl.aval)
        if type(x) is array
        else (x.dtype, x.shape)
        if type(x) is host_array
        else type(x)
        for x in leaves
    ]
    return tuple(found)


def without_parts(types: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The types of leaves, whether arrays are parts of buffers or not."""
    return tuple([each.placed if type(each) is PlacedPart else each for each in types])


def parts_of_buffers(leaves: Sequence[Any]) -> list[tuple[PlacedPart | None, int]]:
    """Which part of a buffer each leaf is, and the number of that buffer, from 1. Parts of one that few are parts of
    have the number 0. None for all leaves that are no such parts, or wait for a check."""
    found = [(x._ready, x._impl) if type(x) is Array else (None, None) for x in leaves]
    parts = [
        (p, whole) if type(p) is PlacedPart and p.free is p and type(whole) is Joined else None for p, whole in found
    ]
    counts = Counter([id(each[1]) for each in parts if each is not None])
    several = [key for key, count in counts.items() if count >= SEVERAL]
    numbers = {key: number for number, key in enumerate(several, 1)}
    return [(None, 0) if each is None else (each[0], numbers.get(id(each[1]), 0)) for each in parts]


def verdicts(leaves: Sequence[Any]) -> list[Guard]:
    """The checks that arguments still wait for: what is computed from them waits for them too."""
    return [x._guard for x in leaves if type(x) is Array and x._guard is not None]


def holds_keys(array: Array) -> bool:
    """Return whether the elements are the words of keys."""
    return array._keys


def in_host_memory(array: Array) -> bool:
    """Return whether the host sees the elements where they are, in one piece."""
    return array._place.in_host_memory


def prefix(array: Any, ends: tuple[slice, ...]) -> Any:
    """The elements up to an end of each axis, where the array is. They are copied by the host: each length would be
    another program."""
    return array._of(array._view()[ends]) if type(array) is Array else array[ends]


def span_of(integers: Any) -> tuple[int, int]:
    """The least and the greatest of some integers, (0, -1) without any. An array of our own, which never changes, is
    looked at once."""
    if type(integers) is not Array:
        return _span(np.asarray(integers))
    if integers._span is None:
        integers._span = _span(np.asarray(integers))
    return integers._span


def lie_below(integers: Any, limit: int) -> bool:
    """Return whether some integers are indices below a limit."""
    least, most = span_of(integers)
    return least >= 0 and most < limit


def _span(integers: np.ndarray[Any, Any]) -> tuple[int, int]:
    return (int(integers.min()), int(integers.max())) if integers.size else (0, -1)

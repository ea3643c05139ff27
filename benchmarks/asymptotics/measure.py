"""Measures one row: seconds of the processor, bytes, and whether JAX computes the same values.

A row of pairs, whose result is much larger than its arguments (an outer product) or takes many operations (a product of
polynomials), has smaller arguments. What would take more than `ROOM` is not run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import jax
import msgspec
import numpy as np

import dsl
from benchmarks.asymptotics.row import SMALL, Row
from lowering.xla.adapter import memory_parts

FACTOR, LIMIT = 16, 1.5
TOO_SHORT, TOO_SMALL = 12e-6, 1 << 16
"""Seconds and bytes below which a difference is that of a call, not of what it computes."""
CALLS, SECONDS, AGAIN = 40, 0.03, 3
LARGER, BUSIER = 32, 1000
"""How many times larger than its arguments a result may be, and how many operations an element may take."""
SLOW = 0.5
"""Seconds of a call that is measured no more often than it must be."""
ROOM = 2 << 30
TOLERANCE = 2e-3

Pair = tuple[float, float | None]


class TooLarge(Exception):
    """A call would take more memory than there is room for."""


class Found(msgspec.Struct, frozen=True):
    """Seconds and bytes at the small and the large size, ours first; None where JAX has no such function. `note` says
    what differs from JAX, or why there is no measurement."""

    name: str
    times: tuple[Pair, Pair] | None
    memory: tuple[Pair, Pair] | None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How much longer ours takes at the large size, beside what a call costs."""
        return None if self.times is None else _ratio(self.times[1], TOO_SHORT)

    @property
    def memory_ratio(self) -> float | None:
        return None if self.memory is None else _ratio(self.memory[1], TOO_SMALL)

    @property
    def growth(self) -> Pair:
        if self.times is None:
            return 0.0, None
        (small, theirs), (large, other) = self.times
        alone = theirs is None or other is None
        return _grown(small, large), None if alone else _grown(theirs, other)

    @property
    def badness(self) -> float:
        """The worst of its ratios; growth counts where the large size shows it."""
        return max(self.ratio or 0.0, self.memory_ratio or 0.0)

    @property
    def is_steep(self) -> bool:
        """Whether it grows faster than JAX's from an equal start; alone, than a product of matrices."""
        ours, theirs = self.growth
        if self.times is None or theirs is None:
            return bool(ours > FACTOR**1.5 * LIMIT)
        start = _ratio(self.times[0], TOO_SHORT) or 0.0
        return bool(ours > LIMIT * theirs and start > 1 / LIMIT)

    @property
    def is_wrong(self) -> bool:
        return self.badness > LIMIT or self.is_steep or bool(self.note)


def _ratio(pair: Pair, least: float) -> float | None:
    ours, theirs = pair
    return None if theirs is None else (ours + least) / (theirs + least)


def _grown(small: Any, large: Any) -> float:
    return float((large + TOO_SHORT) / (small + TOO_SHORT))


def _once(call: Callable[[], Any]) -> float:
    start = time.process_time()
    jax.tree.map(_waited, call())
    return time.process_time() - start


def _waited(leaf: Any) -> Any:
    return leaf.block_until_ready() if hasattr(leaf, "block_until_ready") else leaf


def _timed(calls: Sequence[Callable[[], Any]]) -> list[float]:
    """The least of the calls of each, in turns; fewer of those that take long. What seems slow is measured again."""
    least = [_once(call) for call in calls]
    if max(least) > SLOW:
        return least
    slowest = max(_once(call) for call in calls)
    count = max(3, min(CALLS, int(SECONDS / max(slowest, 1e-6))))
    for _ in range(AGAIN):
        rounds = [[_once(call) for call in calls] for _ in range(count)]
        least = [min(before, *times) for before, times in zip(least, zip(*rounds, strict=True), strict=True)]
        if least[0] + TOO_SHORT <= LIMIT * 0.9 * (least[-1] + TOO_SHORT):
            break
    return least


def _rival(row: Row, given: Sequence[Any], ours: Any) -> tuple[Callable[[], Any], float] | str:
    """The call of JAX and its bytes, or why there is none: it has no such function, or its values are others."""
    if row.theirs is None:
        return ""
    try:
        put = [jax.device_put(x) for x in given]
        jitted = jax.jit(row.theirs)
        memory = memory_parts(jitted.lower(*put).compile().runtime_executable())
        if memory[0] > ROOM:
            return f"JAX takes {memory[0] >> 20} MiB"
        wrong = difference(ours, jitted(*put), row.drawn)
    except Exception as error:
        return f"JAX {type(error).__name__}: {str(error).strip()[:60]}"
    return wrong or (lambda: jitted(*put), float(memory[3]))


def difference(ours: Any, theirs: Any, drawn: bool) -> str:
    """What differs between results, as a sentence; nothing where they agree but for rounding."""
    mine, other = [[np.asarray(x) for x in _plain(jax.tree.leaves(each))] for each in (ours, theirs)]
    sizes = [sum(x.size for x in each) for each in (mine, other)]
    if sizes[0] != sizes[1] or (not drawn and len(mine) != len(other)):
        return f"{sizes[0]} elements, and JAX {sizes[1]}"
    if drawn:
        return ""
    worst = max((_distance(a, b) for a, b in zip(mine, other, strict=True)), default=0.0)
    return f"values differ by {worst:.2g}" if worst > TOLERANCE else ""


def _plain(leaves: Sequence[Any]) -> list[Any]:
    return [jax.random.key_data(x) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x for x in leaves]


def _distance(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """The largest difference, relative to the size of the numbers; infinite where only one is nan or infinite."""
    a, b = [x.ravel().astype(np.complex128) for x in (a, b)]
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    size = np.max(np.abs(b[np.isfinite(b)]), initial=1e-6)
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(a - b) / size)
    return float(np.max(np.where(np.isnan(apart), np.inf, apart), initial=0.0))


class _At(msgspec.Struct, frozen=True):
    times: Pair
    memory: Pair
    note: str


def _at(row: Row, function: Any, n: int) -> _At:
    given = row.arguments(n)
    here = [dsl.array(x) for x in given]
    parts = memory_parts(_compiled(function, here))
    if parts[0] > ROOM:
        raise TooLarge(f"takes {parts[0] >> 20} MiB")
    theirs = _rival(row, given, _arrays(function(*here)))
    if isinstance(theirs, str):
        return _At((_timed([lambda: function(*here)])[0], None), (float(parts[3]), None), theirs)
    mine, other = _timed([lambda: function(*here), theirs[0]])
    return _At((mine, other), (float(parts[3]), theirs[1]), "")


def _compiled(function: Any, given: Sequence[Any]) -> Any:
    """What a call would run; calls for the same shapes compile nothing more."""
    return function.compile(*[dsl.array(x) for x in given]).raw


def _arrays(result: Any) -> Any:
    return jax.tree.map(np.asarray, result)


def scale(row: Row, function: Any) -> Callable[[int], int]:
    """The number of elements of the arguments, for one of the largest array; those of pairs are few."""
    executable = _compiled(function, row.arguments(SMALL))
    _, given, result, _ = memory_parts(executable)
    large = result > LARGER * max(given, 1024)
    return _few if large or _operations(executable) > BUSIER * SMALL else int


def _few(n: int) -> int:
    """As many elements as have 16 times `n` pairs."""
    return isqrt(FACTOR * n)


def _operations(executable: Any) -> float:
    return float(executable.cost_analysis().get("flops", 0.0))


def measured(row: Row) -> Found:
    """Measures a row; raises what it raises."""
    function = dsl.program(row.text).f
    elements = scale(row, function)
    small, large = [_at(row, function, elements(n)) for n in (SMALL, FACTOR * SMALL)]
    note = small.note or large.note
    return Found(row.name, (small.times, large.times), (small.memory, large.memory), note)


def attempted(row: Row) -> Found:
    """Measures a row; what it raises is its note."""
    try:
        return measured(row)
    except Exception as error:
        return Found(row.name, None, None, f"{type(error).__name__}: {str(error).strip().splitlines()[0][:80]}")

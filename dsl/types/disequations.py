"""Values that sizes are known not to have: `n != 3` and `n != 5` together are one entry, of `n`.

A chain of `else if` says of its last arms that a size has none of many values. So many are not worth a case each: they
tell something only where they lie at the ends of what the size can be. `System` keeps them and asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import TypeAlias

from dsl.types import polynomial
from dsl.types.facts import Ne
from dsl.types.size import Size

Excluded: TypeAlias = Mapping[Size, frozenset[int]]
"""The values that each size does not have. No size is a constant or a multiple of another, and none has an offset."""

_FEW = 8


def excluding(excluded: Excluded, size: Size, values: Set[int]) -> Excluded:
    """With the values that a size, which is not a constant, does not have."""
    body = size - size.offset
    scale = body.content() * (1 if body.terms[0][1] > 0 else -1)
    line = Size(polynomial.scaled_down(body.terms, scale))
    gaps = [value - size.offset for value in values]
    found = frozenset([gap // scale for gap in gaps if gap % scale == 0])
    return {**excluded, line: excluded.get(line, frozenset()) | found}


def without(excluded: Excluded, case: Ne) -> Excluded:
    """Without what one case says."""
    return {size: values - {case.right.constant} if size == case.left else values for size, values in excluded.items()}


def cases(excluded: Excluded) -> Iterator[Ne]:
    """The values of sizes that do not have a few: each lies above or below."""
    for size, values in excluded.items():
        if len(values) <= _FEW:
            yield from (Ne(size, Size.of(value)) for value in sorted(values))


def many(excluded: Excluded) -> list[Size]:
    """The sizes that do not have more values than `cases` gives."""
    return [size for size, values in excluded.items() if len(values) > _FEW]


def within(low: int | None, high: int | None, values: Set[int]) -> tuple[int | None, int | None]:
    """The bounds past the values that are excluded at their ends. They may cross."""
    while low is not None and low in values:
        low += 1
    while high is not None and high in values:
        high -= 1
    return low, high

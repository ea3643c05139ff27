"""Where a sequence repeats itself at once: `repeats` in time linear in its length.

Knows nothing of what the sequence is of. Read next: `segments`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from msgspec import Struct

GRAM = 3
"""So many elements in a row are looked up to find out where the sequence has been the same before."""


class Repeat(Struct, frozen=True):
    """The `period` elements from `start` on, `count` times one after another."""

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        """Return the place after the last copy."""
        return self.start + self.period * self.count


def repeats_and_between(elements: Sequence[Hashable], shortest: int, between: int) -> Iterator[Repeat]:
    """From left to right, without overlap: what has `shortest` elements in all, and between those what has `between`.
    Nothing if there is none of the first kind."""
    found = [*repeats(elements, shortest)]
    starts, ends = [0, *[each.end for each in found]], [*[each.start for each in found], len(elements)]
    for start, end, following in zip(starts, ends, [*found, None], strict=True):
        for each in repeats(elements[start:end], between) if found else ():
            yield Repeat(start + each.start, each.period, each.count)
        if following is not None:
            yield following


def repeats(elements: Sequence[Hashable], shortest: int) -> Iterator[Repeat]:
    """From left to right, without overlap: what comes at least three times and has `shortest` elements in all."""
    latest: dict[Hashable, int] = {}
    compared: dict[int, int] = {}
    free = 0
    for here in range(len(elements) - GRAM + 1):
        if here < free:
            continue
        gram = tuple(elements[here : here + GRAM])
        before, latest[gram] = latest.get(gram, -1), here
        period = here - before
        if before < free or compared.get(period, 0) > here:
            continue
        end = compared[period] = _difference(elements, here, period)
        found = Repeat(before, period, (end - before) // period)
        if found.count >= 3 and found.count * period >= shortest:
            free = found.end
            yield found


def _difference(elements: Sequence[Hashable], start: int, period: int) -> int:
    """The first place from `start` on that is not as the one a period before."""
    for place in range(start, len(elements)):
        if elements[place] != elements[place - period]:
            return place
    return len(elements)

"""Elements of an array of keys, by indices that are linear in the counters of loops: whether two turns read one.

An index list names an element for every turn of the loops around it. It *tells apart* the counters that follow from the
element alone; two lists may meet if some turns of both, in any order, name one element. Knows sizes and facts, no Core.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import gcd
from operator import add, mul

from msgspec import Struct

from dsl.types.decide import entails
from dsl.types.facts import Facts, Prop, ge, lt
from dsl.types.polynomial import content
from dsl.types.size import Size, SizeVar


class Counter(Struct, frozen=True):
    """The counter of a loop: `low <= variable < high`, as far as known, in body number `region`; or the elements that a
    slice takes in parallel, without a body."""

    variable: SizeVar
    region: int | None
    low: Size | None = None
    high: Size | None = None


class _Linear(Struct, frozen=True):
    """A sum of counters, each times a slope, and of a rest without them."""

    slopes: Mapping[Counter, Size]
    rest: Size


class Collision(Struct, frozen=True):
    """Two turns of an outer and an inner loop in which an index is the same. With steps of `step` for the outer one it
    is another one in every turn; `rest` is what the index has beside the two."""

    names: tuple[str, str]
    first: tuple[Size, Size]
    other: tuple[Size, Size]
    step: Size
    rest: Size


class Turns(Struct, frozen=True):
    """The counters that differ from turn to turn, and what is known of sizes."""

    counters: Collection[Counter]
    facts: Facts

    def told_apart(self, indices: Sequence[Size]) -> set[Counter]:
        """The counters that are known once the element is."""
        here, told = self._of(indices), set[Counter]()
        found = [linear for linear in map(here._linear, indices) if linear is not None]
        for _ in found:
            for linear in found:
                slopes = {c: slope for c, slope in linear.slopes.items() if c not in told}
                if here._separates(slopes):
                    told |= slopes.keys()
        return told

    def may_meet(self, left: Sequence[Size], right: Sequence[Size]) -> bool:
        """Return whether two turns, which have nothing to do with one another, may name an element and a part of it."""
        here = self._of([*left, *right])
        return not any(here._apart(a, b) for a, b in zip(left, right, strict=False))

    def counts_densely(self, number: Size) -> bool:
        """Return whether a number gives each of its counters, and takes no more values than they have turns: machine
        integers, which wrap around, tell these apart then, as they do for one counter alone."""
        here = self._of([number])
        linear = here._linear(number)
        if linear is None or not linear.slopes or not here._separates(linear.slopes):
            return False
        turns = _combined(mul, (None if c.low is None or c.high is None else c.high - c.low for c in linear.slopes))
        reach = here._reach(linear.slopes)
        return turns is not None and reach is not None and here._holds(turns, reach + 1)

    def collision(self, indices: Sequence[Size]) -> Collision | None:
        """Two turns of two loops that read one element: where the outer one makes steps that are shorter than the way
        of the inner one, which counts from 0."""
        here = self._of(indices)
        linear = here._linear(indices[0]) if len(indices) == 1 else None
        counted = [] if linear is None else [c for c in here.counters if c in linear.slopes]
        if linear is None or len(counted) != 2 or None in [c.region for c in counted]:
            return None
        outer, inner = sorted(counted, key=lambda c: linear.slopes[c] == Size.of(1))
        step = linear.slopes[outer]
        if linear.slopes[inner] != Size.of(1) or outer.low is None or inner.low != Size.of(0) or inner.high is None:
            return None
        if not here._holds(step, Size.of(1)) or not here._holds(inner.high, step + 1):
            return None
        first, other = (outer.low, step), (outer.low + 1, Size.of(0))
        names = (outer.variable.name, inner.variable.name)
        return Collision(names, first, other, inner.high, linear.rest)

    def _of(self, indices: Sequence[Size]) -> Turns:
        """The counters in these alone: their loops run, since there are the elements."""
        used = frozenset[SizeVar]().union(*[index.vars() for index in indices])
        return Turns([c for c in self.counters if c.variable in used], self.facts)

    def _linear(self, index: Size) -> _Linear | None:
        slopes: dict[Counter, Size] = {}
        for counter in self.counters:
            split = index.linear_in(counter.variable)
            if split is None:
                return None
            slope, index = split
            if slope != Size.of(0):
                slopes[counter] = slope
        mixed = any(c.variable in slope.vars() for c in self.counters for slope in slopes.values())
        return None if mixed else _Linear(slopes, index)

    def _separates(self, slopes: Mapping[Counter, Size]) -> bool:
        """Return whether a sum of counters, each times a slope, gives each of them: there is one whose steps are longer
        than all that the others add up to, and so on."""
        return not slopes or any(self._steps_over(c, slopes) for c in slopes)

    def _steps_over(self, counter: Counter, slopes: Mapping[Counter, Size]) -> bool:
        others = {c: slope for c, slope in slopes.items() if c != counter}
        step, reach = self._length(slopes[counter]), self._reach(others)
        return step is not None and reach is not None and self._holds(step, reach + 1) and self._separates(others)

    def _reach(self, slopes: Mapping[Counter, Size]) -> Size | None:
        """How far counters move a sum of them."""
        low, high = self._ends(_Linear(slopes, Size.of(0)))
        return None if low is None or high is None else high - low

    def _length(self, slope: Size) -> Size | None:
        if self._holds(slope, Size.of(0)):
            return slope
        return -slope if self._holds(-slope, Size.of(0)) else None

    def _apart(self, left: Size, right: Size) -> bool:
        a, b = self._linear(left), self._linear(right)
        if a is None or b is None:
            return False
        if _never_bridged(a.rest - b.rest, [*a.slopes.values(), *b.slopes.values()]):
            return True
        (low, high), (least, most) = self._ends(a), self._ends(b)
        above = low is not None and most is not None and self._holds(low, most + 1)
        return above or (least is not None and high is not None and self._holds(least, high + 1))

    def _ends(self, linear: _Linear) -> tuple[Size | None, Size | None]:
        """The least and the greatest value."""
        ways = [self._way(counter, slope) for counter, slope in linear.slopes.items()]
        low, high = (_combined(add, [linear.rest, *[way[end] for way in ways]]) for end in (0, 1))
        return low, high

    def _way(self, counter: Counter, slope: Size) -> tuple[Size | None, Size | None]:
        """The least and the greatest that a counter adds."""
        length = self._length(slope)
        if length is None:
            return None, None
        first = None if counter.low is None else slope * counter.low
        last = None if counter.high is None else slope * (counter.high - 1)
        return (first, last) if length == slope else (last, first)

    def _holds(self, larger: Size, smaller: Size) -> bool:
        return entails(self.facts.assume(*self._running()), ge(larger, smaller))

    def _running(self) -> Iterator[Prop]:
        for c in self.counters:
            if c.low is not None and c.high is not None:
                yield lt(c.low, c.high)


def _combined(operator: Callable[[Size, Size], Size], sizes: Iterable[Size | None]) -> Size | None:
    """Combine sizes if all of them are known."""
    found = list(sizes)
    known = [size for size in found if size is not None]
    return reduce(operator, known) if len(known) == len(found) else None


def _never_bridged(gap: Size, steps: Sequence[Size]) -> bool:
    """Return whether no sum of multiples of the steps is the gap: a number divides all of these, and not the gap."""
    step = gcd(*[content(size.terms) for size in steps])
    others = content((gap - gap.offset).terms)
    return gap.offset != 0 and others == 0 if step == 0 else gap.offset % step != 0 and others % step == 0

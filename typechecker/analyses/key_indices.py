"""Elements of an array of keys, by indices made of the counters of loops: whether two turns read one.

An index list names an element for every turn of the loops around it. It *tells apart* the counters that follow from the
element alone; two lists may meet if some turns of both, in any order, name one element. All are questions about the
sizes of two turns, whose counters have other names in the second. Knows sizes and facts, no Core. Read next:
`dsl.types.decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce
from itertools import product
from operator import mul

from msgspec import Struct

from dsl.records import replace
from dsl.types.decide import entails
from dsl.types.facts import Eq, Facts, Ne, Prop, ge, lt
from dsl.types.size import Size, SizeVar


class Counter(Struct, frozen=True):
    """The counter of a loop: `low <= variable < high`, as far as known, in body number `region`; or the elements that a
    slice takes in parallel, without a body."""

    variable: SizeVar
    region: int | None
    low: Size | None = None
    high: Size | None = None


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
        """The counters that are known once the element is: two turns that name it have them in common."""
        here = _Two(self, indices)
        facts, told = here.facts.assume(*[Eq(index, here.other(index)) for index in indices]), set[Counter]()
        for _ in here.counters:
            told |= {c for c in here.counters if entails(facts, here.same(c))}
            facts = facts.assume(*map(here.same, told))
        return told

    def may_meet(self, left: Sequence[Size], right: Sequence[Size]) -> bool:
        """Return whether two turns, which have nothing to do with one another, may name an element and a part of it."""
        here = _Two(self, [*left, *right])
        return not any(entails(here.facts, Ne(a, here.other(b))) for a, b in zip(left, right, strict=False))

    def counts_densely(self, number: Size) -> bool:
        """Return whether a number gives each of its counters, and takes no more values than they have turns: machine
        integers, which wrap around, tell these apart then, as they do for one counter alone."""
        here = _Two(self, [number])
        lengths = [c.high - c.low for c in here.counters if c.low is not None and c.high is not None]
        if not here.counters or len(lengths) < len(here.counters) or self.told_apart([number]) != {*here.counters}:
            return False
        return entails(here.facts, lt(number - here.other(number), reduce(mul, lengths)))

    def collision(self, indices: Sequence[Size]) -> Collision | None:
        """Two turns of two loops that read one element: where the outer one makes steps that are shorter than the way
        of the inner one, which counts from 0."""
        here = _Two(self, indices)
        counted = here.counters
        if len(indices) != 1 or len(counted) != 2 or None in [c.region for c in counted]:
            return None
        slopes = [indices[0].linear_in(c.variable) for c in counted]
        inner = next((k for k in (1, 0) if (found := slopes[k]) is not None and found[0] == Size.of(1)), None)
        way = None if inner is None else slopes[1 - inner]
        if inner is None or way is None:
            return None
        outer, inside, step = counted[1 - inner], counted[inner], way[0]
        rest = way[1] - Size.of(inside.variable)
        if outer.low is None or inside.low != Size.of(0) or inside.high is None or inside.variable in step.vars():
            return None
        if not entails(here.facts, ge(step, 1)) or not entails(here.facts, ge(inside.high, step + 1)):
            return None
        turns = (outer.low, step), (outer.low + 1, Size.of(0))
        return Collision((outer.variable.name, inside.variable.name), *turns, inside.high, rest)


class _Two:
    """Two turns of the loops whose counters some indices mention: these loops run, since there are the elements."""

    def __init__(self, turns: Turns, indices: Sequence[Size]) -> None:
        used = frozenset[SizeVar]().union(*[index.vars() for index in indices])
        self.counters = [c for c in turns.counters if c.variable in used]
        self._others = {c.variable: Size.of(replace(c.variable, id=-1 - c.variable.id)) for c in self.counters}
        self.facts = turns.facts.assume(*self._running())

    def other(self, size: Size) -> Size:
        """A size of the first turn in the second one."""
        return size.substitute(self._others)

    def same(self, counter: Counter) -> Prop:
        """The condition that both turns have this one of a loop."""
        return Eq(Size.of(counter.variable), self._others[counter.variable])

    def _running(self) -> Iterator[Prop]:
        """The ends of the loops, which may depend on the counters of others, in both turns."""
        turns: Sequence[Callable[[Size], Size]] = (lambda size: size, self.other)
        for counter, turn in product(self.counters, turns):
            value = turn(Size.of(counter.variable))
            if counter.low is not None:
                yield ge(value, turn(counter.low))
            if counter.high is not None:
                yield lt(value, turn(counter.high))

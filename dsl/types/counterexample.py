"""Examples of sizes with given properties, looked for in stages: very small ones, all small ones, then any.

The first two stages find the smallest example. The last one solves equations first, searches over the
variables that remain, and tries values near the bounds that follow, so it also finds examples with some
sizes beyond the small ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dsl.types import linear
from dsl.types.facts import Le, Prop, map_prop
from dsl.types.search import GREATEST, Assignment, first, holds, interesting, search, variables
from dsl.types.size import Size, SizeVar
from dsl.types.system import System, system_of

_FIRST_STEPS = 40
_SMALL_STEPS = 2500
_FREE_STEPS = 2500


class Examples:
    """A search that goes on where it stopped. `order` says which variables count first."""

    def __init__(self, order: tuple[SizeVar, ...], props: Sequence[Prop]) -> None:
        self._order = order
        self._props = tuple(props)
        self._steps = iter(search(order, self._props, {}))
        self._exhausted = False

    def very_small(self) -> Assignment | None:
        return self._next(_FIRST_STEPS)

    def plural(self) -> Assignment | None:
        """One without sizes of 0 and 1, which are special in too many ways to explain anything."""
        more_than_one = tuple(Le(Size.of(2), Size.of(var)) for var in self._order if var.natural)
        return first(iter(search(self._order, (*self._props, *more_than_one), {})), _FIRST_STEPS)[0]

    def any(self) -> Assignment | None:
        found = None if self._exhausted else self._next(_SMALL_STEPS)
        if found is not None:
            return found
        self._steps = _solved_first(self._order, self._props)
        return self._next(_FREE_STEPS)

    def _next(self, budget: int) -> Assignment | None:
        found, self._exhausted = first(self._steps, budget)
        return found


def _solved_first(order: tuple[SizeVar, ...], props: tuple[Prop, ...]) -> Iterator[Assignment | None]:
    """Steps of a search over the variables that the equations among `props` leave free."""
    system = system_of(props)
    if system.impossible:
        return
    solved = {atom: size for atom, size in system.solved.items() if isinstance(atom, SizeVar)}
    signs = [Le(Size.of(0), size) for atom, size in solved.items() if atom.natural]
    left = tuple(map_prop(prop, system.reduce) for prop in (*props, *signs))
    mentioned = (*order, *variables(left), *(v for size in solved.values() for v in _in_order(size)))
    free = tuple(var for var in dict.fromkeys(mentioned) if var not in solved)
    ranges = {var: _range(system, var) for var in free}
    more = {var: interesting(left) | _near(ranges[var]) for var in free}
    left += tuple(prop for var, limits in ranges.items() for prop in _inside(var, limits))
    for found in search(free, left, more):
        values = None if found is None else _completed(order, solved, found)
        yield values if values is not None and all(holds(prop, values) is True for prop in props) else None


def _completed(order: tuple[SizeVar, ...], solved: Mapping[SizeVar, Size], found: Assignment) -> Assignment | None:
    """The values found with those of the variables that equations give; none where these rest on an open shape."""
    try:
        return {var: solved[var].evaluate(found) if var in solved else found[var] for var in order}
    except LookupError:
        return None


def _in_order(size: Size) -> Iterator[SizeVar]:
    return (atom for atom in size.atoms() if isinstance(atom, SizeVar))


def _range(system: System, var: SizeVar) -> tuple[int | None, int | None]:
    try:
        return system.bounds(Size.of(var))
    except linear.Infeasible:
        return None, None


def _near(limits: tuple[int | None, int | None]) -> frozenset[int]:
    """Values near those bounds of a variable that lie beyond the small sizes."""
    low, high = limits
    values = [] if low is None else [low, low + 1, low + 2]
    values += [] if high is None else [high, high - 1, high - 2]
    return frozenset(value for value in values if abs(value) > GREATEST)


def _inside(var: SizeVar, limits: tuple[int | None, int | None]) -> Iterator[Prop]:
    """Yield bounds of a variable that are implied, to prune the search."""
    low, high = limits
    if low is not None:
        yield Le(Size.of(low), Size.of(var))
    if high is not None:
        yield Le(Size.of(var), Size.of(high))

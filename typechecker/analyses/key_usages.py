"""Usages of keys: what a run of a subterm moves, put together along a path, over branches, and in repeated bodies.

A body that runs many times is a region, with a number. A local bound outside of it is used many times there, unless its
indices tell the turns apart (`key_indices`). Knows places, not Core: that is `affine_keys`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.facts import Facts
from dsl.types.size import Size, SizeVar
from typechecker.analyses.key_indices import Counter, Turns
from typechecker.analyses.key_places import Place, Use
from typechecker.errors import keys as key_errors
from typechecker.errors.causes import Repeated

Usage: TypeAlias = tuple[Use, ...]
"""The uses of locals on any path through a subterm, in their order."""


class Usages:
    """Open regions, where each local is bound, and the errors found."""

    def __init__(self, facts: Facts, bound_at: Callable[[int], Span | None], written: ast.Def) -> None:
        self.facts = facts
        self.bound_at = bound_at
        self.written = written
        self.found: list[Diagnostic] = []
        self.twice: set[int] = set()
        self._regions: list[int] = []
        self._kinds: list[Repeated] = []
        self._born: dict[int, int] = {}
        self._counters: dict[SizeVar, Counter] = {}
        self._repeated: set[tuple[int, int]] = set()
        self._told: set[Span | None] = set()

    # ------------------------------------------------------------ regions and locals

    @contextmanager
    def many_times(self, kind: Repeated) -> Iterator[None]:
        """In a body that runs many times."""
        self.open(kind)
        yield
        self.close()

    def open(self, kind: Repeated = Repeated.TURNS) -> None:
        """Open a region inside of the others."""
        self._regions.append(len(self._kinds))
        self._kinds.append(kind)

    def close(self, count: int = 1) -> None:
        """Leave the innermost regions."""
        del self._regions[len(self._regions) - count :]

    def count(self, id: int, name: str, low: Size | None, high: Size | None) -> Size:
        """A local that counts the turns of the innermost region."""
        variable = SizeVar(id, name, False)
        self._counters[variable] = Counter(variable, self._regions[-1], low, high)
        return Size.of(variable)

    def bind(self, id: int) -> None:
        """A local is bound in the innermost region."""
        self._born[id] = len(self._kinds)

    def _around(self, root: int) -> tuple[int, ...]:
        """The bodies around this place that run many times and that a local is bound outside of."""
        born = self._born.get(root, 0)
        return tuple([region for region in self._regions if region >= born])

    def _turns(self, *places: Place) -> Turns:
        """The counters of all such bodies, and of the slices that places take."""
        born = self._born.get(places[0].root, 0)
        counters = [c for c in self._counters.values() if c.region is not None and c.region >= born]
        return Turns([*counters, *[c for place in places for c in place.slices]], self.facts)

    def tells_turns_apart(self, key: Place, number: Size) -> bool:
        """Return whether a number made of counters is another one in each of their turns, and as small as these are
        many."""
        return self._turns(key).counts_densely(number)

    def _told_apart(self, place: Place, indices: Sequence[Size]) -> set[int | None]:
        return {counter.region for counter in self._turns(place).told_apart(indices)}

    # ------------------------------------------------------------ usages

    def once(self, use: Use) -> Usage:
        """One use, of a local that must be bound as often as this place is reached."""
        use = replace(use, around=self._around(use.place.root))
        if use.around and not self._is_reported(use):
            told = self._told_apart(use.place, use.indices)
            outside = [region for region in use.around if region not in told]
            if outside:
                self._repeated.add((use.place.root, outside[0]))
                self._report_repeated(use, outside)
        return (use,)

    def path(self, usages: Iterable[Usage]) -> Usage:
        """Join usages that follow one another: a key that one moves is gone in those after it."""
        before: Usage = ()
        for usage in usages:
            for use in usage if before else ():
                self._require_unused(before, use)
            before += usage
        return before

    def branches(self, arms: Iterable[Usage]) -> Usage:
        """Join usages of which a run takes one. Another turn may take another arm."""
        taken: Usage = ()
        for moved in arms:
            for use in moved:
                self._require_other_turns_apart(taken, use)
            taken += moved
        return taken

    def _require_unused(self, before: Usage, use: Use) -> None:
        first = next((u for u in before if self._meet(u, use)), None)
        if first is None or self._is_reported(use):
            return
        if first.span == use.span:
            self._report_repeated(use, use.around)
        elif use.around and not first.place.overlaps(use.place):
            self._report_other_turn(first, use)
        else:
            self.twice.add(use.place.root)
            early, late = sorted((first, use), key=lambda u: u.span.start)
            name, kind = late.written_place, late.type
            self.found.append(key_errors.key_used_twice(self.written, name, late.span, early.span, kind, late.by))

    def _require_other_turns_apart(self, others: Usage, use: Use) -> None:
        around = self._around(use.place.root)
        met = [first for first in others if self._meet(first, use)] if around and not self._is_reported(use) else []
        first = next((u for u in met if not self._are_of_one_turn(u, use, around)), None)
        if first is not None:
            self._report_other_turn(first, use)

    def _meet(self, first: Use, other: Use) -> bool:
        """Return whether two uses may share a key, in whatever turns."""
        a, b = first.place, other.place
        return a.root == b.root and a.shares_fields(b) and self._turns(b, a).may_meet(a.indices, b.indices)

    def _are_of_one_turn(self, first: Use, use: Use, around: Collection[int]) -> bool:
        """Return whether one key is of one turn of all these bodies, by indices that both uses have: then one arm moves
        it."""
        pairs = [*zip(first.place.indices, use.place.indices, strict=False), *zip(first.data, use.data, strict=False)]
        return self._told_apart(use.place, [a for a, b in pairs if a == b]).issuperset(around)

    # ------------------------------------------------------------ errors

    def _is_reported(self, use: Use) -> bool:
        return any((use.place.root, region) in self._repeated for region in use.around)

    def _report_other_turn(self, first: Use, use: Use) -> None:
        self.found.append(key_errors.key_of_another_turn(use.written, use.span, first.written, first.span, use.by))

    def _report_repeated(self, use: Use, outside: Sequence[int]) -> None:
        """Report an error of a local function once, however often it is passed on."""
        if use.by is None or use.by not in self._told:
            self._told.add(use.by)
            self.found.append(self._many(use, outside))

    def _many(self, use: Use, outside: Sequence[int]) -> Diagnostic:
        bound = self.bound_at(use.place.root)
        kind = self._kinds[outside[0]] if outside else Repeated.TURNS
        turns = self._turns(use.place)
        made = (*use.place.indices, *use.folded)
        variables = frozenset[SizeVar]().union(*[index.vars() for index in made])
        named = [c for c in turns.counters if c.region is not None and c.variable in variables]
        missing = [c.variable.name for c in turns.counters if c.region in outside and c not in named]
        met = turns.collision(made)
        if kind is Repeated.TURNS and named and missing:
            return key_errors.key_of_all_turns(self.written, use, missing, bound)
        if kind is Repeated.TURNS and met is not None:
            return key_errors.key_of_two_turns(self.written, use, met, bound)
        if kind is Repeated.TURNS and use.folded and {*outside} <= {c.region for c in named}:
            return key_errors.key_of_any_numbers(self.written, use, [c.variable.name for c in named], bound)
        return key_errors.key_in_loop(use.written_place, use.span, kind, bound, use.by)

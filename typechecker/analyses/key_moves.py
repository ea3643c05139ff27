"""Uses of keys on the path to a location, the repeated bodies they are in, and their errors.

A body that runs many times is a region, with a number. Knows places, not Core: that is `affine_keys`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types.facts import Facts
from dsl.types.size import Size, SizeVar
from typechecker.analyses.key_indices import Counter, Turns
from typechecker.analyses.key_places import Ledger, Place, Use
from typechecker.errors import keys as key_errors
from typechecker.errors.causes import Repeated


class Moves:
    """The state at one place: open regions, where each local is bound, and what has been moved."""

    def __init__(self, facts: Facts, bound_at: Callable[[int], Span | None], written: ast.Def) -> None:
        self.facts = facts
        self.bound_at = bound_at
        self.written = written
        self.found: list[Diagnostic] = []
        self.ledger = Ledger()
        self.regions: list[int] = []
        self.kinds: dict[int, Repeated] = {}
        self.opened = 0
        self.born: dict[int, int] = {}
        self.counters: dict[SizeVar, Counter] = {}
        self.repeated: set[tuple[int, int]] = set()
        self.twice: set[int] = set()
        self.told: set[Span | None] = set()

    # ------------------------------------------------------------ regions and locals

    @contextmanager
    def many_times(self, kind: Repeated) -> Iterator[None]:
        """In a body that runs many times."""
        self.open(kind)
        yield
        self.close()

    def open(self, kind: Repeated = Repeated.TURNS) -> None:
        """Open a region inside of the others."""
        self.regions.append(self.opened)
        self.kinds[self.opened] = kind
        self.opened += 1

    def close(self, count: int = 1) -> None:
        """Leave the innermost regions."""
        del self.regions[len(self.regions) - count :]

    def count(self, id: int, name: str, low: Size | None, high: Size | None) -> Size:
        """A local that counts the turns of the innermost region."""
        variable = SizeVar(id, name, False)
        self.counters[variable] = Counter(variable, self.regions[-1], low, high)
        return Size.of(variable)

    def bind(self, id: int) -> None:
        """A local is bound in the innermost region; anew, if its body is walked again."""
        self.born[id] = self.opened
        self.ledger.forget(id)

    # ------------------------------------------------------------ moving

    def move(self, *uses: Use) -> None:
        """Record uses, of which one run makes any; report those whose key is gone, or bound less often than this place
        is reached."""
        for use in uses:
            self._judge(use)
        for use in uses:
            self.ledger.add(use)

    def _judge(self, use: Use) -> None:
        root = use.place.root
        around = self._around(root)
        if any((root, region) in self.repeated for region in around):
            return
        told = {counter.region for counter in self._turns(use.place).told_apart(use.indices)} if around else set()
        outside = [region for region in around if region not in told]
        first = self.ledger.earlier(use.place, self._meet)
        if outside:
            self.repeated.add((root, outside[0]))
            self._report_repeated(use, outside)
        elif first is not None and first.span == use.span:
            self._report_repeated(use, around)
        elif first is not None and around and not first.place.overlaps(use.place):
            self._report_other_turn(first, use)
        elif first is not None:
            self.twice.add(root)
            early, late = sorted((first, use), key=lambda u: u.span.start)
            name, kind = late.written_place, late.type
            self.found.append(key_errors.key_used_twice(self.written, name, late.span, early.span, kind, late.by))

    def _around(self, root: int) -> list[int]:
        """The bodies around this place that run many times and that a local is bound outside of."""
        return [region for region in self.regions if region >= self.born.get(root, 0)]

    def _turns(self, *places: Place) -> Turns:
        """The counters of all such bodies, and of the slices that places take."""
        born = self.born.get(places[0].root, 0)
        counters = [c for c in self.counters.values() if c.region is not None and c.region >= born]
        return Turns([*counters, *[c for place in places for c in place.slices]], self.facts)

    def tells_turns_apart(self, key: Place, number: Size) -> bool:
        """Return whether a number made of counters is another one in each of their turns, and as small as these are
        many."""
        return self._turns(key).counts_densely(number)

    def _meet(self, first: Place, other: Place) -> bool:
        """Return whether two parts of a local may share a key, in whatever turns."""
        return first.shares_fields(other) and self._turns(other, first).may_meet(first.indices, other.indices)

    def _report_other_turn(self, first: Use, use: Use) -> None:
        self.found.append(key_errors.key_of_another_turn(use.written, use.span, first.written, first.span, use.by))

    def _report_repeated(self, use: Use, outside: Sequence[int]) -> None:
        """Report an error of a local function once, however often it is passed on."""
        if use.by is None or use.by not in self.told:
            self.told.add(use.by)
            self.found.append(self._repeated(use, outside))

    def _repeated(self, use: Use, outside: Sequence[int]) -> Diagnostic:
        bound = self.bound_at(use.place.root)
        kind = self.kinds[outside[0]] if outside else Repeated.TURNS
        turns = self._turns(use.place)
        made = (*use.place.indices, *use.folded)
        named = [c for c in turns.counters if c.region is not None and c.variable in _variables(made)]
        missing = [c.variable.name for c in turns.counters if c.region in outside and c not in named]
        met = turns.collision(made)
        if kind is Repeated.TURNS and named and missing:
            return key_errors.key_of_all_turns(self.written, use, missing, bound)
        if kind is Repeated.TURNS and met is not None:
            return key_errors.key_of_two_turns(self.written, use, met, bound)
        if kind is Repeated.TURNS and use.folded and {*outside} <= {c.region for c in named}:
            return key_errors.key_of_any_numbers(self.written, use, [c.variable.name for c in named], bound)
        return key_errors.key_in_loop(use.written_place, use.span, kind, bound, use.by)

    def branches(self, arms: Iterable[Callable[[], None]]) -> None:
        """Each arm from the state before; after them, the moves of all. Another turn may take another arm."""
        taken: list[Use] = []
        for arm in arms:
            mark = self.ledger.mark()
            arm()
            moved = self.ledger.rollback(mark)
            self._judge_arms(taken, moved)
            taken += moved
        for use in taken:
            self.ledger.add(use)

    def _judge_arms(self, others: Sequence[Use], moved: Sequence[Use]) -> None:
        for use in moved:
            root, around = use.place.root, self._around(use.place.root)
            if not around or any((root, region) in self.repeated for region in around):
                continue
            met = [u for u in others if u.place.root == root and self._meet(u.place, use.place)]
            first = next((u for u in met if not self._are_of_one_turn(u, use, around)), None)
            if first is not None:
                self._report_other_turn(first, use)

    def _are_of_one_turn(self, first: Use, use: Use, around: Collection[int]) -> bool:
        """Return whether one key is of one turn of all these bodies, by indices that both uses have: then one arm moves
        it."""
        pairs = [*zip(first.place.indices, use.place.indices, strict=False), *zip(first.data, use.data, strict=False)]
        told = self._turns(use.place).told_apart([a for a, b in pairs if a == b])
        return {counter.region for counter in told}.issuperset(around)


def _variables(indices: Sequence[Size]) -> frozenset[SizeVar]:
    return frozenset[SizeVar]().union(*[index.vars() for index in indices])

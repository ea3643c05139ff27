"""Choose how the arguments of a function lie over a mesh: the fastest way that fits into a memory, by a model.

Every group of parameters has a layout of its own among those that cut it equally: for each axis of the mesh an axis of
the array, or none. What a choice takes is followed through the function (`layouts`). The search is branch and bound: a
parameter without a layout yet makes what depends on it undecided, which all devices share at best, so that what is
decided bounds the rest from below. It starts from what changes of one group at a time lead to, and may end early.
Read next: `estimate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import inf, prod
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.function import Function, Tensor, Var
from dsl.ir.region import Facts
from dsl.ir.work import Work, total
from dsl.ops.named_axes import NamedAxisParams
from dsl.transforms.estimate import peak_of_spread
from dsl.transforms.layout_facts import Grid, Layout
from dsl.transforms.layouts import Spread, Spreading, grid_of

WEIGHT = 0.1
"""A tenth of the memory is worth a hundredth of the time."""

Choice: TypeAlias = "tuple[int | None, ...]"
"""For every group the fact of its members, None where it is not decided."""


class Machine(Struct, frozen=True):
    """The rates of one device per second: operations, bytes read and written, bytes sent; and the seconds until others
    hear of it."""

    flops: float
    memory: float
    link: float
    latency: float

    def seconds(self, work: Work) -> float:
        """Return the time of work that is done one after the other."""
        sent = sum(count for _, count in work.sent)
        return work.flops / self.flops + work.moved / self.memory + sent / self.link + work.exchanges * self.latency


class Group(Struct, frozen=True):
    """Parameters, by number, that lie alike."""

    members: tuple[int, ...]
    type: Tensor


class Question(Struct, frozen=True):
    """A function that is placed on the devices of a mesh, what of it lies alike, and for which results it is known
    how they lie: as the parameter with this number, or whole for None."""

    function: Function
    mesh: tuple[NamedAxisParams, ...]
    groups: tuple[Group, ...]
    ties: Mapping[int, int | None]
    machine: Machine


class Found(Struct, frozen=True):
    """A choice: how parameters and results lie, and what a run takes on each device."""

    ins: tuple[Layout, ...]
    outs: tuple[Layout, ...]
    work: Work
    seconds: float
    peak: int


class Answer(Struct, frozen=True):
    """The layouts found within the memory, the best first; the least memory that was seen; and whether there is nothing
    better by the model."""

    found: tuple[Found, ...]
    least: int
    proven: bool


def plan(question: Question, memory: float = inf, count: int = 8, limit: int = 2000) -> Answer:
    """Return up to `count` choices that take no more than `memory`, after `limit` of them have been looked at."""
    search = _Search(question, memory, limit)
    search.improve()
    proven = search.branch()
    fitting = [each for each in search.seen.values() if each.peak <= memory]
    different = {(each.work, each.peak): each for each in reversed(fitting)}
    best = sorted(different.values(), key=lambda each: score(each.seconds, each.peak))[:count]
    return Answer(tuple(best), min(each.peak for each in search.seen.values()), proven)


def score(seconds: float, peak: float) -> float:
    """Return what is to be small: the time, and a little of the memory."""
    weighed: float = seconds * peak**WEIGHT
    return weighed


def layouts_for(type: Tensor, mesh: Sequence[NamedAxisParams]) -> Iterator[Layout]:
    """Yield the layouts that cut an array into equal parts, the one that cuts nothing first."""
    for places in product(*[(None, *range(type.rank)) for _ in mesh]):
        layout = {axis: place for axis, place in zip(mesh, places, strict=True) if place is not None}
        if all(type.shape[k] and type.shape[k] % n == 0 for k, n in _counts(layout).items()):
            yield layout


def _counts(layout: Layout) -> Mapping[int, int]:
    """Into how many parts each axis of an array is cut."""
    return {k: prod([axis.size for axis, place in layout.items() if place == k]) for k in layout.values()}


class _Search:
    """Looks at choices; `seen` has those that are complete."""

    def __init__(self, question: Question, memory: float, limit: int) -> None:
        self._question = question
        self._memory = memory
        self._left = limit
        self._grid: Grid = grid_of(question.function, question.mesh)
        self._spreading = Spreading(self._grid)
        self._options = [
            [self._grid.fact(layout, group.type.rank) for layout in layouts_for(group.type, question.mesh)]
            for group in question.groups
        ]
        self.seen: dict[Choice, Found] = {}
        self._best: Found | None = None

    # ------------------------------------------------------------ one choice

    def _spread(self, choice: Choice) -> tuple[Spread, Facts]:
        """How the values of the function lie, and how its results are to lie."""
        question, unknown = self._question, self._grid.unknown
        given = [self._grid.whole] * len(question.function.params)
        for group, fact in zip(question.groups, choice, strict=True):
            for member in group.members:
                given[member] = unknown if fact is None else fact
        results = range(len(question.function.results))
        origins = [question.ties.get(k) for k in results]
        tied = [self._grid.whole if origin is None else given[origin] for origin in origins]
        wanted = tuple([self._grid.whole if fact & unknown else fact for fact in tied])
        spread = self._spreading.spread(question.function, tuple(given), wanted)
        own = [self._plain(x.type, fact) for x, fact in zip(question.function.results, spread.made, strict=True)]
        return spread, tuple([tied[k] if k in question.ties else own[k] for k in results])

    def _plain(self, type: Tensor, fact: int) -> int:
        """How a result lies whose fact is this; constants are whole, and so is what could not be cut so."""
        if fact & self._grid.unknown:
            return fact
        return self._grid.fact(self._grid.layout(fact, type.rank), type.rank)

    def _work(self, spread: Spread, outs: Facts) -> Work:
        unknown, moves = self._grid.unknown, [spread.work]
        for x, made, wanted in zip(self._question.function.results, spread.made, outs, strict=True):
            if isinstance(x, Var) and not (made | wanted) & unknown:
                moves.append(self._spreading.moved(x.type, made, wanted))
        return total(moves)

    def look(self, choice: Choice) -> Found:
        """Return the needs of a complete choice."""
        found = self.seen.get(choice)
        if found is None:
            self._left -= 1
            spread, outs = self._spread(choice)
            work = self._work(spread, outs)
            ins = tuple([self._grid.layout(fact, t.rank) for fact, t in self._pairs(spread.given, True)])
            made = tuple([self._grid.layout(fact, t.rank) for fact, t in self._pairs(outs, False)])
            found = Found(ins, made, work, self._question.machine.seconds(work), peak_of_spread(spread))
            self.seen[choice] = found
            if self._best is None or self.rank(found) < self.rank(self._best):
                self._best = found
        return found

    def _pairs(self, facts: Facts, given: bool) -> Iterable[tuple[int, Tensor]]:
        function = self._question.function
        return zip(facts, function.param_types if given else function.result_types, strict=True)

    def _bound(self, choice: Choice) -> tuple[float, int]:
        """The least time and memory of all choices that this one is the beginning of."""
        self._left -= 1
        spread, outs = self._spread(choice)
        return self._question.machine.seconds(self._work(spread, outs)), peak_of_spread(spread)

    def rank(self, found: Found) -> tuple[float, float]:
        """Return what is to be small: the memory beyond what there is, then the score."""
        return max(found.peak - self._memory, 0), score(found.seconds, found.peak)

    # ------------------------------------------------------------ changes of one group

    def improve(self) -> None:
        """Change one group at a time while that is better, from where nothing is cut, and from where each axis of the
        mesh cuts the longest axes of as many arrays as have one of that length."""
        for start in dict.fromkeys(self._starts()):
            choice, best = start, self.rank(self.look(start))
            changed = True
            while changed and self._left > 0:
                changed = False
                for k in range(len(choice)):
                    tried = [(*choice[:k], option, *choice[k + 1 :]) for option in self._options[k]]
                    rank, better = min([(self.rank(self.look(each)), each) for each in tried], key=lambda pair: pair[0])
                    if rank < best:
                        choice, best, changed = better, rank, True

    def _starts(self) -> Iterator[Choice]:
        yield tuple([options[0] for options in self._options])
        lengths = sorted({size for group in self._question.groups for size in group.type.shape}, reverse=True)[:4]
        for length in lengths:
            for axes in (self._question.mesh, *[(axis,) for axis in self._question.mesh]):
                yield tuple([self._along(k, axes, length) for k in range(len(self._options))])

    def _along(self, k: int, axes: Sequence[NamedAxisParams], length: int) -> int:
        """The fact of a group that is cut by these axes where it has this length."""
        type, options = self._question.groups[k].type, self._options[k]
        if length not in type.shape:
            return options[0]
        wanted = self._grid.fact({axis: type.shape.index(length) for axis in axes}, type.rank)
        return wanted if wanted in options else options[0]

    # ------------------------------------------------------------ branch and bound

    def branch(self) -> bool:
        """Look at all choices that could be better; whether none was left out."""
        order = sorted(range(len(self._options)), key=lambda k: -self._question.groups[k].type.bytes)
        return self._branch(tuple([None] * len(order)), order)

    def _branch(self, choice: Choice, order: Sequence[int]) -> bool:
        if self._left <= 0:
            return False
        if not order:
            self.look(choice)
            return True
        k, rest = order[0], order[1:]
        tried = [(*choice[:k], option, *choice[k + 1 :]) for option in self._options[k]]
        if not rest:
            return all(self._branch(each, rest) for each in tried)
        bounds = [(*self._bound(each), number) for number, each in enumerate(tried)]
        bounds.sort(key=lambda each: score(each[0], each[1]))
        return all(self._branch(tried[number], rest) for *bound, number in bounds if self._may_win(*bound))

    def _may_win(self, seconds: float, peak: float) -> bool:
        best = self._best
        if best is None or best.peak > self._memory:
            return best is None or peak < best.peak
        return peak <= self._memory and score(seconds, peak) < score(best.seconds, best.peak)

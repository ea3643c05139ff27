"""The choice of a `checkpoint` within a budget: to keep the values that save the most operations per byte.

A value is worth what need not run again if it is kept, through calls and loops. Values are taken one after another, by
operations saved per byte or by operations saved, and of each order so made as much is kept as fits. There are orders of
all values, of those of at most half the size of the largest, of at most a quarter, and so on, so that a large value
does not keep small ones out. The orders do not depend on the budget, and a byte has its price: a larger budget never
computes more again. Read next: `needs`, which says what a value is worth; `checkpoint_policy`, which keeps what is
chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from math import inf
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.equation_work import bounded
from dsl.ir.function import Equation, Var
from dsl.ops.residuals.checkpoint_policy import Keeper, Policy, Versions
from dsl.ops.residuals.needs import PRICE, Needs, NeedsGraph


class _Step(Struct, frozen=True):
    """Values that are kept beside those of the steps before; the bytes of all, and the work that is left then."""

    values: tuple[Var, ...]
    bytes: int
    work: int


def versions_of(
    policy: Policy,
    budget: int | None,
    equations: Sequence[Equation],
    needed: Sequence[Var],
    words: Sequence[tuple[str, ...] | None] = (),
) -> tuple[Versions, int | None]:
    """Return the equations that run at first and again, within a budget if there is one, and what is left of it for the
    derivatives of each of the two."""
    if budget is None:
        return Keeper(policy).versions(equations, needed), None
    made = versions_within(policy, equations, needed, budget, words)
    return made, (budget - kept_bytes(made)) // 2


def versions_within(
    policy: Policy,
    equations: Sequence[Equation],
    needed: Sequence[Var],
    budget: int,
    words: Sequence[tuple[str, ...] | None] = (),
) -> Versions:
    """Return the equations that run at first and again, where what is kept takes at most `budget` bytes. `words` are
    sets of ops: to keep what each of them gives is tried, too, and so is to keep everything, for None."""
    graph = NeedsGraph(equations, needed)
    orders = [[], *_orders(graph, budget), *[_by_word(graph, ops) for ops in words]]
    cuts = [order[: _fitting(order, budget)] for order in orders]
    best = min(cuts, key=lambda order: order[-1].work + PRICE * order[-1].bytes if order else graph.work)
    while True:
        chosen = frozenset([value for step in best for value in step.values])
        made = Keeper(policy, chosen).versions(equations, needed)
        if not best or kept_bytes(made) <= budget:
            return made
        best = best[:-1]


def kept_bytes(made: Versions) -> int:
    """Return the bytes of what is kept; arrays whose sizes a run decides have room for the largest."""
    return sum(bounded(value.type).bytes for value in made.kept)


def _fitting(order: Sequence[_Step], budget: int) -> int:
    """The number of steps up to the last after which all fits."""
    return max([k for k, step in enumerate(order, 1) if step.bytes <= budget], default=0)


def _orders(graph: NeedsGraph, budget: int) -> Iterator[list[_Step]]:
    """Orders of the values of a size class and those below; what is larger than the budget is of no use."""
    sizes = [graph.bytes_of(graph.nodes_of(values)) for values in graph.candidates]
    classes = {size.bit_length() for size in sizes if size <= budget}
    for each in sorted(classes, reverse=True):
        among = [k for k, size in enumerate(sizes) if size.bit_length() <= each]
        yield from (_order(graph, among, rank) for rank in (_per_byte, _in_all))


Rank: TypeAlias = Callable[[int, int], float]
"""rank(operations saved, bytes) -> how good that is; what needs no more bytes than before is best."""


def _per_byte(saved: int, size: int) -> float:
    return saved / size if size > 0 else inf


def _in_all(saved: int, size: int) -> float:
    return saved if size > 0 else inf


def _order(graph: NeedsGraph, candidates: Sequence[int], rank: Rank) -> list[_Step]:
    """Take the best candidate, again and again; what that changes is valued anew."""
    needs, steps, allowed = Needs(graph), list[_Step](), set(candidates)
    queue: list[tuple[float, int]] = []
    ranks: dict[int, float] = {}

    def push(k: int) -> None:
        worth = needs.worth(graph.candidates[k])
        found = None if worth is None else rank(*worth)
        if found != ranks.get(k):
            ranks.pop(k, None)
            if found is not None:
                ranks[k] = found
                heappush(queue, (-found, k))

    for k in candidates:
        push(k)
    while queue:
        found, k = heappop(queue)
        if ranks.get(k) != -found:
            continue
        push(k)  # what was kept since may have made it worth less
        if ranks.get(k) == -found:
            touched = needs.keep(graph.candidates[k])
            steps.append(_Step(graph.candidates[k], needs.bytes, needs.work))
            del ranks[k]
            for other in sorted({c for value in touched for c in graph.places.get(value, ())} & allowed - {k}):
                push(other)
    return steps


def _by_word(graph: NeedsGraph, ops: tuple[str, ...] | None) -> list[_Step]:
    """The one step that keeps what these ops give."""
    needs, values = Needs(graph), graph.made_by(ops)
    if not values:
        return []
    needs.keep(values)
    return [_Step(values, needs.bytes, needs.work)]

"""Which values a loop keeps for its derivative: as few bytes as will do.

A residual that a few cheap elementwise operations make from others need not be kept: the unknown half makes it again.
What is kept is a smallest set of values, in bytes, from which all residuals can be made so: a minimum cut of the
graph of cheap equations between what cannot be made again and the residuals (Ford and Fulkerson 1956), of all such
cuts the one nearest to the residuals. Equal equations count as one. Read next: `scan`, which asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from itertools import pairwise
from typing import TypeAlias, assert_never, cast

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.region import Split
from dsl.ir.sizes import bound, own_sizes, sizes_of
from dsl.ir.traits import Cost
from dsl.records import replace

FEW = 16
"""As many numbers of a moderate cost are computed once more rather than kept."""


def is_cheap(equation: Equation) -> bool:
    """Return whether recomputing an equation costs less than keeping its results."""
    if not isinstance(equation.op, Op):
        return False
    match equation.op.traits.cost:
        case Cost.FREE | Cost.CHEAP:
            return True
        case Cost.MODERATE:
            return bound(equation.outputs[0].type.size) <= FEW
        case Cost.HIGH:
            return False
        case _:
            assert_never(equation.op.traits.cost)


def lean(split: Split, free: Iterable[Var]) -> Split:
    """`split` with a smallest set of residuals; those in `free`, of its known half, cost nothing."""
    known = split.known
    values = (*known.params, *known.results)
    residuals = [cast(Var, values[i]) for i in split.residuals]
    same, made = _merged(known)
    given = {same.get(v, v) for v in free}
    wanted = dict.fromkeys([same.get(v, v) for v in residuals])
    kept = _cut(made, given, [v for v in wanted if v not in given])
    again = _again(made, {*given, *kept}, wanted)
    if len(kept) + len(wanted.keys() & given) == len(residuals) and not again:
        return split
    own = {y for e in again for y in e.outputs}
    needed = dict.fromkeys([x for e in again for x in e.inputs if isinstance(x, Var) and x not in own])
    needed.update(dict.fromkeys([v for v in wanted if v not in own]))
    place: dict[Atom, int] = {}
    count = len(known.params) + len(split.out_unknown) - sum(split.out_unknown)
    for i, atom in enumerate(values[:count]):
        place.setdefault(same.get(atom, atom) if isinstance(atom, Var) else atom, i)
    extra = [v for v in needed if v not in place]
    place.update({v: count + k for k, v in enumerate(extra)})
    results = (*values[len(known.params) : count], *extra)
    return replace(
        split,
        known=Function(known.name, known.params, known.equations, results),
        unknown=_resumed(split, [same.get(v, v) for v in residuals], list(needed), again),
        residuals=tuple([place[v] for v in needed]),
    )


def _merged(function: Function) -> tuple[dict[Var, Var], dict[Var, Equation]]:
    """For each var that an earlier one equals, that one; and the equation of every other var, in order. Where the sizes
    that the function decides are not known, nothing that mentions them can be made."""
    own = own_sizes(function)
    same: dict[Var, Var] = {}
    made: dict[Var, Equation] = {}
    seen: dict[Hashable, tuple[Var, ...]] = {}
    for equation in function.equations:
        if isinstance(equation.op, Op) and equation.op.effect is None:
            inputs = tuple([same.get(x, x) if isinstance(x, Var) else x for x in equation.inputs])
            parts = [x if isinstance(x, Var) else x.key for x in inputs]
            key = (equation.op.name, equation.params, *parts)
            before = seen.setdefault(key, equation.outputs)
            if before is not equation.outputs:
                same.update(zip(equation.outputs, before, strict=True))
                continue
            equation = Equation(equation.op, equation.params, inputs, equation.outputs, equation.span)
        if own.isdisjoint(sizes_of(equation) if own else ()):
            made.update(dict.fromkeys(equation.outputs, equation))
    return same, made


def _sources(v: Var, made: dict[Var, Equation], free: set[Var]) -> list[Var] | None:
    """Return the variables from which v can be recomputed, without the free ones; None if it cannot."""
    equation = made.get(v)
    if equation is None or not is_cheap(equation):
        return None
    return [x for x in equation.inputs if isinstance(x, Var) and x not in free]


def _again(made: dict[Var, Equation], given: set[Var], wanted: Iterable[Var]) -> list[Equation]:
    """The equations that make what is wanted from what is given, in order."""
    needed = [v for v in wanted if v not in given]
    cone: set[Var] = set()
    while needed:
        v = needed.pop()
        if v not in cone:
            cone.add(v)
            needed += _sources(v, made, given) or []
    return [equation for v, equation in made.items() if v in cone]


def _resumed(split: Split, residuals: list[Var], needed: list[Var], again: list[Equation]) -> Function:
    """The unknown half over the residuals `needed`, which makes the others again."""
    unknown = split.unknown
    own = {v: Var(v.type) for v in (*needed, *[y for e in again for y in e.outputs])}
    first: list[Equation] = []
    for e in again:
        inputs = tuple([own[x] if isinstance(x, Var) else x for x in e.inputs])
        first.append(Equation(e.op, e.params, inputs, tuple([own[y] for y in e.outputs]), e.span))
    names: dict[Atom, Atom] = {p: own[v] for p, v in zip(unknown.params, residuals, strict=False)}

    def read(xs: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple([names.get(x, x) if isinstance(x, Var) else x for x in xs])

    late = [Equation(e.op, e.params, read(e.inputs), e.outputs, e.span) for e in unknown.equations]
    params = (*[own[v] for v in needed], *unknown.params[len(residuals) :])
    return Function(unknown.name, params, (*first, *late), read(unknown.results))


# --- the cut ----------------------------------------------------------------------------------------------


_Node: TypeAlias = "tuple[Var | None, bool]"
"""Where a flow enters a value, or leaves it; of None, where all flow comes from and where it goes."""
_START: _Node = (None, False)
_END: _Node = (None, True)
_Room: TypeAlias = "dict[_Node, dict[_Node, int]]"
"""How much more may flow from a node to the next."""
_ENDLESS = 1 << 62


def _cut(made: dict[Var, Equation], free: set[Var], wanted: list[Var]) -> list[Var]:
    """The least values, in bytes, that all `wanted` ones can be made of, besides the free ones."""
    forced = dict.fromkeys([v for v in wanted if _sources(v, made, free) is None])
    rest = [v for v in wanted if v not in forced]
    room = _graph(made, {*free, *forced}, rest)
    while _END in (distances := _distances(room)):
        _fill(room, distances)
    near = _near_the_end(room)
    return [*forced, *[v for v, leaves in near if v is not None and leaves and (v, False) not in near]]


def _graph(made: dict[Var, Equation], free: set[Var], wanted: list[Var]) -> _Room:
    room: _Room = {_START: {}, _END: {}}

    def edge(a: _Node, b: _Node, size: int) -> None:
        room.setdefault(a, {})[b] = size
        room.setdefault(b, {}).setdefault(a, 0)

    for v in wanted:
        edge((v, True), _END, _ENDLESS)
    todo, seen = wanted.copy(), set(wanted)
    while todo:
        v = todo.pop()
        edge((v, False), (v, True), bound(v.type.size) * max(v.type.dtype.bits // 8, 1))
        sources = _sources(v, made, free)
        if sources is None:
            edge(_START, (v, False), _ENDLESS)
        for u in sources or ():
            edge((u, True), (v, False), _ENDLESS)
            if u not in seen:
                seen.add(u)
                todo.append(u)
    return room


def _distances(room: _Room) -> dict[_Node, int]:
    """How many steps with room lead from the start to each node, no farther than the end."""
    distances: dict[_Node, int] = {_START: 0}
    queue = deque([_START])
    while queue and _END not in distances:
        a = queue.popleft()
        for b, left in room[a].items():
            if left and b not in distances:
                distances[b] = distances[a] + 1
                queue.append(b)
    return distances


def _fill(room: _Room, distances: dict[_Node, int]) -> None:
    """Let flow along shortest ways until none of them has room (Dinic 1970)."""
    ways = {a: [b for b in room[a] if distances.get(b) == far + 1] for a, far in distances.items()}
    path = [_START]
    while path:
        a = path[-1]
        if a == _END:
            _flow(room, path)
            path = [_START]
        elif not ways[a]:
            path.pop()
            if path:
                ways[path[-1]].pop()
        elif room[a][ways[a][-1]]:
            path.append(ways[a][-1])
        else:
            ways[a].pop()


def _flow(room: _Room, path: list[_Node]) -> None:
    """Let as much flow along a path as there is room."""
    steps = list(pairwise(path))
    least = min(room[a][b] for a, b in steps)
    for a, b in steps:
        room[a][b] -= least
        room[b][a] += least


def _near_the_end(room: _Room) -> dict[_Node, None]:
    """The nodes from which more could flow to the end."""
    near: dict[_Node, None] = {_END: None}
    todo = [_END]
    while todo:
        b = todo.pop()
        for a in room[b]:
            if room[a][b] and a not in near:
                near[a] = None
                todo.append(a)
    return near

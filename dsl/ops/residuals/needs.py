"""The work to know some values: all that must run, and all that need not where others are kept.

Calls and loops are seen through: what a body makes is counted as often as it runs, and each call needs its own. In a
program that would be too large so, a body that is called from several places is one, of which whatever one of them
needs is needed for all: then sizes and work are bounds from above. Read next: `budget`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.ir.equation_work import Whole, bounded
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.sizes import bound, sizes_decided_by, sizes_of
from dsl.ops.residuals.checkpoint_policy import body_of

PRICE = 1
"""The operations that a byte counts as which is written to memory, and read later."""
MOST = 4_000
"""So many equations are told apart by the calls that they are in."""
_Node: TypeAlias = "tuple[int, Var | Equation]"
"""A value or an equation, and the number of the part it is in: calls have equations in common."""
_Equations: TypeAlias = "tuple[Equation, ...]"


class _Part(Struct, frozen=True):
    """Equations that run so many times; the numbers of the parts inside them, in order. `shared`: by several calls."""

    equations: _Equations
    times: int
    inner: tuple[int, ...]
    shared: bool = False


class NeedsGraph:
    """Values and equations, and what each of them needs. `candidates` are the values that can be kept, alone or all
    that an equation gives; `places` says among which of them a value is; `work` is that of all that is needed."""

    def __init__(self, equations: Sequence[Equation], needed: Iterable[Var]) -> None:
        self.deps: dict[_Node, list[_Node]] = {}
        self.flops: dict[_Node, int] = {}
        self.bytes: dict[_Node, int] = {}
        self.nodes: dict[Var, list[_Node]] = {}
        self._makers: dict[Var, Equation] = {}
        self._groups: list[tuple[Var, ...]] = []
        self._whole = Whole()
        self._parts = _Parts(tuple(equations)).found
        for number in self._parts:
            self._add(number)
        self._roots = dict.fromkeys([(0, v) for v in needed if (0, v) in self.deps])
        self.refs = self._counted(self._roots)
        self.users: dict[_Node, list[_Node]] = {}
        for node in self.refs:
            for other in self.deps[node]:
                self.users.setdefault(other, []).append(node)
            if node in self.bytes and isinstance(node[1], Var):
                self.nodes.setdefault(node[1], []).append(node)
        self.work = sum(self.flops.get(node, 0) for node in self.refs)
        self.candidates = self._candidates()
        self.places: dict[Var, list[int]] = {}
        for k, values in enumerate(self.candidates):
            for value in values:
                self.places.setdefault(value, []).append(k)

    def bytes_of(self, nodes: Iterable[_Node]) -> int:
        """Return the bytes of values, all runs together."""
        return sum(self.bytes.get(node, 0) for node in nodes)

    def nodes_of(self, values: Iterable[Var]) -> list[_Node]:
        """Return where values are needed."""
        return [node for value in values for node in self.nodes[value]]

    def made_by(self, ops: tuple[str, ...] | None) -> tuple[Var, ...]:
        """Return the values that are needed and that ops of these names give; all that is asked for, for None."""
        if ops is None:
            return tuple([v for _, v in self._roots if isinstance(v, Var) and v in self.nodes])
        return tuple([v for v in self.nodes if self._makers[v].op.name in ops])

    def _add(self, number: int) -> None:
        part = self._parts[number]
        own, inner = sizes_decided_by(part.equations), iter(part.inner)
        for e in part.equations:
            body = body_of(e)
            if body is None:
                self.flops[number, e] = bound(self._whole.of(e).flops) * part.times
                self.deps[number, e] = _at(number, e.inputs)
                self.deps.update({(number, y): [(number, e)] for y in e.outputs})
            else:
                self._enter(number, e, body, next(inner))
            if not (own and sizes_of(e) & own):
                self.bytes.update({(number, y): bounded(y.type).bytes * part.times for y in e.outputs})
                self._makers.update(dict.fromkeys(e.outputs, e))
                self._groups.append(e.outputs)

    def _enter(self, number: int, e: Equation, body: Function, inner: int) -> None:
        """Results are those of the body. A loop that runs makes its whole carry, from what that begins with, and writes
        what it gives. A shared body tells nothing of the operands of one call, which needs them all."""
        params: Any = e.params
        signature = params.signature
        ahead, consts, init, rest = signature.operands(e.inputs)
        shared, last = self._parts[inner].shared, body.results[: signature.carry]
        of_consts, of_carry, of_rest = signature.params(body.params)
        self.deps.update({(inner, p): [] for p in of_carry})
        for p, x in zip((*of_consts, *of_rest), (*consts, *rest), strict=True):
            self.deps[inner, p] = [] if shared else _at(number, [x])
        runs: list[_Node] = [(number, e)] if signature.along or shared else []
        if runs:
            taken = (*ahead, *init, *((*consts, *rest) if shared else ()))
            self.deps[number, e] = [*_at(number, taken), *_at(inner, last)]
        if signature.along:
            written = sum(bounded(y.type).bytes for y in e.outputs)
            self.flops[number, e] = PRICE * self._parts[number].times * written
        self._groups.append(tuple(dict.fromkeys([r for r in last if isinstance(r, Var)])))
        for y, r in zip(e.outputs, body.results, strict=True):
            self.deps[number, y] = [*runs, *_at(inner, [r])]

    def _counted(self, roots: Iterable[_Node]) -> dict[_Node, int]:
        """How many that are needed need each, in an order of first use."""
        refs: dict[_Node, int] = {}
        todo = list(roots)
        todo.reverse()
        while todo:
            node = todo.pop()
            refs[node] = refs.get(node, 0) + 1
            if refs[node] == 1:
                todo += self.deps.setdefault(node, [])
        return refs

    def _candidates(self) -> list[tuple[Var, ...]]:
        groups = [tuple([v for v in group if v in self.nodes]) for group in self._groups]
        return list(dict.fromkeys([*[(v,) for v in self.nodes], *[group for group in groups if len(group) > 1]]))


class Needs:
    """The values and equations that are needed where some values are kept."""

    def __init__(self, graph: NeedsGraph) -> None:
        self._graph = graph
        self._refs = dict(graph.refs)
        self._kept: set[_Node] = set()
        self.work = graph.work
        self.bytes = 0

    def worth(self, values: Sequence[Var]) -> tuple[int, int] | None:
        """Return the operations saved if these values were kept, too, and the bytes for that; None where it is not
        worth it."""
        graph, nodes = self._graph, self._graph.nodes_of(values)
        changed, released = self._release(nodes)
        more = self._open(nodes)
        size = graph.bytes_of(more) - graph.bytes_of(self._kept.intersection(released))
        saved = sum(graph.flops.get(node, 0) for node in released)
        for node in changed:
            self._refs[node] += 1
        return (saved, size) if more and saved > PRICE * max(size, 0) else None

    def keep(self, values: Sequence[Var]) -> set[Var]:
        """Keep these values; returns those of which it may have changed what they are worth."""
        graph, nodes = self._graph, self._graph.nodes_of(values)
        changed, released = self._release(nodes)
        self.work -= sum(graph.flops.get(node, 0) for node in released)
        more, freed = self._open(nodes), self._kept.intersection(released)
        self.bytes += graph.bytes_of(more) - graph.bytes_of(freed)
        self._kept.difference_update(freed)
        self._kept.update(more)
        return {v for node in dict.fromkeys([*changed, *nodes]) for v in self._alone_behind(node)}

    def _open(self, nodes: Iterable[_Node]) -> list[_Node]:
        return [node for node in nodes if node not in self._kept and self._refs[node]]

    def _release(self, nodes: Sequence[_Node]) -> tuple[list[_Node], list[_Node]]:
        """Take back what these values need: whose count went down, once for each time, and who is not needed any
        more."""
        refs, deps = self._refs, self._graph.deps
        changed, released = list[_Node](), list[_Node]()
        todo = [d for node in self._open(nodes) for d in deps[node]]
        kept = {*self._kept, *nodes}
        while todo:
            node = todo.pop()
            refs[node] -= 1
            changed.append(node)
            if not refs[node]:
                released.append(node)
                if node not in kept:
                    todo += deps[node]
        return changed, released

    def _alone_behind(self, node: _Node) -> Iterator[Var]:
        """The values behind a node along the way on which each has one user: to keep one of them may save the node."""
        while self._refs[node] == 1:
            users = [u for u in self._graph.users.get(node, ()) if self._refs[u] and u not in self._kept]
            if len(users) != 1:
                return
            (node,) = users
            if isinstance(node[1], Var):
                yield node[1]


def _at(number: int, xs: Iterable[Atom]) -> list[_Node]:
    return [(number, x) for x in xs if isinstance(x, Var)]


class _Parts:
    """Equations and those of all bodies that are seen through: one part for each call, or for each body where these
    would be too many. The first is number 0, and each stands before those inside it."""

    def __init__(self, equations: _Equations) -> None:
        self._sizes: dict[Function, int] = {}
        self.found: dict[int, _Part] = {}
        if self._size(equations) <= MOST:
            self._unfold(equations, 1, count())
        else:
            self._share(equations)

    def _size(self, equations: _Equations) -> int:
        total = len(equations)
        for body, _ in _inside(equations):
            if body not in self._sizes:
                self._sizes[body] = self._size(body.equations)
            total += self._sizes[body]
        return total

    def _unfold(self, equations: _Equations, times: int, numbers: Iterator[int]) -> int:
        number = next(numbers)
        inner = tuple([self._unfold(body.equations, times * runs, numbers) for body, runs in _inside(equations)])
        self.found[number] = _Part(equations, times, inner)
        return number

    def _share(self, equations: _Equations) -> None:
        order: list[Function] = []
        _visit(equations, order, set())
        numbers = {body: k for k, body in enumerate(reversed(order), 1)}
        times, callers = dict.fromkeys(numbers, 0), dict.fromkeys(numbers, 0)
        for number, body in enumerate([None, *numbers]):
            here, repeated = (equations, 1) if body is None else (body.equations, times[body])
            inside = _inside(here)
            for other, runs in inside:
                times[other] += repeated * runs
                callers[other] += 1
            shared = body is not None and callers[body] > 1
            self.found[number] = _Part(here, repeated, tuple([numbers[other] for other, _ in inside]), shared)


def _inside(equations: _Equations) -> list[tuple[Function, int]]:
    """The bodies of equations that are seen through, and how often they run."""
    return [(body, bound(getattr(e.params, "length", 1))) for e in equations if (body := body_of(e)) is not None]


def _visit(equations: _Equations, order: list[Function], seen: set[Function]) -> None:
    for body, _ in _inside(equations):
        if body not in seen:
            seen.add(body)
            _visit(body.equations, order, seen)
            order.append(body)

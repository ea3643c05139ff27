"""What must run to know some values, and what need not where others are kept.

Calls and loops are seen through: what a body makes is counted as often as it runs. A body that is called from several
places is one, of which whatever one of them needs is needed for all. So sizes and work are bounds from above. Read
next: `budget`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from dsl.ir.equation_work import Whole, bounded
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.sizes import bound, sizes_decided_by, sizes_of
from dsl.ops.residuals.checkpoint_policy import body_of

PRICE = 1
"""The operations that a byte counts as which is written to memory, and read later."""
_Node: TypeAlias = "tuple[Function | None, Var | Equation]"
"""A value or an equation, and where: bodies may have equations in common."""
_Equations: TypeAlias = "tuple[Equation, ...]"


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
        parts, self._shared = _parts(tuple(equations))
        for body, part, times in parts:
            self._add(body, part, times)
        self._roots = dict.fromkeys([(None, v) for v in needed if (None, v) in self.deps])
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

    def _add(self, body: Function | None, equations: _Equations, times: int) -> None:
        own = sizes_decided_by(equations)
        for e in equations:
            inner = body_of(e)
            if inner is None:
                self.flops[body, e] = bound(self._whole.of(e).flops) * times
                self.deps[body, e] = _at(body, e.inputs)
                self.deps.update({(body, y): [(body, e)] for y in e.outputs})
            else:
                self._enter(body, e, inner, times)
            if not (own and sizes_of(e) & own):
                self.bytes.update({(body, y): bounded(y.type).bytes * times for y in e.outputs})
                self._makers.update(dict.fromkeys(e.outputs, e))
                self._groups.append(e.outputs)

    def _enter(self, body: Function | None, e: Equation, inner: Function, times: int) -> None:
        """Results are those of the body. A loop that runs makes its whole carry, from what that begins with, and writes
        what it gives. A shared body tells nothing of the operands of one call, which needs them all."""
        params: Any = e.params
        signature = params.signature
        ahead, consts, init, rest = signature.operands(e.inputs)
        shared, last = inner in self._shared, inner.results[: signature.carry]
        of_consts, of_carry, of_rest = signature.params(inner.params)
        self.deps.update({(inner, p): [] for p in of_carry})
        for p, x in zip((*of_consts, *of_rest), (*consts, *rest), strict=True):
            self.deps[inner, p] = [] if shared else _at(body, [x])
        runs: list[_Node] = [(body, e)] if signature.along or shared else []
        if runs:
            taken = (*ahead, *init, *((*consts, *rest) if shared else ()))
            self.deps[body, e] = [*_at(body, taken), *_at(inner, last)]
        if signature.along:
            self.flops[body, e] = PRICE * times * sum(bounded(y.type).bytes for y in e.outputs)
        self._groups.append(tuple(dict.fromkeys([r for r in last if isinstance(r, Var)])))
        for y, r in zip(e.outputs, inner.results, strict=True):
            self.deps[body, y] = [*runs, *_at(inner, [r])]

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
    """What is needed where some values are kept."""

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


def _at(body: Function | None, xs: Iterable[Atom]) -> list[_Node]:
    return [(body, x) for x in xs if isinstance(x, Var)]


_Part: TypeAlias = "tuple[Function | None, _Equations, int]"


def _parts(equations: _Equations) -> tuple[list[_Part], set[Function]]:
    """The equations and those of all bodies that are seen through, callers first, and how often each runs; and the
    bodies with several callers."""
    order: list[Function] = []
    _visit(equations, order, set())
    times: dict[Function, int] = {}
    shared: set[Function] = set()
    parts: list[_Part] = [(None, equations, 1)]
    for function in (None, *reversed(order)):
        here, count = (equations, 1) if function is None else (function.equations, times[function])
        if function is not None:
            parts.append((function, here, count))
        for e in here:
            body = body_of(e)
            if body is not None:
                params: Any = e.params
                shared.update([body] if body in times else [])
                times[body] = times.get(body, 0) + count * bound(getattr(params, "length", 1))
    return parts, shared


def _visit(equations: _Equations, order: list[Function], seen: set[Function]) -> None:
    for e in equations:
        body = body_of(e)
        if body is not None and body not in seen:
            seen.add(body)
            _visit(body.equations, order, seen)
            order.append(body)

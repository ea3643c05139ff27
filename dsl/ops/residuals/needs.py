"""What must run to know some values, and what need not where others are kept.

Calls and loops are seen through: what a body makes is counted as often as it runs. A body that is called from several
places is one, which needs whatever one of them needs. So sizes and work are bounds from above. Read next: `budget`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from dsl.ir.equation_work import Whole, bounded
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.sizes import bound, sizes_decided_by, sizes_of
from dsl.ops.residuals.checkpoint_policy import body_of
from dsl.ops.residuals.rematerialization import is_cheap

_Node: TypeAlias = "Var | Equation"
_Equations: TypeAlias = "tuple[Equation, ...]"


class NeedsGraph:
    """Values and equations, and what each of them needs. `candidates` are the values that can be kept, alone or all
    that an equation gives; `places` says among which of them a value is; `work` is that of all that is needed."""

    def __init__(self, equations: Sequence[Equation], needed: Iterable[Var]) -> None:
        self.deps: dict[_Node, list[_Node]] = {}
        self.flops: dict[_Node, int] = {}
        self.bytes: dict[Var, int] = {}
        self.cheap: set[_Node] = set()
        self._makers: dict[Var, Equation] = {}
        self._groups: list[tuple[Var, ...]] = []
        self._whole = Whole()
        for part, times in _parts(tuple(equations)):
            self._add(part, times)
        self.refs = self._counted([v for v in needed if v in self.deps])
        self.users: dict[_Node, list[_Node]] = {}
        for node in self.refs:
            for other in self.deps[node]:
                self.users.setdefault(other, []).append(node)
        self.work = sum(self.flops.get(node, 0) for node in self.refs)
        self.candidates = self._candidates()
        self.places: dict[Var, list[int]] = {}
        for k, values in enumerate(self.candidates):
            for value in values:
                self.places.setdefault(value, []).append(k)

    def bytes_of(self, values: Iterable[Var]) -> int:
        """Return the bytes of some values, all runs together."""
        return sum(self.bytes[value] for value in values)

    def made_by(self, ops: tuple[str, ...]) -> tuple[Var, ...]:
        """Return the values that are needed and that ops of these names give."""
        return tuple([v for (v, *rest) in self.candidates if not rest and self._makers[v].op.name in ops])

    def _add(self, equations: _Equations, times: int) -> None:
        own = sizes_decided_by(equations)
        for e in equations:
            body = body_of(e)
            if body is None:
                self.flops[e] = bound(self._whole.of(e).flops) * times
                self.deps[e] = _vars(e.inputs)
                if is_cheap(e):
                    self.cheap.add(e)
                self.deps.update({y: [e] for y in e.outputs})
            else:
                self._enter(e, body)
            if not (own and sizes_of(e) & own):
                self.bytes.update({y: bounded(y.type).bytes * times for y in e.outputs})
                self._makers.update(dict.fromkeys(e.outputs, e))
                self._groups += [e.outputs] if len(e.outputs) > 1 else []

    def _enter(self, e: Equation, body: Function) -> None:
        """Results are those of the body. A loop that runs makes its whole carry, from what that begins with."""
        params: Any = e.params
        signature = params.signature
        ahead, consts, init, rest = signature.operands(e.inputs)
        carried = body.params[signature.consts : signature.consts + signature.carry]
        own = [p for p in body.params if p not in carried]
        self.deps.update({p: [] for p in carried})
        for p, x in zip(own, (*consts, *rest), strict=True):
            self.deps.setdefault(p, []).extend(_vars([x]))
        last = body.results[: signature.carry]
        runs: list[_Node] = [e] if ahead or last else []
        if runs:
            self.deps[e] = _vars((*ahead, *init, *last))
        if len(last) > 1:
            self._groups.append(tuple(dict.fromkeys([r for r in last if isinstance(r, Var)])))
        for y, r in zip(e.outputs, body.results, strict=True):
            self.deps[y] = [*runs, *_vars([r])]

    def _counted(self, roots: Iterable[Var]) -> dict[_Node, int]:
        """How many that are needed need each, in an order of first use."""
        refs: dict[_Node, int] = {}
        todo: list[_Node] = list(roots)
        todo.reverse()
        while todo:
            node = todo.pop()
            refs[node] = refs.get(node, 0) + 1
            if refs[node] == 1:
                todo += self.deps.setdefault(node, [])
        return refs

    def _candidates(self) -> list[tuple[Var, ...]]:
        single = [(v,) for v in self.bytes if v in self.refs]
        groups = [tuple([v for v in group if v in self.refs and v in self.bytes]) for group in self._groups]
        return list(dict.fromkeys([*single, *[group for group in groups if len(group) > 1]]))


class Needs:
    """What is needed where some values are kept."""

    def __init__(self, graph: NeedsGraph) -> None:
        self._graph = graph
        self._refs = dict(graph.refs)
        self._kept: set[_Node] = set()
        self.work = graph.work
        self.bytes = 0

    def density(self, values: Sequence[Var]) -> float | None:
        """Return the operations saved per byte if these values were kept, too; None where that is not worth it: what
        would not run is cheap, or nothing."""
        changed, released = self._release(values)
        graph, more = self._graph, [v for v in values if v not in self._kept and self._refs[v]]
        size = graph.bytes_of(more) - self._freed(released)
        saved = sum(graph.flops.get(node, 0) for node in released)
        dear = any(graph.flops.get(node) and node not in graph.cheap for node in released)
        for node in changed:
            self._refs[node] += 1
        if not more or not saved or not (dear or size <= 0):
            return None
        return saved / size if size > 0 else float("inf")

    def keep(self, values: Sequence[Var]) -> set[Var]:
        """Keep these values; returns those of which it may have changed what they are worth."""
        changed, released = self._release(values)
        self.work -= sum(self._graph.flops.get(node, 0) for node in released)
        self.bytes -= self._freed(released)
        more = [v for v in values if v not in self._kept and self._refs[v]]
        self.bytes += self._graph.bytes_of(more)
        self._kept.difference_update(released)
        self._kept.update(more)
        return {v for node in (*changed, *values) for v in self._alone_behind(node)}

    def _freed(self, released: Iterable[_Node]) -> int:
        return self._graph.bytes_of([node for node in released if isinstance(node, Var) and node in self._kept])

    def _release(self, values: Sequence[Var]) -> tuple[list[_Node], list[_Node]]:
        """Take back the needs of values: whose count went down, once for each time, and who is not needed any more."""
        refs, deps = self._refs, self._graph.deps
        changed, released = list[_Node](), list[_Node]()
        todo: list[_Node] = [d for v in values if v not in self._kept and refs[v] for d in deps[v]]
        kept = {*self._kept, *values}
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
            if isinstance(node, Var):
                yield node


def _vars(xs: Iterable[Atom]) -> list[_Node]:
    return [x for x in xs if isinstance(x, Var)]


def _parts(equations: _Equations) -> list[tuple[_Equations, int]]:
    """The equations and those of all bodies that are seen through, callers first, and how often each runs."""
    order: list[Function] = []
    _visit(equations, order, set())
    times: dict[Function, int] = {}
    parts = [(equations, 1)]
    for function in (None, *reversed(order)):
        here = equations if function is None else function.equations
        count = 1 if function is None else times[function]
        if function is not None:
            parts.append((here, count))
        for e in here:
            body = body_of(e)
            if body is not None:
                params: Any = e.params
                times[body] = times.get(body, 0) + count * bound(getattr(params, "length", 1))
    return parts


def _visit(equations: _Equations, order: list[Function], seen: set[Function]) -> None:
    for e in equations:
        body = body_of(e)
        if body is not None and body not in seen:
            seen.add(body)
            _visit(body.equations, order, seen)
            order.append(body)

"""Which of the functions that a definition is given it calls once at most, on every path.

A count over its Core: calls add up along a path, branches count as the one with most, and a body that runs many times,
or a mention that is not a call, counts as many. A function that is passed on to a definition counts as often as that
one calls it. What is being checked, and what calls itself, may call its functions any number of times.
"""

from __future__ import annotations

from collections.abc import Iterable

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS
from dsl.core.walk import children, passed_function, strip_coercions, subexpressions
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.types.predicates import holds_function

_MANY = 2


def called_once(
    program: ProgramChecker, module: str, name: str, around: frozenset[tuple[str, str]] = frozenset()
) -> frozenset[int]:
    """The places of the parameters of a definition that are functions which it calls once at most."""
    info = program.modules[module].definitions.get(name)
    params = () if info is None or info.signature is None else info.signature.params
    given = [(place, p) for place, p in enumerate(params) if holds_function(p.type)]
    found = program.checked_now(module, name) if given and (module, name) not in around else None
    if found is None:
        return frozenset()
    inside = around | {(module, name)}
    return frozenset(place for place, p in given if _Count(program, p.id, inside).of(found.body) < _MANY)


class _Count:
    """How often a function runs, by the local that holds it: 0, 1 or `_MANY` times."""

    def __init__(self, program: ProgramChecker, id: int, around: frozenset[tuple[str, str]]) -> None:
        self._program = program
        self._id = id
        self._around = around

    def of(self, node: core.Expr) -> int:
        match node:
            case core.Local(id=id):
                return _MANY if id == self._id else 0
            case core.Apply(function=function, args=args):
                return self._of_call(function, [arg for arg in args if arg is not None], args)
            case core.TransformCall(kind=kind, function=function) if TRANSFORMATIONS[kind].runs_once:
                return self._of_call(function, [child for child in children(node) if child is not function], ())
            case core.If(condition=condition, then=then, orelse=orelse):
                return self.of(condition) + max(self.of(then), self.of(orelse))
            case core.Match(subject=subject, arms=arms):
                return self.of(subject) + max((self.of(body) for _, body in arms), default=0)
            case core.HandleUser(clauses=clauses, init=init, body=body):
                sources = [clause.source for clause in clauses if clause.source is not None]
                return self._sum(e for e in (*sources, init, body) if e is not None) + self._if_at_all(
                    clause.body for clause in clauses
                )
            case _ if isinstance(node, core.Lambda | core.Comprehension | core.Loop | core.Iterate | core.Unroll):
                return self._if_at_all(children(node))
            case core.Transform() | core.TransformCall():
                return self._if_at_all(children(node))
            case _:
                return self._sum(children(node))

    def _sum(self, nodes: Iterable[core.Expr]) -> int:
        return sum(map(self.of, nodes))

    def _if_at_all(self, nodes: Iterable[core.Expr]) -> int:
        """Of bodies that run any number of times."""
        parts = (part for node in nodes for part in subexpressions(node))
        return _MANY if any(isinstance(part, core.Local) and part.id == self._id for part in parts) else 0

    def _of_call(self, function: core.Expr, args: Iterable[core.Expr], placed: Iterable[core.Expr | None]) -> int:
        if isinstance(function, core.Global):
            once = called_once(self._program, function.module, function.name, self._around)
            return sum(self._of_given(arg, place in once) for place, arg in enumerate(placed) if arg is not None)
        return self._of_callee(function) + self._sum(args)

    def _of_callee(self, function: core.Expr) -> int:
        """Of what runs a function once."""
        match strip_coercions(function):
            case core.Local(id=id):
                return 1 if id == self._id else 0
            case core.Lambda(instances=instances):
                return max((self.of(instance.body) for instance in instances), default=0)
            case core.Specialise(function=inner):
                return self._of_callee(inner)
            case core.Transform(kind=kind, function=inner) if TRANSFORMATIONS[kind].runs_once:
                return self._of_callee(inner)
            case other:
                return self.of(other)

    def _of_given(self, arg: core.Expr, once: bool) -> int:
        """Of an argument of a definition that calls it once, if it is a function."""
        given = passed_function(arg) or arg
        return self._of_callee(given) if once and holds_function(arg.type) else self.of(given)

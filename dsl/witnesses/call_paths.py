"""Places in Core: by which calls a derivative leads to an operation, and what a rule takes from around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dsl.core import core
from dsl.core.walk import bound_names, patterns, subexpressions
from dsl.diagnostics.source import Span


def call_path(program: core.Program, begin: core.Expr, place: Span, op: str) -> str | None:
    """Describe the calls that lead from an expression to the operation at a place, if there are any."""
    ways: dict[tuple[str, str], tuple[str, ...]] = {}
    todo: list[tuple[tuple[str, str], tuple[str, ...]]] = [(key, (key[1],)) for key in _mentioned(begin)]
    while todo:
        key, way = todo.pop(0)
        found = program.modules[key[0]].functions.get(key[1])
        if key in ways or found is None or found.span.source.in_library:
            continue
        ways[key] = way
        if any(node.span == place for node in subexpressions(found.body)):
            return "call path: " + " → ".join([f"`{core.written_name(name)}`" for name in (*way, op)])
        todo += [(each, (*way, each[1])) for each in _mentioned(found.body)]
    return None


def _mentioned(node: core.Expr) -> Iterator[tuple[str, str]]:
    return ((each.module, each.name) for each in subexpressions(node) if isinstance(each, core.Global))


def captured_name(program: core.Program, place: Span) -> str | None:
    """The name that the functions of a rule at a place take from around them, if it is one."""
    for function in _functions(program, place):
        for node in subexpressions(function.body):
            if isinstance(node, core.Apply) and node.span == place:
                names = {local.name for local in _free(node.function)}
                return names.pop() if len(names) == 1 else None
    return None


def _functions(program: core.Program, place: Span) -> Iterable[core.Function]:
    return (f for m in program.modules.values() if m.source is place.source for f in m.functions.values())


def _free(node: core.Expr) -> Iterator[core.Local]:
    nodes = [*subexpressions(node)]
    bound = {bind.id for each in nodes for pattern in patterns(each) for bind in bound_names(pattern)}
    bound |= {
        bind.id
        for each in nodes
        if isinstance(each, core.Lambda)
        for instance in each.instances
        for pattern in instance.params
        for bind in bound_names(pattern)
    }
    return (each for each in nodes if isinstance(each, core.Local) and each.id not in bound)

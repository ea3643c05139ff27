"""Going through Core: the expressions directly inside one, all inside it, and the names that patterns bind.

What lies inside an expression is read off the field declarations of `dsl.core.core`, so that a new node cannot be
forgotten: a field counts if its declared type mentions an expression, at any depth of tuples, lists, unions and of the
records between (`Clause`, `At`, `LambdaBody` …). Fields are declared in the order in which they are evaluated.
Knows nothing of what repeats, branches or is called. Read next: `verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never, get_args

from dsl.core import core
from dsl.records import fields, is_record, replace

Holder: TypeAlias = "core.Expr | core.Item | core.Iterable | core.Clause"
Paths: TypeAlias = Mapping[type, tuple[str, ...]]
EXPRESSIONS: frozenset[type] = frozenset(get_args(core.Expr))
PATTERNS: frozenset[type] = frozenset(get_args(core.Pattern))


def children(node: Holder) -> list[core.Expr]:
    """The expressions directly inside one (or inside a part of one, such as the items of an index), in the order in
    which they are evaluated."""
    out: list[core.Expr] = []
    _collect_inside(node, EXPRESSIONS, _paths(EXPRESSIONS), out)
    return out


def other_children(node: core.Expr, *known: core.Expr) -> list[core.Expr]:
    """The children of a node but for some."""
    return [child for child in children(node) if not any(child is each for each in known)]


def strip_coercions(node: core.Expr) -> core.Expr:
    """An expression as it was before it was made to fit a type."""
    while isinstance(node, core.Coerce):
        node = node.value
    return node


def passed_function(node: core.Expr) -> core.Expr | None:
    """The function that a lambda calls with its parameters as they are, and does nothing else."""
    match node:
        case core.Specialise(function=function):
            return passed_function(function)
        case core.Lambda(instances=[core.LambdaBody(params, core.Apply(_, _, passed, args, None, ()))]):
            given = [arg.id if isinstance(arg, core.Local) else None for arg in args]
            return passed if given == [param.id for param in params if isinstance(param, core.Bind)] else None
        case _:
            return None


def patterns(node: Holder) -> list[core.Pattern]:
    """The patterns that an expression itself has, those of expressions inside it not among them."""
    out: list[core.Pattern] = []
    _collect_inside(node, PATTERNS, _paths(PATTERNS), out)
    return out


def subexpressions(node: core.Expr) -> Iterator[core.Expr]:
    """An expression and all inside it."""
    todo, paths = [node], _paths(EXPRESSIONS)
    while todo:
        found = todo.pop()
        yield found
        if paths[type(found)]:
            _collect_inside(found, EXPRESSIONS, paths, todo)


def scopes(node: core.Expr) -> Iterator[tuple[tuple[core.Pattern, ...], core.Expr]]:
    """The children of an expression, each with those of its patterns that bind names in that child."""
    match node:
        case core.Sequence(statements=statements, result=result):
            seen: tuple[core.Pattern, ...] = ()
            for statement in statements:
                yield seen, statement.value
                seen = (*seen, statement.pattern) if isinstance(statement, core.Bound) else seen
            yield seen, result
        case core.Match(subject=subject, arms=arms):
            yield (), subject
            yield from (((pattern,), body) for pattern, body in arms)
        case core.Lambda(instances=instances):
            yield from ((instance.params, instance.body) for instance in instances)
        case core.HandleUser(clauses=clauses, init=init, body=body):
            yield from (((), clause.source) for clause in clauses if clause.source is not None)
            yield from ((clause.params, clause.body) for clause in clauses)
            yield from (((), each) for each in (init, body) if each is not None)
        case core.Comprehension() | core.Loop() | core.Iterate() | core.Unroll():
            yield from _loop_scopes(node)
        case _:
            yield from (((), child) for child in children(node))


def _loop_scopes(
    node: core.Comprehension | core.Loop | core.Iterate | core.Unroll,
) -> Iterator[tuple[tuple[core.Pattern, ...], core.Expr]]:
    match node:
        case core.Comprehension(clauses=clauses, body=body):
            for number, clause in enumerate(clauses):
                outer = tuple(each.pattern for each in clauses[:number])
                yield from ((outer, child) for child in children(clause))
            yield tuple(clause.pattern for clause in clauses), body
        case core.Loop(carry=carry, clause=clause, body=body):
            yield from (((), child) for child in children(node) if child is not body)
            yield (carry, clause.pattern), body
        case core.Iterate(carry=carry, condition=condition, body=body):
            inner = (condition, body)
            for child in children(node):
                yield (carry,) if any(child is each for each in inner) else (), child
        case core.Unroll(carry=carry, init=init, source=source, steps=steps):
            before = children(source) if init is None else [init, *children(source)]
            yield from (((), child) for child in before)
            for number, (pattern, body) in enumerate(steps):
                yield (*carry[number : number + 1], pattern), body
        case _:
            assert_never(node)


def map_children(node: core.Expr, function: Callable[[core.Expr], core.Expr]) -> core.Expr:
    """The expression with `function` of each child in its place; itself where no child changes."""
    found: core.Expr = _mapped(node, function)
    return found


def bound_names(pattern: core.Pattern) -> Iterator[core.Bind]:
    """The local names that a pattern binds, from left to right."""
    match pattern:
        case core.Bind():
            yield pattern
        case core.Split(parts=parts) | core.IsVariant(parts=parts):
            for part in parts:
                yield from bound_names(part)
        case core.Ignore() | core.IsLiteral():
            return
        case _:
            assert_never(pattern)


# ---------------------------------------------------------------- values of fields


def _collect_inside(node: Any, wanted: frozenset[type], paths: Paths, out: list[Any]) -> None:
    """The outermost instances of the classes `wanted` in the fields of a node."""
    for name in paths.get(type(node), ()):
        value = getattr(node, name)
        if type(value) in wanted:
            out.append(value)
        else:
            _collect(value, wanted, paths, out)


def _collect(value: Any, wanted: frozenset[type], paths: Paths, out: list[Any]) -> None:
    """Collect the wanted nodes inside a field that is not itself one of them."""
    if isinstance(value, tuple | list):
        for item in value:
            if type(item) in wanted:
                out.append(item)
            else:
                _collect(item, wanted, paths, out)
    elif type(value) not in EXPRESSIONS:
        _collect_inside(value, wanted, paths, out)


def _mapped(value: Any, function: Callable[[core.Expr], core.Expr]) -> Any:
    """A node or the value of a field, with every expression directly inside it replaced."""
    if isinstance(value, tuple | list):
        items = [_replaced(item, function) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    changes: dict[str, Any] = {}
    for name in _paths(EXPRESSIONS).get(type(value), ()):
        old = getattr(value, name)
        new = _replaced(old, function)
        if new is not old:
            changes[name] = new
    return replace(value, **changes) if changes else value


def _replaced(value: Any, function: Callable[[core.Expr], core.Expr]) -> Any:
    return function(value) if type(value) in EXPRESSIONS else _mapped(value, function)


# ---------------------------------------------------------------- declarations of fields


@cache
def _paths(wanted: frozenset[type]) -> Paths:
    """By class of Core, the fields that can hold an instance of `wanted` outside of the expressions inside."""
    declared = {each: _declared(each) for each in vars(core).values() if _is_declared_there(each)}
    holders = wanted
    while True:
        found = {each: tuple(name for name, types in inside if types & holders) for each, inside in declared.items()}
        more = wanted | {each for each, names in found.items() if names and each not in EXPRESSIONS}
        if more == holders:
            return MappingProxyType(found)
        holders = more


def _is_declared_there(each: object) -> bool:
    return isinstance(each, type) and is_record(each) and each.__module__ == core.__name__


def _declared(node: type[Any]) -> list[tuple[str, frozenset[type]]]:
    """The fields of a class, each with the classes that its declared type mentions."""
    return [(f.name, _mentioned(str(f.type))) for f in fields(node)]


@cache
def _mentioned(declared: str) -> frozenset[type]:
    return frozenset(_classes(eval(declared, vars(core))))


def _classes(declared: Any) -> Iterator[type]:
    arguments = get_args(declared)
    if not arguments and isinstance(declared, type):
        yield declared
    for argument in arguments:
        yield from _classes(argument)

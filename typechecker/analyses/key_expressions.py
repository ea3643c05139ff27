"""Shapes of expressions that the analysis of keys tells apart: what names a place, a tuple of functions, what counts
the turns of a loop. Knows nothing of what is moved. Read next: `affine_keys`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.core import core
from dsl.core.walk import children, strip_coercions
from dsl.records import replace


def functions_of(node: core.Expr) -> Sequence[core.Expr]:
    """The parts of a tuple, also where it is bound first and its parts get their types then, if all are known so."""
    match node:
        case core.Tuple(items=items):
            return items
        case core.Sequence(
            statements=(core.Bound(core.Bind(id), core.Tuple(items=made)),), result=core.Tuple(items=items)
        ):
            found = [_part_of(item, id, made) for item in items]
            return [part for part in found if part is not None] if None not in found else ()
        case _:
            return ()


def _part_of(node: core.Expr, id: int, made: Sequence[core.Expr]) -> core.Expr | None:
    """The part of a tuple that a function value stands for, where the tuple is bound by a local."""
    match node:
        case core.Specialise(function=core.Lambda(instances=instances) as function, instance=instance):
            call = wrapped_call(function, instances[instance])
            part = None if call is None else _part_of(call.function, id, made)
            fixed = None if call is None else call.instance
            return part if part is None or fixed is None else core.Specialise(node.span, node.type, part, fixed)
        case core.Specialise(function=function):
            part = _part_of(function, id, made)
            return None if part is None else replace(node, function=part)
        case core.Project(base=core.Local(id=other), index=index) if other == id:
            return made[index]
        case _:
            return None


def selectors(node: core.Expr) -> Iterator[core.Expr]:
    """Yield the parts of an expression that select an element: indices, and fill values."""
    while not isinstance(node, core.Local):
        match node:
            case core.Index(base=base):
                yield from (child for child in children(node) if child is not base)
                node = base
            case core.Project(base=base) | core.Select(base=base) | core.Coerce(value=base):
                node = base
            case _:
                return


def wrapped_call(node: core.Lambda, instance: core.LambdaBody) -> core.Apply | None:
    """The call inside a lambda that was made from a function value: it lies where the lambda does."""
    body = strip_coercions(instance.body)
    return body if isinstance(body, core.Apply) and body.span == node.span else None


def counters(pattern: core.Pattern, source: core.Iterable) -> Iterator[tuple[core.Bind, core.Iterable]]:
    """The locals of a loop's pattern that are another integer in every turn, and what counts them."""
    match source, pattern:
        case core.Counting(), core.Bind():
            yield pattern, source
        case core.Enumerated(of), core.Split((core.Bind() as first, rest)):
            yield first, source
            yield from counters(rest, of)
        case core.Enumerated(of), core.Split((_, rest)):
            yield from counters(rest, of)
        case core.Zipped(sources), core.Split(patterns):
            for inner, part in zip(patterns, sources, strict=True):
                yield from counters(inner, part)


def chosen_functions(node: core.If | core.Match) -> Sequence[core.Expr]:
    """The values of which a choice is one."""
    return (node.then, node.orelse) if isinstance(node, core.If) else [body for _, body in node.arms]


def choices_of(node: core.Expr) -> Iterator[core.Expr]:
    """Yield the expressions that are computed to choose one of several functions."""
    match node:
        case core.If(condition=condition):
            yield condition
        case core.Match(subject=subject):
            yield subject
        case core.Specialise(function=function) | core.Transform(function=function):
            yield from choices_of(function)
            return
        case _:
            return
    for arm in chosen_functions(node):
        yield from choices_of(arm)

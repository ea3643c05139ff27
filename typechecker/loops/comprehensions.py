"""Comprehensions: every turn stands alone, so results are stacked and nothing may be written in between."""

from __future__ import annotations

from itertools import chain

from dsl.core import core
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import pattern_names
from dsl.types import type as ty
from dsl.types.effect import Site
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, strip
from typechecker import errors
from typechecker.calls.effect_restrictions import in_parallel, performing_again
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term, error_term, require_types
from typechecker.expressions.patterns import bind_pattern, distinct_names
from typechecker.expressions.static_lists import is_list, list_of, make_list, stuck
from typechecker.loops.iterables import Iteration, iteration
from typechecker.relations.coercion import Why, coerce, fit, join, value_span
from typechecker.relations.numeric_literals import as_array, run_time_type
from typechecker.types.predicates import holds_static


def comprehension(ctx: Context, node: ast.Comprehension, expected: Type | None) -> Term:
    """`[e for p in xs, …]`: an axis for each clause."""
    inner = replace(ctx.repeated(), parallel=True)
    if len(node.clauses) > 1:
        distinct_names(ctx, chain.from_iterable([_own_names(clause.pattern) for clause in node.clauses]))
    clauses: list[core.Clause] = []
    lengths: list[Size] = []
    for place, clause in enumerate(node.clauses):
        listing = ctx.body.static or (expected is not None and is_list(expected))
        found = iteration(inner, clause.iterable, listing)
        if found is None:
            bind_error(inner, clause.pattern)
            with ctx.body.book.inner():
                inner.infer(node.body)
            raise Reported
        if (found.listed or (listing and found.steps)) and len(node.clauses) == 1:
            return _listed(ctx, node, clause, found, expected)
        if found.length is None and place == 0:
            return _comprehend_tuple(ctx, _nested(node, 1), clause, found, element_hint(expected, 1))
        if found.length is None:
            return comprehension(ctx, _nested(node, place), expected)
        pattern = bind_pattern(inner, clause.pattern, found.element, "loop")
        inner = inner.observing(*found.facts)
        clauses.append(core.Clause(pattern, found.core))
        lengths.append(found.length)
    with ctx.body.book.inner() as effects:
        body = inner.infer(node.body, element_hint(expected, len(lengths)))
    in_parallel(ctx, effects)
    require_types(body)
    element = run_time_type(ctx, body.type)
    if holds_static(ctx.resolve(element)):
        ctx.refuse(errors.types.cannot_stack(node.body.span, ctx, term=body))
    term = coerce(ctx, body, element, Why("item"))
    kind = add_axes(element, Shape(tuple(lengths)))
    made = core.Comprehension(node.span, kind, tuple(clauses), term.core)
    return Term(made, kind, of_elements(ctx, [body], kind))


def _own_names(pattern: ast.Pattern) -> list[ast.NamePattern]:
    """The names of a clause, each once: those it binds twice itself are told where it binds them."""
    return list({name.name: name for name in pattern_names(pattern)}.values())


def _nested(node: ast.Comprehension, outer: int) -> ast.Comprehension:
    """Split a comprehension into its first clauses over one with the others: tuples are unrolled separately."""
    first, rest = node.clauses[:outer], node.clauses[outer:]
    return replace(node, clauses=first, body=replace(node, clauses=rest)) if rest else node


def element_hint(expected: Type | None, count: int) -> Type | None:
    """Return the expected type of an element below `count` leading axes."""
    if isinstance(expected, ty.StackedType) and len(expected.axes.dims) == count:
        return expected.element
    stripped = None if expected is None else strip(expected, count)
    return None if stripped is None else stripped[1]


def bind_error(ctx: Context, pattern: ast.Pattern) -> None:
    """Bind the names of a pattern to what was reported."""
    bind_pattern(ctx, pattern, error_term(pattern.span), "loop")


def _listed(
    ctx: Context, node: ast.Comprehension, clause: ast.ForClause, found: Iteration, expected: Type | None
) -> Term:
    """A comprehension over a static list: of integers, of pairs of them or of conditions it is such a list again."""
    wanted = None if expected is None else ty.LISTS.get(expected)
    turns: list[tuple[core.Pattern, Term]] = []
    for step in found.steps or (found.element,):
        turns.append(_turn(ctx, node, clause, step, wanted))
        require_types(turns[-1][1])
    (pattern, first), *_ = turns
    kind = list_of(ctx.resolve(first.type))
    if kind is None and found.steps:
        return _comprehend_tuple(ctx, node, clause, found, element_hint(expected, 1))
    if kind is None and ctx.body.static:
        ctx.refuse(errors.indices.no_static_list(node.body.span, ctx, term=first))
    if kind is None or found.steps is None:
        whole = Term(core.Const(clause.iterable.span, ty.INTS, None), ty.INTS)
        made = core.Comprehension(node.span, kind or ty.INTS, (core.Clause(pattern, found.core),), first.core)
        return stuck(ctx, made, kind or ty.INTS, whole)
    steps = zip(turns, found.steps, strict=False)
    return make_list(kind, [_bound(pattern, step, term) for (pattern, term), step in steps], node.span)


def _turn(
    ctx: Context, node: ast.Comprehension, clause: ast.ForClause, element: Term, wanted: Type | None
) -> tuple[core.Pattern, Term]:
    """The body for one element."""
    inner = ctx.inner()
    pattern = bind_pattern(inner, clause.pattern, element, "let")
    with ctx.program.task.replay.of("a comprehension over a list"):
        return pattern, inner.infer(node.body, wanted)


def _bound(pattern: core.Pattern, step: Term, term: Term) -> Term:
    bound = core.Bound(pattern, step.core)
    return Term(core.Sequence(term.span, term.type, (bound,), term.core), term.type, term.known)


def stacked(ctx: Context, terms: list[Term]) -> tuple[Type, list[Term]]:
    """The one type as which the results of the parts of a tuple are stacked, and each as that."""
    element = as_array(ctx, join(ctx, terms, Why("item")))
    if holds_static(ctx.resolve(element)):
        ctx.refuse(errors.types.cannot_stack(value_span(terms[0].core), ctx, term=terms[0]))
    return element, [fit(ctx, term, element, Why("item")) for term in terms]


def _comprehend_tuple(
    ctx: Context, node: ast.Comprehension, clause: ast.ForClause, found: Iteration, hint: Type | None
) -> Term:
    if not found.steps:
        ctx.refuse(errors.loops.not_iterable(ctx, found.element, clause.span))
    steps: list[tuple[core.Pattern, Term]] = []
    performed: list[Site] = []
    with ctx.body.book.inner() as effects:
        for step in found.steps:
            inner = replace(ctx.inner(), parallel=True)
            pattern = bind_pattern(inner, clause.pattern, step, "let")
            with ctx.program.task.replay.of("a comprehension over a tuple"), performing_again(ctx, performed):
                steps.append((pattern, inner.infer(node.body, hint)))
    in_parallel(ctx, effects)
    terms = [t for _, t in steps]
    require_types(*terms)
    element, items = stacked(ctx, terms)
    kind = add_axes(element, Shape((Size.of(len(items)),)))
    pairs = tuple((p, t.core) for (p, _), t in zip(steps, items, strict=True))
    made = core.Unroll(node.span, kind, "map", (), None, found.core, pairs)
    return Term(made, kind, of_elements(ctx, terms, kind))

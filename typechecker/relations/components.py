"""Tuples and records part by part: those of two types that are compared, and those that are written out.

Which parts there are is said here; whether one fits is `typechecker.relations.coercion`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import distribute_axes, part_names, with_children, zip_children
from typechecker.env.context import Context
from typechecker.env.known_parts import Name, facts_of_parts
from typechecker.env.values import Closure, Fields, Known, Parts, Term
from typechecker.types.predicates import holds_function

Part: TypeAlias = tuple[Name, Term, Type]
"""A part: its name, what it is, the type that it should have."""

Take: TypeAlias = Callable[[Name, Type], core.Expr]
"""The expression of a part, by its name and type."""


def parts(ctx: Context, source: Type, target: Type, known: Known | None, take: Take) -> tuple[Part, ...]:
    """The parts of two types of one structure; none if they have no parts or differ in structure."""
    whole = distribute_axes(source)
    pairs = zip_children(whole, distribute_axes(target)) or ()
    facts = facts_of_parts(known)
    named = [(name, a, b) for name, (a, b) in zip(part_names(whole) if pairs else (), pairs, strict=True)]
    return tuple((n, Term(take(n, a), ctx.resolve(a), facts.get(n)), ctx.resolve(b)) for n, a, b in named)


def literal_components(ctx: Context, term: Term, source: Type, target: Type) -> tuple[Part, ...]:
    """The parts of a tuple or record that is written out; none if it is anything else."""
    written = _written_parts(value(term.core))
    return parts(ctx, source, target, term.known, lambda name, _: written[name]) if written else ()


def _written_parts(node: core.Expr) -> Mapping[Name, core.Expr]:
    """The parts of a tuple or record that is written out; none of anything else."""
    match node:
        case core.Tuple(items=items):
            return dict(enumerate(items))
        case core.Record(fields=fields):
            return dict(fields)
        case _:
            return {}


def project(whole: core.Expr, name: Name, type_: Type) -> core.Expr:
    """A part of what a variable holds."""
    if isinstance(name, int):
        return core.Project(whole.span, type_, whole, name)
    return core.Select(whole.span, type_, whole, name)


def rebuild(span: Span, type_: Type, done: Sequence[tuple[Name, Term]]) -> Term:
    """The tuple or record of these parts."""
    if isinstance(distribute_axes(type_), ty.TupleType):
        items = tuple(part.core for _, part in done)
        return Term(core.Tuple(span, type_, items), type_, Parts(tuple(part.known for _, part in done)))
    fields = tuple((str(name), part.core) for name, part in done)
    return Term(core.Record(span, type_, fields), type_, Fields(tuple((str(name), part.known) for name, part in done)))


# ---------------------------------------------------------------- what is mentioned more than once


def once(ctx: Context, term: Term) -> tuple[Term, tuple[core.Bound, ...]]:
    """A term that may stand in several places and yet be evaluated once: a variable, and what binds it."""
    node = term.core
    while isinstance(node, core.Project):
        node = node.base
    if isinstance(node, core.Local | core.Const | core.Global | core.SizeOf):
        return term, ()
    variable = core.Local(term.span, term.type, ctx.fresh_id(), "held")
    return replace(term, core=variable), (core.Bound(core.Bind(variable.id, variable.name), term.core),)


def after(bindings: Sequence[core.Bound], term: Term) -> Term:
    """A term in which what was held is in scope."""
    if not bindings:
        return term
    return replace(term, core=core.Sequence(term.core.span, term.type, tuple(bindings), term.core))


def project_all(node: core.Expr, type_: ty.TupleType, known: Known | None, span: Span) -> tuple[Term, ...]:
    """The parts of a tuple, each taken out of it at this place."""
    knowns = known.items if isinstance(known, Parts) else (None,) * len(type_.parts)
    pairs = enumerate(zip(type_.parts, knowns, strict=True))
    return tuple([Term(core.Project(span, part, node, i), part, inner) for i, (part, inner) in pairs])


def items_of(ctx: Context, term: Term, type_: ty.TupleType, span: Span) -> tuple[list[Term], Sequence[core.Bound]]:
    """The parts of a tuple as they are written, or taken out of what holds it, which is bound."""
    if isinstance(term.core, core.Tuple):
        parts = project_all(term.core, type_, term.known, span)
        return [replace(part, core=item) for part, item in zip(parts, term.core.items, strict=True)], ()
    whole, bindings = once(ctx, term)
    return list(project_all(whole.core, type_, term.known, span)), bindings


# ---------------------------------------------------------------- the value of a block


def value(node: core.Expr) -> core.Expr:
    """Return the value of a node: of a block, its last expression."""
    while isinstance(node, core.Sequence):
        node = node.result
    return node


def with_value(node: core.Expr, other: core.Expr) -> core.Expr:
    """Return the block with another value at its end."""
    if not isinstance(node, core.Sequence):
        return other
    return replace(node, type=other.type, result=with_value(node.result, other))


# ---------------------------------------------------------------- functions among the parts


Leaf: TypeAlias = Callable[[Term, ty.FunctionType], Term]


def with_functions(ctx: Context, term: Term, target: Type, fit: Leaf) -> Term:
    """A tuple or record with each part that must be a function made one of the wanted type by `fit`; functions that
    are wanted as they are, such as in the common type of two branches, stay so, and so does what may be `none`."""
    if isinstance(target, ty.FunctionType):
        return term if target.result == ty.ERROR else with_function(ctx, term, target, fit)
    type_ = ctx.resolve(term.type)
    if isinstance(target, ty.OptionalType):
        there = holds_function(type_) and not isinstance(type_, ty.OptionalType)
        return with_functions(ctx, term, target.base, fit) if there else term
    whole = core.Local(term.span, type_, ctx.fresh_id(), "whole")
    found = parts(ctx, type_, target, term.known, partial(project, whole)) if holds_function(target) else ()
    if not found:
        return term
    spans = {name: part.span for name, part in _written_parts(term.core).items() if term.span.covers(part.span)}
    placed = [(name, _placed(part, spans.get(name, term.span)), wanted) for name, part, wanted in found]
    done = [(name, with_functions(ctx, part, wanted, fit)) for name, part, wanted in placed]
    made = rebuild(term.span, with_children(type_, [part.type for _, part in done]), done)
    bound = core.Bound(core.Bind(whole.id, whole.name), term.core)
    return Term(core.Sequence(term.span, made.type, (bound,), made.core), made.type, made.known)


def with_function(ctx: Context, term: Term, target: ty.FunctionType, fit: Leaf) -> Term:
    """Return a function fitted to the wanted type. One that a call or a block returns is computed before, once: `fit`
    puts it into a lambda, which may be called often."""
    node = term.core
    while isinstance(node, core.Project | core.Select):
        node = node.base
    held, bindings = once(ctx, term) if isinstance(node, core.Apply | core.Sequence) else (term, ())
    return after(bindings, fit(held, target))


def path_of(node: core.Expr) -> str:
    """The access path of a part that is taken out of a variable, as in `.2`; empty for anything else."""
    match node:
        case core.Project(base=base, index=index):
            return f"{path_of(base)}.{index}"
        case core.Select(base=base, field=field):
            return f"{path_of(base)}.{field}"
        case _:
            return ""


def _placed(part: Term, whole: Span) -> Term:
    """A part whose place is that of the lambda it is, if that stands inside of the whole."""
    span = part.known.node.span if isinstance(part.known, Closure) else whole
    place = span if span.source is whole.source and whole.covers(span) else whole
    return Term(replace(part.core, span=place), part.type, part.known)

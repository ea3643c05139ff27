"""Patterns that bind: of `let`, `for`, carries and lambda parameters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import assert_never

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import pattern_names
from dsl.types import type as ty
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, strip
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.scope import BindingKind, DistinctNames
from typechecker.env.value_facts import called, element_known, of_type
from typechecker.env.values import Parts, Term
from typechecker.expressions.static_lists import is_list, items
from typechecker.types.predicates import holds_error
from typechecker.types.type_expressions import elaborate


def stated_types(ctx: Context, pattern: ast.Pattern, annotation: ast.TypeExpr | None) -> tuple[tuple[Type, Span], ...]:
    """Return the stated types of a pattern's value, each with its span: the annotation after it, and the types inside
    it, with the error type for parts without one."""
    behind = () if annotation is None else ((elaborate(ctx, annotation), annotation.span),)
    inside = _inside(ctx, pattern)
    return behind if inside == ty.ERROR else (*behind, (inside, pattern.span))


def _inside(ctx: Context, pattern: ast.Pattern) -> Type:
    if not isinstance(pattern, ast.TuplePattern):
        return ty.ERROR
    types = pattern.types or (None,) * len(pattern.parts)
    pairs = zip(pattern.parts, types, strict=True)
    found = tuple([_inside(ctx, part) if stated is None else elaborate(ctx, stated) for part, stated in pairs])
    return ty.ERROR if all(part == ty.ERROR for part in found) else ty.TupleType(found)


def completed(stated: Type, found: Type) -> Type:
    """A stated type, with the type that was found of each part of which nothing is stated."""
    if stated == ty.ERROR:
        return found
    if not isinstance(stated, ty.TupleType):
        return stated
    parts = split_type(found, len(stated.parts))
    if parts is None:
        return stated if not holds_error(stated) else found
    return ty.TupleType(tuple([completed(a, b) for a, b in zip(stated.parts, parts[0], strict=True)]))


def bind_pattern(ctx: Context, pattern: ast.Pattern, term: Term, kind: BindingKind) -> core.Pattern:
    """Bind the names of a pattern in the context's own scope to the parts of a term."""
    distinct_names(ctx, pattern_names(pattern))
    return _bind(ctx, pattern, term, kind)


def distinct_names(ctx: Context, found: Iterable[ast.NamePattern], what: str = "name") -> None:
    """Demand that no name is bound twice."""
    distinct = DistinctNames(what, ctx.report)
    for name in found:
        distinct.add(name)


def distinct_in_all(ctx: Context, patterns: Iterable[ast.Pattern], what: str = "name") -> None:
    """Demand that patterns beside each other, as those of parameters, bind no name twice."""
    distinct_names(ctx, chain.from_iterable(map(pattern_names, patterns)), what)


def _bind(ctx: Context, pattern: ast.Pattern, term: Term, kind: BindingKind) -> core.Pattern:
    match pattern:
        case ast.WildcardPattern():
            return core.Ignore()
        case ast.NamePattern(name, span):
            id = ctx.fresh_id()
            known = of_type(ctx, ctx.resolve(term.type), name) if term.known is None else term.known
            if kind == "loop":
                known = called(known, name)
            local = Term(core.Local(span, term.type, id, name), term.type, known)
            ctx.program.task.origins[id] = (span, term.core if kind == "let" else None)
            ctx.scope.bind(name, local, span, kind, ctx.depth)
            return core.Bind(id, name)
        case ast.TuplePattern(parts, span):
            return _split(ctx, parts, term, span, kind)
        case ast.VariantPattern(_, _, span) | ast.LiteralPattern(_, span):
            ctx.report(errors.loops.pattern_place(span))
            return core.Ignore()
        case _:
            assert_never(pattern)


def _split(ctx: Context, parts: tuple[ast.Pattern, ...], term: Term, span: Span, kind: BindingKind) -> core.Pattern:
    whole = ctx.resolve(term.type)
    listed = items(term) if is_list(whole) else None
    if listed is not None and len(listed) == len(parts):
        return core.Split(tuple([_bind(ctx, p, t, kind) for p, t in zip(parts, listed, strict=True)]), False)
    found = split_type(whole, len(parts))
    if found is None:
        if whole != ty.ERROR:
            ctx.report(errors.loops.pattern_mismatch(ctx, whole, len(parts), span, term.span))
        error = Term(term.core, ty.ERROR)
        for part in parts:
            _bind(ctx, part, error, kind)
        return core.Ignore()
    kinds, axis = found
    knowns = term.known.items if isinstance(term.known, Parts) else (None,) * len(parts)
    if axis:
        knowns = tuple(element_known(ctx, term.known, k) for k in kinds)
    bound = tuple(
        _bind(ctx, p, Term(core.Const(p.span, k, None), k, n), kind)
        for p, k, n in zip(parts, kinds, knowns, strict=True)
    )
    return core.Split(bound, axis)


def split_type(kind: Type, count: int) -> tuple[tuple[Type, ...], bool] | None:
    """The types of `count` parts: of a tuple, or along a leading axis of that literal size (then true)."""
    match kind:
        case ty.TupleType(parts):
            return (parts, False) if len(parts) == count else None
        case ty.StackedType(ty.TupleType(parts), axes) if len(parts) == count and axes.dims[0] != Size.of(count):
            return tuple(add_axes(p, axes) for p in parts), False
        case ty.ArrayType() | ty.KeyType() | ty.IndexType() | ty.StackedType():
            leading = strip(kind, 1)
            if leading is None or leading[0].literal != (count,):
                return None
            return (leading[1],) * count, True
        case _:
            return None

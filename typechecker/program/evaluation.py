"""Core evaluated while checking: what a body gives for arguments of which not all is known.

Core has a type at every node and every name resolved, so that nothing is elaborated again: each node is computed by the
rule that its text was checked by. What cannot be computed yet stays a call in what is known of the result. Where all is
known, `dsl.core.statics.evaluate` does the same with plain values. Read next: `unfolding`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import assert_never

from dsl.core import core
from dsl.core.statics.dtypes import DTYPES
from dsl.core.statics.numbers import STATIC
from dsl.core.statics.shapes import SHAPE_FUNCTIONS
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.shape import Shape, Splice
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls.constant_folding import folded
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import dtype_function
from typechecker.env.values import Definition, Parts, Term, VariantValue
from typechecker.expressions.atoms import at_place, make_constant, make_record, make_tuple, select, with_known
from typechecker.expressions.blocks import assertion, static_if
from typechecker.expressions.comparisons import membership
from typechecker.expressions.logic import condition, logical
from typechecker.expressions.matching import first_that_holds, local_name, matched, meet, present
from typechecker.expressions.operators import operate, sign
from typechecker.expressions.static_lists import OF_LISTS, concatenate_lists, items, make_list, reduce_list, stuck
from typechecker.indexing.index import item_of_list, part_of_list
from typechecker.loops.iterables import listed
from typechecker.relations.coercion import Why, fit
from typechecker.relations.shapes import shape_function
from typechecker.types.predicates import is_traced


def unknown(ctx: Context, node: core.Expr, expected: Type | None = None) -> Term:
    """An expression of which the type alone is known."""
    return Term(node, node.type)


# ---------------------------------------------------------------- leaves


def _const(ctx: Context, node: core.Const, expected: Type | None) -> Term:
    if node.value is None and not isinstance(node.type, ty.OptionalType) and node.type not in (ty.NONE, ty.AXES):
        return unknown(ctx, node)
    known = node.value if isinstance(node.value, DType) else make_constant(node.value, node.span).known
    return Term(node, node.type, known)


def _local(ctx: Context, node: core.Local, expected: Type | None) -> Term:
    binding = ctx.scope.lookup(local_name(node.id))
    if binding is None:
        return unknown(ctx, node)
    there = isinstance(binding.term.type, ty.OptionalType) and not isinstance(node.type, ty.OptionalType)
    return present(binding.term) if there else binding.term


def _global(ctx: Context, node: core.Global, expected: Type | None) -> Term:
    module = ctx.program.modules[node.module]
    if node.name in module.definitions:
        return ctx.program.function(module.definitions[node.name], node.span)
    found = ctx.program.lookup(module, node.name, node.span)
    return unknown(ctx, node) if found is None else found


def _of_types(ctx: Context, node: core.SizeOf | core.ShapeOf | core.DTypeOf, expected: Type | None) -> Term:
    of = node.size if isinstance(node, core.SizeOf) else node.shape if isinstance(node, core.ShapeOf) else node.dtype
    instance = ctx.body.instance
    assert instance is not None
    return Term(node, node.type, instance.known(of))


def _shape_list(ctx: Context, node: core.ShapeList, expected: Type | None) -> Term:
    dims: list[Size | Splice] = []
    for item in node.items:
        known = ctx.typed(item.value if isinstance(item, core.Spread) else item).known
        size = known if isinstance(known, Size) else Size.of(ctx.program.error_size())
        dims += known.dims if isinstance(known, Shape) else [size]
    return Term(node, node.type, Shape(tuple(dims)))


def _enum_value(ctx: Context, node: core.EnumValue, expected: Type | None) -> Term:
    args = tuple([ctx.typed(arg).known for arg in node.args])
    return Term(node, node.type, VariantValue((node.enum.module, node.enum.name), node.variant, args))


# ---------------------------------------------------------------- operations


def _binary(ctx: Context, node: core.Binary, expected: Type | None) -> Term:
    return operate(ctx, node.op, ctx.infer(node.left), ctx.infer(node.right), node.span)


def _unary(ctx: Context, node: core.Unary, expected: Type | None) -> Term:
    return unknown(ctx, node) if is_traced(node.type) else sign(ctx, node.op, ctx.typed(node.operand), node.span)


def _coerce(ctx: Context, node: core.Coerce, expected: Type | None) -> Term:
    return fit(ctx, ctx.typed(node.value), node.type, Why("static", "value"), node.span)


def _intrinsic(ctx: Context, node: core.Intrinsic, expected: Type | None) -> Term:
    terms = [ctx.typed(arg) for arg in node.args]
    match node.name, terms:
        case "item", [base, index]:
            return item_of_list(ctx, base, index, node.span, node.span)
        case "part", [base]:
            ends = dict(node.statics)
            named = [ctx.typed(ends[end]) if end in ends else None for end in ("start", "stop", "step")]
            return part_of_list(ctx, base, named, node.span)
        case "joined", [left, right]:
            return concatenate_lists(ctx, left, right, node.span)
        case "contains", [whole, item]:
            return membership(ctx, "in", item, whole, node.span)
        case name, [base] if name in OF_LISTS and base.type in ty.LISTS:
            return reduce_list(ctx, name, name.removeprefix("list_"), base, node.span)
        case name, _ if name in STATIC and isinstance(node.type, ty.StaticType):
            type_, known = folded(ctx, name, node.type, terms)
            return Term(node, type_, known)
        case name, [dtype] if name in DTYPES:
            return dtype_function(name, dtype, node.span)
        case name, _ if name in SHAPE_FUNCTIONS:
            return shape_function(ctx, name, terms, node.span)
        case _:
            return unknown(ctx, node)


def _apply(ctx: Context, node: core.Apply, expected: Type | None) -> Term:
    function = ctx.infer(node.function)
    if function.known is None:
        return unknown(ctx, node)
    names: list[str | None] = [None] * len(node.args)
    if isinstance(function.known, Definition):
        signature = ctx.program.signature(ctx.program.definition(function.known.module, function.known.name))
        names = names if signature is None else [param.name for param in signature.params]
    pairs = zip(names, node.args, strict=True)
    args = [Arg(name, ctx.infer(arg), arg.span) for name, arg in pairs if arg is not None]
    return ctx.program.rules.apply(ctx, function, args, node.span, None).term


# ---------------------------------------------------------------- structure


def _sequence(ctx: Context, node: core.Sequence, expected: Type | None) -> Term:
    inner = ctx.inner()
    for statement in node.statements:
        match statement:
            case core.Bound(pattern, value):
                meet(inner, pattern, inner.typed(value))
            case core.Perform(core.Assert() as test):
                inner, _ = assertion(inner, test)
            case core.Perform(value):
                inner.infer(value)
            case _:
                assert_never(statement)
    return inner.infer(node.result)


def _if(ctx: Context, node: core.If, expected: Type | None) -> Term:
    test = condition(ctx, ctx.typed(node.condition), "if")
    if test.type != ty.BOOLEAN:
        return unknown(ctx, node)
    return static_if(ctx, node, test, None if isinstance(node.type, ty.FunctionType) else node.type)


def _match(outer: Context, node: core.Match, expected: Type | None) -> Term:
    ctx, rest = outer, matched(outer, node.subject)
    arms: list[tuple[fa.Prop | None, Term]] = []
    for pattern, body in node.arms:
        inner = ctx.inner()
        fact = meet(inner, pattern, rest)
        if fact == fa.Known(False):
            continue
        arms.append((fact, (inner if fact is None else inner.assuming(fact)).typed(body)))
        if fact == fa.Known(True):
            break
        ctx = ctx if fact is None else ctx.assuming(fa.negation(fact))
        rest = present(rest) if pattern == core.IsLiteral(None) else rest
    if not arms:
        raise Reported
    return Term(node, node.type, first_that_holds(outer, node, [fact for fact, _ in arms], [term for _, term in arms]))


def _tuple(ctx: Context, node: core.Tuple, expected: Type | None) -> Term:
    terms = [ctx.infer(item) for item in node.items]
    return make_list(node.type, terms, node.span) if node.type in ty.LISTS else make_tuple(terms, node.span)


def _project(ctx: Context, node: core.Project, expected: Type | None) -> Term:
    base = ctx.typed(node.base)
    if base.type in ty.LISTS:
        found = items(base)
        return unknown(ctx, node) if found is None else at_place(found[node.index], node.span)
    known = base.known.items[node.index] if isinstance(base.known, Parts) else None
    return Term(node, node.type, known)


def _record(ctx: Context, node: core.Record, expected: Type | None) -> Term:
    return make_record({name: ctx.infer(value) for name, value in node.fields}, node.span)


def _select(ctx: Context, node: core.Select, expected: Type | None) -> Term:
    found = select(ctx, ctx.typed(node.base), node.field, node.span)
    return unknown(ctx, node) if found is None else found


def _update(ctx: Context, node: core.Update, expected: Type | None) -> Term:
    known = ctx.typed(node.base).known
    for path, value in node.updates:
        known = with_known(known, path, ctx.infer(value).known)
    return Term(node, node.type, known)


def _comprehension(ctx: Context, node: core.Comprehension, expected: Type | None) -> Term:
    if node.type not in ty.LISTS or len(node.clauses) != 1:
        return unknown(ctx, node)
    (clause,) = node.clauses
    steps = listed(ctx, clause.source, node.span).steps
    if steps is None:
        return stuck(ctx, node, node.type, Term(node, node.type))
    return make_list(node.type, [_turn(ctx, clause.pattern, step, node.body) for step in steps], node.span)


def _turn(ctx: Context, pattern: core.Pattern, step: Term, body: core.Expr) -> Term:
    inner = ctx.inner()
    meet(inner, pattern, step)
    with ctx.program.task.replay.of("a comprehension over a list"):
        return inner.typed(body)


RULES: Mapping[type, Callable[..., Term]] = MappingProxyType(
    {
        core.Const: _const,
        core.Local: _local,
        core.Global: _global,
        core.SizeOf: _of_types,
        core.ShapeOf: _of_types,
        core.DTypeOf: _of_types,
        core.ShapeList: _shape_list,
        core.EnumValue: _enum_value,
        core.Binary: _binary,
        core.Unary: _unary,
        core.Logical: logical,
        core.Coerce: _coerce,
        core.Intrinsic: _intrinsic,
        core.Apply: _apply,
        core.Sequence: _sequence,
        core.If: _if,
        core.Match: _match,
        core.Tuple: _tuple,
        core.Project: _project,
        core.Record: _record,
        core.Select: _select,
        core.Update: _update,
        core.Comprehension: _comprehension,
    }
)

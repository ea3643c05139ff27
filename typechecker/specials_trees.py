"""Functions over the leaves of a tree nothing is known of: `tree_map` and `tree_reduce` of a `P: VSpace`.

The function is checked once, for a leaf of any dtype of the class and any shape; staging says of every leaf what its
dtype and shape are (`core.LambdaBody.leaf`). Read next: `typechecker.specials`, where the leaves are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.type import DTypeVar, Type
from typechecker import errors
from typechecker.calls import Arg, apply, eta, fit_function
from typechecker.context import Context
from typechecker.instance import spread
from typechecker.knowledge import of_type
from typechecker.operators import error_term
from typechecker.program import SpecialRule
from typechecker.relate import Why, as_array, coerce
from typechecker.values import Term


def _leaf(ctx: Context, tree: ty.TypeVar) -> tuple[DTypeVar, ShapeVar]:
    allowed = dt.CLASSES["Inexact" if tree.constraint == "VSpace" else "Any"]
    return DTypeVar(ctx.fresh_id(), "leaf", allowed), ShapeVar(ctx.fresh_id(), "leaf")


def _of_leaf(
    ctx: Context, function: Term, params: tuple[Type, ...], result: Type, leaf: tuple[int, DTypeVar, ShapeVar], span: Span
) -> core.Expr | None:
    """The function for a leaf, whose effects happen here; None after a report."""
    mark = len(ctx.program.reports)
    found = eta(ctx, function, params, span)
    if found is None:
        return None
    assert isinstance(found.type, ty.FunctionType)
    ctx.perform_row(found.type.effects, span)
    target = ty.FunctionType(params, result, found.type.effects)
    fitted = fit_function(ctx, found, target, Why("rule", "f", "a tree function", None), span).core
    if len(ctx.program.reports) > mark:
        return None
    assert isinstance(fitted, core.Specialise) and isinstance(fitted.function, core.Lambda)
    body = replace(fitted.function.instances[0], leaf=leaf)
    return core.Specialise(span, target, core.Lambda(span, target, [body]), 0)


def map_unknown(
    ctx: Context, function: Term, tree: ty.TypeVar, cores: Sequence[core.Expr], span: Span
) -> Term | None:
    """`tree_map(f, t, …)` for trees of one unknown structure: every leaf keeps its dtype and shape."""
    dtype, shape = _leaf(ctx, tree)
    kind = ty.ArrayType(dtype, Shape((Splice(shape),)))
    fitted = _of_leaf(ctx, function, (kind,) * len(cores), kind, (0, dtype, shape), span)
    return None if fitted is None else Term(core.Intrinsic(span, tree, "tree_map", (fitted, *cores)), tree)


def _tree_reduce(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`tree_reduce(f, tree, init)`: f(f(init, first leaf), second leaf) …"""
    named = next((a for a in args if a.name is not None), None)
    if named is not None or len(args) != 3:
        wanted = ["function", "tree", "initializer"]
        if named is not None:
            ctx.report(errors.unknown_keyword("tree_reduce", named.name or "", wanted, named.span))
        elif len(args) > 3:
            ctx.report(errors.too_many_arguments("tree_reduce", 3, len(args), None, args[3].span, args[3]))
        else:
            ctx.report(errors.missing_arguments("tree_reduce", wanted[len(args) :], span))
        return error_term(span)
    function, tree, start = (ctx.infer(a.value) for a in args)
    if ty.ERROR in (tree.type, start.type):
        return error_term(span)
    start = coerce(ctx, start, as_array(ctx, start.type), Why("argument", "initializer", "tree_reduce"))
    tree = coerce(ctx, tree, as_array(ctx, ctx.resolve(tree.type)), Why("argument", "tree", "tree_reduce"))
    found = _reduced(ctx, function, tree, start, span)
    return error_term(span) if found is None else found


def _reduced(ctx: Context, function: Term, tree: Term, total: Term, span: Span) -> Term | None:
    kind = spread(ctx.resolve(tree.type))
    match kind:
        case ty.TupleType(parts):
            leaves = [core.Project(span, p, tree.core, i) for i, p in enumerate(parts)]
        case ty.RecordType(fields):
            leaves = [core.Select(span, t, tree.core, n) for n, t in fields]
        case ty.TypeVar():
            dtype, shape = _leaf(ctx, kind)
            leaf = ty.ArrayType(dtype, Shape((Splice(shape),)))
            fitted = _of_leaf(ctx, function, (total.type, leaf), total.type, (1, dtype, shape), span)
            if fitted is None:
                return None
            done = core.Intrinsic(span, total.type, "tree_reduce", (fitted, tree.core, total.core))
            return Term(done, total.type)
        case _:
            item = Term(tree.core, kind, of_type(ctx, kind, "leaf"))
            given = [Arg(None, total, span), Arg(None, item, span)]
            term = apply(ctx.repeated(), function, given, span)
            return None if term.type == ty.ERROR else coerce(ctx, term, total.type, Why("result", "f", "tree_reduce"))
    for part in leaves:
        next_total = _reduced(ctx, function, Term(part, part.type), total, span)
        if next_total is None:
            return None
        total = next_total
    return total


def table() -> Mapping[str, SpecialRule]:
    return MappingProxyType({"tree_reduce": _tree_reduce})

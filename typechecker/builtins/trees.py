"""`tree_map`: a function applied to every leaf, also of a tree that is not known yet; `tree_reduce`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.shape import Shape, ShapeVar, Splice, Substitution
from dsl.types.type import DTypeVar, Type
from dsl.types.walk import children, distribute_axes, is_product, part_names, with_children, zip_children
from typechecker import errors
from typechecker.calls.arguments import bind_in_order
from typechecker.calls.calls import apply
from typechecker.calls.effect_restrictions import written_by_arguments
from typechecker.calls.function_values import as_function
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.generic_dtypes import dtype_of_leaves
from typechecker.env.known_parts import Name, facts_of_parts
from typechecker.env.reports import Reported
from typechecker.env.value_facts import with_range
from typechecker.env.values import Term, require_types
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after, once, project, rebuild
from typechecker.relations.numeric_literals import as_array, settled_type


def tree_map(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`tree_map(f, tree, …)`: trees of one structure, leaf by leaf."""
    if len(args) < 2:
        ctx.refuse(errors.calls.missing_arguments("tree_map", ["f", "a tree"][len(args) :], span))
    function = ctx.infer(args[0].value)
    trees = [ctx.infer(a.value) for a in args[1:]]
    if any(t.type == ty.ERROR for t in (*trees, function) if not isinstance(t.type, ty.FunctionType)):
        raise Reported
    kinds = [distribute_axes(ctx.resolve(as_array(ctx, t.type))) for t in trees]
    trees = [coerce(ctx, t, k, Why("argument", "tree", "tree_map")) for t, k in zip(trees, kinds, strict=True)]
    found = [once(ctx, t) for t in trees]
    result = _map_leaves(ctx, function, kinds, [t for t, _ in found], args, span)
    return after([bound for _, bounds in found for bound in bounds], result)


def tree_reduce(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`tree_reduce(f, tree, init)`: f(f(init, first leaf), second leaf) …; without `init` from the first leaf on.
    Fields stand in the order of their names."""
    chosen = bind_in_order(ctx, "tree_reduce", args, ("f", "tree", "initializer"), 2, span, keyword=()).chosen
    function, tree = ctx.typed(chosen["f"].value), ctx.typed(chosen["tree"].value)
    tree = coerce(ctx, tree, as_array(ctx, tree.type), Why("argument", "tree", "tree_reduce"))
    tree, bindings = once(ctx, tree)
    leaves = _leaves(ctx, tree)
    if "initializer" in chosen:
        leaves = [ctx.typed(chosen["initializer"].value), *leaves]
    if not leaves or _variable(ctx.resolve(leaves[0].type)) is not None:
        ctx.refuse(errors.types.tree_leaves(chosen["tree"].span, ctx, name="tree_reduce", term=tree))
    total = leaves[0]
    for leaf in leaves[1:]:
        total = _reduced(ctx, function, total, leaf, span)
    return after(bindings, total)


def _reduced(ctx: Context, function: Term, total: Term, leaf: Term, span: Span) -> Term:
    """The total with one leaf more, or with all of a tree that is not known: it keeps its type then."""
    variable = _variable(ctx.resolve(leaf.type))
    if variable is None:
        total = apply(ctx.repeated(), function, [Arg(None, total, span), Arg(None, leaf, span)], span)
        require_types(total)
        return total
    type_ = settled_type(ctx, total.type)
    total = coerce(ctx, total, type_, Why("argument", "initializer", "tree_reduce"))
    found, element, shape = _of_all_leaves(
        ctx, function, variable, lambda leaf: ty.FunctionType((type_, leaf), type_), "tree_reduce", span
    )
    return Term(core.FoldLeaves(span, type_, found.core, total.core, leaf.core, element, shape), type_)


def _leaves(ctx: Context, tree: Term) -> list[Term]:
    whole = distribute_axes(ctx.resolve(tree.type))
    if not is_product(whole):
        return [with_range(ctx, replace(tree, type=whole), "leaf")]
    parts = zip(part_names(whole), children(whole), strict=True)
    return [leaf for name, t in parts for leaf in _leaves(ctx, _part(tree, name, t))]


def _part(tree: Term, name: Name, type_: Type) -> Term:
    return Term(project(tree.core, name, type_), type_, facts_of_parts(tree.known).get(name))


def _map_leaves(
    ctx: Context, function: Term, kinds: Sequence[Type], trees: Sequence[Term], args: Sequence[Arg], span: Span
) -> Term:
    first = kinds[0]
    if any((is_product(first) or is_product(k)) and zip_children(first, k) is None for k in kinds):
        ctx.refuse(errors.types.tree_structure(ctx, kinds, span))
    if is_product(first):
        done = []
        for i, name in enumerate(part_names(first)):
            inner = [distribute_axes(children(k)[i]) for k in kinds]
            taken_out = [_part(tree, name, t) for tree, t in zip(trees, inner, strict=True)]
            done.append((name, _map_leaves(ctx, function, inner, taken_out, args, span)))
        return rebuild(span, with_children(first, [term.type for _, term in done]), done)
    variable = _variable(first)
    if variable is not None:
        return _map_variable(ctx, function, variable, kinds, [tree.core for tree in trees], span)
    leaves = [Arg(None, with_range(ctx, tree, "leaf"), span) for tree in trees]
    term = apply(ctx.repeated(), function, leaves, span)
    require_types(term)
    return coerce(ctx, term, as_array(ctx, term.type), Why("item"))


def _variable(type_: Type) -> ty.TypeVar | None:
    """Return the variable of an unknown tree, or of the elements of a stack of such trees."""
    inner = type_.element if isinstance(type_, ty.StackedType) else type_
    return inner if isinstance(inner, ty.TypeVar) else None


def _map_variable(
    ctx: Context, function: Term, variable: ty.TypeVar, kinds: Sequence[Type], cores: Sequence[core.Expr], span: Span
) -> Term:
    """Over a tree that is not known: the function must do for a leaf of any shape, and keep its type."""
    if any(k != kinds[0] for k in kinds):
        ctx.refuse(errors.types.tree_structure(ctx, kinds, span))
    found, element, shape = _of_all_leaves(
        ctx, function, variable, lambda leaf: ty.FunctionType((leaf,) * len(kinds), leaf), "tree_map", span
    )
    return Term(core.MapLeaves(span, kinds[0], found.core, tuple(cores), element, shape), kinds[0])


def _of_all_leaves(
    ctx: Context,
    function: Term,
    variable: ty.TypeVar,
    wanted: Callable[[Type], ty.FunctionType],
    owner: str,
    span: Span,
) -> tuple[Term, DTypeVar, ShapeVar]:
    """A function checked once for a leaf of any dtype and shape, whose variables come with it; `wanted` is its type for
    such a leaf."""
    name = variable.name
    own, element = dtype_of_leaves(ctx.fresh_id(), name, variable.constraint)
    shape = ShapeVar(ctx.fresh_id(), f"{name}.shape")
    kind, why = wanted(ty.ArrayType(element, Shape((Splice(shape),)))), Why("argument", "f", owner)
    with ctx.collecting_constraints() as asked:
        found = as_function(ctx, function, kind, why, span, open_effects=True)
    ctx.require_of_all(asked, [own], Substitution(shapes={shape: Shape(())}), errors.types.not_of_all_leaves)
    if not isinstance(found.core, core.Specialise):
        raise Reported
    assert isinstance(found.type, ty.FunctionType)
    ctx.perform_row(found.type.effects, span, written_by_arguments({"f": found}))
    return found, own, shape

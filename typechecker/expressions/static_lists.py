"""Lists of static values: shapes, `ints`, axes, `pairs`, and the conditions that `all` and `any` take.

A list of known length is known item by item, so that whatever is computed from it is known as well. Of any other list
an operation is *stuck*: a `static def` in which that happens stays a call, and is computed where its arguments are
known (`program.unfolding`); elsewhere it is refused. Read next: `loops.iterables`, `indexing.index`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import RANK, Shape, ShapeVar, Splice, StaticName
from dsl.types.size import Opaque, Size, SizeVar, max_, min_
from dsl.types.static_argument import count_items
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import computed_term
from typechecker.env.values import Elementwise, Known, Parts, Term, static_term
from typechecker.errors.causes import Operation
from typechecker.relations.shapes import demand_axis, require_measured


def is_list(kind: Type) -> bool:
    """Return whether a type is that of static lists."""
    return kind in ty.LISTS


def as_list(ctx: Context, term: Term) -> Term | None:
    """A static list, or an array that is written down with static integers, as a list; None for anything else."""
    if is_list(ctx.resolve(term.type)):
        return term
    if isinstance(term.known, Elementwise) and term.known.items is not None:
        shape = Shape(term.known.items)
        return static_term(shape, ty.INTS, term.span)
    return None


def items(term: Term) -> tuple[Term, ...] | None:
    """The items of a list; None if its length is not known."""
    item = ty.LISTS[term.type]
    match term.known:
        case Shape() as shape if shape.sizes is not None:
            places = [core.Const(term.span, ty.INT, i) for i in range(len(shape.sizes))]
            nodes = [core.Intrinsic(term.span, ty.INT, "item", (term.core, place)) for place in places]
            return tuple(map(computed_term, shape.sizes, nodes))
        case Size() if term.type == ty.AXES:
            return (computed_term(term.known, core.Coerce(term.span, ty.INT, term.core)),)
        case Parts(knowns):
            found = [core.Project(term.span, item, term.core, i) for i in range(len(knowns))]
            return tuple([Term(c, item, k) for c, k in zip(found, knowns, strict=True)])
        case _:
            return None


def make_list(kind: Type, terms: Sequence[Term], span: Span) -> Term:
    """The list of these items."""
    sizes = [term.known for term in terms if isinstance(term.known, Size)]
    if ty.LISTS[kind] == ty.INT and len(sizes) == len(terms):
        return computed_term(Shape(tuple(sizes)), core.Tuple(span, kind, tuple([term.core for term in terms])))
    known = Parts(tuple([term.known for term in terms])) if ty.LISTS[kind] != ty.INT else None
    return Term(core.Tuple(span, kind, tuple([term.core for term in terms])), kind, known)


def list_of(item: Type) -> Type | None:
    """The type of lists of such items; None if there are none."""
    same = (ty.INTS, ty.PAIRS, ty.FLAGS)
    plain = ty.INT if item == ty.SIZE else item
    return next((kind for kind in same if ty.LISTS[kind] == plain), None)


def stuck(ctx: Context, made: core.Expr, kind: Type, base: Term) -> Term:
    """An operation on a list of which too little is known."""
    if ctx.body.static:
        ctx.body.stuck = True
        return Term(made, kind, unknown_value(ctx, kind))
    if not (isinstance(base.known, Shape) and has_gap(base.known, Gap.REPORTED)):
        ctx.report(errors.indices.length_unknown(ctx, base, made.span))
    raise Reported


def unknown_value(ctx: Context, kind: Type) -> Known | None:
    """Return the placeholder of a static value that cannot be computed: no fact ever mentions it."""
    if kind in (ty.SHAPE, ty.INTS):
        return Shape((Splice(ShapeVar(ctx.fresh_id(), "?", poison=True)),))
    nothing = Size.of(SizeVar(ctx.fresh_id(), "?", natural=kind == ty.SIZE, poison=True))
    return nothing if kind in (ty.INT, ty.SIZE) else fa.OpaqueProp("?", (nothing,)) if kind == ty.BOOLEAN else None


def placeholder(ctx: Context, kind: Type, span: Span) -> Term:
    """An item of a list whose items are not known."""
    item = ty.LISTS[kind]
    if isinstance(item, ty.TupleType):
        knowns = tuple([unknown_value(ctx, part) for part in item.parts])
        return Term(core.Const(span, item, None), item, Parts(knowns))
    return Term(core.Const(span, item, None), item, unknown_value(ctx, item))


# ---------------------------------------------------------------- operations


def length(ctx: Context, term: Term, span: Span) -> Term:
    """`len(s)`."""
    found, node = items(term), core.Intrinsic(span, ty.INT, "len", (term.core,))
    if found is not None:
        return computed_term(Size.of(len(found)), node)
    if isinstance(term.known, Shape) and not has_gap(term.known, Gap.REPORTED):
        if term.type == ty.SHAPE:
            require_measured(ctx, term.known, "len", span)
        return computed_term(term.known.rank_size(), node)
    if isinstance(term.known, StaticName):
        return computed_term(Size.of(Opaque(RANK, (term.known,), True, count_items)), node)
    return stuck(ctx, node, ty.INT, term)


def concatenate_lists(ctx: Context, left: Term, right: Term, span: Span) -> Term:
    """`s + t`: one after the other."""
    kind = left.type if left.type == right.type else ty.INTS
    node = core.Intrinsic(span, kind, "joined", (left.core, right.core))
    a, b = items(left), items(right)
    if isinstance(left.known, Shape) and isinstance(right.known, Shape):
        return computed_term(left.known + right.known, node)
    if a is not None and b is not None:
        return make_list(kind, (*a, *b), span)
    return stuck(ctx, node, kind, left if a is None else right)


_SIZES: Mapping[str, Callable[[Sequence[Size]], Size]] = MappingProxyType(
    {
        "list_sum": lambda sizes: sum(sizes, Size.of(0)),
        "list_prod": lambda sizes: reduce(lambda total, size: total * size, sizes, Size.of(1)),
        "list_max": lambda sizes: max_(*sizes),
        "list_min": lambda sizes: min_(*sizes),
    }
)
_OF_SOME = ("list_max", "list_min")
"""Of no list without items."""
OF_LISTS = frozenset((*_SIZES, "len"))
"""Intrinsics of one list."""


def reduce_list(ctx: Context, intrinsic: str, name: str, term: Term, span: Span) -> Term:
    """`sum(s)`, `prod(s)`, `max(s)`, `min(s)`, `len(s)`: the intrinsic that `name` is of a list."""
    if intrinsic == "len":
        return length(ctx, term, span)
    node = core.Intrinsic(span, ty.INT, intrinsic, (term.core,))
    if ty.LISTS[term.type] != ty.INT:
        ctx.refuse(errors.indices.list_of_others(span, ctx, name=name, term=term))
    if (
        intrinsic == "list_prod"
        and isinstance(term.known, Shape)
        and term.type == ty.SHAPE
        and not has_gap(term.known, Gap.REPORTED)
    ):
        require_measured(ctx, term.known, name, span)
        return computed_term(term.known.product(), node)
    found = items(term)
    if found is None:
        if intrinsic in _OF_SOME and isinstance(term.known, Shape):
            demand_axis(ctx, term.known, 0, Operation(name, ()), span)
        return stuck(ctx, node, ty.INT, term)
    sizes = [each.known for each in found if isinstance(each.known, Size)]
    if intrinsic in _OF_SOME and not sizes:
        ctx.refuse(errors.indices.empty_list_has_no(span, name=name))
    return computed_term(_SIZES[intrinsic](sizes), node)

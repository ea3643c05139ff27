"""`concatenate` and `stack`: arrays given as a tuple, or as a bracket list, joined along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import ShapeFailure, inserted
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, children, leading_axes, with_children, with_shape
from typechecker.calls.arguments import Array, bind_in_order, primitive
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import static_argument
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import shapes as shape_errors
from typechecker.errors import types as type_errors
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import make_tuple
from typechecker.relations import shapes
from typechecker.relations.coercion import Why, coerce, fit, join
from typechecker.relations.components import after, items_of
from typechecker.relations.numeric_literals import as_array
from typechecker.types.predicates import holds_static

# ---------------------------------------------------------------- operands


class _Operands(Struct, frozen=True):
    """The operands of a join, their container, and the axis, as far as known and in Core."""

    terms: list[Term]
    bindings: Sequence[core.Bound]
    axis: StaticArg
    written: core.Expr

    def join(self, name: str, kind: Type, terms: Sequence[Term], ctx: Context, span: Span) -> Term:
        """The call of the primitive that joins these terms."""
        packed, known = make_tuple(list(terms), span), of_elements(ctx, self.terms, kind)
        return after(self.bindings, primitive(name, kind, [packed], span, [("axis", self.written)], known))


def _operands(ctx: Context, name: str, args: list[Arg], span: Span) -> _Operands:
    chosen = bind_in_order(ctx, name, args, ("arrays", "axis"), 1, span).chosen
    terms, bindings = _parts(ctx, chosen["arrays"], name)
    if "axis" not in chosen:
        return _Operands(terms, bindings, 0, core.Const(span, ty.INT, 0))
    axis = fit(ctx, ctx.typed(chosen["axis"].value, ty.INT), ty.INT, Why("argument", "axis", name))
    return _Operands(terms, bindings, static_argument(axis.known, ctx.fresh_id), axis.core)


def _parts(ctx: Context, arg: Arg, name: str) -> tuple[list[Term], Sequence[core.Bound]]:
    """The arrays of a tuple argument, and what holds it; a bracket list there is read as a tuple."""
    value = arg.value
    if isinstance(value, ast.ListLit):
        items = tuple(i for i in value.items if not isinstance(i, ast.Splice))
        term = make_tuple([ctx.infer(i) for i in items], value.span)
    else:
        term = ctx.typed(value)
    kind = ctx.resolve(term.type)
    if not isinstance(kind, ty.TupleType) or not kind.parts:
        ctx.refuse(type_errors.needs_tuple(ctx, name, term, arg.span))
    if any(ctx.resolve(p) == ty.ERROR for p in kind.parts):
        raise Reported
    return items_of(ctx, term, kind, arg.span)


# ---------------------------------------------------------------- joining arrays


def concatenate(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`concatenate((a, b), axis=0)`."""
    given = _operands(ctx, "concatenate", args, span)
    terms = given.terms
    kinds = [ctx.resolve(t.type) for t in terms]
    bounds = {str(kind.bound) if isinstance(kind, ty.IndexType) else None for kind in kinds}
    element = kinds[0] if len(bounds) == 1 and None not in bounds else as_array(ctx, kinds[0])
    for term, kind in zip(terms, kinds, strict=True):
        _require_element(ctx, element, terms[0], term, kind, span)
    found = [shape for shape in map(leading_axes, kinds) if shape is not None]
    shape = shapes.concatenate(ctx, tuple(found), given.axis, tuple(terms), span)
    return given.join("concatenate", with_shape(element, shape), terms, ctx, span)


def _require_element(ctx: Context, element: Type, first: Term, term: Term, kind: Type, span: Span) -> None:
    """Demand an array of the elements that the first one has."""
    if not isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        ctx.refuse(type_errors.not_an_array(ctx, "concatenate", term, term.span))
    if isinstance(element, ty.ArrayType):
        is_key = isinstance(kind, ty.KeyType)
        own = dt.U32 if isinstance(kind, ty.KeyType) else Array(term, kind).element(ctx)
        if is_key or not ctx.unify(own, element.dtype):
            ctx.refuse(dtype_errors.dtypes_differ(ctx, "concatenate", first, term, element.dtype, own, span))


def stack(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`stack((a, b), axis=0)`: along a new axis."""
    given = _operands(ctx, "stack", args, span)
    element = as_array(ctx, join(ctx, given.terms, Why("item")))
    if holds_static(ctx.resolve(element)):
        ctx.refuse(type_errors.cannot_stack(given.terms[0].span, ctx, term=given.terms[0]))
    items = [coerce(ctx, t, element, Why("item")) for t in given.terms]
    kind = _insert(ctx, ctx.resolve(element), given.axis, items, span)
    return given.join("stack", kind, items, ctx, span)


def _insert(ctx: Context, kind: Type, axis: StaticArg, items: Sequence[Term], span: Span) -> Type:
    size = Size.of(len(items))
    if isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        shape = inserted(ctx.facts, kind.shape, axis, size)
        if isinstance(shape, ShapeFailure):
            ctx.refuse(shape_errors.shapes_fail(ctx, shape, Operation("stack", ()), span))
        shapes.resolve_stuck_calls(ctx, shape, Operation("stack", ()), span)
        return with_shape(kind, shape)
    if axis == 0:
        return add_axes(kind, Shape((size,)))
    return with_children(kind, [_insert(ctx, part, axis, items, span) for part in children(kind)])

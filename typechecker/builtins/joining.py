"""`concatenate` and `stack`: arrays given as a tuple, or as a bracket list, joined along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, is_product, map_parts, with_shape
from typechecker.calls.arguments import bind_by_parameter
from typechecker.calls.primitives import element_of, primitive
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.static_values import static_argument
from typechecker.env.value_facts import union
from typechecker.env.values import Term, error_term
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import shapes as shape_errors
from typechecker.errors import types as type_errors
from typechecker.errors.repairs import Operation
from typechecker.expressions.atoms import make_tuple
from typechecker.relations import shapes
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.components import after, items_of
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.unify_branches import join

_Operands: TypeAlias = tuple[list[Term], Sequence[core.Bound], tuple[StaticArg, core.Expr]]


def _axis(ctx: Context, chosen: dict[str, Arg], owner: str, span: Span) -> tuple[StaticArg, core.Expr] | None:
    """The option `axis`, as far as it is known, and its Core; None after a report."""
    if "axis" not in chosen:
        return 0, core.Const(span, ty.INT, 0)
    term = fit(ctx, ctx.typed(chosen["axis"].value, ty.INT), ty.INT, Why("argument", "axis", owner))
    return static_argument(term.known, ctx.fresh_id), term.core


# ---------------------------------------------------------------- joining arrays


def _parts(ctx: Context, arg: Arg, name: str) -> tuple[list[Term], Sequence[core.Bound]] | None:
    """The arrays of a tuple argument, and what holds it; a bracket list there is read as a tuple."""
    value = arg.value
    if isinstance(value, ast.ListLit):
        items = tuple(i for i in value.items if not isinstance(i, ast.Splice))
        term = make_tuple([ctx.infer(i) for i in items], value.span)
    else:
        term = ctx.infer(value)
    kind = ctx.resolve(term.type)
    if isinstance(kind, ty.TupleType) and kind.parts:
        if any(ctx.resolve(p) == ty.ERROR for p in kind.parts):
            return None
        return items_of(ctx, term, kind, arg.span)
    if kind != ty.ERROR:
        ctx.report(type_errors.needs_tuple(ctx, name, term, arg.span))
    return None


def _operands(ctx: Context, name: str, args: list[Arg], span: Span) -> _Operands | None:
    """What is joined, what holds it, and the axis; None after a report."""
    chosen = bind_by_parameter(ctx, name, args, ("arrays", "axis"), 1, span)
    found = None if chosen is None else _parts(ctx, chosen["arrays"], name)
    axis = None if chosen is None else _axis(ctx, chosen, name, span)
    return None if found is None or axis is None else (*found, axis)


def concatenate(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`concatenate((a, b), axis=0)`."""
    found = _operands(ctx, "concatenate", args, span)
    if found is None:
        return error_term(span)
    terms, bindings, axis = found
    kinds = [ctx.resolve(t.type) for t in terms]
    if (
        all(isinstance(k, ty.IndexType) for k in kinds)
        and len({str(k.bound) for k in kinds if isinstance(k, ty.IndexType)}) == 1
    ):
        element: Type = kinds[0]
    else:
        element = as_array(ctx, kinds[0])
    arrays = []
    for term, kind in zip(terms, kinds, strict=True):
        if not isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
            ctx.report(type_errors.not_an_array(term.span, ctx, name="concatenate", term=term))
            return error_term(span)
        if isinstance(element, ty.ArrayType):
            own = element_of(ctx, kind) if not isinstance(kind, ty.KeyType) else dt.U32
            if isinstance(kind, ty.KeyType) or not ctx.body.solver.unify(own, element.dtype):
                ctx.report(dtype_errors.dtypes_differ(ctx, "concatenate", terms[0], term, element.dtype, own, span))
                return error_term(span)
        arrays.append(kind.shape)
    shape = shapes.concatenate(ctx, tuple(arrays), axis[0], tuple(terms), span)
    kind = with_shape(element, shape)
    known = union(ctx, terms, kind)
    packed = make_tuple(terms, span)
    return after(bindings, primitive("concatenate", kind, [packed], span, [("axis", axis[1])], known))


def stack(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`stack((a, b), axis=0)`: along a new axis."""
    found = _operands(ctx, "stack", args, span)
    if found is None:
        return error_term(span)
    terms, bindings, axis = found
    element = as_array(ctx, join(ctx, terms, Why("item")))
    items = [coerce(ctx, t, element, Why("item")) for t in terms]
    count = Size.of(len(items))
    kind = _insert(ctx, ctx.resolve(element), axis[0], count, span)
    if kind is None:
        return error_term(span)
    known = union(ctx, terms, kind)
    packed = make_tuple(items, span)
    return after(bindings, primitive("stack", kind, [packed], span, [("axis", axis[1])], known))


def _insert(ctx: Context, kind: Type, axis: StaticArg, size: Size, span: Span) -> Type | None:
    if isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        shape = shapes.inserted(ctx, kind.shape, axis, size)
        if isinstance(shape, ShapeFailure):
            ctx.report(shape_errors.shapes_fail(ctx, shape, Operation("stack", ()), span))
            return None
        shapes.resolve_stuck_calls(ctx, shape, Operation("stack", ()), span)
        return with_shape(kind, shape)
    if axis == 0:
        return add_axes(kind, Shape((size,)))
    return map_parts(kind, lambda part: _insert(ctx, part, axis, size, span)) if is_product(kind) else None

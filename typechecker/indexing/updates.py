"""Updates of arrays: `x.at[i].set(v)` is a new array, and so is `x.at[mask].set(v)`.

What happens out of bounds is a policy, `mode="clip"` and its like, for updates and for `x.at[i].get(mode="clip")`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from msgspec import Struct

from dsl.core import core
from dsl.core.binding import Slot
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from dsl.types.walk import distribute_axes, leading_axes, with_shape
from typechecker import errors
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term, require_types
from typechecker.expressions.arithmetic import allow_natural, array_of, require_class
from typechecker.indexing.index import as_stack, gathers_keys, walk
from typechecker.relations.coercion import Why, coerce, fit, proves_index
from typechecker.relations.shapes import joint_shape
from typechecker.relations.size_equations import shapes_differ
from typechecker.types.predicates import is_reported

CLASS_OF: Mapping[str, str] = MappingProxyType(
    {"add": "Num", "mul": "Num", "min": "Real", "max": "Real", "divide": "Inexact", "power": "Num"}
)
"""The dtypes of the updates that compute."""
ACCESSES = ("set", *CLASS_OF, "multiply", "apply", "get")
"""What is offered at a place of an array; `multiply` is another name of `mul`."""
READING = ("clip", "wrap", "fill")
WRITING = ("drop", "clip", "wrap")


# ---------------------------------------------------------------- updates


class At(Struct, frozen=True):
    """`x.at[i]`: the array with its type and the axes that the index takes, and what happens out of bounds."""

    ctx: Context
    base: Term
    kind: Type
    shape: Shape
    index: ast.Index
    policy: str | None
    span: Span


def at_method(ctx: Context, node: ast.Field, args: list[Arg], span: Span) -> Term | None:
    """`x.at[i].set(v)` and its like; None if this is no such thing."""
    target = node.base
    if not (isinstance(target, ast.Index) and isinstance(target.base, ast.Field) and target.base.name.name == "at"):
        return None
    base = ctx.infer(target.base.base)
    require_types(base)
    own = ctx.resolve(base.type)
    if isinstance(own, ty.RecordType) and own.field("at") is not None:
        return None
    base = as_stack(ctx, base, target.base.base.span)
    type_ = ctx.resolve(base.type)
    shape = leading_axes(type_)
    if shape is None:
        return None
    operation = node.name.name
    if operation not in ACCESSES:
        ctx.refuse(errors.indices.unknown_update(operation, ACCESSES, node.name.span))
    operation = "mul" if operation == "multiply" else operation
    options = ("mode", "fill") if operation == "get" else ("mode",)
    slots = [Slot(name, keyword_only=True, required=False) for name in options]
    named = bind_arguments(ctx, operation, slots, [a for a in args if a.name is not None], span)
    positional = [a for a in args if a.name is None]
    policy = _policy(ctx, named, READING if operation == "get" else WRITING)
    at = At(ctx, base, type_, shape, target, policy, span)
    if operation == "get":
        if positional:
            ctx.report(errors.calls.too_many_arguments("get", 0, len(positional), positional[0].span))
        return _get(at, named)
    if len(positional) != 1:
        ctx.refuse(errors.indices.update_arguments(span, name=operation, given=len(positional)))
    return _update(at, operation, positional[0].value)


def _policy(ctx: Context, named: Mapping[str, Arg], policies: tuple[str, ...]) -> str | None:
    """The `mode` that is given, if any."""
    arg = named.get("mode")
    if arg is None:
        return None
    term = coerce(ctx, ctx.infer(arg.value, ty.STRING), ty.STRING, Why("static", "mode"))
    if isinstance(term.known, str) and term.known in policies:
        return term.known
    ctx.refuse(errors.indices.unknown_policy(arg.span, ctx, policies=[f'"{each}"' for each in policies]))


def _get(at: At, named: Mapping[str, Arg]) -> Term:
    ctx, policy, span = at.ctx, at.policy, at.span
    items, result = walk(ctx, at.base, at.shape, at.index.items, at.index.span, policy)
    found = with_shape(at.kind, result)
    fill = None
    if "fill" in named and policy != "fill":
        ctx.refuse(errors.indices.fill_without_mode(named["fill"].span))
    if policy == "fill" and "fill" not in named:
        ctx.refuse(errors.calls.missing_arguments("get", ["fill"], span))
    if gathers_keys(at.kind, items):
        ctx.refuse(errors.keys.keys_gathered(span))
    if policy == "fill" and not isinstance(found, ty.ArrayType | ty.IndexType):
        ctx.refuse(errors.indices.fill_of_no_numbers(named["fill"].span, ctx, kind=found))
    others = [ctx.infer(named["fill"].value)] if policy == "fill" else []
    known = of_elements(ctx, [at.base, *others], found)
    if others and isinstance(found, ty.IndexType) and not proves_index(ctx, known, found.bound):
        found = ty.ArrayType(dt.I32, found.shape)
    if policy == "fill":
        fill = coerce(ctx, others[0], with_shape(found, Shape(())), Why("argument", "fill", "get")).core
    return Term(core.Index(span, found, at.base.core, items, fill), found, known)


def _update(at: At, operation: str, value: ast.Expr | Term) -> Term:
    ctx, base, kind, span = at.ctx, at.base, at.kind, at.span
    kind = array_of(kind) or kind
    if isinstance(kind, ty.ArrayType) and operation in CLASS_OF:
        require_class(ctx, operation, CLASS_OF[operation], kind.dtype, base, None, span)
    mask = _mask(at)
    if mask is not None:
        items: tuple[core.Item, ...] = ()
        slot: Type = kind
        require_types(mask)
    else:
        items, result = walk(ctx, base, at.shape, at.index.items, at.index.span, at.policy, reads=False)
        slot = with_shape(kind, result)
    if operation == "apply":
        wanted = ty.FunctionType((slot,), slot)
        term = ctx.program.rules.as_function(ctx, ctx.infer(value), wanted, Why("argument", "function", "apply"), span)
    else:
        written = ctx.infer(value, slot if isinstance(slot, ty.ArrayType) else None)
        term = _fit_slot(ctx, written, slot, operation, span)
        if isinstance(kind, ty.ArrayType) and operation == "power":
            allow_natural(ctx, "**", kind.dtype, base, written, span)
    core_mask = mask.core if mask is not None else None
    known = of_elements(ctx, [base, term], kind) if operation in ("set", "min", "max") else None
    return Term(core.Scatter(span, kind, base.core, items, operation, term.core, core_mask), kind, known)


def _mask(at: At) -> Term | None:
    """The boolean mask of `.at[mask]`, if that is what stands there."""
    ctx, shape, item = at.ctx, at.shape, at.index.items[0]
    if len(at.index.items) != 1 or isinstance(item, ast.Slice | ast.EllipsisItem | ast.NoneLit | ast.NumberLit):
        return None
    with ctx.attempt() as attempt, ctx.body.book.inner() as effects:
        term = ctx.infer(item)
    type_ = ctx.resolve(term.type)
    if not (isinstance(type_, ty.ArrayType) and type_.dtype == dt.BOOL):
        attempt.discard()
        return None
    ctx.perform_all(effects)
    rank = None if shape.rank is None else shape.rank - len(type_.shape.dims)
    if rank is not None and rank > 0 and type_.shape.rank is not None:
        ctx.refuse(errors.indices.mask_of_fewer_axes(term.span, ctx, mask=term, own=type_.shape, shape=shape))
    return coerce(ctx, term, ty.ArrayType(dt.BOOL, shape), Why("argument", "mask", "at"))


def _fit_slot(ctx: Context, term: Term, slot: Type, operation: str, span: Span) -> Term:
    """A value against its slot: equal types, or an array that broadcasts to it by the safe rules."""
    type_ = ctx.resolve(term.type)
    array = array_of(type_)
    if isinstance(slot, ty.ArrayType) and array is not None:
        if not ctx.unify(array.dtype, slot.dtype):
            found = errors.types.Mismatch(ctx, type_, slot, Why("argument", "value", operation), term.span)
            ctx.refuse(errors.dtypes.wrong_dtype(found, array.dtype, slot.dtype))
        met = joint_shape(ctx, slot.shape, array.shape, span)
        if met is None or shapes_differ(ctx, met, slot.shape, span):
            _refuse_value(ctx, term, slot, operation)
        return term
    if isinstance(slot, ty.ArrayType) and isinstance(type_, ty.StaticType):
        return coerce(ctx, term, ty.ArrayType(slot.dtype, Shape(())), Why("argument", "value", operation))
    return fit(ctx, term, distribute_axes(slot), Why("argument", "value", operation))


def _refuse_value(ctx: Context, term: Term, slot: Type, operation: str) -> NoReturn:
    type_ = ctx.resolve(term.type)
    if is_reported(type_) or is_reported(slot):
        raise Reported
    found = errors.types.Mismatch(ctx, type_, slot, Why("argument", "value", operation), term.span)
    if isinstance(slot, ty.ArrayType) and isinstance(type_, ty.ArrayType):
        ctx.refuse(errors.shapes.wrong_shape(found, type_.shape, slot.shape, None))
    ctx.refuse(errors.types.wrong_type(found))

"""Applying a function under a transformation: its arguments as arrays, and the call around the transformed function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.core import core
from dsl.core.binding import Slot, bind, by_position, name_arguments
from dsl.core.held_types import may_hold_function
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import children, is_product, part_names
from typechecker import errors
from typechecker.declarations.entities import Definition as Entity
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.values import (
    Closure,
    Definition,
    Fields,
    Known,
    Nothing,
    Overloaded,
    Parts,
    Special,
    Term,
    Transformed,
    innermost,
    made_at_calls,
)
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.predicates import is_number

# ---------------------------------------------------------------- making transformed functions


def require_function(ctx: Context, term: Term, kind: str) -> None:
    """Demand that what a transformation is given can be called."""
    if not isinstance(ctx.resolve(term.type), ty.FunctionType) and not isinstance(term.known, dt.DType):
        ctx.refuse(errors.transforms.transform_needs_function(term.span, ctx, kind=kind, term=term))


def written_option(node: core.Expr, known: Known | None) -> core.Expr:
    """An option as it would be written: what follows a program looks at it, and a name shows nothing."""
    match node, known:
        case core.Tuple(items=items), Parts(knowns) if len(items) == len(knowns):
            return replace(node, items=tuple(map(written_option, items, knowns)))
        case core.Record(fields=fields), Fields(knowns):
            told = dict(knowns)
            return replace(node, fields=tuple([(n, written_option(e, told.get(n))) for n, e in fields]))
        case core.Const(), _:
            return node
        case _:
            return _literal(known, node.type, node.span) or node


def _literal(known: Known | None, kind: Type, span: Span) -> core.Expr | None:
    """The expression of what is known through and through; None for anything else."""
    match known:
        case Nothing():
            return core.constant(None, span)
        case str():
            return core.constant(known, span)
        case Size() if known.constant is not None:
            return core.constant(known.constant, span)
        case Parts(items):
            types = children(kind) or (kind,) * len(items)
            parts = [_literal(item, type_, span) for item, type_ in zip(items, types, strict=False)]
            told = tuple([part for part in parts if part is not None])
            return core.Tuple(span, kind, told) if len(told) == len(items) else None
        case Fields(fields):
            named = dict(zip(part_names(kind), children(kind), strict=True))
            found = [(n, _literal(v, named.get(n, kind), span)) for n, v in fields]
            pairs = tuple([(n, e) for n, e in found if e is not None])
            return core.Record(span, kind, pairs) if len(pairs) == len(fields) else None
        case _:
            return None


# ---------------------------------------------------------------- applying them


def require_data(ctx: Context, kind: Kind, result: Type, span: Span) -> None:
    """Demand that no function leaves a transformation: what it captures exists inside of it alone."""
    found = ctx.resolve(result)
    if may_hold_function(found, ctx.program.enum_info):
        ctx.refuse(errors.transforms.function_leaves(span, ctx, kind=kind, result=found))


def wrap_call(function: Term, inner: Applied, kind: Type, span: Span, known: Known | None = None) -> Applied:
    """The call of the transformed function, with the arguments of the one inside. The transformation stands around what
    was called there: for a special form that is a lambda made for it."""
    node = function.core
    callee = replace(node, function=inner.function) if isinstance(node, core.Transform) else node
    term = Term(core.Apply(span, kind, callee, inner.core_args, inner.instance, inner.hidden), kind, known)
    return replace(inner, term=term, function=callee)


def expand_transformed(function: Term, transformed: Transformed) -> Term:
    """A transformed special form or overloaded function that was bound to a name, with its transformation in place of
    the name."""
    if isinstance(function.core, core.Transform) or not made_at_calls(function):
        return function
    options = tuple((name, term.core) for name, term in transformed.options)
    node = core.Transform(transformed.span, function.type, transformed.kind, transformed.function.core, options)
    return replace(function, core=node)


def as_arrays(ctx: Context, function: Term, args: list[Arg]) -> list[Arg]:
    """Arguments of a transformed lambda: numbers become arrays, for there is no other type to meet."""
    if not isinstance(innermost(function).known, Closure | Special | Overloaded):
        return args
    out = []
    for arg in args:
        term = ctx.infer(arg.value)
        type_ = ctx.resolve(term.type)
        if is_number(type_) or is_product(type_):
            term = coerce(ctx, term, as_array(ctx, type_), Why("argument"))
        out.append(Arg(arg.name, term, arg.span))
    return out


def _definition(ctx: Context, function: Term) -> Entity | None:
    """The definition that is transformed, if it is one."""
    match innermost(function).known:
        case Definition(module, name):
            return ctx.program.definition(module, name)
        case _:
            return None


def signature_of(ctx: Context, function: Term) -> core.Signature | None:
    """The signature of the definition that is transformed, if it is one."""
    found = _definition(ctx, function)
    return None if found is None else ctx.program.signature(found)


def pass_over_statics(ctx: Context, function: Term, args: list[Arg]) -> list[Arg]:
    """The arguments of a transformed function: by position are those of the parameters that are left, where static
    ones are given by name."""
    signature = signature_of(ctx, function)
    if signature is None:
        return args
    names = name_arguments(signature.params, [arg.name for arg in args])
    return [replace(arg, name=name) for arg, name in zip(args, names, strict=True)]


def count_parameters(ctx: Context, function: Term, args: Sequence[Arg]) -> list[int | None]:
    """Which of the parameters that `argnums` and `in_axes` count each argument belongs to: static ones to none, and
    named ones only where the parameters are known."""
    signature = signature_of(ctx, function)
    if signature is None:
        return [i if a.name is None else None for i, a in enumerate(args)]
    traced = [p.name for p in signature.params if p.counts]
    names = [p.name for p in by_position(signature.params)]
    given = [a.name or (names[i] if i < len(names) else None) for i, a in enumerate(args)]
    return [traced.index(name) if name in traced else None for name in given]


def in_order(ctx: Context, function: Term, args: Sequence[Arg]) -> list[tuple[Arg, int | None]]:
    """The arguments, with the number of those that are traced in the order in which they are received."""
    places = count_parameters(ctx, function, args)
    order = sorted(place for place in places if place is not None)
    return [(a, None if place is None else order.index(place)) for a, place in zip(args, places, strict=True)]


def handed_on(ctx: Context, function: Term, given: Mapping[str, Term], other: Term) -> list[Arg]:
    """By name, what is `given` for the parameters of a function that are static or functions, or their defaults, as far
    as another function has such parameters of these names."""
    info, asking = _definition(ctx, function), signature_of(ctx, other)
    if info is None or info.signature is None or asking is None:
        return []
    own = {p.name for _, p in uncounted(ctx, function)}
    shared = [p.name for p in asking.params if not p.counts and p.name in own]
    found = [(name, given.get(name) or info.defaults[name]) for name in shared]
    return [Arg(name, term, function.span) for name, term in found if name in given or _is_closed(term.core)]


def uncounted(ctx: Context, function: Term) -> list[tuple[int, core.Parameter]]:
    """The parameters of the definition that is transformed that are static or functions, with their places."""
    signature = signature_of(ctx, function)
    return [] if signature is None else [(i, p) for i, p in enumerate(signature.params) if not p.counts]


def bound_arguments(ctx: Context, function: Term, args: Sequence[Arg]) -> Mapping[str, int]:
    """The places of the arguments of a definition that is transformed, by the names of its parameters."""
    signature = signature_of(ctx, function)
    params = () if signature is None else signature.params
    return bind([Slot(p.name, p.keyword_only, False) for p in params], [arg.name for arg in args]).places


def _is_closed(default: core.Expr) -> bool:
    """Return whether a default is the same for every call."""
    return isinstance(default, core.Const | core.Global) or (
        isinstance(default, core.SizeOf) and default.size.constant is not None
    )


# ---------------------------------------------------------------- derivatives


def argnums(term: Term) -> tuple[int | str, ...] | None:
    """The positions and names that `argnums` lists; None if it is something else."""
    items = term.known.items if isinstance(term.known, Parts) else (term.known,)
    found = [item.constant if isinstance(item, Size) else item for item in items]
    told = tuple([item for item in found if isinstance(item, int | str)])
    return told if len(told) == len(found) else None

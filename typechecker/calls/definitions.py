"""Calls of definitions: arguments meet parameters, the variables of the signature are solved, the result follows.

Static arguments come first, since later types may speak of them; arguments that are functions come last, when the
variables in their parameter types are known. Read next: `typechecker.types.instance`, which solves the variables, and
`typechecker.calls.results`, which checks what the callee demands and computes the type of the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import PURE, EffectVar
from dsl.types.facts import Prop
from dsl.types.shape import PRESENT, Shape, Splice, StaticName, StaticVariant
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Type
from dsl.types.walk import map_leaves
from typechecker.calls.constant_folding import fold
from typechecker.calls.function_values import eta, fit_function, takes, with_functions
from typechecker.calls.results import finish
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.value_facts import opaque_condition
from typechecker.env.values import (
    Definition,
    Known,
    Parts,
    Term,
    error_term,
)
from typechecker.errors import calls as call_errors
from typechecker.errors import stages as stage_errors
from typechecker.errors import types as type_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.instance import Instance, static_argument
from typechecker.types.predicates import holds_function, poisoned


def apply_definition(
    ctx: Context, function: Term, definition: Definition, args: list[Arg], span: Span, expected: Type | None
) -> Applied | None:
    """A call of a definition; None after a report."""
    info = ctx.program.definition(definition.module, definition.name)
    signature = ctx.program.signature(info)
    if signature is None:
        for arg in args:
            ctx.infer(arg.value)
        return None
    chosen = _bind(ctx, info, signature.params, args, span)
    if chosen is None:
        return None
    if info.static_math is not None:
        folded = fold(ctx, info, function, chosen, signature, span)
        if folded is not None:
            return folded
    instance = _open(ctx, signature)
    terms = _match(ctx, info, signature, chosen, instance, span)
    if terms is None:
        return None
    if info.state == "checking" and _endless(ctx, info, signature, instance, terms):
        ctx.report(stage_errors.recursion_not_static(info.name, span, info.node.name.span))
        return None
    return finish(ctx, info, function, signature, instance, terms, span)


def _endless(
    ctx: Context, info: DefinitionInfo, signature: core.Signature, instance: Instance, terms: dict[str, Term]
) -> bool:
    """Whether a definition that is being checked calls itself again and again: with the very static values it was
    called with, or where no static value decides that it does."""
    sizes = all(instance.sizes.get(var) == Size.of(var) for var in signature.sizes)
    shapes = all(instance.shapes.get(var) == Shape((Splice(var),)) for var in signature.shapes)
    same = sizes and shapes and all(_handed_on(p, terms[p.name]) for p in signature.params if p.static)
    within = (ctx.body.module, ctx.body.owner) == (info.module, info.name)
    return same or (within and not ctx.chosen and not info.node.static)


def _handed_on(param: core.Parameter, term: Term) -> bool:
    """Whether the argument of a static parameter is that parameter itself."""
    node = term.core
    while isinstance(node, core.Coerce):
        node = node.value
    if param.size is not None:
        return term.known == Size.of(param.size)
    return isinstance(node, core.Local) and node.id == param.id


def _open(ctx: Context, signature: core.Signature) -> Instance:
    instance = Instance(
        ctx.body.solver,
        ctx.facts,
        open_sizes=frozenset(signature.sizes),
        open_shapes=frozenset(signature.shapes),
    )
    for var in signature.dtypes:
        instance.dtypes[var] = ctx.body.solver.fresh(var.allowed, None, var.name)
    return instance


def _bind(
    ctx: Context, info: DefinitionInfo, params: Sequence[core.Parameter], args: list[Arg], span: Span
) -> dict[str, Arg] | None:
    """Arguments by parameter name; reports what is too much, missing, double or unknown."""
    chosen: dict[str, Arg] = {}
    positional = [p for p in params if not p.keyword_only]
    given = [a for a in args if a.name is None]
    if len(given) > len(positional):
        extra = given[len(positional)]
        keyword = next((p for p in params if p.keyword_only), None)
        if keyword is not None:
            ctx.report(call_errors.by_name(info.shown, keyword.name, extra.span))
        else:
            place, all_names = info.node.name.span, [p.name for p in positional]
            ctx.report(
                call_errors.too_many_arguments(info.shown, len(positional), len(given), extra.span, place, all_names)
            )
        return None
    for param, arg in zip(positional, given, strict=False):
        chosen[param.name] = arg
    ok = True
    names = {p.name for p in params}
    for arg in args:
        if arg.name is None:
            continue
        if arg.name not in names:
            ctx.report(call_errors.unknown_keyword(info.shown, arg.name, sorted(names), arg.span))
            ok = False
        elif arg.name in chosen:
            ctx.report(call_errors.argument_twice(info.shown, arg.name, arg.span, chosen[arg.name].span))
            ok = False
        else:
            chosen[arg.name] = arg
    missing = [p for p in params if p.name not in chosen and p.default is None and p.name not in info.defaults]
    if missing and ok:
        place, all_names = info.node.name.span, [p.name for p in params]
        ctx.report(call_errors.missing_arguments(info.shown, [p.name for p in missing], span, place, all_names))
        ok = False
    return chosen if ok else None


def _match(
    ctx: Context,
    info: DefinitionInfo,
    signature: core.Signature,
    chosen: dict[str, Arg],
    instance: Instance,
    span: Span,
) -> dict[str, Term] | None:
    terms: dict[str, Term] = {}
    for given in (True, False):
        for param in signature.params:
            if param.static and not _is_function(param, chosen) and (param.name in chosen) == given:
                terms[param.name] = _static_argument(ctx, info, param, chosen.get(param.name), instance, span)
        for param in signature.params:
            if not param.static and not isinstance(param.type, ty.FunctionType) and (param.name in chosen) == given:
                terms[param.name] = _traced_argument(ctx, info, param, chosen.get(param.name), instance, span)
        instance.settle()
    if any(term.type == ty.ERROR for term in terms.values()):
        return None
    for param in signature.params:
        if _is_function(param, chosen) or (holds_function(param.type) and not param.static):
            arg = chosen.get(param.name)
            if arg is None and isinstance(param.type, ty.FunctionType):
                terms[param.name] = _default_function(info, param, instance)
                continue
            mark = len(ctx.program.reports)
            term = terms[param.name] if arg is None or param.name in terms else ctx.infer(arg.value)
            terms[param.name] = _with_functions(ctx, info, param, term, instance)
            if len(ctx.program.reports) > mark or terms[param.name].type == ty.ERROR:
                return None
            instance.settle()
    return terms


def _is_function(param: core.Parameter, chosen: dict[str, Arg]) -> bool:
    """Whether a parameter is given a function, which is looked at when the sizes in its type are known."""
    return isinstance(param.type, ty.FunctionType) and (param.name in chosen or not param.static)


def _traced_argument(
    ctx: Context, info: DefinitionInfo, param: core.Parameter, arg: Arg | None, instance: Instance, span: Span
) -> Term:
    term = ctx.infer(arg.value, _hint(param, arg)) if arg else _default(info, param, instance, span)
    instance.bind_type(param.type, ctx.resolve(term.type), param.name, lambda kind: as_array(ctx, kind))
    return term


def _hint(param: core.Parameter, arg: Arg) -> Type | None:
    """What an argument is checked against: useful for list literals, tuples and records alone."""
    if not isinstance(param.type, ty.TupleType | ty.RecordType):
        return None
    if holds_function(param.type):
        return _without_functions(param.type) if isinstance(arg.value, ast.RecordLit | ast.TupleLit) else None
    return param.type


def _without_functions(kind: Type) -> Type:
    return map_leaves(kind, lambda leaf: ty.ERROR if isinstance(leaf, ty.FunctionType) else leaf)


def _default(info: DefinitionInfo, param: core.Parameter, instance: Instance, span: Span) -> Term:
    """A parameter's default, in the caller's terms."""
    default = info.defaults[param.name]
    known = _carried(instance, default.known)
    return Term(_moved(default.core, span), instance.type(default.type), known)


def _default_function(info: DefinitionInfo, param: core.Parameter, instance: Instance) -> Term:
    """A function that the callee itself has for a parameter; it performs no more than its type says."""
    assert isinstance(param.type, ty.FunctionType)
    for effect in param.type.effects.effects:
        if isinstance(effect, EffectVar):
            instance.effects.setdefault(effect, PURE)
    return info.defaults[param.name]


def _moved(node: core.Expr, span: Span) -> core.Expr:
    return core.Const(span, node.type, node.value) if isinstance(node, core.Const) else node


def _carried(instance: Instance, known: Known | None) -> Known | None:
    match known:
        case Size():
            return instance.size(known)
        case Shape():
            return instance.shape(known)
        case DTypeVar():
            return instance.element(known)
        case Parts(items):
            return Parts(tuple(_carried(instance, i) for i in items))
        case StaticName():
            return None
        case _:
            return known


def _static_argument(
    ctx: Context, info: DefinitionInfo, param: core.Parameter, arg: Arg | None, instance: Instance, span: Span
) -> Term:
    kind = instance.type(param.type)
    if arg is None:
        term = _default(info, param, instance, span)
    else:
        inferred = ctx.infer(arg.value, _plain_static(kind))
        mark = len(ctx.program.reports)
        term = coerce(ctx, inferred, kind, Why("argument", param.name, info.shown, param.span), arg.span)
        if inferred.type == ty.ERROR or len(ctx.program.reports) > mark:
            return error_term(arg.span)
        if not _fits_class(ctx, info, param, term, arg.span):
            return error_term(arg.span)
    shape = term.known if kind == ty.SHAPE and isinstance(term.known, Shape) else None
    if shape is not None and arg is not None and not _has_sizes(ctx, shape, arg.span):
        return error_term(arg.span)
    bind_static(ctx, param, term.known, instance)
    return term


def _has_sizes(ctx: Context, shape: Shape, span: Span) -> bool:
    """Demand that no axis of a shape has a negative size; false after a report."""
    if poisoned(shape):
        return True
    open_dims = [d for d in shape.dims if isinstance(d, Size) and not d.is_nonnegative()]
    return all(ctx.program.rules.require(ctx, fa.ge(dim, 0), span, "size") for dim in open_dims)


def _fits_class(ctx: Context, info: DefinitionInfo, param: core.Parameter, term: Term, span: Span) -> bool:
    """Whether a dtype given to `static d: Float` is of that class."""
    known = term.known
    if param.dtype is None or not isinstance(known, dt.DType | DTypeVar):
        return True
    if ctx.body.solver.restrict(known, param.dtype.allowed):
        return True
    needed = next(name for name, dtypes in dt.CLASSES.items() if dtypes == param.dtype.allowed)
    ctx.report(type_errors.operator_needs(ctx, info.shown, needed, known, term, None, span))
    return False


def _plain_static(kind: Type) -> Type:
    return kind.base if isinstance(kind, ty.OptionalType) else kind


def bind_static(ctx: Context, param: core.Parameter, known: Known | None, instance: Instance) -> None:
    """What a static parameter stands for in the types after it."""
    if param.size is not None:
        value = known if isinstance(known, Size) else None
        instance.sizes[param.size] = value if value is not None else _unknown_size(ctx, param)
    if param.shape is not None and isinstance(known, Shape):
        instance.shapes[param.shape] = known
    if param.dtype is not None and isinstance(known, dt.DType | DTypeVar):
        instance.dtypes[param.dtype] = known
    name = StaticName(param.id, param.name)
    given = static_argument(known, ctx.fresh_id)
    there = isinstance(param.type, ty.OptionalType) and isinstance(given, Size)
    instance.statics[name] = StaticVariant(PRESENT, (given,)) if there else given
    if param.type == ty.BOOLEAN:
        instance.props[name] = known if isinstance(known, Prop) else opaque_condition(ctx)
    for i, part in enumerate(param.parts):
        bind_static(ctx, part, known.items[i] if isinstance(known, Parts) else None, instance)


def _unknown_size(ctx: Context, param: core.Parameter) -> Size:
    from_size = param.size
    assert from_size is not None
    return Size.of(type(from_size)(ctx.fresh_id(), param.name, from_size.natural))


def _with_functions(ctx: Context, info: DefinitionInfo, param: core.Parameter, term: Term, instance: Instance) -> Term:
    """An argument with its functions, alone or in a tuple or record, made such as the parameter says."""
    why = Why("argument", param.name, info.shown, param.span)

    def fit(part: Term, kind: ty.FunctionType) -> Term:
        if part.type == ty.ERROR:
            return part
        if not isinstance(ctx.resolve(part.type), ty.FunctionType) and not isinstance(part.known, dt.DType):
            ctx.report(call_errors.not_a_function(ctx, part, kind, info.shown, param.name, part.span))
            return error_term(part.span)
        wanted = tuple(map(instance.type, kind.params))
        found = eta(ctx, part, wanted, part.span) if takes(ctx, part, kind, why, part.span) else None
        if found is None:
            return error_term(part.span)
        instance.bind_type(kind, found.type, param.name, lambda t: as_array(ctx, t))
        instance.settle()
        target = instance.type(kind)
        assert isinstance(target, ty.FunctionType)
        return fit_function(ctx, found, target, why, part.span, part.known)

    return with_functions(ctx, term, param.type, fit)

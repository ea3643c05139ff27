"""Calls: arguments meet parameters, variables of the callee are solved, the result's type is computed.

`apply` treats every kind of function value; `eta` turns one into a function of given parameter types, which is how
functions are passed to functions. Transformations and functions with rules of their own are reached through
`Special` and `Transformed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl.core import core
from dsl.core.static_math import STATIC
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.effect import Axis, Cell, Effect, EffectVar, Row
from dsl.types.facts import Prop
from dsl.types.shape import Shape, StaticName
from dsl.types.size import Size, SizeVar, max_, min_
from dsl.types.type import DTypeVar, Type
from typechecker import errors, shapes
from typechecker.basics import at_place, callee, module_of, select
from typechecker.context import Context
from typechecker.instance import Instance, spread, static_argument
from typechecker.knowledge import interval, parameter_known, ranged
from typechecker.operators import error_term, is_vector_space, opaque_condition
from typechecker.patterns import bind_pattern, names
from typechecker.program import Definition as DefinitionInfo
from typechecker.relate import Why, as_array, coerce, is_number, poisoned
from typechecker.scope import Binding
from typechecker.typexpr import elaborate
from typechecker.values import (
    Closure,
    Definition,
    Known,
    Monomorphic,
    Nothing,
    Operation,
    Parts,
    Special,
    Term,
    Transformed,
    VariantFunction,
    VariantValue,
)


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument at a call: not yet checked, or already a term (receivers, arguments of transformations)."""

    name: str | None
    value: ast.Expr | Term
    span: Span


@dataclass(frozen=True, slots=True)
class Applied:
    """A call done. `positional` are the traced arguments as the callee receives them, in order; `core_args` all of
    its parameters' arguments; `function` and `instance` say what was called."""

    term: Term
    function: core.Expr
    positional: tuple[Term, ...]
    core_args: tuple[core.Expr | None, ...]
    instance: int | None
    places: tuple[int, ...] = ()


# ---------------------------------------------------------------- syntax


def call(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    args = arguments(ctx, node.args)
    if args is None:
        return error_term(node.span)
    if isinstance(node.function, ast.Field):
        return _method(ctx, node.function, args, node.span, expected)
    return apply(ctx, callee(ctx, node.function), args, node.span, expected)


def arguments(ctx: Context, nodes: Sequence[ast.Argument]) -> list[Arg] | None:
    out: list[Arg] = []
    for arg in nodes:
        if isinstance(arg.value, ast.Splice):
            ctx.report(errors.splice_argument(arg.span))
            return None
        out.append(Arg(arg.name.name if arg.name else None, arg.value, arg.span))
    return out


def _method(ctx: Context, node: ast.Field, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`a.f(…)`: a module's member, a field that is a function, else `f(a, …)`."""
    module = module_of(ctx, node.base)
    if module is not None:
        found = ctx.program.member(ctx, module, node.name.name, node.name.span)
        return error_term(span) if found is None else apply(ctx, at_place(found, node.span), args, span, expected)
    at = ctx.program.rules.at_method(ctx, node, args, span)
    if at is not None:
        return at
    base = ctx.infer(node.base)
    if base.type == ty.ERROR:
        for arg in args:
            ctx.infer(arg.value)
        return error_term(span)
    found = select(ctx, base, node.name.name, node.span) if _has_field(ctx, base, node.name.name) else None
    if found is not None:
        return apply(ctx, found, args, span, expected)
    binding = ctx.scope.lookup(node.name.name)
    function = (
        at_place(binding.term, node.name.span)
        if binding is not None
        else ctx.program.global_name(ctx, node.name.name, node.name.span)
    )
    if function is None:
        ctx.report(errors.no_method(ctx, base, node.name.name, ctx.program.visible_names(ctx), node.name.span))
        return error_term(span)
    return apply(ctx, function, [Arg(None, base, node.base.span), *args], span, expected)


def _has_field(ctx: Context, base: Term, name: str) -> bool:
    kind = ctx.resolve(base.type)
    if isinstance(kind, ty.StackedType):
        kind = kind.element
    return isinstance(kind, ty.RecordType) and kind.field(name) is not None


def pipe(ctx: Context, node: ast.Pipe, expected: Type | None) -> Term:
    value = Arg(None, node.value, node.value.span)
    return apply(ctx, ctx.infer(node.function), [value], node.span, expected)


# ---------------------------------------------------------------- application


def apply(ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None = None) -> Term:
    if isinstance(function.known, Special):
        rule = ctx.program.specials.get(function.known.name)
        if rule is not None:
            return rule(ctx, args, span, expected)
    if isinstance(function.known, dt.DType | DTypeVar) and function.type == ty.DTYPE:
        return _cast(ctx, function, args, span)
    if isinstance(function.known, Operation):
        return ctx.program.rules.operation(ctx, function.known, args, span)
    if isinstance(function.known, VariantFunction):
        return _variant(ctx, function.known, args, span)
    applied = apply_full(ctx, function, args, span, expected)
    return error_term(span) if applied is None else applied.term


def apply_full(
    ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None = None
) -> Applied | None:
    """A call of a function value that can be transformed; None after a report."""
    kind = ctx.resolve(function.type)
    match function.known:
        case Definition() as definition:
            return _definition(ctx, function, definition, args, span, expected)
        case Closure() as closure:
            return _closure(ctx, function, closure, args, span)
        case Monomorphic(signature):
            return _monomorphic(ctx, function, signature, args, span)
        case Transformed() as transformed:
            return ctx.program.rules.apply_transformed(ctx, function, transformed, args, span)
        case Special() | Operation() | VariantFunction() | dt.DType():
            return _special(ctx, function, args, span, expected)
    if isinstance(kind, ty.FunctionType):
        return _monomorphic(ctx, function, kind, args, span)
    if kind != ty.ERROR:
        ctx.report(errors.not_callable(ctx, function, function.span))
    for arg in args:
        ctx.infer(arg.value)
    return None


def _special(ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None) -> Applied | None:
    """A function with rules of its own, wrapped so that transformations can treat it as any other."""
    terms = [Arg(a.name, ctx.infer(a.value), a.span) for a in args]
    locals_ = [local(ctx, f"x{i}", a.value.type, a.span) for i, a in enumerate(terms) if isinstance(a.value, Term)]
    inner = [Arg(a.name, Term(t.core, t.type, a.value.known if isinstance(a.value, Term) else None), a.span)
             for a, t in zip(terms, locals_, strict=True)]  # fmt: skip
    result = apply(ctx, function, inner, span, expected)
    if result.type == ty.ERROR:
        return None
    patterns = tuple(core.Bind(t.core.id, t.core.name) for t in locals_ if isinstance(t.core, core.Local))
    wrapper = core.Lambda(span, function.type, [core.LambdaBody(patterns, result.core)])
    values = tuple(a.value for a in terms if isinstance(a.value, Term))
    cores = tuple(v.core for v in values)
    term = Term(core.Apply(span, result.type, wrapper, cores, 0), result.type, result.known)
    return Applied(term, wrapper, values, cores, 0, tuple(range(len(cores))))


def local(ctx: Context, name: str, kind: Type, span: Span) -> Term:
    """A fresh local variable of a type."""
    return ranged(ctx, Term(core.Local(span, kind, ctx.fresh_id(), name), kind, parameter_known(kind)))


# ---------------------------------------------------------------- definitions


def _definition(
    ctx: Context, function: Term, definition: Definition, args: list[Arg], span: Span, expected: Type | None
) -> Applied | None:
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
        folded = _fold(ctx, info, function, chosen, signature, span)
        if folded is not None:
            return folded
    instance = _open(ctx, signature)
    terms = _match(ctx, info, signature, chosen, instance, span)
    if terms is None:
        return None
    return _finish(ctx, info, function, signature, instance, terms, span)


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
        ctx.report(errors.too_many_arguments(info.shown, len(positional), len(given), keyword, extra.span, extra))
        return None
    for param, arg in zip(positional, given, strict=False):
        chosen[param.name] = arg
    ok = True
    names = {p.name for p in params}
    for arg in args:
        if arg.name is None:
            continue
        if arg.name not in names:
            ctx.report(errors.unknown_keyword(info.shown, arg.name, sorted(names), arg.span))
            ok = False
        elif arg.name in chosen:
            ctx.report(errors.argument_twice(info.shown, arg.name, arg.span, chosen[arg.name].span))
            ok = False
        else:
            chosen[arg.name] = arg
    missing = [p for p in params if p.name not in chosen and p.default is None and p.name not in info.defaults]
    if missing and ok:
        ctx.report(errors.missing_arguments(info.shown, [p.name for p in missing], span))
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
    ok = True
    for param in signature.params:
        if not param.static:
            continue
        term = _static_argument(ctx, info, param, chosen.get(param.name), instance, span)
        ok = ok and term.type != ty.ERROR
        terms[param.name] = term
    for param in signature.params:
        if param.static or isinstance(param.type, ty.FunctionType):
            continue
        arg = chosen.get(param.name)
        term = ctx.infer(arg.value, _hint(instance, param)) if arg else _default(ctx, info, param, instance, span)
        ok = ok and term.type != ty.ERROR
        terms[param.name] = term
        instance.bind_type(param.type, ctx.resolve(term.type), param.name, lambda kind: as_array(ctx, kind))
    if not ok:
        return None
    instance.settle()
    for param in signature.params:
        if isinstance(param.type, ty.FunctionType) and not param.static:
            arg = chosen[param.name]
            mark = len(ctx.program.reports)
            function = _function_argument(ctx, info, param, arg, instance)
            if function is None or len(ctx.program.reports) > mark:
                return None
            terms[param.name] = function
            instance.settle()
    return terms


def _hint(instance: Instance, param: core.Parameter) -> Type | None:
    """What an argument is checked against: useful for list literals, tuples and records alone."""
    match param.type:
        case ty.TupleType() | ty.RecordType():
            return param.type
        case ty.ArrayType(_, shape) if shape.dims:
            return None
        case _:
            return None


def _default(ctx: Context, info: DefinitionInfo, param: core.Parameter, instance: Instance, span: Span) -> Term:
    """A parameter's default, in the caller's terms."""
    default = info.defaults[param.name]
    known = _carried(instance, default.known)
    return Term(_moved(default.core, span), instance.type(default.type), known)


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
        case StaticName():
            return None
        case _:
            return known


def _static_argument(
    ctx: Context, info: DefinitionInfo, param: core.Parameter, arg: Arg | None, instance: Instance, span: Span
) -> Term:
    kind = instance.type(param.type)
    if arg is None:
        term = _default(ctx, info, param, instance, span)
    else:
        inferred = ctx.infer(arg.value, _plain_static(kind))
        mark = len(ctx.program.reports)
        term = coerce(ctx, inferred, kind, Why("argument", param.name, info.shown, param.span), arg.span)
        if inferred.type == ty.ERROR or len(ctx.program.reports) > mark:
            return error_term(arg.span)
        if not _fits_class(ctx, info, param, term, arg.span):
            return error_term(arg.span)
    if kind == ty.SHAPE and isinstance(term.known, Shape) and arg is not None:
        for dim in term.known.dims:
            if isinstance(dim, Size) and not dim.is_nonnegative() and not poisoned(term.known):
                if not ctx.program.rules.require(ctx, fa.ge(dim, 0), arg.span, "size"):
                    return error_term(arg.span)
    bind_static(ctx, param, term.known, instance)
    return term


def _fits_class(ctx: Context, info: DefinitionInfo, param: core.Parameter, term: Term, span: Span) -> bool:
    """Whether a dtype given to `static d: Float` is of that class."""
    known = term.known
    if param.dtype is None or not isinstance(known, dt.DType | DTypeVar):
        return True
    if ctx.body.solver.restrict(known, param.dtype.allowed):
        return True
    needed = next(name for name, dtypes in dt.CLASSES.items() if dtypes == param.dtype.allowed)
    ctx.report(errors.operator_needs(ctx, info.name, needed, known, term, None, span))
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
    instance.statics[name] = static_argument(known, ctx.fresh_id)
    if param.type == ty.BOOLEAN:
        instance.props[name] = known if isinstance(known, Prop) else opaque_condition(ctx)


def _unknown_size(ctx: Context, param: core.Parameter) -> Size:
    from_size = param.size
    assert from_size is not None
    return Size.of(type(from_size)(ctx.fresh_id(), param.name, from_size.natural))


def _function_argument(
    ctx: Context, info: DefinitionInfo, param: core.Parameter, arg: Arg, instance: Instance
) -> Term | None:
    assert isinstance(param.type, ty.FunctionType)
    term = ctx.infer(arg.value)
    if term.type == ty.ERROR:
        return None
    wanted = tuple(instance.type(p) for p in param.type.params)
    if not isinstance(ctx.resolve(term.type), ty.FunctionType) and not isinstance(term.known, dt.DType):
        ctx.report(errors.not_a_function(ctx, term, param.type, info.name, param.name, arg.span))
        return None
    found = eta(ctx, term, wanted, arg.span)
    if found is None:
        return None
    actual = found.type
    assert isinstance(actual, ty.FunctionType)
    instance.bind_type(param.type, actual, param.name, lambda kind: as_array(ctx, kind))
    instance.settle()
    target = instance.type(param.type)
    why = Why("argument", param.name, info.shown, param.span)
    assert isinstance(target, ty.FunctionType)
    return fit_function(ctx, found, target, why, arg.span)


def _finish(
    ctx: Context,
    info: DefinitionInfo,
    function: Term,
    signature: core.Signature,
    instance: Instance,
    terms: dict[str, Term],
    span: Span,
) -> Applied | None:
    mark = len(ctx.program.reports)
    final: dict[str, Term] = {}
    for param in signature.params:
        term = terms[param.name]
        if not param.static and not isinstance(param.type, ty.FunctionType):
            why = Why("argument", param.name, info.shown, param.span)
            term = coerce(ctx, term, instance.type(param.type), why)
        final[param.name] = term
        if len(ctx.program.reports) > mark:
            return None
    if not _classes_met(ctx, info, signature, instance, final):
        return None
    _cells_agree(ctx, info, instance.row(signature.effects), span)
    missing = [v for v in signature.sizes if v not in instance.sizes]
    if missing:
        ctx.report(errors.undetermined_at_call(info.shown, missing[0], span))
        return None
    _constraints(ctx, info, signature, instance, span)
    result = instance.type(signature.result)
    what = errors.Several(info.shown, tuple(t for p in signature.params if not p.static for t in (final[p.name],)))
    for shape in shapes_in(result):
        if not shapes.settle(ctx, shape, what, span):
            return None
    ctx.perform_row(instance.row(signature.effects), span, info.writes if info.state == "done" else None)
    places = tuple(
        i for i, p in enumerate(signature.params) if not p.static and not isinstance(p.type, ty.FunctionType)
    )
    cores = tuple(final[p.name].core for p in signature.params)
    if not ctx.program.unfolding:
        ctx.program.unfolded_at = span
    known = interval(ctx, info.static_math, [final[p.name].known for p in signature.params], result)
    if known is None:
        known = _result_known(ctx, info, final, result, instance)
    term = ranged(ctx, Term(core.Apply(span, result, function.core, cores), result, known))
    positional = tuple(final[signature.params[i].name] for i in places)
    return Applied(term, function.core, positional, cores, None, places)


def _classes_met(
    ctx: Context, info: DefinitionInfo, signature: core.Signature, instance: Instance, terms: dict[str, Term]
) -> bool:
    """Whether what stands for each type variable is of its class."""
    for param in signature.params:
        for var in signature.types:
            found = instance.types.get(var)
            if found is None or not _mentions(param.type, var):
                continue
            if not _of_class(ctx, ctx.resolve(found), var.constraint):
                span = terms[param.name].span
                ctx.report(errors.class_not_met(ctx, info.shown, param.name, found, var.constraint, span))
                return False
    return True


def _mentions(kind: Type, var: ty.TypeVar) -> bool:
    match kind:
        case ty.TypeVar():
            return kind == var
        case ty.StackedType(element, _):
            return _mentions(element, var)
        case ty.TupleType(parts):
            return any(_mentions(p, var) for p in parts)
        case ty.RecordType(fields):
            return any(_mentions(t, var) for _, t in fields)
        case _:
            return False


def _of_class(ctx: Context, kind: Type, wanted: str) -> bool:
    if wanted == "VSpace":
        return is_vector_space(ctx, kind)
    match kind:
        case ty.ArrayType() | ty.IndexType() | ty.ErrorType():
            return True
        case ty.KeyType():
            return wanted == "Move"
        case ty.TupleType(parts):
            return all(_of_class(ctx, ctx.resolve(p), wanted) for p in parts)
        case ty.RecordType(fields):
            return all(_of_class(ctx, ctx.resolve(t), wanted) for _, t in fields)
        case ty.StackedType(element, _):
            return _of_class(ctx, element, wanted)
        case ty.TypeVar(_, _, constraint):
            return wanted == "Move" or constraint != "Move"
        case _:
            return False


def _cells_agree(ctx: Context, info: DefinitionInfo, row: Row, span: Span) -> None:
    """The cells a callee works on have the types they have here."""
    for effect in row.effects:
        if not isinstance(effect, Cell):
            continue
        cell = ctx.scope.cell(effect.name)
        if cell is None or cell.kind != effect.kind or ty.ERROR in (cell.type, effect.type):
            continue
        held = Term(core.Const(span, cell.type, None), cell.type)
        coerce(ctx, held, effect.type, Why("cell", effect.name, info.name, cell.span), span)


def _constraints(
    ctx: Context, info: DefinitionInfo, signature: core.Signature, instance: Instance, span: Span
) -> None:
    for prop in signature.where:
        needed = instance.prop(prop)
        verdict = ctx.require(needed, span)
        if isinstance(verdict, Refuted):
            ctx.report(errors.constraint_refuted(ctx, info, prop, needed, instance.sizes, verdict.counterexample, span))
            return


def _result_known(
    ctx: Context, info: DefinitionInfo, terms: dict[str, Term], result: Type, instance: Instance
) -> Known | None:
    if isinstance(result, ty.FunctionType):
        return Monomorphic(result)
    if not _has_static_leaf(result):
        return None
    return ctx.program.rules.unfold(ctx, info, terms, result, instance)


def _has_static_leaf(kind: Type) -> bool:
    match kind:
        case ty.StaticType() | ty.EnumType() | ty.OptionalType() | ty.FunctionType():
            return True
        case ty.TupleType(parts):
            return any(map(_has_static_leaf, parts))
        case ty.RecordType(fields):
            return any(_has_static_leaf(t) for _, t in fields)
        case _:
            return False


def shapes_in(kind: Type) -> list[Shape]:
    """All shapes of a type."""
    match kind:
        case ty.ArrayType(_, shape) | ty.IndexType(_, shape) | ty.KeyType(shape):
            return [shape]
        case ty.TupleType(parts):
            return [s for p in parts for s in shapes_in(p)]
        case ty.RecordType(fields):
            return [s for _, t in fields for s in shapes_in(t)]
        case ty.StackedType(element, axes):
            return [axes, *shapes_in(element)]
        case _:
            return []


# ---------------------------------------------------------------- static elementwise functions

_KEEP_INT = frozenset(
    {"abs", "sign", "maximum", "minimum", "power", "floor_divide", "mod", "clip", "square", "floor", "ceil",
     "trunc", "round", "where", "real", "imag", "conj"}
)  # fmt: skip
_TESTS = frozenset({"isnan", "isinf", "isfinite"})


def _fold(
    ctx: Context,
    info: DefinitionInfo,
    function: Term,
    chosen: dict[str, Arg],
    signature: core.Signature,
    span: Span,
) -> Applied | None:
    """A standard elementwise function of static numbers gives a static number; None if some argument is not."""
    terms: list[Term] = []
    for param in signature.params:
        arg = chosen.get(param.name)
        term = ctx.infer(arg.value) if arg is not None else info.defaults[param.name]
        if arg is not None:
            chosen[param.name] = Arg(arg.name, term, arg.span)
        terms.append(term)
    name = info.static_math or ""
    if not all(is_number(ctx.resolve(t.type)) for t in terms) or name not in STATIC:
        return None
    if any(t.type == ty.BOOLEAN for t in terms) and name != "where":
        return None
    kind, known = _folded(ctx, name, terms)
    cores = tuple(t.core for t in terms)
    term = Term(core.Intrinsic(span, kind, name, cores), kind, known)
    return Applied(term, function.core, tuple(terms), cores, None)


def _folded(ctx: Context, name: str, terms: list[Term]) -> tuple[Type, Known | None]:
    numbers = [t for t in terms if t.type != ty.BOOLEAN]
    whole = all(t.type in (ty.INT, ty.SIZE) for t in numbers)
    sizes = [t.known for t in terms if isinstance(t.known, Size)]
    if name in ("maximum", "minimum") and whole and len(sizes) == 2:
        return ty.INT, (max_ if name == "maximum" else min_)(*sizes)
    kind: Type = ty.INT if whole and name in _KEEP_INT else ty.FLOAT
    if any(t.type == ty.COMPLEX for t in terms) and name not in ("abs", "real", "imag", "angle"):
        kind = ty.COMPLEX
    if name in _TESTS:
        return ty.BOOLEAN, opaque_condition(ctx)
    values = [_value(t.known) for t in terms]
    if any(v is None for v in values):
        return kind, None
    result = STATIC[name](*values)
    if isinstance(result, bool):
        return ty.BOOLEAN, fa.Known(result)
    if isinstance(result, int):
        return ty.INT, Size.of(result)
    return (ty.COMPLEX if isinstance(result, complex) else ty.FLOAT), result


def _value(known: Known | None) -> int | float | complex | bool | None:
    match known:
        case Size():
            return known.constant
        case fa.Known(value):
            return value
        case float() | complex():
            return known
        case _:
            return None


# ---------------------------------------------------------------- lambdas and function parameters


def lambda_(ctx: Context, node: ast.Lambda, expected: Type | None) -> Term:
    wanted = expected if isinstance(expected, ty.FunctionType) else None
    kind = wanted or ty.FunctionType((ty.ERROR,) * len(node.params), ty.ERROR)
    found = core.Lambda(node.span, kind)
    term = Term(found, kind, Closure(node, ctx.scope.snapshot(), found, wanted))
    if node.params and all(p.type is not None for p in node.params):
        with ctx.collecting_effects():
            inner = ctx.inner()
            inner.scope.on_unknown = lambda name, span: _rigid(inner, name, span)
            kinds = [elaborate(inner, p.type) for p in node.params if p.type is not None]
            args = [Arg(None, local(ctx, "x", k, p.span), p.span) for k, p in zip(kinds, node.params, strict=True)]
            apply_full(ctx, term, args, node.span)
            found.instances.clear()
    return term


def _distinct_names(ctx: Context, params: tuple[ast.LambdaParam, ...]) -> None:
    seen: dict[str, Span] = {}
    for param in params:
        for found in names(param.pattern):
            if found.name in seen:
                ctx.report(errors.duplicate_name("parameter", found.name, found.span, seen[found.name]))
            seen[found.name] = found.span


def _rigid(ctx: Context, name: str, span: Span) -> Binding:
    """A size of a lambda's annotation that stands for any size."""
    size = Size.of(SizeVar(ctx.fresh_id(), name))
    ctx.scope.bind(name, Term(core.SizeOf(span, ty.INT, size), ty.INT, size), span, "size")
    return ctx.scope.names[name]


def _closure(ctx: Context, function: Term, closure: Closure, args: list[Arg], span: Span) -> Applied | None:
    params = closure.node.params
    named = next((a for a in args if a.name is not None), None)
    if named is not None or len(args) != len(params):
        ctx.report(errors.lambda_arity(len(params), len(args), named.name if named else None, span))
        return None
    scope = closure.scope.child()
    inner = ctx.within(scope)
    _distinct_names(ctx, params)
    terms: list[Term] = []
    patterns: list[core.Pattern] = []
    for param, arg in zip(params, args, strict=True):
        term = ctx.infer(arg.value)
        if term.type == ty.ERROR:
            return None
        if param.type is not None:
            kind = _lambda_type(inner, param.type, ctx.resolve(term.type))
            term = coerce(ctx, term, kind, Why("argument", _pattern_name(param.pattern), "the lambda", param.span))
        patterns.append(bind_pattern(inner, param.pattern, term, "param"))
        terms.append(term)
    body = inner.infer(closure.node.body)
    if body.type == ty.ERROR:
        return None
    closure.core.instances.append(core.LambdaBody(tuple(patterns), body.core))
    number = len(closure.core.instances) - 1
    cores = tuple(t.core for t in terms)
    applied = Term(core.Apply(span, body.type, function.core, cores, number), body.type, body.known)
    return Applied(applied, function.core, tuple(terms), cores, number, tuple(range(len(cores))))


def _lambda_type(ctx: Context, written: ast.TypeExpr, actual: Type) -> Type:
    """The annotation of a lambda's parameter; sizes that nothing in scope names are found from the argument."""
    scope = ctx.scope
    made: list[SizeVar] = []

    def bind(name: str, span: Span) -> Binding | None:
        made.append(SizeVar(ctx.fresh_id(), name))
        size = Size.of(made[-1])
        scope.bind(name, Term(core.SizeOf(span, ty.INT, size), ty.INT, size), span, "size")
        return scope.names[name]

    scope.on_unknown = bind
    kind = elaborate(ctx, written)
    scope.on_unknown = None
    instance = Instance(ctx.body.solver, ctx.facts, open_sizes=frozenset(made))
    instance.bind_type(kind, actual, "argument", lambda t: as_array(ctx, t))
    instance.settle()
    for var in made:
        size = instance.sizes.get(var, Size.of(ctx.program.error_size()))
        instance.sizes[var] = size
        span = scope.names[var.name].span
        assert span is not None
        scope.bind(var.name, Term(core.SizeOf(span, ty.INT, size), ty.INT, size), span, "size")
    return instance.type(kind)


def _pattern_name(pattern: ast.Pattern) -> str:
    return pattern.name if isinstance(pattern, ast.NamePattern) else "argument"


def _monomorphic(
    ctx: Context, function: Term, signature: ty.FunctionType, args: list[Arg], span: Span
) -> Applied | None:
    named = next((a for a in args if a.name is not None), None)
    if named is not None or len(args) != len(signature.params):
        shown = function.span.text if len(function.span.text) < 40 else "the function"
        if named is not None:
            ctx.report(errors.unknown_keyword(shown, named.name or "", [], named.span))
        elif len(args) > len(signature.params):
            extra = args[len(signature.params)]
            ctx.report(
                errors.too_many_arguments(shown, len(signature.params), len(args), None, extra.span, extra)
            )
        else:
            ctx.report(errors.missing_arguments(shown, [f"argument {len(args) + 1}"], span))
        return None
    terms = []
    for i, (arg, kind) in enumerate(zip(args, signature.params, strict=True)):
        term = ctx.infer(arg.value, kind if isinstance(kind, ty.FunctionType) else None)
        if term.type == ty.ERROR:
            return None
        mark = len(ctx.program.reports)
        terms.append(coerce(ctx, term, kind, Why("argument", f"argument {i + 1}", function.span.text)))
        if len(ctx.program.reports) > mark:
            return None
    ctx.perform_row(signature.effects, span)
    cores = tuple(t.core for t in terms)
    result = signature.result
    known: Known | None = Monomorphic(result) if isinstance(result, ty.FunctionType) else None
    if known is None and result == ty.BOOLEAN:
        known = opaque_condition(ctx)
    term = ranged(ctx, Term(core.Apply(span, result, function.core, cores), result, known))
    return Applied(term, function.core, tuple(terms), cores, None, tuple(range(len(cores))))


# ---------------------------------------------------------------- functions as arguments


def eta(ctx: Context, term: Term, params: tuple[Type, ...], span: Span) -> Term | None:
    """The function value as one of exactly these parameter types: a lambda around a call of it. Its effects are in
    its type, not performed. None after a report."""
    locals_ = [local(ctx, f"x{i}", kind, span) for i, kind in enumerate(params)]
    args = [Arg(None, t, span) for t in locals_]
    with ctx.collecting_effects() as effects:
        applied = apply_full(ctx.repeated(), term, args, span)
    if applied is None:
        return None
    row = Row(frozenset(effects))
    patterns = tuple(core.Bind(t.core.id, t.core.name) for t in locals_ if isinstance(t.core, core.Local))
    result = applied.term
    kind = ty.FunctionType(params, ctx.resolve(result.type), row)
    wrapper = core.Lambda(span, kind, [core.LambdaBody(patterns, result.core)])
    return Term(core.Specialise(span, kind, wrapper, 0), kind, Monomorphic(kind))


def as_function(ctx: Context, term: Term, target: ty.FunctionType, why: Why, span: Span) -> Term:
    """The rule of `coerce` for function types."""
    if not isinstance(ctx.resolve(term.type), ty.FunctionType) and not isinstance(term.known, dt.DType):
        ctx.report(errors.wrong_type(ctx, term.type, target, why, span, ""))
        return Term(term.core, target, None)
    found = eta(ctx, term, target.params, span)
    if found is None:
        return Term(error_term(span).core, target, Monomorphic(target))
    return fit_function(ctx, found, target, why, span)


def fit_function(ctx: Context, found: Term, target: ty.FunctionType, why: Why, span: Span) -> Term:
    """A function made by `eta` with its result coerced and its effects compared with those allowed."""
    assert isinstance(found.core, core.Specialise) and isinstance(found.core.function, core.Lambda)
    assert isinstance(found.type, ty.FunctionType)
    body = found.core.function.instances[0]
    known: Known | None = None
    result = Term(body.body, found.type.result, known)
    if isinstance(found.type.result, ty.FunctionType):
        result = Term(body.body, found.type.result, Monomorphic(found.type.result))
    with ctx.collecting_effects():
        inner = why if why.kind == "rule" else Why("result", why.name, why.owner, why.declared)
        result = coerce(ctx, result, target.result, inner, span)
    extra = [e for e in found.type.effects.effects if e not in target.effects]
    if extra and not any(isinstance(e, EffectVar) and e not in found.type.effects for e in ()):
        ctx.report(errors.function_effects(ctx, sorted(map(str, extra)), target, why, span))
    wrapper = core.Lambda(span, target, [core.LambdaBody(body.params, result.core)])
    return Term(core.Specialise(span, target, wrapper, 0), target, Monomorphic(target))


# ---------------------------------------------------------------- casts and variants


def _cast(ctx: Context, function: Term, args: list[Arg], span: Span) -> Term:
    if len(args) != 1 or args[0].name is not None:
        ctx.report(errors.cast_arity(function.span.text, len(args), span))
        return error_term(span)
    term = ctx.infer(args[0].value)
    assert isinstance(function.known, dt.DType | DTypeVar)
    return convert(ctx, term, function.known, span)


def convert(ctx: Context, term: Term, element: dt.DType | DTypeVar, span: Span) -> Term:
    """A cast of a static number or an array."""
    kind = ctx.resolve(term.type)
    shape = Shape(())
    known: Known | None = None
    match kind:
        case ty.ErrorType():
            return error_term(span)
        case ty.ArrayType(source, shape):
            if isinstance(element, dt.DType) and not element.is_complex and element != dt.BOOL:
                if ctx.body.solver.restrict(source, dt.COMPLEXES) and isinstance(source, dt.DType):
                    ctx.report(errors.complex_to_real(term, element, span))
                    return error_term(span)
            known = term.known
        case ty.IndexType(_, shape):
            known = term.known
        case ty.StaticType(name) if is_number(kind):
            if name == "complex" and isinstance(element, dt.DType) and not element.is_complex:
                ctx.report(errors.complex_to_real(term, element, span))
                return error_term(span)
            known = term.known if name in ("int", "size") else None
        case _:
            ctx.report(errors.cannot_cast(ctx, term, element, span))
            return error_term(span)
    target = ty.ArrayType(element, shape)
    if not (isinstance(element, dt.DType) and element.is_integer):
        known = None
    elif isinstance(known, Size):
        known = ctx.program.rules.traced_constant(known)
    return Term(core.Convert(span, target, term.core, element), target, known)


def _variant(ctx: Context, variant: VariantFunction, args: list[Arg], span: Span) -> Term:
    enum = ctx.program.enum_info(variant.module, variant.enum)
    fields = next(v.fields for v in enum.variants if v.name == variant.variant)
    chosen: dict[str, Arg] = {}
    names = [n for n, _ in fields]
    for i, arg in enumerate(args):
        name = arg.name or (names[i] if i < len(names) else None)
        if name is None:
            ctx.report(errors.too_many_arguments(variant.variant, len(names), len(args), None, arg.span, arg))
            return error_term(span)
        if name not in names or name in chosen:
            ctx.report(errors.unknown_keyword(variant.variant, name, names, arg.span))
            return error_term(span)
        chosen[name] = arg
    missing = [n for n in names if n not in chosen]
    if missing:
        ctx.report(errors.missing_arguments(variant.variant, missing, span))
        return error_term(span)
    terms = [
        coerce(ctx, ctx.infer(chosen[n].value, k), k, Why("argument", n, variant.variant)) for n, k in fields
    ]
    kind = enum.type
    known = VariantValue((kind.module, kind.name), variant.variant, tuple(t.known for t in terms))
    return Term(
        core.EnumValue(span, kind, kind, variant.variant, tuple(t.core for t in terms)), kind, known
    )


__all__ = [
    "Applied", "Arg", "Axis", "Cell", "Effect", "Nothing", "Parts", "apply", "apply_full", "arguments",
    "as_function", "call", "convert", "eta", "fit_function", "lambda_", "local", "pipe", "shapes_in", "spread",
]  # fmt: skip

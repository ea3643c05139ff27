"""The types of transformed functions: `grad(f)` is typed by applying `f` to the arguments and looking at the result.

No transformation is run here. What cannot be transformed is refused here, at the user's own call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import DIV, IO, Axis, Cell, Effect, Row
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.applied import Applied, Arg, local
from typechecker.calls import apply_full
from typechecker.context import Context
from typechecker.functions import eta
from typechecker.knowledge import of_type
from typechecker.linearity import nonlinear_part
from typechecker.operators import error_term
from typechecker.relate import Why, as_array, coerce, holds_key, is_number, is_traced, require_equal, same_shape
from typechecker.shapes import inserted, removed
from typechecker.values import Closure, Fields, Known, Monomorphic, Nothing, Parts, Special, Term, Transformed

OPTIONS: dict[str, tuple[str, ...]] = {
    "jit": (),
    "grad": ("argnums", "has_aux"),
    "value_and_grad": ("argnums", "has_aux"),
    "jacfwd": ("argnums",),
    "jacrev": ("argnums",),
    "hessian": ("argnums",),
    "vmap": ("in_axes", "out_axes", "axis_name"),
    "checkpoint": ("policy",),
    "custom_jvp": ("rule",),
    "custom_vjp": ("fwd", "bwd"),
}
REVERSE = ("grad", "value_and_grad", "jacrev", "hessian", "vjp", "hvp")


# ---------------------------------------------------------------- making transformed functions


def transform(ctx: Context, kind: str, args: list[Arg], span: Span) -> Term:
    """`grad(f, argnums=1)`: a function value, typed when it is applied."""
    bound = _options(ctx, kind, args, span)
    if bound is None:
        return error_term(span)
    function, options = bound
    if function.type == ty.ERROR or any(t.type == ty.ERROR for _, t in options):
        return error_term(span)
    if not _is_function(ctx, function):
        ctx.report(errors.transform_needs_function(ctx, kind, function, function.span))
        return error_term(span)
    nothing = ty.FunctionType((), ty.ERROR)
    cores = tuple((n, t.core) for n, t in options)
    done = core.Transform(span, nothing, kind, function.core, cores)
    term = Term(done, nothing, Transformed(kind, function, options, span))
    return term if _static_check(ctx, term, kind, function, options, span) else error_term(span)


def _is_function(ctx: Context, term: Term) -> bool:
    return isinstance(ctx.resolve(term.type), ty.FunctionType) or isinstance(term.known, dt.DType)


def _options(ctx: Context, kind: str, args: list[Arg], span: Span) -> tuple[Term, tuple[tuple[str, Term], ...]] | None:
    names = ("function", *OPTIONS[kind])
    chosen: dict[str, Arg] = {}
    for i, arg in enumerate(args):
        name = arg.name or (names[i] if i < len(names) else None)
        if name is None:
            ctx.report(errors.too_many_arguments(kind, len(names), len(args), None, arg.span, arg))
            return None
        if name not in names or name in chosen:
            ctx.report(errors.unknown_keyword(kind, name, list(names), arg.span))
            return None
        chosen[name] = arg
    needed = ["function", *(["rule"] if kind == "custom_jvp" else ["fwd", "bwd"] if kind == "custom_vjp" else [])]
    missing = [n for n in needed if n not in chosen]
    if missing:
        ctx.report(errors.missing_arguments(kind, missing, span))
        return None
    function = ctx.infer(chosen["function"].value)
    options = tuple((n, ctx.infer(chosen[n].value)) for n in names[1:] if n in chosen)
    for name, term in options:
        if is_traced(ctx.resolve(term.type)) and not isinstance(ctx.resolve(term.type), ty.FunctionType):
            ctx.report(errors.traced_where_static(ctx, term.span, term.type, ty.AXES, Why("static", name, kind)))
            return None
    return function, options


def _static_check(
    ctx: Context, term: Term, kind: str, function: Term, options: tuple[tuple[str, Term], ...], span: Span
) -> bool:
    """What can be said before the function is applied."""
    found = dict(options)
    if "has_aux" in found and found["has_aux"].type != ty.BOOLEAN:
        ctx.report(errors.bad_option(kind, "has_aux", "true or false", found["has_aux"].span))
        return False
    if "argnums" in found and _argnums(found["argnums"]) is None:
        ctx.report(errors.bad_option(kind, "argnums", "a position, a name, or a tuple of these", found["argnums"].span))
        return False
    return True


# ---------------------------------------------------------------- applying them


def apply_transformed(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span
) -> Applied | None:
    match transformed.kind:
        case "vmap":
            return _vmap(ctx, function, transformed, args, span)
        case "jit" | "checkpoint":
            inner = apply_full(ctx, transformed.function, _arrays(ctx, transformed.function, args), span)
            return None if inner is None else _wrapped(function, inner, inner.term.type, span, inner.term.known)
        case "custom_jvp" | "custom_vjp":
            return _custom(ctx, function, transformed, args, span)
        case _:
            return _derivative(ctx, function, transformed, args, span)


def _wrapped(function: Term, inner: Applied, kind: Type, span: Span, known: Known | None = None) -> Applied:
    call = core.Apply(span, kind, function.core, inner.core_args, inner.instance)
    term = Term(call, kind, known)
    return Applied(term, function.core, inner.positional, inner.core_args, inner.instance, inner.places)


def _arrays(ctx: Context, function: Term, args: list[Arg]) -> list[Arg]:
    """Arguments of a transformed lambda: numbers become arrays, for there is no other type to meet."""
    if not isinstance(_innermost(function).known, Closure | Special):
        return args
    out = []
    for arg in args:
        term = ctx.infer(arg.value)
        if is_number(ctx.resolve(term.type)) or isinstance(ctx.resolve(term.type), ty.TupleType | ty.RecordType):
            term = coerce(ctx, term, as_array(ctx, term.type), Why("argument"))
        out.append(Arg(arg.name, term, arg.span))
    return out


def _innermost(function: Term) -> Term:
    while isinstance(function.known, Transformed):
        function = function.known.function
    return function


def _inner(ctx: Context, transformed: Transformed, args: list[Arg], span: Span) -> tuple[Applied, Row] | None:
    with ctx.collecting_effects() as effects:
        inner = apply_full(ctx, transformed.function, _arrays(ctx, transformed.function, args), span)
    for effect, place in effects.items():
        ctx.perform(effect, place)
    return None if inner is None else (inner, Row(frozenset(effects)))


# ---------------------------------------------------------------- derivatives


def _argnums(term: Term) -> tuple[int | str, ...] | None:
    known = term.known
    items = known.items if isinstance(known, Parts) else (known,)
    out: list[int | str] = []
    for item in items:
        if isinstance(item, Size) and item.constant is not None:
            out.append(item.constant)
        elif isinstance(item, str):
            out.append(item)
        else:
            return None
    return tuple(out)


def _derivative(ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span) -> Applied | None:
    kind = transformed.kind
    found = _inner(ctx, transformed, args, span)
    if found is None:
        return None
    inner, effects = found
    if kind in REVERSE and DIV in effects:
        ctx.report(errors.unbounded_reverse(kind, span))
        return None
    options = dict(transformed.options)
    aux = isinstance(options.get("has_aux"), Term) and options["has_aux"].known == fa.Known(True)
    chosen = _chosen(ctx, inner, options.get("argnums"), kind, transformed.span)
    if chosen is None:
        return None
    value = _differentiated(ctx, inner, aux, kind, span)
    if value is None:
        return None
    result, rest = value
    wrt = [inner.positional[i] for i in chosen]
    if not wrt:
        ctx.report(errors.argnums_range(kind, 0, 0, span))
        return None
    for i, term in zip(chosen, wrt, strict=True):
        leaf = non_inexact_leaf(ctx, term.type)
        if leaf is not None:
            ctx.report(errors.not_inexact(ctx, kind, i, leaf, term, span))
            return None
    alone = "argnums" not in options or not isinstance(options["argnums"].known, Parts)
    gradient = _gradient_type(ctx, kind, result, [ctx.resolve(t.type) for t in wrt], alone)
    return _wrapped(function, inner, _assembled(kind, result, rest, gradient), span)


def _assembled(kind: str, result: Type, rest: Type | None, gradient: Type) -> Type:
    if kind == "value_and_grad":
        value = result if rest is None else ty.TupleType((result, rest))
        return ty.TupleType((value, gradient))
    return gradient if rest is None else ty.TupleType((gradient, rest))


def _gradient_type(ctx: Context, kind: str, result: Type, wrt: list[Type], alone: bool) -> Type:
    if kind in ("grad", "value_and_grad"):
        return wrt[0] if alone else ty.TupleType(tuple(wrt))
    parts = [jacobian(result, t) for t in wrt]
    if kind == "hessian":
        parts = [ty.TupleType(tuple(jacobian(jacobian(result, t), u) for u in wrt)) for t in wrt]
        if alone:
            return jacobian(jacobian(result, wrt[0]), wrt[0])
    return parts[0] if alone else ty.TupleType(tuple(parts))


def jacobian(out: Type, into: Type) -> Type:
    """The derivative of every leaf of `out` by every leaf of `into`: structure of the first, then of the second."""
    match out, into:
        case ty.TupleType(parts), _:
            return ty.TupleType(tuple(jacobian(p, into) for p in parts))
        case ty.RecordType(fields, _), _:
            return ty.RecordType(tuple((n, jacobian(t, into)) for n, t in fields))
        case _, ty.TupleType(parts):
            return ty.TupleType(tuple(jacobian(out, p) for p in parts))
        case _, ty.RecordType(fields, _):
            return ty.RecordType(tuple((n, jacobian(out, t)) for n, t in fields))
        case ty.ArrayType(element, shape), ty.ArrayType(_, other):
            return ty.ArrayType(element, shape + other)
        case _:
            return ty.ERROR


def _chosen(ctx: Context, inner: Applied, option: Term | None, kind: str, span: Span) -> tuple[int, ...] | None:
    wanted = (0,) if option is None else _argnums(option) or (0,)
    count = len(inner.positional)
    out: list[int] = []
    for one in wanted:
        if isinstance(one, str):
            names = ctx.program.rules.parameter_names(ctx, inner)
            if one not in names:
                ctx.report(errors.argnums_name(kind, one, names, span))
                return None
            one = names.index(one)
        if not -count <= one < count:
            ctx.report(errors.argnums_range(kind, one, count, span))
            return None
        out.append(one % count)
    return tuple(out)


def _differentiated(ctx: Context, inner: Applied, aux: bool, kind: str, span: Span) -> tuple[Type, Type | None] | None:
    """The type of the value to differentiate, and of what comes beside it."""
    result = ctx.resolve(inner.term.type)
    rest: Type | None = None
    if aux:
        if not isinstance(result, ty.TupleType) or len(result.parts) != 2:
            ctx.report(errors.aux_needs_pair(ctx, kind, result, span))
            return None
        result, rest = ctx.resolve(result.parts[0]), as_array(ctx, result.parts[1])
    if is_number(result):
        result = as_array(ctx, result)
    if kind in ("grad", "value_and_grad"):
        match result:
            case ty.ArrayType(element, shape) if ctx.body.solver.restrict(element, dt.FLOATS):
                if shape.dims:
                    ctx.report(errors.not_scalar(ctx, kind, result, span))
                    return None
            case _:
                ctx.report(errors.not_scalar(ctx, kind, result, span))
                return None
    elif non_inexact_leaf(ctx, result) is not None:
        ctx.report(errors.not_inexact_result(ctx, kind, result, span))
        return None
    return result, rest


def non_inexact_leaf(ctx: Context, kind: Type, path: str = "") -> str | None:
    """The path to a leaf that has no derivative, or None if all have one; the path of the whole is "itself"."""
    match ctx.resolve(kind):
        case ty.ArrayType(element, _):
            return None if ctx.body.solver.restrict(element, dt.CLASSES["Inexact"]) else path or "itself"
        case ty.TupleType(parts):
            found = [non_inexact_leaf(ctx, p, f"{path}.{i}") for i, p in enumerate(parts)]
            return next((f for f in found if f is not None), None)
        case ty.RecordType(fields):
            found = [non_inexact_leaf(ctx, t, f"{path}.{n}") for n, t in fields]
            return next((f for f in found if f is not None), None)
        case ty.StackedType(element, _):
            return non_inexact_leaf(ctx, element, path)
        case ty.TypeVar(_, _, constraint):
            return None if constraint == "VSpace" else path or "itself"
        case ty.ErrorType():
            return None
        case _:
            return path or "itself"


def tangent(kind: Type) -> Type:
    """The type of tangents: inexact leaves as they are, integers, bools and keys have unit."""
    match kind:
        case ty.ArrayType(element, _):
            allowed = (element,) if isinstance(element, dt.DType) else element.allowed
            return kind if all(d.is_inexact for d in allowed) else ty.UNIT
        case ty.TupleType(parts):
            return ty.TupleType(tuple(map(tangent, parts)))
        case ty.RecordType(fields, name):
            kinds = tuple((n, tangent(t)) for n, t in fields)
            return ty.RecordType(kinds, name if kinds == fields else None)
        case ty.StackedType(element, axes):
            return kind if tangent(element) == element else ty.UNIT if tangent(element) == ty.UNIT else kind
        case ty.TypeVar():
            return kind
        case _:
            return ty.UNIT


# ---------------------------------------------------------------- calls that take the arguments at once


def call(ctx: Context, kind: str, args: list[Arg], span: Span) -> Term:
    """`jvp vjp linearize hvp`."""
    positional = [a for a in args if a.name is None]
    if not positional:
        ctx.report(errors.missing_arguments(kind, ["function"], span))
        return error_term(span)
    function = ctx.infer(positional[0].value)
    if function.type == ty.ERROR:
        return error_term(span)
    if not _is_function(ctx, function):
        ctx.report(errors.transform_needs_function(ctx, kind, function, function.span))
        return error_term(span)
    rest = positional[1:]
    match kind:
        case "jvp":
            return _jvp(ctx, function, rest, span)
        case "hvp":
            return _hvp(ctx, function, rest, span)
        case _:
            return _linear(ctx, kind, function, rest, span)


def _tuple_terms(ctx: Context, arg: Arg) -> list[Term] | None:
    term = ctx.infer(arg.value)
    kind = ctx.resolve(term.type)
    if not isinstance(kind, ty.TupleType):
        if kind != ty.ERROR:
            ctx.report(errors.jvp_needs_tuples(ctx, term, arg.span))
        return None
    knowns = term.known.items if isinstance(term.known, Parts) else (None,) * len(kind.parts)
    items = term.core.items if isinstance(term.core, core.Tuple) else None
    return [
        Term(items[i] if items is not None else core.Project(arg.span, t, term.core, i), t, k)
        for i, (t, k) in enumerate(zip(kind.parts, knowns, strict=True))
    ]


def _specialised(
    ctx: Context, kind: str, function: Term, terms: list[Term], span: Span
) -> tuple[Term, tuple[Term, ...], Type] | None:
    """The function at the types of its arguments, the arguments as it receives them, and its result."""
    args = _arrays(ctx, function, [Arg(None, t, t.span) for t in terms])
    with ctx.collecting_effects() as effects:
        probe = apply_full(ctx, function, args, span)
    if probe is None:
        return None
    for effect, place in effects.items():
        ctx.perform(effect, place)
    if kind in REVERSE and DIV in effects:
        ctx.report(errors.unbounded_reverse(kind, span))
        return None
    received = probe.positional
    with ctx.collecting_effects():
        found = eta(ctx, function, tuple(ctx.resolve(t.type) for t in received), span)
    if found is None or not isinstance(found.type, ty.FunctionType):
        return None
    return found, received, as_array(ctx, found.type.result)


def _jvp(ctx: Context, function: Term, args: list[Arg], span: Span) -> Term:
    if len(args) != 2:
        ctx.report(errors.missing_arguments("jvp", ["primals", "tangents"][len(args) :] or ["primals"], span))
        return error_term(span)
    primals = _tuple_terms(ctx, args[0])
    tangents = None if primals is None else _tuple_terms(ctx, args[1])
    if primals is None or tangents is None:
        return error_term(span)
    found = _specialised(ctx, "jvp", function, primals, span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    if len(tangents) != len(received):
        ctx.report(errors.tangent_count(len(received), len(tangents), args[1].span))
        return error_term(span)
    mark = len(ctx.program.reports)
    given = [
        coerce(ctx, t, tangent(ctx.resolve(p.type)), Why("argument", f"tangent {i + 1}", "jvp"))
        for i, (t, p) in enumerate(zip(tangents, received, strict=True))
    ]
    if len(ctx.program.reports) > mark:
        return error_term(span)
    kind = ty.TupleType((result, tangent(ctx.resolve(result))))
    cores = tuple(t.core for t in (*received, *given))
    return Term(core.TransformCall(span, kind, "jvp", specialised.core, cores), kind)


def _hvp(ctx: Context, function: Term, args: list[Arg], span: Span) -> Term:
    if len(args) != 2:
        ctx.report(errors.missing_arguments("hvp", ["x", "v"][len(args) :] or ["x"], span))
        return error_term(span)
    found = _specialised(ctx, "hvp", function, [ctx.infer(args[0].value)], span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    match ctx.resolve(result):
        case ty.ArrayType(element, Shape(())) if ctx.body.solver.restrict(element, dt.FLOATS):
            pass
        case other:
            ctx.report(errors.not_scalar(ctx, "hvp", other, span))
            return error_term(span)
    leaf = non_inexact_leaf(ctx, received[0].type)
    if leaf is not None:
        ctx.report(errors.not_inexact(ctx, "hvp", 0, leaf, received[0], span))
        return error_term(span)
    vector = coerce(ctx, ctx.infer(args[1].value), received[0].type, Why("argument", "v", "hvp"))
    kind = ctx.resolve(received[0].type)
    return Term(core.TransformCall(span, kind, "hvp", specialised.core, (received[0].core, vector.core)), kind)


def _linear(ctx: Context, kind: str, function: Term, args: list[Arg], span: Span) -> Term:
    found = _specialised(ctx, kind, function, [ctx.infer(a.value) for a in args], span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    tangents = tuple(tangent(ctx.resolve(t.type)) for t in received)
    out = tangent(ctx.resolve(result))
    if kind == "linearize":
        map_type = ty.FunctionType(tangents, out)
    else:
        map_type = ty.FunctionType((out,), ty.TupleType(tangents))
    whole = ty.TupleType((result, map_type))
    known = Parts((None, Monomorphic(map_type)))
    cores = tuple(t.core for t in received)
    return Term(core.TransformCall(span, whole, kind, specialised.core, cores), whole, known)


# ---------------------------------------------------------------- vmap


@dataclass(frozen=True, slots=True)
class _Mapped:
    outer: Term
    inner: Term
    spec: Known | None
    mapped: bool


def _vmap(ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span) -> Applied | None:
    options = dict(transformed.options)
    in_axes = options["in_axes"].known if "in_axes" in options else Size.of(0)
    out_axes = options["out_axes"].known if "out_axes" in options else Size.of(0)
    name = options["axis_name"].known if "axis_name" in options else None
    count = sum(1 for a in args if a.name is None)
    specs = _specs(ctx, in_axes, count, transformed.span)
    if specs is None:
        return None
    sizes: list[tuple[Size, Span]] = []
    mapped = _map_arguments(ctx, args, specs, sizes, span)
    if mapped is None:
        return None
    if not sizes:
        ctx.report(errors.nothing_mapped(span))
        return None
    for size, place in sizes[1:]:
        refuted = require_equal(ctx, sizes[0][0], size, place)
        if refuted is not None:
            ctx.report(errors.mapped_sizes_differ(ctx, sizes[0], (size, place), refuted, span))
            return None
    inner_args = [Arg(a.name, m.inner, a.span) for a, m in zip(args, mapped, strict=True)]
    with ctx.collecting_effects() as effects:
        inner = apply_full(ctx.repeated(), transformed.function, inner_args, span)
    _vmap_effects(ctx, effects, name, span)
    if inner is None:
        return None
    result = _unmap(ctx, as_array(ctx, inner.term.type), out_axes, sizes[0][0], span)
    if result is None:
        return None
    positional, cores = _outer_arguments(ctx, inner, mapped, sizes[0][0])
    call_core = core.Apply(span, result, function.core, cores, inner.instance)
    return Applied(
        Term(call_core, result, of_type(ctx, result, "i")),
        function.core,
        positional,
        cores,
        inner.instance,
        inner.places,
    )


def _specs(ctx: Context, in_axes: Known | None, count: int, span: Span) -> list[Known | None] | None:
    if isinstance(in_axes, Parts):
        if len(in_axes.items) != count:
            ctx.report(errors.in_axes_count(len(in_axes.items), count, span))
            return None
        return list(in_axes.items)
    return [in_axes] * count


def _map_arguments(
    ctx: Context, args: list[Arg], specs: list[Known | None], sizes: list[tuple[Size, Span]], span: Span
) -> list[_Mapped] | None:
    out: list[_Mapped] = []
    remaining = iter(specs)
    for arg in args:
        term = ctx.infer(arg.value)
        kind = ctx.resolve(term.type)
        if kind == ty.ERROR:
            return None
        spec: Known | None = Size.of(0) if arg.name is not None else next(remaining)
        if arg.name is not None and not is_traced(kind):
            spec = Nothing()
        if isinstance(spec, Nothing):
            if holds_key(kind):
                ctx.report(errors.unmapped_key(arg.span))
                return None
            out.append(_Mapped(term, term, spec, False))
            continue
        before = len(sizes)
        element = _strip_axis(ctx, kind, spec, sizes, arg.span)
        if element is None:
            return None
        inner = local(ctx, "x", element, arg.span)
        out.append(_Mapped(term, inner, spec, len(sizes) > before))
    return out


def _strip_axis(
    ctx: Context, kind: Type, spec: Known | None, sizes: list[tuple[Size, Span]], span: Span
) -> Type | None:
    """The type of one element of a mapped argument; reports axes that are not there."""
    match ctx.resolve(kind), spec:
        case _, Nothing():
            return kind
        case ty.TupleType(parts), Parts(items) if len(items) == len(parts):
            inner = [_strip_axis(ctx, p, s, sizes, span) for p, s in zip(parts, items, strict=True)]
            found = tuple(i for i in inner if i is not None)
            return ty.TupleType(found) if len(found) == len(parts) else None
        case ty.TupleType(parts), Size():
            return _strip_axis(ctx, kind, Parts((spec,) * len(parts)), sizes, span)
        case ty.RecordType(fields), Fields() | Size():
            out = []
            for name, leaf in fields:
                one = spec.get(name) if isinstance(spec, Fields) else spec
                stripped = _strip_axis(ctx, leaf, one, sizes, span)
                if stripped is None:
                    return None
                out.append((name, stripped))
            return ty.RecordType(tuple(out))
        case ty.StackedType(element, axes), Size() as axis if axis.constant == 0 and isinstance(axes.dims[0], Size):
            sizes.append((axes.dims[0], span))
            rest = Shape(axes.dims[1:])
            return ty.StackedType(element, rest) if rest.dims else element
        case (ty.ArrayType() | ty.IndexType() | ty.KeyType()) as leaf, Size() as axis if axis.constant is not None:
            return _strip_leaf(ctx, leaf, axis.constant, sizes, span)
        case other, Size() as axis:
            ctx.report(errors.map_axis_range(ctx, other, axis.constant or 0, span))
            return None
        case _:
            ctx.report(errors.bad_option("vmap", "in_axes", "an axis or none for each argument", span))
            return None


def _strip_leaf(
    ctx: Context,
    kind: ty.ArrayType | ty.IndexType | ty.KeyType,
    axis: int,
    sizes: list[tuple[Size, Span]],
    span: Span,
) -> Type | None:
    rest = removed(ctx, kind.shape, axis)
    if isinstance(rest, ShapeFailure):
        ctx.report(errors.map_axis_range(ctx, kind, axis, span))
        return None
    sizes.append((kind.shape.axis(axis), span))
    return _with_shape(kind, rest)


def _with_shape(kind: ty.ArrayType | ty.IndexType | ty.KeyType, shape: Shape) -> Type:
    match kind:
        case ty.ArrayType(element, _):
            return ty.ArrayType(element, shape)
        case ty.IndexType(bound, _):
            return ty.IndexType(bound, shape)
        case ty.KeyType():
            return ty.KeyType(shape)


def _unmap(ctx: Context, kind: Type, spec: Known | None, size: Size, span: Span) -> Type | None:
    """The type of the mapped result."""
    match ctx.resolve(kind), spec:
        case _, Nothing():
            return kind
        case ty.TupleType(parts), _:
            specs = spec.items if isinstance(spec, Parts) and len(spec.items) == len(parts) else (spec,) * len(parts)
            inner = [_unmap(ctx, p, s, size, span) for p, s in zip(parts, specs, strict=True)]
            found = tuple(i for i in inner if i is not None)
            return ty.TupleType(found) if len(found) == len(parts) else None
        case ty.RecordType(fields), _:
            out = []
            for name, leaf in fields:
                one = _unmap(ctx, leaf, spec.get(name) if isinstance(spec, Fields) else spec, size, span)
                if one is None:
                    return None
                out.append((name, one))
            return ty.RecordType(tuple(out))
        case ty.StackedType(element, axes), _:
            return ty.StackedType(element, Shape((size, *axes.dims)))
        case (ty.TypeVar()) as leaf, _:
            return ty.StackedType(leaf, Shape((size,)))
        case (ty.ArrayType() | ty.IndexType() | ty.KeyType()) as leaf, Size() as axis if axis.constant is not None:
            shape = inserted(ctx, leaf.shape, axis.constant, size)
            if isinstance(shape, ShapeFailure):
                ctx.report(errors.map_axis_range(ctx, leaf, axis.constant, span))
                return None
            return _with_shape(leaf, shape)
        case _:
            ctx.report(errors.bad_option("vmap", "out_axes", "an axis for each result", span))
            return None


def _vmap_effects(ctx: Context, effects: dict[Effect, Span], name: Known | None, span: Span) -> None:
    for effect, place in effects.items():
        match effect:
            case Axis(axis) if axis == name:
                continue
            case Cell("state") if place in ctx.body.writes:
                ctx.report(errors.state_write_in_parallel(effect.name, place))
            case _ if effect == IO:
                ctx.report(errors.io_in_parallel(span))
        ctx.perform(effect, place)


def _outer_arguments(
    ctx: Context, inner: Applied, mapped: Sequence[_Mapped], size: Size
) -> tuple[tuple[Term, ...], tuple[core.Expr | None, ...]]:
    """The arguments of the mapped function in the order of its parameters, coerced as the inner one demands."""
    by_id = {m.inner.core.id: m for m in mapped if m.mapped and isinstance(m.inner.core, core.Local)}
    cores = list(inner.core_args)
    positional: list[Term] = []
    for place, term in zip(inner.places, inner.positional, strict=True):
        found = by_id.get(_local_id(term.core))
        if found is None:
            positional.append(term)
            continue
        outer = found.outer
        target = _unmap(ctx, term.type, found.spec, size, outer.span) or outer.type
        if target != ctx.resolve(outer.type):
            outer = coerce(ctx, outer, target, Why("argument", "x", "vmap"))
        positional.append(outer)
        cores[place] = outer.core
    return tuple(positional), tuple(cores)


def _local_id(node: core.Expr) -> int:
    while isinstance(node, core.Coerce | core.CheckIndex):
        node = node.value
    return node.id if isinstance(node, core.Local) else -1


# ---------------------------------------------------------------- custom rules


def _custom(ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span) -> Applied | None:
    inner = apply_full(ctx, transformed.function, _arrays(ctx, transformed.function, args), span)
    if inner is None:
        return None
    options = dict(transformed.options)
    primals = ty.TupleType(tuple(ctx.resolve(t.type) for t in inner.positional))
    tangents = ty.TupleType(tuple(tangent(t) for t in primals.parts))
    result = ctx.resolve(as_array(ctx, inner.term.type))
    cores: dict[str, core.Expr] = {}
    if transformed.kind == "custom_jvp":
        wanted = ty.FunctionType((primals, tangents), ty.TupleType((result, tangent(result))))
        rule = _rule(ctx, options["rule"], wanted, "rule")
        if rule is None:
            return None
        cores["rule"] = rule.core
    else:
        rules = _vjp_rules(ctx, options, primals, result)
        if rules is None:
            return None
        cores = rules
    specialised = core.Transform(
        transformed.span, function.type, transformed.kind, transformed.function.core, tuple(cores.items())
    )
    return _wrapped(Term(specialised, function.type), inner, result, span)


def _rule(ctx: Context, term: Term, wanted: ty.FunctionType, name: str) -> Term | None:
    mark = len(ctx.program.reports)
    found = ctx.program.rules.as_function(ctx, term, wanted, Why("rule", name), term.span)
    if len(ctx.program.reports) > mark:
        return None
    part = nonlinear_part(ctx.program, found.core) if name == "rule" else None
    if part is not None:
        ctx.report(errors.rule_not_linear(name, part.span, term.span))
        return None
    return found


def _vjp_rules(
    ctx: Context, options: dict[str, Term], primals: ty.TupleType, result: Type
) -> dict[str, core.Expr] | None:
    forward = eta(ctx, options["fwd"], primals.parts, options["fwd"].span)
    if forward is None or not isinstance(forward.type, ty.FunctionType):
        return None
    out = ctx.resolve(forward.type.result)
    if not isinstance(out, ty.TupleType) or len(out.parts) != 2 or not _same(ctx, out.parts[0], result):
        ctx.report(errors.custom_rule_type(ctx, "fwd", out, result, options["fwd"].span))
        return None
    saved = as_array(ctx, out.parts[1])
    wanted = ty.FunctionType((saved, tangent(result)), ty.TupleType(tuple(tangent(p) for p in primals.parts)))
    backward = _rule(ctx, options["bwd"], wanted, "bwd")
    return None if backward is None else {"fwd": forward.core, "bwd": backward.core}


def _same(ctx: Context, a: Type, b: Type) -> bool:
    a, b = ctx.resolve(as_array(ctx, a)), ctx.resolve(b)
    if isinstance(a, ty.ArrayType) and isinstance(b, ty.ArrayType):
        return ctx.body.solver.unify(a.dtype, b.dtype) and same_shape(ctx, a.shape, b.shape)
    return a == b

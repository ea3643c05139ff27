"""Functions whose types no signature can say, by name: each takes its arguments unchecked and gives a checked term.

Those that join, reshape, contract and map trees are in modules of their own (`typechecker.builtins.joining` and so on);
here are the ways in to effects and transformations, and functions of the prelude that choose by their arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.core.transformation import AT_ONCE, MAKING_FUNCTIONS, Kind
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.shapefn import extent
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Type
from typechecker.builtins import arrays, products, random, shape_calls, windows
from typechecker.builtins.contractions import dot, einsum, matmul
from typechecker.builtins.joining import concatenate, stack
from typechecker.builtins.reshaping import broadcast_to, reshape
from typechecker.builtins.trees import tree_map, tree_reduce
from typechecker.calls.arguments import bound, given
from typechecker.calls.calls import apply
from typechecker.calls.casts import convert
from typechecker.calls.primitives import primitive
from typechecker.declarations.program_checker import PRELUDE, SpecialRule
from typechecker.effects import collectives, handlers
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Elementwise, Term, error_term, static_term
from typechecker.errors import indices as index_errors
from typechecker.errors import shapes as shape_errors
from typechecker.errors import types as type_errors
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.shapes import demand_axis
from typechecker.transforms import linear_functions, transformations
from typechecker.transforms.eval_shape import eval_shape
from typechecker.types.predicates import is_number
from typechecker.types.size_conditions import require


def _extremum(name: str) -> SpecialRule:
    """`max(x, axis=…)` reduces, `max(a, b)` compares."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        positional = sum(1 for a in args if a.name is None)
        target = ("maximum" if name == "max" else "minimum") if positional == 2 else f"_{name}"
        function = ctx.program.lookup(ctx.program.modules[PRELUDE], target, span)
        return error_term(span) if function is None else apply(ctx, function, args, span, expected)

    return rule


def _counting(name: str) -> SpecialRule:
    """`sum` and `mean` of bools count: in i32, and as a share in f32."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        function = ctx.program.lookup(ctx.program.modules[PRELUDE], f"_{name}", span)
        assert function is not None
        if args and args[0].name is None:
            term = ctx.infer(args[0].value)
            kind = ctx.resolve(term.type)
            if isinstance(kind, ty.ArrayType) and kind.dtype == dt.BOOL:
                term = convert(ctx, term, dt.I32 if name == "sum" else dt.F32, term.span)
            args = [Arg(None, term, args[0].span), *args[1:]]
        return apply(ctx, function, args, span, expected)

    return rule


def _real_part(name: str) -> SpecialRule:
    """`abs real imag angle`: of a complex array they are real."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        function = ctx.program.lookup(ctx.program.modules[PRELUDE], f"_{name}", span)
        assert function is not None
        if len(args) == 1 and args[0].name is None:
            term = ctx.infer(args[0].value)
            kind = ctx.resolve(term.type)
            if isinstance(kind, ty.ArrayType) and isinstance(kind.dtype, dt.DType) and kind.dtype.is_complex:
                return primitive(name, ty.ArrayType(kind.dtype.real, kind.shape), [term], span)
            args = [Arg(None, term, args[0].span)]
        return apply(ctx, function, args, span, expected)

    return rule


def _prod(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`prod(x)` of an array; `prod(s)` of a shape is the number of elements of an array of that shape."""
    if len(args) == 1 and args[0].name is None:
        term = ctx.infer(args[0].value)
        args = [Arg(None, term, args[0].span)]
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], "_prod", span)
    assert function is not None
    return apply(ctx, function, args, span, expected)


def _len(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`len(x)` of an array is the size of its first axis; that of a static list its length."""
    g = given(ctx, "len", args, ("x",), 1, span)
    array = None if g is None else g.array("x")
    if array is None:
        return error_term(span)
    demand_axis(ctx, array.shape, 0, shape_errors.Several("len", (array.term,)), span)
    return static_term(extent(array.shape, 0), ty.INT, span)


def _in_iteration_only(name: str) -> SpecialRule:
    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        ctx.report(type_errors.iteration_only(name, span))
        return error_term(span)

    return rule


def _transform(kind: Kind) -> SpecialRule:
    return lambda ctx, args, span, expected: transformations.transform(ctx, kind, args, span)


def _transform_call(kind: Kind) -> SpecialRule:
    return lambda ctx, args, span, expected: linear_functions.call(ctx, kind, args, span)


def _later(name: str) -> SpecialRule:
    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        ctx.report(type_errors.not_in_version(f"`{name}`", span))
        return error_term(span)

    return rule


def _compress(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`compress(x, mask, size=k, fill=0)` checks the count, unless `overflow` is "drop"."""
    drop = False
    rest = []
    for arg in args:
        if arg.name == "overflow":
            mode = coerce(ctx, ctx.infer(arg.value, ty.STRING), ty.STRING, Why("static", "overflow", "compress"))
            drop = mode.known == "drop"
            if mode.known not in ("drop", "check"):
                ctx.report(index_errors.unknown_policy(("drop", "check"), arg.span))
        else:
            rest.append(arg)
    name = "_compress__dropping" if drop else "_compress__checked"
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], name, span)
    return error_term(span) if function is None else apply(ctx, function, rest, span, expected)


def _arange(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`arange(n)`, `arange(a, b)`: an `idx` array where the bounds allow it."""
    chosen = bound(ctx, "arange", args, ("start", "stop", "step", "dtype"), 1, span)
    if chosen is None:
        return error_term(span)
    bounds = []
    for name in ("start", "stop", "step"):
        if name in chosen:
            bounds.append(fit(ctx, ctx.typed(chosen[name].value, ty.INT), ty.INT, Why("argument", name, "arange")))
    zero = Term(core.Const(span, ty.INT, 0), ty.INT, Size.of(0))
    one = Term(core.Const(span, ty.INT, 1), ty.INT, Size.of(1))
    start, stop = (zero, bounds[0]) if "stop" not in chosen else (bounds[0], bounds[1])
    step = bounds[2] if "step" in chosen and len(bounds) > 2 else one
    low, high, stride = (t.known if isinstance(t.known, Size) else None for t in (start, stop, step))
    if low is None or high is None or stride is None:
        return error_term(span)
    if not require(ctx, fa.le(low, high), span, "range"):
        return error_term(span)
    length = high - low if stride.is_literal(1) else (high - low + stride - 1) // stride
    statics = [("start", start.core), ("stop", stop.core), ("step", step.core)]
    kind: Type = ty.ArrayType(dt.I32, Shape((length,)))
    if "dtype" in chosen:
        wanted = ctx.infer(chosen["dtype"].value, ty.DTYPE)
        if isinstance(wanted.known, dt.DType | DTypeVar):
            kind = ty.ArrayType(wanted.known, Shape((length,)))
            statics.append(("dtype", wanted.core))
    elif ctx.holds(fa.ge(low, 0)):
        kind = ty.IndexType(high, Shape((length,)))
    return primitive("arange", kind, [], span, statics, Elementwise(low, high))


def _iota(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`iota(shape, axis=0, dtype=i32)`, `iota(n)`, or `iota(dtype, size)` as in jax.lax."""
    given = [Arg("shape" if a.name == "size" else a.name, a.value, a.span) for a in args]
    if given and given[0].name is None:
        first = ctx.infer(given[0].value)
        named = "dtype" if first.type == ty.DTYPE else None
        given[0] = Arg(named, first if is_number(ctx.resolve(first.type)) or named else given[0].value, given[0].span)
    sizes = next((a for a in given if a.name in (None, "shape")), None)
    if sizes is not None and not isinstance(sizes.value, ast.ListLit | ast.TupleLit):
        size = ctx.infer(sizes.value)
        if is_number(ctx.resolve(size.type)) and isinstance(size.known, Size):
            shape = static_term(Shape((size.known,)), ty.SHAPE, sizes.span)
            given[given.index(sizes)] = Arg(sizes.name, shape, sizes.span)
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], "_iota", span)
    assert function is not None
    return apply(ctx, function, sorted(given, key=lambda a: a.name is not None), span, expected)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    rules: dict[str, SpecialRule] = {
        "print": handlers.print_,
        "emit": handlers.emit,
        "checked": handlers.checked,
        "fresh_key": handlers.fresh_key,
        "resume": handlers.resume,
        "concatenate": concatenate,
        "stack": stack,
        "reshape": reshape,
        "broadcast_to": broadcast_to,
        "matmul": matmul,
        "dot": dot,
        "einsum": einsum,
        "tree_map": tree_map,
        "tree_reduce": tree_reduce,
        "max": _extremum("max"),
        "min": _extremum("min"),
        "arange": _arange,
        "iota": _iota,
        "compress": _compress,
        "sum": _counting("sum"),
        "mean": _counting("mean"),
        "prod": _prod,
        "len": _len,
        **{name: _real_part(name) for name in ("abs", "real", "imag", "angle")},
        **shape_calls.table(),
        **arrays.table(),
        **products.table(),
        **random.table(),
        **windows.table(),
        **collectives.table(),
    }
    for name in ("range", "zip", "enumerate"):
        rules[name] = _in_iteration_only(name)
    rules.update({kind: _transform(kind) for kind in MAKING_FUNCTIONS})
    rules.update({kind: _transform_call(kind) for kind in AT_ONCE})
    rules["eval_shape"] = eval_shape
    for name in ("pmap", "shard"):
        rules[name] = _later(name)
    return MappingProxyType(rules)

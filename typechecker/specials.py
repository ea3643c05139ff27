"""Functions whose types no signature can say: variadic ones, ones that compute shapes from lists, and the ways in to
effects and transformations. Each takes the arguments unchecked and gives a checked term."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.shapefn import ShapeFailure, broadcasted
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Element, Type
from typechecker import (
    effects,
    errors,
    linear,
    shape_calls,
    shapes,
    specials_arrays,
    specials_products,
    transformations,
)
from typechecker.adapted import as_array
from typechecker.applied import Arg
from typechecker.basics import make_tuple
from typechecker.calls import apply
from typechecker.casts import convert
from typechecker.context import Context
from typechecker.equalities import require_equal
from typechecker.functions import as_function
from typechecker.instance import spread
from typechecker.joins import join
from typechecker.knowledge import of_type
from typechecker.operators import operate
from typechecker.program import PRELUDE, SpecialRule
from typechecker.relate import Why, coerce
from typechecker.typexpr import add_axes
from typechecker.values import Elementwise, Known, Parts, Term, Traced, error_term


def _bind(
    ctx: Context, name: str, args: Sequence[Arg], names: Sequence[str], required: int, span: Span
) -> dict[str, Arg] | None:
    chosen: dict[str, Arg] = {}
    for i, arg in enumerate(args):
        found = arg.name or (names[i] if i < len(names) else None)
        if found is None:
            ctx.report(errors.too_many_arguments(name, len(names), len(args), None, arg.span, arg))
            return None
        if arg.name is None and found in ("axis", "keepdims"):
            ctx.report(errors.axis_by_name(name, found, arg.span))
            return None
        if found not in names or found in chosen:
            ctx.report(errors.unknown_keyword(name, found, list(names), arg.span))
            return None
        chosen[found] = arg
    missing = [n for n in names[:required] if n not in chosen]
    if missing:
        ctx.report(errors.missing_arguments(name, missing, span))
        return None
    return chosen


def _array(ctx: Context, arg: Arg, name: str) -> tuple[Term, ty.ArrayType | ty.IndexType] | None:
    """An argument that must be an array; numbers become one."""
    term = ctx.infer(arg.value)
    kind = ctx.resolve(term.type)
    if isinstance(kind, ty.StaticType):
        term = coerce(ctx, term, as_array(ctx, kind), Why("argument", "x", name))
        kind = ctx.resolve(term.type)
    if isinstance(kind, ty.ArrayType | ty.IndexType):
        return term, kind
    if kind != ty.ERROR:
        ctx.report(errors.not_an_array(ctx, name, term, arg.span))
    return None


def _intrinsic(
    name: str,
    kind: Type,
    args: Sequence[Term],
    span: Span,
    statics: Sequence[tuple[str, core.Expr]] = (),
    known: Known | None = None,
) -> Term:
    done = core.Intrinsic(span, kind, name, tuple(t.core for t in args), tuple(statics))
    return Term(done, kind, known)


def _element(ctx: Context, kind: ty.ArrayType | ty.IndexType) -> Element:
    return ctx.body.solver.element(kind.dtype) if isinstance(kind, ty.ArrayType) else dt.I32


def _int_option(
    ctx: Context, chosen: dict[str, Arg], option: str, default: int, owner: str
) -> tuple[int | None, core.Expr, Known | None] | None:
    """A static int option: its value if known, its Core."""
    arg = chosen.get(option)
    if arg is None:
        raise KeyError(option)
    term = coerce(ctx, ctx.infer(arg.value, ty.INT), ty.INT, Why("argument", option, owner))
    if ctx.resolve(term.type) == ty.ERROR:
        return None
    value = term.known.constant if isinstance(term.known, Size) else default
    return value, term.core, term.known


def _axis(
    ctx: Context, chosen: dict[str, Arg], default: int, owner: str, span: Span
) -> tuple[int | None, core.Expr] | None:
    if "axis" not in chosen:
        return default, core.Const(span, ty.INT, default)
    mark = len(ctx.program.reports)
    found = _int_option(ctx, chosen, "axis", default, owner)
    if found is None or len(ctx.program.reports) > mark:
        return None
    return found[0], found[1]


# ---------------------------------------------------------------- joining arrays


def _parts(ctx: Context, arg: Arg, name: str) -> list[Term] | None:
    """The arrays of a tuple argument; a bracket list there is read as one."""
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
        knowns = term.known.items if isinstance(term.known, Parts) else (None,) * len(kind.parts)
        items2 = term.core.items if isinstance(term.core, core.Tuple) else None
        return [
            Term(items2[i] if items2 is not None else core.Project(arg.span, p, term.core, i), p, k)
            for i, (p, k) in enumerate(zip(kind.parts, knowns, strict=True))
        ]
    if kind != ty.ERROR:
        ctx.report(errors.needs_tuple(ctx, name, term, arg.span))
    return None


def _concatenate(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    chosen = _bind(ctx, "concatenate", args, ("arrays", "axis"), 1, span)
    terms = None if chosen is None else _parts(ctx, chosen["arrays"], "concatenate")
    axis = None if chosen is None else _axis(ctx, chosen, 0, "concatenate", span)
    if terms is None or axis is None:
        return error_term(span)
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
            ctx.report(errors.not_an_array(ctx, "concatenate", term, term.span))
            return error_term(span)
        if isinstance(element, ty.ArrayType):
            own = _element(ctx, kind) if not isinstance(kind, ty.KeyType) else dt.U32
            if isinstance(kind, ty.KeyType) or not ctx.body.solver.unify(own, element.dtype):
                ctx.report(errors.dtypes_differ(ctx, "concatenate", terms[0], term, element.dtype, own, span))
                return error_term(span)
        arrays.append(kind.shape)
    if axis[0] is None:
        return error_term(span)
    shape = shapes.concatenate(ctx, tuple(arrays), axis[0], tuple(terms), span)
    if shape is None:
        return error_term(span)
    kind = _reshaped(element, shape)
    known = _union([t.known for t in terms])
    packed = make_tuple(terms, span)
    return _intrinsic("concatenate", kind, [packed], span, [("axis", axis[1])], known)


def _reshaped(kind: Type, shape: Shape) -> Type:
    match kind:
        case ty.ArrayType(element, _):
            return ty.ArrayType(element, shape)
        case ty.IndexType(bound, _):
            return ty.IndexType(bound, shape)
        case ty.KeyType():
            return ty.KeyType(shape)
        case _:
            return kind


def _union(knowns: Sequence[Known | None]) -> Known | None:
    found = {str(k): k for k in knowns}
    return next(iter(found.values())) if len(found) == 1 else None


def _stack(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    chosen = _bind(ctx, "stack", args, ("arrays", "axis"), 1, span)
    terms = None if chosen is None else _parts(ctx, chosen["arrays"], "stack")
    axis = None if chosen is None else _axis(ctx, chosen, 0, "stack", span)
    if terms is None or axis is None:
        return error_term(span)
    common = join(ctx, terms, Why("item"))
    if common is None:
        return error_term(span)
    element = as_array(ctx, common)
    items = [coerce(ctx, t, element, Why("item")) for t in terms]
    count = Size.of(len(items))
    kind = _insert(ctx, ctx.resolve(element), axis[0] or 0, count, span)
    if kind is None:
        return error_term(span)
    return _intrinsic("stack", kind, [make_tuple(items, span)], span, [("axis", axis[1])])


def _insert(ctx: Context, kind: Type, axis: int, size: Size, span: Span) -> Type | None:
    if isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        shape = shapes.inserted(ctx, kind.shape, axis, size)
        if isinstance(shape, ShapeFailure):
            ctx.report(errors.shapes_fail(ctx, shape, errors.Several("stack", ()), span))
            return None
        return _reshaped(kind, shape)
    if axis == 0:
        return add_axes(kind, Shape((size,)))
    if isinstance(kind, ty.TupleType):
        parts = [_insert(ctx, p, axis, size, span) for p in kind.parts]
        return None if any(p is None for p in parts) else ty.TupleType(tuple(p for p in parts if p is not None))
    if isinstance(kind, ty.RecordType):
        fields = [(n, _insert(ctx, t, axis, size, span)) for n, t in kind.fields]
        return ty.RecordType(tuple((n, t) for n, t in fields if t is not None), kind.name)
    return None


# ---------------------------------------------------------------- shapes from lists


def _reshape(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    chosen = _bind(ctx, "reshape", args, ("x", "shape"), 2, span)
    if chosen is None:
        return error_term(span)
    term = ctx.infer(chosen["x"].value)
    kind = ctx.resolve(term.type)
    wanted = _shape_argument(ctx, chosen["shape"], "reshape")
    if isinstance(kind, ty.StaticType):
        term = coerce(ctx, term, as_array(ctx, kind), Why("argument", "x", "reshape"))
        kind = ctx.resolve(term.type)
    if wanted is None or kind == ty.ERROR:
        return error_term(span)
    if not isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        ctx.report(errors.not_an_array(ctx, "reshape", term, chosen["x"].span))
        return error_term(span)
    dims = tuple(d for d in wanted[1].dims)
    for dim in dims:
        if isinstance(dim, Size) and dim.constant is not None and dim.constant < -1:
            ctx.report(errors.negative_size(ctx, dim, {}, chosen["shape"].span))
            return error_term(span)
    shape = shapes.reshape(ctx, term, kind.shape, dims, span)
    if shape is None:
        return error_term(span)
    known = term.known if isinstance(term.known, Elementwise) else None
    return _intrinsic("reshape", _reshaped(kind, shape), [term], span, [("shape", wanted[0])], known)


def _shape_argument(ctx: Context, arg: Arg, owner: str) -> tuple[core.Expr, Shape] | None:
    inferred = ctx.infer(arg.value, ty.SHAPE)
    if inferred.type == ty.ERROR:
        return None
    if inferred.type in (ty.INT, ty.SIZE) and isinstance(inferred.known, Size):
        listed = core.ShapeList(arg.span, ty.SHAPE, (inferred.core,))
        return listed, Shape((inferred.known,))
    mark = len(ctx.program.reports)
    term = coerce(ctx, inferred, ty.SHAPE, Why("argument", "shape", owner))
    if len(ctx.program.reports) > mark:
        return None
    if not isinstance(term.known, Shape):
        ctx.report(errors.constant_shape(ctx, inferred, arg.span))
        return None
    return term.core, term.known


def _broadcast_to(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    chosen = _bind(ctx, "broadcast_to", args, ("x", "shape"), 2, span)
    if chosen is None:
        return error_term(span)
    found = _array(ctx, chosen["x"], "broadcast_to")
    wanted = _shape_argument(ctx, chosen["shape"], "broadcast_to")
    if found is None or wanted is None:
        return error_term(span)
    term, kind = found
    result = broadcasted(ctx.facts, kind.shape, wanted[1])
    what = errors.Several("broadcast_to", (term,))
    if isinstance(result, ShapeFailure):
        ctx.report(errors.shapes_fail(ctx, result, what, span))
        return error_term(span)
    problem = require_shape(ctx, result.shape, wanted[1], span)
    if problem:
        failure = ShapeFailure("sizes differ", (kind.shape, wanted[1]))
        ctx.report(errors.shapes_fail(ctx, failure, what, span))
        return error_term(span)
    return _intrinsic("broadcast_to", _reshaped(kind, wanted[1]), [term], span, [("shape", wanted[0])], term.known)


def require_shape(ctx: Context, left: Shape, right: Shape, span: Span) -> bool:
    if left == right:
        return False
    if left.rank is None or left.rank != right.rank:
        return True
    return any(
        isinstance(a, Size) and isinstance(b, Size) and require_equal(ctx, a, b, span) is not None
        for a, b in zip(left.dims, right.dims, strict=True)
    )


# ---------------------------------------------------------------- contractions


def _matmul(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    return _product(ctx, "matmul", args, span)


def _dot(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    return _product(ctx, "dot", args, span)


def _product(ctx: Context, name: str, args: list[Arg], span: Span) -> Term:
    chosen = _bind(ctx, name, args, ("x", "y"), 2, span)
    if chosen is None:
        return error_term(span)
    left, right = _array(ctx, chosen["x"], name), _array(ctx, chosen["y"], name)
    if left is None or right is None:
        return error_term(span)
    scalar = not left[1].shape.dims or not right[1].shape.dims
    return operate(ctx, "*" if name == "dot" and scalar else "@", left[0], right[0], span)


def _einsum(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    if len(args) < 2:
        ctx.report(errors.missing_arguments("einsum", ["the spec", "an array"][len(args) :], span))
        return error_term(span)
    spec = coerce(ctx, ctx.infer(args[0].value), ty.STRING, Why("static", "spec", "einsum"))
    arrays = [_array(ctx, a, "einsum") for a in args[1:]]
    found = [a for a in arrays if a is not None]
    if len(found) < len(arrays) or not isinstance(spec.known, str):
        return error_term(span)
    element = _element(ctx, found[0][1])
    for term, kind in found[1:]:
        if not ctx.body.solver.unify(element, _element(ctx, kind)):
            ctx.report(errors.dtypes_differ(ctx, "einsum", found[0][0], term, element, _element(ctx, kind), span))
            return error_term(span)
    if not ctx.body.solver.restrict(element, dt.CLASSES["Num"]):
        ctx.report(errors.operator_needs(ctx, "einsum", "Num", element, found[0][0], None, span))
        return error_term(span)
    shape = _einsum_shape(ctx, spec.known, found, args, span)
    if shape is None:
        return error_term(span)
    kind2 = ty.ArrayType(ctx.body.solver.element(element), shape)
    return _intrinsic("einsum", kind2, [t for t, _ in found], span, [("spec", spec.core)])


def _einsum_shape(
    ctx: Context, spec: str, found: Sequence[tuple[Term, ty.ArrayType | ty.IndexType]], args: Sequence[Arg], span: Span
) -> Shape | None:
    text = spec.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(found):
        ctx.report(errors.einsum_spec(f"{len(inputs)} operands are named, {len(found)} given", args[0].span))
        return None
    if not all(c.isalpha() or c == "," for c in left) or not all(c.isalpha() for c in right):
        ctx.report(errors.einsum_spec("indices are letters", args[0].span))
        return None
    if not arrow:
        right = "".join(sorted(c for c in set(left) if c != "," and left.count(c) == 1))
    sizes: dict[str, tuple[Size, Term]] = {}
    for letters, (term, kind) in zip(inputs, found, strict=True):
        if kind.shape.rank != len(letters):
            ctx.report(errors.einsum_rank(ctx, letters, term, term.span))
            return None
        for letter, dim in zip(letters, kind.shape.dims, strict=True):
            assert isinstance(dim, Size)
            if letter not in sizes:
                sizes[letter] = (dim, term)
                continue
            refuted = require_equal(ctx, sizes[letter][0], dim, span)
            if refuted is not None:
                ctx.report(errors.einsum_sizes(ctx, letter, sizes[letter], (dim, term), refuted, span))
                return None
    bad = next((c for c in right if c not in sizes or right.count(c) > 1), None)
    if bad is not None:
        ctx.report(errors.einsum_spec(f"`{bad}` of the result stands once in the operands", args[0].span))
        return None
    return Shape(tuple(sizes[c][0] for c in right))


# ---------------------------------------------------------------- trees and choices


def _tree_map(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    if len(args) < 2:
        ctx.report(errors.missing_arguments("tree_map", ["f", "a tree"][len(args) :], span))
        return error_term(span)
    function = ctx.infer(args[0].value)
    trees = [ctx.infer(a.value) for a in args[1:]]
    if any(t.type == ty.ERROR for t in (*trees, function) if not isinstance(t.type, ty.FunctionType)):
        return error_term(span)
    kinds = [spread(ctx.resolve(as_array(ctx, t.type))) for t in trees]
    trees = [coerce(ctx, t, k, Why("argument", "tree", "tree_map")) for t, k in zip(trees, kinds, strict=True)]
    bodies: list[tuple[core.Expr, Type]] = []
    result = _map_leaves(ctx, function, kinds, [t.core for t in trees], args, span)
    del bodies
    return error_term(span) if result is None else result


def _map_leaves(
    ctx: Context, function: Term, kinds: Sequence[Type], cores: Sequence[core.Expr], args: Sequence[Arg], span: Span
) -> Term | None:
    first = kinds[0]
    match first:
        case ty.TupleType(parts):
            if any(not isinstance(k, ty.TupleType) or len(k.parts) != len(parts) for k in kinds):
                return _structure(ctx, kinds, span)
            items = []
            for i in range(len(parts)):
                inner = [spread(ctx.resolve(k.parts[i])) for k in kinds if isinstance(k, ty.TupleType)]
                leaf = [core.Project(c.span, t, c, i) for c, t in zip(cores, inner, strict=True)]
                items.append(_map_leaves(ctx, function, inner, leaf, args, span))
            found = [i for i in items if i is not None]
            return make_tuple(found, span) if len(found) == len(parts) else None
        case ty.RecordType(fields, name):
            names = [n for n, _ in fields]
            if any(not isinstance(k, ty.RecordType) or [n for n, _ in k.fields] != names for k in kinds):
                return _structure(ctx, kinds, span)
            out: list[tuple[str, Term]] = []
            for n in names:
                inner2 = [spread(ctx.resolve(k.field(n) or ty.ERROR)) for k in kinds if isinstance(k, ty.RecordType)]
                leaf2 = [core.Select(c.span, t, c, n) for c, t in zip(cores, inner2, strict=True)]
                mapped = _map_leaves(ctx, function, inner2, leaf2, args, span)
                if mapped is None:
                    return None
                out.append((n, mapped))
            kind = ty.RecordType(tuple((n, t.type) for n, t in out), name)
            return Term(core.Record(span, kind, tuple((n, t.core) for n, t in out)), kind)
        case _:
            if any(isinstance(k, ty.TupleType | ty.RecordType) for k in kinds):
                return _structure(ctx, kinds, span)
            variable = first.element if isinstance(first, ty.StackedType) else first
            if isinstance(variable, ty.TypeVar):
                return _map_variable(ctx, function, variable, kinds, cores, span)
            leaves = [Arg(None, Term(c, k, of_type(ctx, k, "leaf")), span) for c, k in zip(cores, kinds, strict=True)]
            term = apply(ctx.repeated(), function, leaves, span)
            if term.type == ty.ERROR:
                return None
            return coerce(ctx, term, as_array(ctx, term.type), Why("item"))


def _map_variable(
    ctx: Context, function: Term, variable: ty.TypeVar, kinds: Sequence[Type], cores: Sequence[core.Expr], span: Span
) -> Term | None:
    """Over a tree that is not known: the function must do for a leaf of any shape, and keep its type."""
    if any(k != kinds[0] for k in kinds):
        return _structure(ctx, kinds, span)
    allowed = dt.CLASSES["Inexact" if variable.constraint == "VSpace" else "Any"]
    element, shape = DTypeVar(ctx.fresh_id(), "leaf", allowed), ShapeVar(ctx.fresh_id(), "leaf")
    leaf = ty.ArrayType(element, Shape((Splice(shape),)))
    wanted = ty.FunctionType((leaf,) * len(kinds), leaf)
    mark = len(ctx.program.reports)
    found = as_function(ctx, function, wanted, Why("argument", "f", "tree_map"), span)
    if len(ctx.program.reports) > mark or not isinstance(found.core, core.Specialise):
        return None
    done = core.MapLeaves(span, kinds[0], found.core, tuple(cores), element, shape)
    return Term(done, kinds[0])


def _structure(ctx: Context, kinds: Sequence[Type], span: Span) -> None:
    ctx.report(errors.tree_structure(ctx, kinds, span))


def _extremum(name: str) -> SpecialRule:
    """`max(x, axis=…)` reduces, `max(a, b)` compares."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        positional = sum(1 for a in args if a.name is None)
        target = ("maximum" if name == "max" else "minimum") if positional == 2 else f"_{name}"
        if positional == 2 and isinstance(args[1].value, ast.Expr) and _is_axis(ctx, args):
            ctx.report(errors.axis_by_name(name, "axis", args[1].span))
            return error_term(span)
        function = ctx.program.lookup(ctx.program.modules[PRELUDE], target, span)
        return error_term(span) if function is None else apply(ctx, function, args, span, expected)

    return rule


def _is_axis(ctx: Context, args: list[Arg]) -> bool:
    return False


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
                return _intrinsic(name, ty.ArrayType(kind.dtype.real, kind.shape), [term], span)
            args = [Arg(None, term, args[0].span)]
        return apply(ctx, function, args, span, expected)

    return rule


def _in_iteration_only(name: str) -> SpecialRule:
    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        ctx.report(errors.iteration_only(name, span))
        return error_term(span)

    return rule


def _transform(kind: str) -> SpecialRule:
    return lambda ctx, args, span, expected: transformations.transform(ctx, kind, args, span)


def _transform_call(kind: str) -> SpecialRule:
    return lambda ctx, args, span, expected: linear.call(ctx, kind, args, span)


def _not_yet(name: str) -> SpecialRule:
    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        ctx.report(errors.not_in_version(f"`{name}`", span))
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
                ctx.report(errors.unknown_policy(arg.span))
        else:
            rest.append(arg)
    name = "_compress_dropping" if drop else "_compress_checked"
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], name, span)
    return error_term(span) if function is None else apply(ctx, function, rest, span, expected)


def _arange(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`arange(n)`, `arange(a, b)`: an `idx` array where the bounds allow it."""
    chosen = _bind(ctx, "arange", args, ("start", "stop", "step", "dtype"), 1, span)
    if chosen is None:
        return error_term(span)
    bounds = []
    for name in ("start", "stop", "step"):
        if name in chosen:
            mark = len(ctx.program.reports)
            term = coerce(ctx, ctx.infer(chosen[name].value, ty.INT), ty.INT, Why("argument", name, "arange"))
            if len(ctx.program.reports) > mark or term.type == ty.ERROR:
                return error_term(span)
            bounds.append(term)
    zero = Term(core.Const(span, ty.INT, 0), ty.INT, Size.of(0))
    one = Term(core.Const(span, ty.INT, 1), ty.INT, Size.of(1))
    start, stop = (zero, bounds[0]) if "stop" not in chosen else (bounds[0], bounds[1])
    step = bounds[2] if "step" in chosen and len(bounds) > 2 else one
    low, high, stride = (t.known if isinstance(t.known, Size) else None for t in (start, stop, step))
    if low is None or high is None or stride is None:
        return error_term(span)
    if not ctx.program.rules.require(ctx, fa.le(low, high), span, "range"):
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
    return _intrinsic("arange", kind, [], span, statics, Elementwise(low, high))


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    rules: dict[str, SpecialRule] = {
        "print": effects.print_,
        "emit": effects.emit,
        "checked": effects.checked,
        "fresh_key": effects.fresh_key,
        "resume": effects.resume,
        "concatenate": _concatenate,
        "stack": _stack,
        "reshape": _reshape,
        "broadcast_to": _broadcast_to,
        "matmul": _matmul,
        "dot": _dot,
        "einsum": _einsum,
        "tree_map": _tree_map,
        "max": _extremum("max"),
        "min": _extremum("min"),
        "arange": _arange,
        "compress": _compress,
        "sum": _counting("sum"),
        "mean": _counting("mean"),
        **{name: _real_part(name) for name in ("abs", "real", "imag", "angle")},
        **shape_calls.table(),
        **specials_arrays.table(),
        **specials_products.table(),
    }
    for name in ("range", "zip", "enumerate"):
        rules[name] = _in_iteration_only(name)
    for name in transformations.OPTIONS:
        rules[name] = _transform(name)
    for name in ("jvp", "vjp", "linearize", "hvp"):
        rules[name] = _transform_call(name)
    for name in ("pmap", "shard", "eval_shape"):
        rules[name] = _not_yet(name)
    return MappingProxyType(rules)


__all__ = ["Callable", "Splice", "Traced", "table"]

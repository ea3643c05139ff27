"""Functions of arrays whose result no signature can say: it has as many parts as an argument says, what is known of an
argument, the dtype and the axes of arrays in a tuple or a bracket list, or, for `einsum`, those that a text says. Read
next: `typechecker.calls.arguments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from string import ascii_letters

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import ShapeFailure, extent, inserted, replaced
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, children, leading_axes, with_children, with_shape
from typechecker import errors
from typechecker.calls.arguments import Array, Given, array_argument, bind_in_order, primitive
from typechecker.calls.casts import cast_written
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.known_parts import list_of_sizes
from typechecker.env.reports import Reported
from typechecker.env.static_values import element_of, static_argument
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import make_tuple
from typechecker.relations import shapes
from typechecker.relations.coercion import Why, coerce, fit, join
from typechecker.relations.components import after, items_of, once
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.shapes import demand_axis
from typechecker.relations.size_equations import require_equal
from typechecker.types.predicates import holds_static


def split_at(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`split_at(x, indices, axis=0)`: a tuple of the pieces between these places, as of `jnp.split`."""
    g = bind_in_order(ctx, "split_at", args, ("x", "indices", "axis"), 2, span)
    array = g.array("x")
    known, axis = ctx.typed(g.chosen["indices"].value, ty.INTS).known, g.integer("axis")
    listed = Shape((known,)) if isinstance(known, Size) else list_of_sizes(known)
    if listed is None or listed.sizes is None:
        g.refuse("indices", "a static place, or a list of them")
    at = static_argument(axis, ctx.fresh_id)
    demand_axis(ctx, array.shape, at, Operation("split_at", (array.term,)), span)
    ends = list(pairwise([Size.of(0), *listed.sizes, extent(array.shape, at)]))
    g.require_at_least(0, *(stop - start for start, stop in ends))
    whole, bindings = once(ctx, array.term)
    pieces: list[Term] = []
    for start, stop in ends:
        shape = replaced(ctx.facts, array.shape, at, stop - start)
        assert isinstance(shape, Shape)
        known = of_elements(ctx, [whole], array.of(shape))
        pieces.append(g.emit("slice_axis", array.of(shape), [whole], known, axis=axis, start=start, stop=stop))
    return after(bindings, make_tuple(pieces, span))


def cast(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`cast(x, dtype)` is `dtype(x)`."""
    g = bind_in_order(ctx, "cast", args, ("x", "dtype"), 2, span)
    wanted = fit(ctx, ctx.typed(g.chosen["dtype"].value, ty.DTYPE), ty.DTYPE, Why("argument", "dtype", "cast"))
    element = element_of(wanted.known)
    if element is None:
        g.refuse("dtype", "a dtype")
    return cast_written(ctx, g.chosen["x"].value, element, span)


# ---------------------------------------------------------------- einsum


def einsum(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`einsum("ij,jk->ik", a, b)`."""
    if len(args) < 2:
        ctx.refuse(errors.calls.missing_arguments("einsum", ["the spec", "an array"][len(args) :], span))
    given = Given(ctx, "einsum", span, {"spec": args[0]})
    spec = given.text("spec")
    arrays = [array_argument(ctx, arg, "einsum") for arg in args[1:]]
    element = given.element(*arrays)
    text = _expanded(spec.replace(" ", ""), [array.shape.rank for array in arrays])
    shape = _einsum_shape(ctx, text, arrays, args[0].span, span)
    return given.emit("einsum", ty.ArrayType(element, shape), [array.term for array in arrays], spec=text)


def _expanded(text: str, ranks: Sequence[int | None]) -> str:
    """The text with letters for `...`: those axes of an operand that have no letter, counted from the last."""
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if "..." not in text or len(inputs) != len(ranks):
        return text
    free = [c for c in ascii_letters if c not in text]
    counts = [max((r or 0) - len(t) + 3, 0) if "..." in t else 0 for t, r in zip(inputs, ranks, strict=True)]
    rest = "".join(free[: max(counts)])
    done = [t.replace("...", rest[len(rest) - n :], 1) for t, n in zip(inputs, counts, strict=True)]
    if arrow:
        return ",".join(done) + arrow + right.replace("...", rest, 1)
    single = sorted(c for c in set(left) - {",", "."} if left.count(c) == 1)
    return ",".join(done) + "->" + rest + "".join(single)


def _einsum_shape(ctx: Context, spec: str, arrays: Sequence[Array], place: Span, span: Span) -> Shape:
    """The shape of the result; `place` is that of the specification."""
    left, arrow, right = spec.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(arrays):
        message = f"{len(inputs)} operands in the specification, but {len(arrays)} given"
        ctx.refuse(errors.indices.einsum_spec(place, message=message))
    if not all(c.isalpha() or c == "," for c in left) or not all(c.isalpha() for c in right):
        ctx.refuse(errors.indices.einsum_spec(place, message="indices must be letters"))
    if not arrow:
        right = "".join(sorted(c for c in set(left) if c != "," and left.count(c) == 1))
    sizes: dict[str, tuple[Size, Term]] = {}
    for letters, array in zip(inputs, arrays, strict=True):
        dims = array.dims()
        if dims is None or len(dims) != len(letters):
            ctx.refuse(errors.indices.einsum_rank(ctx, letters, array.term, array.term.span, span))
        for letter, dim in zip(letters, dims, strict=True):
            first, held = sizes.setdefault(letter, (dim, array.term))
            refuted = require_equal(ctx, first, dim, span)
            if refuted is not None:
                given = (first, held), (dim, array.term)
                ctx.refuse(errors.indices.einsum_sizes(ctx, letter, *given, refuted, span))
    bad = next((c for c in right if c not in sizes or right.count(c) > 1), None)
    if bad is not None:
        message = f"`{bad}` of the result must occur once there, and in an operand"
        ctx.refuse(errors.indices.einsum_spec(place, message=message))
    return Shape(tuple(sizes[c][0] for c in right))


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
        ctx.refuse(errors.types.needs_tuple(arg.span, ctx, name=name, term=term))
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
        ctx.refuse(errors.types.not_an_array(term.span, ctx, name="concatenate", term=term))
    if isinstance(element, ty.ArrayType):
        is_key = isinstance(kind, ty.KeyType)
        own = dt.U32 if isinstance(kind, ty.KeyType) else Array(term, kind).element(ctx)
        if is_key or not ctx.unify(own, element.dtype):
            ctx.refuse(errors.dtypes.dtypes_differ(ctx, "concatenate", first, term, element.dtype, own, span))


def stack(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`stack((a, b), axis=0)`: along a new axis."""
    given = _operands(ctx, "stack", args, span)
    element = as_array(ctx, join(ctx, given.terms, Why("item")))
    if holds_static(ctx.resolve(element)):
        ctx.refuse(errors.types.cannot_stack(given.terms[0].span, ctx, term=given.terms[0]))
    items = [coerce(ctx, t, element, Why("item")) for t in given.terms]
    kind = _insert(ctx, ctx.resolve(element), given.axis, items, span)
    return given.join("stack", kind, items, ctx, span)


def _insert(ctx: Context, kind: Type, axis: StaticArg, items: Sequence[Term], span: Span) -> Type:
    size = Size.of(len(items))
    if isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        shape = inserted(ctx.facts, kind.shape, axis, size)
        if isinstance(shape, ShapeFailure):
            ctx.refuse(errors.shapes.shapes_fail(ctx, shape, Operation("stack", ()), span))
        shapes.resolve_stuck_calls(ctx, shape, Operation("stack", ()), span)
        return with_shape(kind, shape)
    if axis == 0:
        return add_axes(kind, Shape((size,)))
    return with_children(kind, [_insert(ctx, part, axis, items, span) for part in children(kind)])

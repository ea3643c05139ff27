"""Functions of arrays whose result no signature can say: the number of axes depends on an argument, or the complex
dtype of a real one is meant. Read next: `typechecker.calls.arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size, max_, min_
from dsl.types.type import DTypeVar, Type
from typechecker.calls.arguments import Array, Given, Nested, given, written_static
from typechecker.calls.casts import convert
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, error_term
from typechecker.errors import arrays as array_errors
from typechecker.errors import shapes as shape_errors
from typechecker.errors.words import count
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.shapes import demand_axis

ZERO, ONE = Size.of(0), Size.of(1)


def _each(value: Nested) -> tuple[Nested, ...]:
    return value if isinstance(value, tuple) else (value,)


def _sizes(values: Sequence[Nested]) -> list[Size] | None:
    found = [v for v in values if isinstance(v, Size)]
    return found if len(found) == len(values) else None


# ---------------------------------------------------------------- copies of what is there


def _tile(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`tile(x, reps)`: reps copies along each of the last axes."""
    g = given(ctx, "tile", args, ("x", "reps"), 2, span)
    found = None if g is None else g.ranked("x")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    fine, reps = g.static("reps", None)
    counts = _sizes(_each(reps))
    if not fine or counts is None:
        if fine:
            g.refuse("reps", "a static integer or a tuple of them")
        return error_term(span)
    if not all(g.at_least(c, 0) for c in counts):
        return error_term(span)
    rank = max(len(dims), len(counts))
    wide = [ONE] * (rank - len(dims)) + dims
    times = [ONE] * (rank - len(counts)) + counts
    shape = Shape(tuple(a * b for a, b in zip(wide, times, strict=True)))
    return g.emit("tile", array.of(shape), [array.term], array.term.known, reps=tuple(times))


def _pad(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`pad(x, pad_width, mode="constant", constant_values=0)`"""
    names = ("x", "pad_width", "mode", "constant_values")
    g = given(ctx, "pad", args, names, 2, span)
    found = None if g is None else g.ranked("x")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    fine, width = g.static("pad_width", None)
    widths = _pairs(width, len(dims)) if fine else None
    good, mode = g.static("mode", "constant")
    if widths is None or mode not in ("constant", "edge", "reflect", "wrap"):
        if fine and widths is None:
            g.refuse("pad_width", f"one integer, one pair, or {len(dims)} pairs (low, high)")
        elif good and widths is not None:
            g.refuse("mode", '"constant", "edge", "reflect" or "wrap"')
        return error_term(span)
    room = {"constant": None, "edge": ONE, "reflect": ONE, "wrap": ZERO}[mode]
    for size, pair in zip(dims, widths, strict=True):
        if not all(g.at_least(p, 0) for p in pair) or not _has_room(g, size, pair, mode, room):
            return error_term(span)
    element = g.element(array, allowed=dt.ALL)
    if element is None:
        return error_term(span)
    value = _fill(g, element)
    shape = Shape(tuple(low + size + high for size, (low, high) in zip(dims, widths, strict=True)))
    return g.emit("pad", ty.ArrayType(element, shape), [array.term, value], widths=tuple(widths), mode=mode)


def _has_room(g: Given, size: Size, pair: tuple[Size, Size], mode: str, room: Size | None) -> bool:
    """Whether an axis is long enough for what is read from it beyond its end."""
    if room is None:
        return True
    if mode == "edge":
        return g.at_least(size, 1)
    return all(g.at_least(size - part - room, 0) for part in pair)


def _pairs(width: Nested, rank: int) -> list[tuple[Size, Size]] | None:
    parts = _each(width)
    numbers = _sizes(parts)
    if numbers is not None and len(numbers) in (1, 2):
        return [(numbers[0], numbers[-1])] * rank
    found = [_sizes(_each(p)) for p in parts]
    pairs = [(p[0], p[-1]) for p in found if p is not None and len(p) in (1, 2)]
    if len(pairs) != len(parts) or len(pairs) not in (1, rank):
        return None
    return pairs * rank if len(pairs) == 1 else pairs


def _fill(g: Given, element: dt.DType | DTypeVar) -> Term:
    kind = ty.ArrayType(element, Shape(()))
    if "constant_values" not in g.chosen:
        return convert(g.ctx, written_static(ZERO, g.span), element, g.span)
    value = g.ctx.infer(g.chosen["constant_values"].value, kind)
    return coerce(g.ctx, value, kind, Why("argument", "constant_values", "pad"))


# ---------------------------------------------------------------- axes


def _diag(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`diag(x, k=0)`: a vector as the k-th diagonal of a matrix, or the k-th diagonal of a matrix."""
    g = given(ctx, "diag", args, ("x", "k"), 1, span)
    found = None if g is None else g.ranked("x", "a vector or a matrix")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    fine, k = g.static("k", ZERO)
    if not fine or not isinstance(k, Size) or len(dims) not in (1, 2):
        if fine and isinstance(k, Size):
            ctx.report(array_errors.rank_needed("diag", "a vector or a matrix", array.shape, g.chosen["x"].span))
        elif fine:
            g.refuse("k", "a static integer")
        return error_term(span)
    if len(dims) == 1:
        size = dims[0] + max_(k, -k)
        element = g.element(array, allowed=dt.ALL)
        if element is None:
            return error_term(span)
        return g.emit("diag", ty.ArrayType(element, Shape((size, size))), [array.term], k=k)
    length = max_(ZERO, min_(min_(*dims), min_(dims[0] + k, dims[1] - k)))
    return g.emit("diag", array.of(Shape((length,))), [array.term], array.term.known, k=k)


def _moveaxis(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`moveaxis(x, source, destination)`: ints or tuples of them."""
    g = given(ctx, "moveaxis", args, ("x", "source", "destination"), 3, span)
    found = None if g is None else g.ranked("x")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    places: list[list[int]] = []
    for option in ("source", "destination"):
        fine, value = g.static(option, None)
        axes = [g.axis(v, len(dims), option) for v in _each(value)] if fine else [None]
        chosen = [a for a in axes if a is not None]
        if len(chosen) < len(axes):
            return error_term(span)
        places.append(chosen)
    source, destination = places
    if len(source) != len(destination) or len(set(source)) < len(source) or len(set(destination)) < len(destination):
        g.refuse("destination", "as many distinct axes as `source`")
        return error_term(span)
    order = [a for a in range(len(dims)) if a not in source]
    for to, axis in sorted(zip(destination, source, strict=True)):
        order.insert(to, axis)
    shape = Shape(tuple(dims[a] for a in order))
    axes_ = tuple(Size.of(a) for a in order)
    return g.emit("transpose", array.of(shape), [array.term], array.term.known, axes=axes_)


def _roll(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`roll(x, shift, axis=none)`: ints or tuples of them; without an axis through all elements in order."""
    g = given(ctx, "roll", args, ("x", "shift", "axis"), 2, span)
    array = None if g is None else g.array("x")
    if g is None or array is None:
        return error_term(span)
    fine, shift = g.static("shift", None)
    good, axis = g.static("axis", None)
    shifts = _sizes(_each(shift))
    if not fine or not good or shifts is None:
        if fine and good:
            g.refuse("shift", "a static integer or a tuple of them")
        return error_term(span)
    if axis is None:
        total = reduce(lambda a, b: a + b, shifts, ZERO)
        return g.emit("roll", array.type, [array.term], array.term.known, shift=total, axis=None)
    chosen = _sizes(_each(axis))
    if chosen is None:
        g.refuse("axis", "a static integer or a tuple of them")
        return error_term(span)
    what = shape_errors.Several("roll", (array.term,))
    demand_axis(ctx, array.shape, tuple(chosen), what, g.chosen["axis"].span)
    if len(shifts) == 1:
        shifts = shifts * len(chosen)
    if len(shifts) != len(chosen):
        g.refuse("shift", "as many integers as there are axes")
        return error_term(span)
    return g.emit("roll", array.type, [array.term], array.term.known, shift=tuple(shifts), axis=tuple(chosen))


def _split_at(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`split_at(x, indices, axis=0)`: a tuple of the pieces between these places, as of `jnp.split`."""
    g = given(ctx, "split_at", args, ("x", "indices", "axis"), 2, span)
    found = None if g is None else g.ranked("x")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    fine, value = g.static("indices", None)
    good, place = g.static("axis", ZERO)
    places = _sizes(_each(value))
    axis = g.axis(place, len(dims)) if fine and good else None
    if axis is None or places is None:
        if fine and good and places is None:
            g.refuse("indices", "a static place, or a list of them")
        return error_term(span)
    ends = [ZERO, *places, dims[axis]]
    sizes = [stop - start for start, stop in pairwise(ends)]
    if not all(g.at_least(s, 0) for s in sizes):
        return error_term(span)
    kinds = [array.of(Shape((*dims[:axis], size, *dims[axis + 1 :]))) for size in sizes]
    kind = ty.TupleType(tuple(kinds))
    return g.emit("split_at", kind, [array.term], sizes=tuple(sizes), axis=Size.of(axis))


# ---------------------------------------------------------------- elements by index


def _take(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`take(x, indices, axis=none)`; without an axis from all elements in order."""
    g = given(ctx, "take", args, ("x", "indices", "axis"), 2, span)
    found = None if g is None else g.ranked("x")
    places = None if g is None or found is None else g.array("indices")
    if g is None or found is None or places is None:
        return error_term(span)
    array, dims = found
    fine, value = g.static("axis", None)
    term = array.term
    if fine and value is None:
        dims = [array.shape.product()]
        term = g.emit("reshape", array.of(Shape(tuple(dims))), [term], term.known, shape=tuple(dims))
        value = ZERO
    axis = g.axis(value, len(dims)) if fine else None
    index = None if axis is None else _index(g, places, dims[axis])
    if axis is None or index is None:
        return error_term(span)
    shape = Shape((*dims[:axis], *places.shape.dims, *dims[axis + 1 :]))
    return g.emit("take", array.of(shape), [term, index], term.known, axis=Size.of(axis))


def _index(g: Given, places: Array, size: Size) -> Term:
    """Indices known to lie in an axis, or checked."""
    why = Why("argument", "indices", g.name)
    return fit(g.ctx, places.term, ty.IndexType(size, places.shape), why, g.chosen["indices"].span)


def _take_along_axis(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`take_along_axis(x, indices, axis=…)`: the indices have the shape of x, but for the axis."""
    g = given(ctx, "take_along_axis", args, ("x", "indices", "axis"), 3, span)
    found = None if g is None else g.ranked("x")
    other = None if g is None or found is None else g.ranked("indices")
    if g is None or found is None or other is None:
        return error_term(span)
    (array, dims), (places, extents) = found, other
    fine, value = g.static("axis", None)
    axis = g.axis(value, len(dims)) if fine else None
    if axis is None:
        return error_term(span)
    if len(extents) != len(dims):
        wanted = f"indices with {count(len(dims), 'axis', 'axes')}"
        ctx.report(array_errors.rank_needed("take_along_axis", wanted, places.shape, g.chosen["indices"].span))
        return error_term(span)
    if not all(g.equal(a, b) for i, (a, b) in enumerate(zip(dims, extents, strict=True)) if i != axis):
        return error_term(span)
    index = _index(g, places, dims[axis])
    if index is None:
        return error_term(span)
    shape = array.of(places.shape)
    return g.emit("take_along_axis", shape, [array.term, index], array.term.known, axis=Size.of(axis))


# ---------------------------------------------------------------- dtypes


def _cast(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`cast(x, dtype)` is `dtype(x)`."""
    g = given(ctx, "cast", args, ("x", "dtype"), 2, span)
    if g is None:
        return error_term(span)
    wanted = ctx.infer(g.chosen["dtype"].value, ty.DTYPE)
    if not isinstance(wanted.known, dt.DType | DTypeVar):
        if wanted.type != ty.ERROR:
            g.refuse("dtype", "a dtype")
        return error_term(span)
    return convert(ctx, ctx.infer(g.chosen["x"].value), wanted.known, span)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType(
        {
            "tile": _tile,
            "pad": _pad,
            "diag": _diag,
            "moveaxis": _moveaxis,
            "roll": _roll,
            "split_at": _split_at,
            "take": _take,
            "take_along_axis": _take_along_axis,
            "cast": _cast,
        }
    )

"""Functions of arrays whose result no signature can say: the number of axes depends on an argument, or the complex
dtype of a real one is meant. Read next: `typechecker.arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size, max_, min_
from dsl.types.type import DTypeVar, Type
from typechecker import errors
from typechecker.arguments import Array, Given, Nested, given
from typechecker.calls import Arg, convert
from typechecker.context import Context
from typechecker.operators import error_term
from typechecker.program import SpecialRule
from typechecker.relate import Why, coerce
from typechecker.values import Term

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
    if "constant_values" in g.chosen:
        value = g.ctx.infer(g.chosen["constant_values"].value, kind)
        return coerce(g.ctx, value, kind, Why("argument", "constant_values", "pad"))
    return g.emit("zeros_like", kind, [g.emit("full", kind, [_number(g)], shape=())]) if False else _zero(g, kind)


def _zero(g: Given, kind: ty.ArrayType) -> Term:
    from_number = _number(g)
    return coerce(g.ctx, from_number, kind, Why("argument", "constant_values", "pad")) if kind.dtype != dt.BOOL else _false(g, kind)


def _number(g: Given) -> Term:
    from dsl.core import core

    return Term(core.SizeOf(g.span, ty.INT, ZERO), ty.INT, ZERO)


def _false(g: Given, kind: ty.ArrayType) -> Term:
    return convert(g.ctx, _number(g), dt.BOOL, g.span)

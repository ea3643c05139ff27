"""Products whose shapes no signature can say: `tensordot`, and the Fourier transforms.

Read next: `typechecker.calls.arguments`, `typechecker.builtins.windows`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Type
from typechecker.calls.arguments import Array, Given, Nested, given
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, error_term
from typechecker.errors import dtypes as dtype_errors

ONE = Size.of(1)


def _each(value: Nested) -> tuple[Nested, ...]:
    return value if isinstance(value, tuple) else (value,)


# ---------------------------------------------------------------- tensordot


def _tensordot(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`tensordot(a, b, axes=2)`: the last axes of a with the first of b, or the pairs of axes that are given."""
    g = given(ctx, "tensordot", args, ("a", "b", "axes"), 2, span, keyword=())
    left = None if g is None else g.ranked("a")
    right = None if g is None or left is None else g.ranked("b")
    if g is None or left is None or right is None:
        return error_term(span)
    (x, a), (y, b) = left, right
    pairs = _pairs(g, len(a), len(b))
    element = g.element(x, y)
    if pairs is None or element is None or not all(g.equal(a[i], b[j]) for i, j in pairs):
        return error_term(span)
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    shape = Shape((*(s for i, s in enumerate(a) if i not in first), *(s for j, s in enumerate(b) if j not in second)))
    axes = (tuple(map(Size.of, first)), tuple(map(Size.of, second)))
    return g.emit("tensordot", ty.ArrayType(element, shape), [x.term, y.term], axes=axes)


def _pairs(g: Given, left: int, right: int) -> list[tuple[int, int]] | None:
    """The axes that meet."""
    fine, value = g.static("axes", Size.of(2))
    if not fine:
        return None
    if isinstance(value, Size):
        count = value.constant
        if count is None or not 0 <= count <= min(left, right):
            g.refuse("axes", f"an integer from 0 to {min(left, right)}, or two lists of axes")
            return None
        return [(left - count + k, k) for k in range(count)]
    if not isinstance(value, tuple) or len(value) != 2:
        g.refuse("axes", "an integer, or two lists of axes")
        return None
    first = [g.axis(v, left, "axes") for v in _each(value[0])]
    second = [g.axis(v, right, "axes") for v in _each(value[1])]
    if None in first or None in second:
        return None
    if len(first) != len(second) or len(set(first)) < len(first) or len(set(second)) < len(second):
        g.refuse("axes", "two lists of as many distinct axes")
        return None
    return [(i, j) for i, j in zip(first, second, strict=True) if i is not None and j is not None]


# ---------------------------------------------------------------- Fourier transforms


def _fourier(kind: str) -> SpecialRule:
    """`fft.fft(x, n=none, axis=-1)` and its variants; n samples, cut off or filled with zeros."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        g = given(ctx, f"fft.{kind}", args, ("x", "n", "axis"), 1, span)
        found = None if g is None else g.ranked("x", "an array with an axis whose place is known")
        if g is None or found is None:
            return error_term(span)
        array, dims = found
        fine, place = g.static("axis", Size.of(-1))
        axis = g.axis(place, len(dims)) if fine else None
        good, length = g.static("n", None)
        element = g.element(array, allowed=_INPUT[kind]) if axis is not None and good else None
        if axis is None or element is None:
            return error_term(span)
        samples = length if isinstance(length, Size) else _samples(kind, dims[axis])
        if not g.at_least(samples, 1) or not g.at_least(dims[axis], 1):
            return error_term(span)
        return _transformed(g, kind, array, dims, axis, samples, element)

    return rule


def _samples(kind: str, size: Size) -> Size:
    """How many samples the transform of an axis of this size has, if no number is given."""
    return 2 * (size - 1) if kind == "irfft" else size


def _fourier_of_axes(name: str, kind: str, default: tuple[int, ...] | None) -> SpecialRule:
    """`fft.fft2(x, axes=(-2, -1))`, `fft.fftn(x, axes=none)` and their inverses: one axis after the other. That along
    which the samples are real is the last one, transformed first on the way there and last on the way back."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        g = given(ctx, f"fft.{name}", args, ("x", "axes"), 1, span, keyword=("axes",))
        found = None if g is None else g.ranked("x")
        if g is None or found is None:
            return error_term(span)
        array, dims = found
        fine, chosen = g.static("axes", None if default is None else tuple(map(Size.of, default)))
        places = tuple(map(Size.of, range(len(dims)))) if chosen is None else _each(chosen)
        axes = [axis for axis in (g.axis(p, len(dims), "axes") for p in places) if axis is not None] if fine else []
        if not axes or len(axes) < len(places) or g.element(array, allowed=_INPUT[kind]) is None:
            return error_term(span)
        return _along_axes(g, kind, array, axes)

    return rule


def _along_axes(g: Given, kind: str, array: Array, axes: Sequence[int]) -> Term:
    steps = [(kind.replace("r", ""), axis) for axis in axes[:-1]]
    steps = [(kind, axes[-1]), *steps] if kind == "rfft" else [*steps, (kind, axes[-1])]
    for step, axis in steps:
        dims, element = array.dims() or [], g.element(array)
        samples = _samples(step, dims[axis])
        if element is None or not g.at_least(samples, 1) or not g.at_least(dims[axis], 1):
            return error_term(g.span)
        term = _transformed(g, step, array, dims, axis, samples, element)
        if not isinstance(term.type, ty.ArrayType):
            return term
        array = Array(term, term.type)
    return array.term


_PRECISE = (dt.F32, dt.F64)
_INPUT: Mapping[str, tuple[dt.DType, ...]] = MappingProxyType(
    {
        "fft": (*_PRECISE, *dt.COMPLEXES),
        "ifft": (*_PRECISE, *dt.COMPLEXES),
        "rfft": _PRECISE,
        "irfft": dt.COMPLEXES,
    }
)


def _transformed(
    g: Given, kind: str, array: Array, dims: list[Size], axis: int, samples: Size, element: dt.DType | DTypeVar
) -> Term:
    """The transform along the last axis, with the axis moved there and back."""
    if not isinstance(element, dt.DType):
        g.ctx.report(
            dtype_errors.operator_needs(g.ctx, g.name, "f32, f64, c64 or c128", element, array.term, None, g.span)
        )
        return error_term(g.span)
    wide = dt.C128 if element in (dt.F64, dt.C128) else dt.C64
    rest = [*dims[:axis], *dims[axis + 1 :]]
    there = [*(i for i in range(len(dims)) if i != axis), axis]
    moved = axis != len(dims) - 1
    term = array.term
    if kind in ("fft", "ifft") and not element.is_complex:
        term = g.emit("cast", ty.ArrayType(wide, Shape(tuple(dims))), [term], dtype=wide)
        element = wide
    if moved:
        order = tuple(map(Size.of, there))
        term = g.emit("transpose", ty.ArrayType(element, Shape((*rest, dims[axis]))), [term], axes=order)
    last = samples // 2 + 1 if kind == "rfft" else samples
    result = wide.real if kind == "irfft" else wide
    term = g.emit(kind, ty.ArrayType(result, Shape((*rest, last))), [term], n=samples)
    if not moved:
        return term
    back = tuple(Size.of(there.index(i)) for i in range(len(dims)))
    shape = Shape((*dims[:axis], last, *dims[axis + 1 :]))
    return g.emit("transpose", ty.ArrayType(result, shape), [term], axes=back)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    rules: dict[str, SpecialRule] = {"tensordot": _tensordot}
    for kind in _INPUT:
        rules[f"fft.{kind}"] = _fourier(kind)
        rules[f"fft.{kind}2"] = _fourier_of_axes(f"{kind}2", kind, (-2, -1))
        rules[f"fft.{kind}n"] = _fourier_of_axes(f"{kind}n", kind, None)
    return MappingProxyType(rules)

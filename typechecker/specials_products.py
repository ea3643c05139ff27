"""Products whose shapes no signature can say: `tensordot`, `conv`, and the Fourier transforms.

Read next: `typechecker.arguments`, `typechecker.specials_arrays`.
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
from typechecker import errors
from typechecker.applied import Arg
from typechecker.arguments import Array, Given, Nested, given
from typechecker.context import Context
from typechecker.program import SpecialRule
from typechecker.values import Term, error_term

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


# ---------------------------------------------------------------- convolution


def _conv(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`conv(x, w, strides=1, padding="SAME", dilation=1, groups=1)`: x [b, *spatial, i], w [*spatial, i // groups, o]
    gives [b, *spatial, o]; cross-correlation, as in `jax.lax.conv_general_dilated`."""
    names = ("x", "w", "strides", "padding", "dilation", "groups")
    g = given(ctx, "conv", args, names, 2, span, keyword=names[2:])
    left = None if g is None else g.ranked("x")
    right = None if g is None or left is None else g.ranked("w")
    if g is None or left is None or right is None:
        return error_term(span)
    (x, a), (w, b) = left, right
    if len(a) < 3 or len(a) != len(b):
        shape, arg = (x.shape, g.chosen["x"]) if len(a) < 3 else (w.shape, g.chosen["w"])
        wanted = "x as [batch, *spatial, in] and w as [*spatial, in, out]"
        ctx.report(errors.rank_needed("conv", wanted, shape, arg.span))
        return error_term(span)
    rank = len(a) - 2
    strides, dilation = _per_axis(g, "strides", rank), _per_axis(g, "dilation", rank)
    fine, groups = g.static("groups", ONE)
    element = g.element(x, w, allowed=dt.CLASSES["Inexact"])
    if strides is None or dilation is None or not fine or not isinstance(groups, Size) or element is None:
        return error_term(span)
    if not g.at_least(groups, 1) or not g.equal(b[-2] * groups, a[-1]) or not g.equal(b[-1] % groups, Size.of(0)):
        return error_term(span)
    sizes = _windows(g, a[1:-1], b[:-2], strides, dilation)
    if sizes is None:
        return error_term(span)
    spatial, padding = sizes
    kind = ty.ArrayType(element, Shape((a[0], *spatial, b[-1])))
    steps, spread = tuple(strides), tuple(dilation)
    return g.emit("conv", kind, [x.term, w.term], strides=steps, padding=padding, dilation=spread, groups=groups)


def _per_axis(g: Given, option: str, rank: int) -> list[Size] | None:
    """An option for each spatial axis, at least 1."""
    fine, value = g.static(option, ONE)
    found = [v for v in _each(value) if isinstance(v, Size)]
    if not fine:
        return None
    if len(found) != len(_each(value)) or len(found) not in (1, rank):
        g.refuse(option, f"a static integer or a tuple of {rank}")
        return None
    found = found * rank if len(found) == 1 else found
    return found if all(g.at_least(v, 1) for v in found) else None


def _windows(
    g: Given, sizes: Sequence[Size], window: Sequence[Size], strides: Sequence[Size], dilation: Sequence[Size]
) -> tuple[list[Size], Nested] | None:
    """The spatial sizes of the result, and the padding as the primitive takes it."""
    fine, padding = g.static("padding", "SAME")
    if not fine or not all(g.at_least(k, 1) for k in window):
        return None
    if padding == "SAME":
        return [(n + s - 1) // s for n, s in zip(sizes, strides, strict=True)], padding
    pairs = [[Size.of(0)] * 2] * len(sizes) if padding == "VALID" else _padding(g, padding, len(sizes))
    if pairs is None:
        return None
    out: list[Size] = []
    for n, k, s, d, (low, high) in zip(sizes, window, strides, dilation, pairs, strict=True):
        room = n + low + high - (k - 1) * d - 1
        if not all(g.at_least(p, 0) for p in (low, high, room)):
            return None
        out.append(room // s + 1)
    return out, tuple(tuple(p) for p in pairs)


def _padding(g: Given, padding: Nested, rank: int) -> list[list[Size]] | None:
    pairs = [[v for v in _each(p) if isinstance(v, Size)] for p in _each(padding)]
    if len(pairs) == rank and all(len(p) == 2 for p in pairs):
        return pairs
    g.refuse("padding", f'"SAME", "VALID", or {rank} pairs (low, high)')
    return None


# ---------------------------------------------------------------- Fourier transforms


def _fourier(kind: str) -> SpecialRule:
    """`fft.fft(x, n=none, axis=-1)` and its kin; n samples, cut off or filled with zeros."""

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
        samples = length if isinstance(length, Size) else 2 * (dims[axis] - 1) if kind == "irfft" else dims[axis]
        if not g.at_least(samples, 1) or not g.at_least(dims[axis], 1):
            return error_term(span)
        return _transformed(g, kind, array, dims, axis, samples, element)

    return rule


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
        g.ctx.report(errors.operator_needs(g.ctx, g.name, "f32, f64, c64 or c128", element, array.term, None, g.span))
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
    return MappingProxyType(
        {"tensordot": _tensordot, "conv": _conv, **{f"fft.{kind}": _fourier(kind) for kind in _INPUT}}
    )

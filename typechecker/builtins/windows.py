"""`conv`, which moves a window over arrays.

Read next: `typechecker.calls.arguments`, `typechecker.builtins.arrays`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls.arguments import Array, Given, Nested, bind_in_order, each
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Term
from typechecker.errors import arrays as array_errors

ZERO, ONE = Size.of(0), Size.of(1)


# ---------------------------------------------------------------- convolution

_LAYOUT = ("dimension_numbers", 'three texts such as "NCHW", "OIHW", "NCHW"')
_OPTIONS = ("window_strides", "padding", "lhs_dilation", "rhs_dilation", "dimension_numbers", "feature_group_count")


def _conv(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`conv(lhs, rhs, window_strides=1, padding="SAME", lhs_dilation=1, rhs_dilation=1, dimension_numbers=none,
    feature_group_count=1)`, cross-correlation as `jax.lax.conv_general_dilated`: lhs [batch, in, *spatial] and
    rhs [out, in, *spatial] give [batch, out, *spatial], unless `dimension_numbers` names another order."""
    g = bind_in_order(ctx, "conv", args, ("lhs", "rhs", *_OPTIONS), 2, span, keyword=_OPTIONS[2:])
    (x, a), (w, b) = g.ranked("lhs"), g.ranked("rhs")
    if len(a) < 3 or len(a) != len(b):
        shape, arg = (x.shape, g.chosen["lhs"]) if len(a) < 3 else (w.shape, g.chosen["rhs"])
        wanted = "lhs as [batch, in, *spatial] and rhs as [out, in, *spatial]"
        ctx.refuse(array_errors.rank_needed("conv", wanted, shape, arg.span))
    orders = _orders(g, len(a))
    groups = g.static("feature_group_count", ONE)
    element = g.element(x, w, allowed=dt.CLASSES["Inexact"])
    if not isinstance(groups, Size):
        raise Reported
    image, kernel = _arranged(g, x, orders[0]), _arranged(g, w, orders[1])
    a, b = [a[i] for i in orders[0]], [b[i] for i in orders[1]]
    g.require_at_least(1, groups)
    g.require_equal(b[1] * groups, a[1])
    g.require_equal(b[0] % groups, ZERO)
    windows = _windows(g, a[2:], b[2:])
    shape = Shape((a[0], b[0], *windows.sizes))
    out = g.emit(
        *("conv", ty.ArrayType(element, shape), [image, kernel]),
        strides=windows.strides,
        padding=windows.padding,
        base=windows.base,
        dilation=windows.dilation,
        groups=groups,
    )
    back = [orders[2].index(i) for i in range(len(a))]
    return _transposed(g, out, ty.ArrayType(element, shape), back)


def _orders(g: Given, rank: int) -> list[list[int]]:
    """For image, kernel and result: where the axes [batch, channel, *spatial] stand in it."""
    value = g.static("dimension_numbers", None)
    if value is None:
        return [list(range(rank))] * 3
    names = each(value)
    spatial = [c for c in names[0] if c not in "NC"] if isinstance(names[0], str) else []
    found: list[list[int]] = []
    for name, letters in zip(names, ("NC", "OI", "NC"), strict=False):
        wanted = [*letters, *spatial]
        if isinstance(name, str) and len(name) == rank and sorted(name) == sorted(wanted):
            found.append([name.index(c) for c in wanted])
    if not len(names) == len(found) == 3:
        g.refuse(*_LAYOUT)
    return found


def _arranged(g: Given, array: Array, order: Sequence[int]) -> Term:
    return _transposed(g, array.term, array.type, order)


def _transposed(g: Given, term: Term, kind: ty.ArrayType | ty.IndexType, order: Sequence[int]) -> Term:
    """The axes in this order."""
    if list(order) == sorted(order):
        return term
    shape = Shape(tuple(kind.shape.dims[i] for i in order))
    moved = ty.ArrayType(dt.I32 if isinstance(kind, ty.IndexType) else kind.dtype, shape)
    return g.emit("transpose", moved, [term], axes=tuple(map(Size.of, order)))


# ---------------------------------------------------------------- windows


class _Windows(Struct, frozen=True):
    """How many windows fit along each axis, and the options as a primitive takes them."""

    sizes: tuple[Size, ...]
    strides: Nested
    base: Nested
    dilation: Nested
    padding: Nested


def _windows(g: Given, sizes: Sequence[Size], window: Sequence[Size]) -> _Windows:
    rank = len(sizes)
    steps, base, spread = (_per_axis(g, o, rank) for o in ("window_strides", "lhs_dilation", "rhs_dilation"))
    g.require_at_least(1, *window)
    plain = all(d.is_literal(1) for d in base)
    padding = g.static("padding", "SAME")
    options = (tuple(steps), tuple(base), tuple(spread))
    if padding == "SAME" and plain:
        return _Windows(_same(sizes, steps), *options, padding)
    pairs = [[ZERO] * 2] * rank if padding == "VALID" else _padding(g, padding, rank, plain)
    if not plain:
        g.require_at_least(1, *sizes)
    room = [(n - 1) * d + 1 - (k - 1) * e - 1 for n, d, k, e in zip(sizes, base, window, spread, strict=True)]
    return _Windows(_fitting(g, room, pairs, steps), *options, tuple(map(tuple, pairs)))


def _same(sizes: Sequence[Size], steps: Sequence[Size]) -> tuple[Size, ...]:
    return tuple((n + s - 1) // s for n, s in zip(sizes, steps, strict=True))


def _fitting(
    g: Given, room: Sequence[Size], pairs: Sequence[Sequence[Size]], steps: Sequence[Size]
) -> tuple[Size, ...]:
    """How many steps fit into the room beside the first window, with padding."""
    out: list[Size] = []
    for n, (low, high), s in zip(room, pairs, steps, strict=True):
        left = n + low + high
        g.require_at_least(0, low, high, left)
        out.append(left // s + 1)
    return tuple(out)


def _per_axis(g: Given, option: str, rank: int) -> list[Size]:
    """An option for each spatial axis, at least 1."""
    given = each(g.static(option, ONE))
    found = [value for value in given if isinstance(value, Size)]
    if len(found) != len(given) or len(found) not in (1, rank):
        g.refuse(option, f"a static integer or a tuple of {rank}")
    g.require_at_least(1, *found)
    return found * rank if len(found) == 1 else found


def _padding(g: Given, padding: Nested, rank: int, plain: bool) -> list[list[Size]]:
    pairs = [[v for v in each(p) if isinstance(v, Size)] for p in each(padding)]
    if len(pairs) != rank or any(len(p) != 2 for p in pairs):
        same = '"SAME", ' if plain else ""
        g.refuse("padding", f'{same}"VALID", or {rank} pairs (low, high)')
    return pairs


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType({"conv": _conv})

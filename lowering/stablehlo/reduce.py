"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import ceil, prod

from dsl.ir.function import Atom, Equation, Tensor
from dsl.ops.cumulative import RunningParams
from dsl.ops.layout import RESHAPE, AxesParams
from dsl.types.dtype import BOOL, F32, DType, Kind
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.control import emit_barrier, switch
from lowering.stablehlo.elementwise import choice, comparison, emit_convert, emit_extreme
from lowering.stablehlo.extent import emit_slice
from lowering.stablehlo.layout import emit_reshape
from lowering.stablehlo.region import TRUTH, block, combination, logic
from lowering.stablehlo.shown_nan import shows_nan
from lowering.stablehlo.types import Scalar, format_list, integers
from lowering.stablehlo.wide import FLOATS
from lowering.stablehlo.work import is_computed_where_used


def reduction(spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A reduction by one associative operation, starting from its identity."""

    def rule(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        return (emit_reduce(cx, spelling, identity(source.dtype), operands[0], source, target, params.axes),)

    return rule


def truth_reduction(spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A reduction of flags, or of integers, by `or` or `and`. On a CPU a long last axis of flags is cut into rows of
    some lanes, as XLA vectorises only the other axes. Without rows of whole vectors, flags that become one are
    counted."""
    plain = reduction(spelling, identity)

    def rule(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        alone = cx.is_for_cpu and not cx.module.mesh
        if not source.dtype.is_bool or not alone or source.rank - 1 not in params.axes:
            return plain(cx, params, equation, operands)
        if not target.shape and source.size in COUNTED and _vectors(source.shape[-1]) is None:
            return (_counted(cx, spelling, operands[0], source),)
        return (emit_truth(cx, spelling, identity(source.dtype), operands[0], source, target, params.axes),)

    return rule


def emit_truth(
    cx: Context, spelling: str, start: Scalar, x: str, source: Tensor, target: Tensor, axes: tuple[int, ...]
) -> str:
    """Reduce flags along the last axis, among others. The rows that are left of them are reduced by another name of the
    operation, since XLA makes one reduction of two by the same."""
    width = _broad_lanes(source.shape[-1])
    if width is None:
        return emit_reduce(cx, spelling, start, x, source, target, axes)
    rows = Tensor(BOOL, (*source.shape[:-1], source.shape[-1] // width, width))
    left = Tensor(BOOL, (*target.shape, width))
    first = emit_reduce(cx, spelling, start, emit_reshape(cx, x, source, rows), rows, left, axes)
    again = "maximum" if spelling == "or" else "minimum"
    return emit_reduce(cx, again, start, first, left, target, (left.rank - 1,))


def emit_any(cx: Context, flags: str, type: Tensor) -> str:
    """The flag that is set if any of these is. An array over several devices keeps its axes."""
    if cx.module.mesh and type.shape:
        return emit_reduce(cx, "or", False, flags, type, TRUTH, tuple(range(type.rank)))
    if cx.is_for_cpu and type.size in COUNTED:
        return _counted(cx, "or", flags, type)
    flat = Tensor(BOOL, (type.size,))
    return emit_truth(cx, "or", False, emit_reshape(cx, flags, type, flat), flat, TRUTH, (0,))


COUNTED = range(1 << 12, 1 << 18)
"""How many flags are counted: as numbers, a cache holds them."""


def _counted(cx: Context, spelling: str, flags: str, type: Tensor) -> str:
    """Return whether any of all flags is set, or each, by their sum: the library adds, and what it does takes no time
    to compile."""
    ones, total = Tensor(F32, type.shape), Tensor(F32)
    count = emit_reduce(cx, "add", 0, emit_convert(cx, flags, type, ones), ones, total, tuple(range(type.rank)))
    way, bound = ("gt", 0) if spelling == "or" else ("eq", type.size)
    return comparison(cx, way, count, cx.constant(bound, total), total)


def _broad_lanes(size: int) -> int | None:
    """Return the length of rows of flags; None if there is none."""
    return _vectors(size) or lanes(size)


def _vectors(size: int) -> int | None:
    """Return the length of rows that are whole vectors of flags; None if there is none."""
    return next((n for n in range(1024, 0, -64) if size % n == 0 and size >= 8 * n), None)


LARGE, SEVERAL = 1 << 14, 48
"""The elements of an array, and those that become one, from which XLA's libraries reduce faster than XLA."""

PARTS, WHOLE = 16, 64
"""How many parts of an axis are compared element by element, at most: more at once run no faster. Their length is a
multiple of the second, as that of vectors is."""


def extreme_reduction(spelling: str, direction: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A maximum or minimum, of which nan is more extreme than any number.

    XLA's CPU libraries take over large reductions by plain `maximum` and `minimum`, and lose nan in them. A reduction
    by `clamp` has the same values and is left to XLA itself, which vectorises it along all axes but the last.

    Of a long last axis, parts are compared element by element, which keeps nan and is vectorised, too. The library
    reduces what is left, and counts nan there. A shorter axis is cut into rows of some lanes. What is left of them is
    reduced by a comparison: XLA would make one reduction of two by the same operation. Of an axis without such rows,
    what lies in memory already is left to the library; and so is any of f32 whose results show by themselves where nan
    was, as a softmax does. Devices that share an axis know plain operations alone, and count nan.
    """

    def rule(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        start, axes, (x,) = identity(source.dtype), params.axes, operands
        if not source.dtype.is_float:
            return (emit_reduce(cx, spelling, start, x, source, target, axes),)
        if cx.is_shared:
            found = emit_reduce(cx, spelling, start, x, source, target, axes)
            return (_with_nan(cx, x, found, source, target, axes),)
        if _may_lose_nan(cx, equation, axes):
            return (emit_reduce(cx, spelling, start, x, source, target, axes),)
        clamp, compare = _clamped(cx, spelling, source.dtype), _compared(cx, direction, source.dtype)
        if source.rank - 1 not in axes:
            return (_emit_fold(cx, clamp, start, x, source, target, axes),)
        flat, along = _joined(source, axes)
        width = lanes(flat.shape[-1])
        if width is None and _suits_library(cx, equation, axes):
            return (_by_library(cx, spelling, start, x, source, target, axes),)
        size = _part_size(cx, flat)
        if size is not None:
            return (_in_parts(cx, spelling, emit_reshape(cx, x, source, flat), size, flat, target, along, start),)
        if width is None:
            return (_emit_fold(cx, clamp, start, x, source, target, axes),)
        rows = Tensor(source.dtype, (*flat.shape[:-1], flat.shape[-1] // width, width))
        left = Tensor(source.dtype, (*target.shape, width))
        first = _emit_fold(cx, clamp, start, emit_reshape(cx, x, source, rows), rows, left, along)
        return (_emit_fold(cx, compare, start, first, left, target, (left.rank - 1,)),)

    return rule


def _part_size(cx: Context, type: Tensor) -> int | None:
    """Return the length of the parts of a last axis of which the library gets the best; None if it gets none."""
    if not cx.is_for_cpu or type.dtype not in FLOATS:
        return None
    *others, extent = type.shape
    least = max(ceil(extent / PARTS), ceil(LARGE / max(1, prod(others))))
    size = (ceil(least / WHOLE) | 1) * WHOLE
    return size if extent >= 2 * size else None


def _in_parts(
    cx: Context, spelling: str, x: str, size: int, source: Tensor, target: Tensor, axes: tuple[int, ...], start: Scalar
) -> str:
    """The extreme of the parts of the last axis, element by element, which keeps nan; then that of one part by the
    library, and of a flag for each nan. The last part overlaps with the one before."""
    *others, extent = source.shape
    part, whole = Tensor(source.dtype, (*others, size)), [(0, n, 1) for n in others]
    firsts = [min(first, extent - size) for first in range(0, extent, size)]
    parts = [emit_slice(cx, x, [*whole, (first, first + size, 1)], source, part) for first in firsts]
    best = reduce(lambda a, b: emit_extreme(cx, spelling, a, b, part), parts)
    return _with_nan(cx, best, emit_reduce(cx, spelling, start, best, part, target, axes), part, target, axes)


def _may_lose_nan(cx: Context, equation: Equation, axes: tuple[int, ...]) -> bool:
    """Return whether the library takes over a reduction, with what is computed of it, and no nan is missed there."""
    type = equation.inputs[0].type
    if not cx.is_for_cpu or type.dtype is not F32 or not _is_large(type, axes) or cx.body is None:
        return False
    return shows_nan(cx.body, equation)


def _is_large(type: Tensor, axes: tuple[int, ...]) -> bool:
    """Return whether many elements are reduced to each of the results."""
    return type.size >= LARGE and prod([type.shape[axis] for axis in axes]) >= SEVERAL


def _joined(source: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, tuple[int, ...]]:
    """The type with its last axes, as far as they are reduced, made one; and which axes of it are reduced."""
    first = source.rank - 1
    while first - 1 in axes:
        first -= 1
    joined = Tensor(source.dtype, (*source.shape[:first], prod(source.shape[first:])))
    return joined, tuple([axis for axis in axes if axis <= first])


def _suits_library(cx: Context, equation: Equation, axes: tuple[int, ...]) -> bool:
    """Return whether many elements are reduced to each one, from an array that is in memory."""
    (x,) = equation.inputs
    return is_in_memory(cx, x) and x.type.dtype in FLOATS and _is_large(x.type, axes)


def is_in_memory(cx: Context, x: Atom) -> bool:
    """Return whether a value is not computed where it is used."""
    made = cx.made.get(x)
    while made is not None and made.op is RESHAPE:
        made = cx.made.get(made.inputs[0])
    return made is None or not is_computed_where_used(made)


def _by_library(
    cx: Context, spelling: str, start: Scalar, x: str, source: Tensor, target: Tensor, axes: tuple[int, ...]
) -> str:
    """The extreme by a plain operation, which loses nan. Where no sum of the same elements is nan, there is none; else
    nan is looked for among the elements."""

    def mended(inner: Context) -> Sequence[str]:
        (apart,) = emit_barrier(inner, [x], [source])  # without which XLA would compute both, and select
        return (_with_nan(inner, apart, found, source, target, axes),)

    found = emit_reduce(cx, spelling, start, x, source, target, axes)
    total = emit_reduce(cx, "add", 0, x, source, target, axes)
    is_odd = emit_any(cx, comparison(cx, "ne", total, total, target), Tensor(BOOL, target.shape))
    return switch(cx, False, is_odd, TRUTH, [target], [mended, lambda _: (found,)])[0]


def _with_nan(cx: Context, x: str, found: str, source: Tensor, target: Tensor, axes: tuple[int, ...]) -> str:
    """The extremes, or nan where a sum of flags is not zero: sums are the library's, too."""
    flags, counts = Tensor(F32, source.shape), Tensor(F32, target.shape)
    ones = emit_convert(cx, comparison(cx, "ne", x, x, source), Tensor(BOOL, source.shape), flags)
    count = emit_reduce(cx, "add", 0, ones, flags, counts, axes)
    is_nan = comparison(cx, "gt", count, cx.constant(0, counts), counts)
    return choice(cx, is_nan, cx.constant(float("nan"), target), found, Tensor(BOOL, target.shape), target)


LANES = range(16, 129)
"""The lengths of rows, the preferred one first: the fewest registers that keep a processor busy."""


def lanes(size: int) -> int | None:
    """Return the length of the rows that an axis is cut into; None if it is short or has no such divisor."""
    return next((n for n in LANES if size % n == 0 and size >= 2 * n), None)


def _clamped(cx: Context, spelling: str, dtype: DType) -> str:
    """The body that returns the more extreme of two by a clamp between the first and an infinity."""
    inner, element = cx.child(), Tensor(dtype)
    a, b = names = [inner.fresh(), inner.fresh()]
    best = emit_extreme(inner, spelling, a, b, element)
    return block(inner, names, (element, element), f"stablehlo.return {best} : {inner.type(element)}")


def _compared(cx: Context, direction: str, dtype: DType) -> str:
    """The body that returns the more extreme of two by a comparison."""
    inner, element = cx.child(), Tensor(dtype)
    a, b = names = [inner.fresh(), inner.fresh()]
    more, nan = comparison(inner, direction, a, b, element), comparison(inner, "ne", a, a, element)
    best = choice(inner, logic(inner, "or", more, nan), a, b, TRUTH, element)
    return block(inner, names, (element, element), f"stablehlo.return {best} : {inner.type(element)}")


def _emit_fold(
    cx: Context, body: str, start: Scalar, x: str, source: Tensor, target: Tensor, axes: tuple[int, ...]
) -> str:
    """Emit a reduction by the body of a region."""
    element = Tensor(source.dtype)
    along = "array<i64" + "".join([f"{', ' if k else ': '}{a}" for k, a in enumerate(axes)]) + ">"
    return cx.emit(
        f'"stablehlo.reduce"({x}, {cx.constant(start, element)}) <{{dimensions = {along}}}> ({{\n{body}\n}}) : '
        f"({cx.type(source)}, {cx.type(element)}) -> {cx.type(target)}"
    )


def emit_reduce(
    cx: Context, spelling: str, start: Scalar, x: str, source: Tensor, target: Tensor, axes: tuple[int, ...]
) -> str:
    element = Tensor(source.dtype)
    return cx.emit(
        f"stablehlo.reduce({x} init: {cx.constant(start, element)}) applies stablehlo.{spelling} across dimensions = "
        f"{format_list(axes)} : ({cx.type(source)}, {cx.type(element)}) -> {cx.type(target)}"
    )


def zero(dtype: DType) -> Scalar:
    return False if dtype.is_bool else 0


def one(dtype: DType) -> Scalar:
    return True if dtype.is_bool else 1


def ones(dtype: DType) -> Scalar:
    """All bits set."""
    return True if dtype.is_bool else -1 if dtype.kind is Kind.SIGNED else (1 << dtype.bits) - 1


def running(spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A reduction over the window of all elements up to each one; the compiler makes it logarithmic."""

    def rule(cx: Context, params: RunningParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        extent = type.shape[params.axis]
        if extent == 0:
            return operands
        element = Tensor(type.dtype)
        window = integers(tuple([extent if a == params.axis else 1 for a in range(type.rank)]))
        before, after = (0, extent - 1) if params.reverse else (extent - 1, 0)
        padding = [[before, after] if a == params.axis else [0, 0] for a in range(type.rank)]
        name, body = cx.type(element), combination(cx, spelling, element)
        text = (
            f'"stablehlo.reduce_window"({operands[0]}, {cx.constant(identity(type.dtype), element)}) '
            f"<{{window_dimensions = {window}, padding = dense<{padding}> : tensor<{type.rank}x2xi64>}}> "
            f"({{\n{body}\n}}) : ({cx.type(type)}, {name}) -> {cx.type(type)}"
        )
        return (cx.emit(text),)

    return rule

"""Ordering along an axis. nan comes after all numbers, and 0.0 and -0.0 are equal.

XLA sorts one operand of integers several times faster than anything whose order is a region. So what is sorted is an
integer that holds a key and its position; the operands are then read at the positions. Keys of more than 32 bits, and
several keys, take a pass for each word, the least significant first. An array that is sorted alone takes one pass: of
its zeros those with a sign come first. On CPUs, long lines are sorted by digits. Read next: `keys`, `radix`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.extent import IotaParams
from dsl.ops.sort import SortParams, TopParams
from dsl.types.dtype import BOOL, F32, I32, I64
from lowering.stablehlo import radix
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import loop
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert
from lowering.stablehlo.extent import emit_corner
from lowering.stablehlo.index import emit_along
from lowering.stablehlo.keys import (
    HALF,
    bits_of,
    from_total_order,
    positions,
    reversed_order,
    total_order,
    with_positions,
    words,
)
from lowering.stablehlo.region import block

FEW = 8
"""Up to one in so many elements of a line XLA finds faster than it sorts the line."""


def sort(cx: Context, params: SortParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    types = [x.type for x in equation.inputs]
    if types[0].size == 0:
        return operands
    if len(types) == 1:
        return (_alone(cx, operands[0], types[0], params.axis),)
    order = _order(cx, [*zip(operands, types, strict=True)][: params.num_keys], params.axis)
    made = [cx.made.get(x) for x in equation.inputs]
    return [
        emit_convert(cx, order, Tensor(I32, type.shape), type)
        if _counts(equation, params.axis)
        else emit_along(cx, x, type, order, type.shape, params.axis)
        for x, type, equation in zip(operands, types, made, strict=True)
    ]


def _alone(cx: Context, x: str, type: Tensor, axis: int) -> str:
    """One array in order: floats by integers that they are made from again."""
    by = radix.emit_radix_sort if radix.suits(cx, [type], axis) else emit_sort
    if not type.dtype.is_float:
        return by(cx, x, type, axis)
    key = total_order(cx, x, type)
    return from_total_order(cx, by(cx, key, bits_of(type), axis), type)


def emit_order(cx: Context, x: str, source: Tensor) -> str:
    """The permutation of each line of the last axis that sorts it stably: i32."""
    return _order(cx, [(x, source)], source.rank - 1)


def _counts(made: Equation | None, axis: int) -> bool:
    """Return whether a value is the positions along the axis."""
    return made is not None and isinstance(made.params, IotaParams) and made.params.axis == axis


def top_k(cx: Context, params: TopParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Few elements of a line XLA finds without sorting it, in floats of 32 bits; what fits into these is one."""
    source, target = equation.inputs[0].type, equation.outputs[1].type
    (x,) = operands
    if target.size == 0:
        return [cx.constant(0, y.type) for y in equation.outputs]
    fits = source.dtype is F32 or source.dtype.bits < F32.bits
    found = _top_few if fits and params.k * FEW <= source.shape[-1] else _top_sorted
    order = found(cx, params.k, x, source, target)
    return (emit_along(cx, x, source, order, target.shape, source.rank - 1), order)


def _top_few(cx: Context, k: int, x: str, source: Tensor, target: Tensor) -> str:
    """The positions of the first k in descending order. The operation tells zeros apart by their signs, and nan."""
    type, truth = Tensor(F32, source.shape), Tensor(BOOL, source.shape)
    key = emit_convert(cx, x, source, type)
    if source.dtype.is_float:
        zero = cx.constant(0, type)
        key = choice(cx, comparison(cx, "eq", key, zero, type), zero, key, truth, type)
        key = choice(cx, comparison(cx, "ne", key, key, type), cx.constant(float("nan"), type), key, truth, type)
    values = Tensor(F32, target.shape)
    text = f"chlo.top_k({key}, k = {k}) : {cx.type(type)} -> ({cx.type(values)}, {cx.type(target)})"
    return cx.emit_many(text, 2)[1]


def _top_sorted(cx: Context, k: int, x: str, source: Tensor, target: Tensor) -> str:
    order = _order(cx, [(x, source)], source.rank - 1, descending=True)
    return emit_corner(cx, order, Tensor(I32, source.shape), target)


def _order(cx: Context, keys: Sequence[tuple[str, Tensor]], axis: int, descending: bool = False) -> str:
    """The permutation of each line that sorts it stably by keys, the first one first."""
    by_key = _by_digits if radix.suits(cx, [type for _, type in keys], axis) else _by_words
    order = ""
    for key, type in reversed(keys):
        order = by_key(cx, key, type, order, axis, descending)
    return order


def _by_digits(cx: Context, x: str, type: Tensor, order: str, axis: int, descending: bool) -> str:
    """An order after a stable sort by one more key. A loop goes over the words of a wide one, the least first."""
    shape, places, index = type.shape, Tensor(I32, type.shape), Tensor(I64)
    all_words = words(cx, x, type)[::-1]
    turned = [reversed_order(cx, word, shape) if descending else word for word in all_words]
    if len(turned) == 1 and not order:
        return _by_digits_of(cx, turned[0], shape, axis)
    start = order or cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(places)}")

    def step(cx: Context, names: list[str]) -> Sequence[str]:
        number, order = names
        is_first = comparison(cx, "eq", number, cx.constant(0, index), index)
        word = choice(cx, is_first, turned[0], turned[-1], Tensor(BOOL), Tensor(I64, shape))
        found = _by_digits_of(cx, emit_along(cx, word, Tensor(I64, shape), order, shape, axis), shape, axis)
        after = emit_binary(cx, "add", number, cx.constant(1, index), index)
        return [after, emit_along(cx, order, places, found, shape, axis)]

    def is_open(cx: Context, names: list[str]) -> Sequence[str]:
        return (comparison(cx, "lt", names[0], cx.constant(len(turned), index), index),)

    return loop(cx, False, [cx.constant(0, index), start], [index, places], is_open, step)[1]


def _by_digits_of(cx: Context, word: str, shape: tuple[int, ...], axis: int) -> str:
    """The permutation of each line that sorts it stably by words."""
    type = Tensor(I64, shape)
    both = radix.emit_radix_sort(cx, with_positions(cx, word, shape, axis), type, axis, HALF)
    return positions(cx, both, type, Tensor(I32, shape))


def _by_words(cx: Context, x: str, source: Tensor, order: str, axis: int, descending: bool) -> str:
    """An order after a stable sort by one more key, a pass for each word of it."""
    shape, type, places = source.shape, Tensor(I64, source.shape), Tensor(I32, source.shape)
    for word in reversed(words(cx, x, source)):
        turned = reversed_order(cx, word, shape) if descending else word
        moved = emit_along(cx, turned, type, order, shape, axis) if order else turned
        both = emit_sort(cx, with_positions(cx, moved, shape, axis), type, axis)
        found = positions(cx, both, type, places)
        order = emit_along(cx, order, places, found, shape, axis) if order else found
    return order


def emit_sort(cx: Context, x: str, type: Tensor, axis: int) -> str:
    """Integers or truth values in ascending order."""
    inner = cx.child()
    element = Tensor(type.dtype)
    first, second = inner.fresh(), inner.fresh()
    less = comparison(inner, "lt", first, second, element)
    body = block(inner, (first, second), (element, element), f"stablehlo.return {less} : {inner.type(Tensor(BOOL))}")
    text = cx.type(type)
    return cx.emit(
        f'"stablehlo.sort"({x}) <{{dimension = {axis} : i64, is_stable = true}}> ({{\n{body}\n}}) : ({text}) -> {text}'
    )

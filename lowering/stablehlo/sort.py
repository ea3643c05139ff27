"""Ordering along an axis. nan comes after all numbers, and 0.0 and -0.0 are equal."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.sort import SortParams, TopParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.region import TRUTH, before, block, logic


def sort(cx: Context, params: SortParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    types = [y.type for y in equation.outputs]
    return emit_sort(cx, params.axis, params.num_keys, "lt", operands, types)


def top_k(cx: Context, params: TopParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The first k of a stable descending sort, which the compiler knows to need no sorting of the rest."""
    source, target = equation.inputs[0].type, equation.outputs[1].type
    places = Tensor(target.dtype, source.shape)
    axis = source.rank - 1
    where = cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(places)}")
    found = emit_sort(cx, axis, 1, "gt", [*operands, where], [source, places])
    ranges = ", ".join([f"0:{extent}" for extent in target.shape])
    return [
        cx.emit(f"stablehlo.slice {name} [{ranges}] : ({cx.type(type)}) -> {cx.type(result.type)}")
        for name, type, result in zip(found, (source, places), equation.outputs, strict=True)
    ]


def emit_sort(
    cx: Context, axis: int, num_keys: int, direction: str, operands: Sequence[str], types: Sequence[Tensor]
) -> Sequence[str]:
    """The operands in the order of the first `num_keys`, stably."""
    inner = cx.child()
    elements = [Tensor(type.dtype) for type in types for _ in range(2)]
    names = [inner.fresh() for _ in elements]
    keys = [pair for k in range(num_keys) for pair in parts(inner, names[2 * k], names[2 * k + 1], elements[2 * k])]
    comes = first_differing(inner, direction, keys)
    body = block(inner, names, elements, f"stablehlo.return {comes} : {inner.type(TRUTH)}")
    signature = ", ".join(map(cx.type, types))
    text = (
        f'"stablehlo.sort"({", ".join(operands)}) <{{dimension = {axis} : i64, is_stable = true}}> '
        f"({{\n{body}\n}}) : ({signature}) -> ({signature})"
    )
    return cx.emit_many(text, len(types))


def first_differing(cx: Context, direction: str, keys: Sequence[tuple[str, str, Tensor]]) -> str:
    """Whether one line of keys comes before another: by the first in which they differ."""
    *most, last = keys
    result = before(cx, direction, *last)[0]
    for key in reversed(most):
        first, same = before(cx, direction, *key)
        result = logic(cx, "or", first, logic(cx, "and", same, result))
    return result


def parts(cx: Context, x: str, y: str, element: Tensor) -> list[tuple[str, str, Tensor]]:
    """The keys of one operand: a complex number is two, its real part first."""
    if not element.dtype.is_complex:
        return [(x, y, element)]
    real, whole = Tensor(element.dtype.real), cx.type(element)

    def part(spelling: str, name: str) -> str:
        return cx.emit(f"stablehlo.{spelling} {name} : ({whole}) -> {cx.type(real)}")

    return [(part(spelling, x), part(spelling, y), real) for spelling in ("real", "imag")]

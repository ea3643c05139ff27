"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.cumulative import RunningParams
from dsl.ops.layout import AxesParams
from dsl.ops.reduce import ArgParams
from dsl.types.dtype import DType, Kind
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.elementwise import comparison
from lowering.stablehlo.region import TRUTH, block, combination, extreme, logic
from lowering.stablehlo.types import Scalar, integers, listed


def reduction(spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A reduction by one associative operation, starting from its identity."""

    def rule(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        element = Tensor(source.dtype)
        start = cx.constant(identity(source.dtype), element)
        text = (
            f"stablehlo.reduce({operands[0]} init: {start}) applies stablehlo.{spelling} across dimensions = "
            f"{listed(params.axes)} : ({cx.type(source)}, {cx.type(element)}) -> {cx.type(target)}"
        )
        return (cx.emit(text),)

    return rule


def zero(dtype: DType) -> Scalar:
    return False if dtype.is_bool else 0


def one(dtype: DType) -> Scalar:
    return True if dtype.is_bool else 1


def ones(dtype: DType) -> Scalar:
    """All bits set."""
    return True if dtype.is_bool else -1 if dtype.kind is Kind.SIGNED else (1 << dtype.bits) - 1


def argument(direction: str, start: Callable[[DType], Scalar]) -> Rule:
    """The position of the first extreme along an axis; nan counts as more extreme than any number."""

    def rule(cx: Context, params: ArgParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        positions = Tensor(target.dtype, source.shape)
        where = cx.emit(f"stablehlo.iota dim = {params.axis} : {cx.type(positions)}")
        element, index = Tensor(source.dtype), Tensor(target.dtype)
        pairs = f"{operands[0]}, {where}, {cx.constant(start(source.dtype), element)}, {cx.constant(0, index)}"
        combine = _better(cx, direction, element, index)
        inputs = ", ".join([cx.type(t) for t in (source, positions, element, index)])
        values = Tensor(source.dtype, target.shape)
        text = (
            f'"stablehlo.reduce"({pairs}) <{{dimensions = array<i64: {params.axis}>}}> ({{\n{combine}\n}}) : '
            f"({inputs}) -> ({cx.type(values)}, {cx.type(target)})"
        )
        return cx.emit_many(text, 2)[1:]

    return rule


def _better(cx: Context, direction: str, element: Tensor, index: Tensor) -> str:
    """The body of a reduction over pairs (value, position): the more extreme value, then the earlier
    position."""
    inner = cx.child()
    x, i, y, j = names = [inner.fresh() for _ in range(4)]
    truth, value, place = inner.type(TRUTH), inner.type(element), inner.type(index)
    better, tied = extreme(inner, direction, x, y, element)
    earlier = comparison(inner, "lt", i, j, index)
    first = logic(inner, "or", better, logic(inner, "and", tied, earlier))
    best = inner.emit(f"stablehlo.select {first}, {x}, {y} : {truth}, {value}")
    where = inner.emit(f"stablehlo.select {first}, {i}, {j} : {truth}, {place}")
    end = f"stablehlo.return {best}, {where} : {value}, {place}"
    return block(inner, names, (element, index, element, index), end)


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

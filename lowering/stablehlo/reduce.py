"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.layout import AxesParams
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.types import Scalar, listed

Identity = Callable[[Tensor], Scalar]


def reduction(spelling: str, identity: Identity) -> Rule:
    """A reduction by one associative operation, starting from its identity."""

    def rule(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        element = Tensor(source.dtype)
        start = cx.constant(identity(element), element)
        text = (
            f"stablehlo.reduce({operands[0]} init: {start}) applies stablehlo.{spelling} across dimensions = "
            f"{listed(params.axes)} : ({cx.type(source)}, {cx.type(element)}) -> {cx.type(target)}"
        )
        return (cx.emit(text),)

    return rule


def zero(type: Tensor) -> Scalar:
    return False if type.dtype.is_bool else 0


def one(type: Tensor) -> Scalar:
    return True if type.dtype.is_bool else 1


def lowest(type: Tensor) -> Scalar:
    """Below every element: minus infinity where the dtype has it."""
    dtype = type.dtype
    if dtype.is_integer:
        return 0 if dtype.name[0] == "u" else -(1 << (dtype.bits - 1))
    return False if dtype.is_bool else float("-inf")


def highest(type: Tensor) -> Scalar:
    dtype = type.dtype
    if dtype.is_integer:
        return (1 << (dtype.bits - (dtype.name[0] != "u"))) - 1
    return True if dtype.is_bool else float("inf")

"""Elementwise ops. Most are one operation under another name; the rest say why they are not."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from types import MappingProxyType

from dsl.ir.function import Equation, Tensor
from dsl.ir.op import NoParams
from dsl.ops.elementwise import CompareParams, DTypeParams
from dsl.ops.power import ExponentParams
from dsl.types.dtype import BOOL, Kind
from lowering.stablehlo.context import Context, Rule


def same_type_rule(spelling: str) -> Rule:
    """An op with any number of operands of one type, which is also the result's."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        return (cx.emit(f"stablehlo.{spelling} {', '.join(operands)} : {cx.type(equation.outputs[0].type)}"),)

    return rule


def extreme_rule(spelling: str) -> Rule:
    """The greater or the lesser of two, on CPUs."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        a, b = operands
        return (emit_extreme(cx, spelling, a, b, equation.outputs[0].type),)

    return rule


def emit_extreme(cx: Context, spelling: str, a: str, b: str, type: Tensor) -> str:
    """The greater or the lesser of two, nan where one is. Floats are clamped between one and an infinity: a plain
    operation XLA's libraries take over with the sum of its results, and lose nan in it."""
    if not type.dtype.is_float:
        return emit_binary(cx, spelling, a, b, type)
    element, is_maximum, whole = Tensor(type.dtype), spelling == "maximum", cx.type(type)
    bound, one = cx.constant(inf if is_maximum else -inf, element), cx.type(element)
    operands, types = f"{a}, {b}, {bound}", f"{whole}, {whole}, {one}"
    if not is_maximum:
        operands, types = f"{bound}, {b}, {a}", f"{one}, {whole}, {whole}"
    return cx.emit(f"stablehlo.clamp {operands} : ({types}) -> {whole}")


def other_type_rule(spelling: str) -> Rule:
    """An op with one operand whose result has another type, such as the real part."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
        return (cx.emit(f"stablehlo.{spelling} {operands[0]} : ({source}) -> {target}"),)

    return rule


_ORDER = MappingProxyType({Kind.BOOL: "UNSIGNED", Kind.SIGNED: "SIGNED", Kind.UNSIGNED: "UNSIGNED"})


def comparison(cx: Context, direction: str, x: str, y: str, type: Tensor) -> str:
    """`x direction y` of two operands of one type."""
    text, result = cx.type(type), cx.type(Tensor(BOOL, type.shape))
    order = _ORDER.get(type.dtype.kind, "FLOAT")
    return cx.emit(f"stablehlo.compare {direction.upper()}, {x}, {y}, {order} : ({text}, {text}) -> {result}")


def compare(cx: Context, params: CompareParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, y = operands
    return (comparison(cx, params.direction, x, y, equation.inputs[0].type),)


def choice(cx: Context, pred: str, x: str, y: str, pred_type: Tensor, type: Tensor) -> str:
    return cx.emit(f"stablehlo.select {pred}, {x}, {y} : {cx.type(pred_type)}, {cx.type(type)}")


def select(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    pred, x, y = operands
    return (choice(cx, pred, x, y, equation.inputs[0].type, equation.outputs[0].type),)


def scale(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A product in which zero absorbs everything, also infinities and nan."""
    x, factor = operands
    type = equation.outputs[0].type
    truth = Tensor(BOOL, type.shape)
    zero = cx.constant(0, type)
    none = comparison(cx, "eq", x, zero, type), comparison(cx, "eq", factor, zero, type)
    either = cx.emit(f"stablehlo.or {none[0]}, {none[1]} : {cx.type(truth)}")
    product = cx.emit(f"stablehlo.multiply {x}, {factor} : {cx.type(type)}")
    return (choice(cx, either, zero, product, truth, type),)


def convert(cx: Context, params: DTypeParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = equation.inputs[0].type, equation.outputs[0].type
    (name,) = operands
    if source.dtype.is_complex and target.dtype.is_bool:
        return (comparison(cx, "ne", name, cx.constant(0, source), source),)
    if source.dtype.is_complex and not target.dtype.is_complex:
        part = Tensor(source.dtype.real, source.shape)
        name = cx.emit(f"stablehlo.real {name} : ({cx.type(source)}) -> {cx.type(part)}")
        source = part
    return (emit_convert(cx, name, source, target),)


def emit_binary(cx: Context, spelling: str, x: str, y: str, type: Tensor) -> str:
    """An operation of two operands of one type, which is also the result's."""
    return cx.emit(f"stablehlo.{spelling} {x}, {y} : {cx.type(type)}")


def emit_convert(cx: Context, x: str, source: Tensor, target: Tensor) -> str:
    if source == target:
        return x
    return cx.emit(f"stablehlo.convert {x} : ({cx.type(source)}) -> {cx.type(target)}")


def chlo_rule(spelling: str) -> Rule:
    """An op that StableHLO does not have: the compiler expands it where it enters XLA."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = cx.type(equation.outputs[0].type)
        sources = ", ".join([type] * len(operands))
        return (cx.emit(f"chlo.{spelling} {', '.join(operands)} : {sources} -> {type}"),)

    return rule


def exp2(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type = equation.outputs[0].type
    return (cx.emit(f"stablehlo.power {cx.constant(2, type)}, {operands[0]} : {cx.type(type)}"),)


def integer_pow(cx: Context, params: ExponentParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Repeated squaring; a negative power is one over the positive one."""
    type, exponent = equation.outputs[0].type, abs(params.exponent)
    text, (square,), result = cx.type(type), operands, ""
    while exponent:
        if exponent & 1:
            result = cx.emit(f"stablehlo.multiply {result}, {square} : {text}") if result else square
        exponent >>= 1
        if exponent:
            square = cx.emit(f"stablehlo.multiply {square}, {square} : {text}")
    one = cx.constant(1, type)
    if params.exponent < 0:
        return (cx.emit(f"stablehlo.divide {one}, {result} : {text}"),)
    return (result or one,)


def complex(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, y = operands
    source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
    return (cx.emit(f"stablehlo.complex {x}, {y} : ({source}, {source}) -> {target}"),)


def conj(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type = equation.outputs[0].type
    whole, part = cx.type(type), cx.type(Tensor(type.dtype.real, type.shape))
    x = cx.emit(f"stablehlo.real {operands[0]} : ({whole}) -> {part}")
    y = cx.emit(f"stablehlo.imag {operands[0]} : ({whole}) -> {part}")
    minus = cx.emit(f"stablehlo.negate {y} : {part}")
    return (cx.emit(f"stablehlo.complex {x}, {minus} : ({part}, {part}) -> {whole}"),)

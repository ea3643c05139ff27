"""Elementwise intrinsics: of static numbers a static number, otherwise one op, or a few.

Read next: `reductions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from dsl.core.static_math import STATIC
from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE
from dsl.ops import builders
from dsl.ops.power import integer_pow
from dsl.ops.special import polygamma
from dsl.ops.table import OPS
from dsl.staging.expressions.arithmetic import OPERATIONS, floor_divide, meet_all, negated, remainder, spread
from dsl.staging.values import ATOMS, Value, literal, map_leaves
from dsl.types.dtype import BOOL, UNSIGNED

Pure: TypeAlias = Callable[..., Value]
"""`f(builder, *args, **statics)`"""

NUMBERS = (bool, int, float, complex)


def op(name: str, *args: Atom, b: Builder) -> Atom:
    """An op without parameters."""
    return b.emit(OPS[name], NONE, args)[0]


def emit(name: str) -> Callable[..., Atom]:
    return lambda b, *args: b.emit(OPS[name], NONE, args)[0]


def elementwise(name: str, rule: Callable[..., Atom]) -> Pure:
    """`rule(b, *arrays)`, arrays of one shape; static numbers alone are computed by `STATIC[name]`."""
    static = STATIC.get(name)

    def call(b: Builder, *args: Value) -> Value:
        if len(args) == 1 and type(args[0]) not in NUMBERS:
            return rule(b, args[0])
        if static is not None and all(isinstance(x, NUMBERS) for x in args):
            return static(*args)
        return rule(b, *meet_all(b, args))

    return call


def _like(x: Atom, value: float) -> Atom:
    return literal(value, x.type.dtype, x.type.shape)


def _times(b: Builder, x: Atom, factor: float) -> Atom:
    return builders.mul(b, x, _like(x, factor))


def square(b: Builder, x: Atom) -> Atom:
    return builders.mul(b, x, x)


def conj(b: Builder, x: Atom) -> Atom:
    return op("conj", x, b=b) if x.type.dtype.is_complex else x


def real(b: Builder, x: Atom) -> Atom:
    return op("real", x, b=b) if x.type.dtype.is_complex else x


def imag(b: Builder, x: Atom) -> Atom:
    return op("imag", x, b=b) if x.type.dtype.is_complex else _like(x, 0)


def angle(b: Builder, x: Atom) -> Atom:
    if not x.type.dtype.is_complex:
        return op("atan2", _like(x, 0), x, b=b)
    return op("atan2", op("imag", x, b=b), op("real", x, b=b), b=b)


def absolute(b: Builder, x: Atom) -> Atom:
    return x if x.type.dtype.kind.value in ("bool", "unsigned") else op("abs", x, b=b)


def isnan(b: Builder, x: Atom) -> Atom:
    return builders.compare(b, "ne", x, x) if x.type.dtype.is_inexact else _no(x)


def isfinite(b: Builder, x: Atom) -> Atom:
    if not x.type.dtype.is_inexact:
        return literal(True, BOOL, x.type.shape)
    if x.type.dtype.is_complex:
        parts = (op("is_finite", op(part, x, b=b), b=b) for part in ("real", "imag"))
        return OPERATIONS["&"](b, *parts)
    return op("is_finite", x, b=b)


def isinf(b: Builder, x: Atom) -> Atom:
    if not x.type.dtype.is_inexact:
        return _no(x)
    if x.type.dtype.is_complex:
        return OPERATIONS["|"](b, isinf(b, op("real", x, b=b)), isinf(b, op("imag", x, b=b)))
    return builders.compare(b, "eq", op("abs", x, b=b), _like(x, math.inf))


def _no(x: Atom) -> Atom:
    return literal(False, BOOL, x.type.shape)


def _rounding(name: str) -> Callable[[Builder, Atom], Atom]:
    """Integers are whole already."""
    return lambda b, x: op(name, x, b=b) if x.type.dtype.is_inexact else x


def trunc(b: Builder, x: Atom) -> Atom:
    if not x.type.dtype.is_inexact:
        return x
    negative = builders.compare(b, "lt", x, _like(x, 0))
    return builders.select(b, negative, op("ceil", x, b=b), op("floor", x, b=b))


def exp2(b: Builder, x: Atom) -> Atom:
    return builders.exp(b, _times(b, x, math.log(2.0))) if x.type.dtype.is_complex else op("exp2", x, b=b)


def sign(b: Builder, x: Atom) -> Atom:
    if x.type.dtype not in UNSIGNED:
        return op("sign", x, b=b)
    return builders.convert(b, builders.compare(b, "ne", x, _like(x, 0)), x.type.dtype)


def hypot(b: Builder, x: Atom, y: Atom) -> Atom:
    """Scaled by the larger one, so that squares neither overflow nor vanish. Chosen by a comparison, not by `max`
    and `abs`: either choice is the whole function, so that derivatives of all orders are right at ties and zeros."""
    first = builders.compare(b, "ge", op("abs", x, b=b), op("abs", y, b=b))
    large, small = builders.select(b, first, x, y), builders.select(b, first, y, x)
    nothing = builders.compare(b, "eq", large, _like(x, 0))
    safe = builders.select(b, nothing, _like(x, 1), large)
    root = builders.sqrt(b, builders.add(b, _like(x, 1), square(b, builders.div(b, small, safe))))
    length = op("abs", large, b=b)
    return builders.select(b, nothing, length, builders.mul(b, length, root))


def logaddexp(b: Builder, x: Atom, y: Atom) -> Atom:
    """large + log1p(exp(small - large)); equal infinities stay. Chosen by a comparison, not by `max` and `abs`:
    either choice is the whole function, so that derivatives of all orders are right where x = y."""
    first = builders.compare(b, "ge", x, y)
    large, small = builders.select(b, first, x, y), builders.select(b, first, y, x)
    gap = builders.sub(b, small, large)
    same = builders.compare(b, "ne", gap, gap)
    sum_ = builders.add(b, large, op("log1p", builders.exp(b, gap), b=b))
    return builders.select(b, same, builders.add(b, x, y), sum_)


def _power(b: Builder, x: Value, y: Value) -> Value:
    if isinstance(x, ATOMS) and isinstance(y, int) and not isinstance(y, bool):
        return integer_pow(b, x, y)
    return _POWER(b, x, y)


_POWER = elementwise("power", OPERATIONS["**"])


def where(b: Builder, condition: Value, x: Value, y: Value) -> Value:
    if all(isinstance(v, NUMBERS) for v in (condition, x, y)):
        return x if condition else y
    x, y = meet_all(b, (x, y))
    if not isinstance(condition, ATOMS):
        return x if condition else y
    shape = meet_shape(condition, x)
    return builders.select(b, spread(b, condition, shape), spread(b, x, shape), spread(b, y, shape))


def meet_shape(x: Atom, y: Atom) -> tuple[int, ...]:
    longer, shorter = sorted((x.type.shape, y.type.shape), key=len, reverse=True)
    lead = len(longer) - len(shorter)
    paired = [m if n == 1 else n for n, m in zip(longer[lead:], shorter, strict=True)]
    return (*longer[:lead], *paired)


def clip(b: Builder, x: Value, low: Value, high: Value) -> Value:
    return MINIMUM(b, MAXIMUM(b, x, low), high)


MAXIMUM = elementwise("maximum", emit("max"))
MINIMUM = elementwise("minimum", emit("min"))

_OPS_OF_ONE = (
    "exp log log1p expm1 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc erf_inv lgamma"
)
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "sigmoid": "logistic",
        "population_count": "popcount",
        "count_leading_zeros": "count_leading_zeros",
    }
)
_OTHERS: Mapping[str, Callable[..., Atom]] = MappingProxyType(
    {
        "exp2": exp2,
        "sign": sign,
        "log2": lambda b, x: _times(b, builders.log(b, x), 1.0 / math.log(2.0)),
        "log10": lambda b, x: _times(b, builders.log(b, x), 1.0 / math.log(10.0)),
        "digamma": lambda b, x: polygamma(b, x, 0),
        "square": square,
        "reciprocal": builders.reciprocal,
        "abs": absolute,
        "floor": _rounding("floor"),
        "ceil": _rounding("ceil"),
        "round": _rounding("round_nearest_even"),
        "round_away": _rounding("round_nearest_afz"),
        "trunc": trunc,
        "real": real,
        "imag": imag,
        "conj": conj,
        "angle": angle,
        "isnan": isnan,
        "isinf": isinf,
        "isfinite": isfinite,
        "atan2": emit("atan2"),
        "nextafter": emit("nextafter"),
        "hypot": hypot,
        "logaddexp": logaddexp,
        "mod": remainder,
        "floor_divide": floor_divide,
    }
)
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "add": "+",
        "subtract": "-",
        "multiply": "*",
        "divide": "/",
        "bitwise_and": "&",
        "bitwise_or": "|",
        "bitwise_xor": "^",
        "left_shift": "<<",
        "right_shift": ">>",
        "equal": "==",
        "not_equal": "!=",
        "less": "<",
        "less_equal": "<=",
        "greater": ">",
        "greater_equal": ">=",
    }
)


def negative(b: Builder, x: Value) -> Value:
    return map_leaves(lambda leaf: negated(b, "-", leaf), x)


def logical_not(b: Builder, x: Value) -> Value:
    return negated(b, "not", x)


ELEMENTWISE: Mapping[str, Pure] = MappingProxyType(
    {
        **{name: elementwise(name, emit(name)) for name in _OPS_OF_ONE.split()},
        **{name: elementwise(name, emit(other)) for name, other in _RENAMED.items()},
        **{name: elementwise(name, rule) for name, rule in _OTHERS.items()},
        **{name: elementwise(name, OPERATIONS[sign]) for name, sign in _SIGNS.items()},
        "maximum": MAXIMUM,
        "minimum": MINIMUM,
        "power": _power,
        "where": where,
        "clip": clip,
        "negative": negative,
        "logical_not": logical_not,
    }
)

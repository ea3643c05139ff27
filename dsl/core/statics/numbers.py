"""Elementwise functions of static numbers: unbounded ints, doubles, complex doubles. Pure Python.

`STATIC` maps the name of a standard elementwise function to its meaning for static arguments; the checker asks
it which calls are static, staging computes with it. `OPERATORS` and `UNARY` do the same for the signs of the
grammar. Nothing raises for a number: a pole is an infinity, a value outside the domain is nan, as on arrays; but
`Exceeded` is raised by integers that are too large to compute with, or for the float that they meet.
Knows nothing of programs.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias, cast

from dsl.types import limits
from dsl.types.extents import decided
from dsl.types.limits import Exceeded, Growth
from dsl.types.size import Size, max_, min_

Number: TypeAlias = int | float | complex | bool
Function: TypeAlias = Callable[..., Number]

_NAN, _INF = math.nan, math.inf


def _total(real: Callable[[float], float], other: Callable[[complex], complex] | None = None) -> Function:
    """`real` made total over the doubles; `other` for complex arguments."""

    def call(x: Number) -> Number:
        if isinstance(x, complex):
            return _complex(other, x)
        try:
            return real(float(x))
        except ValueError:
            return _NAN
        except OverflowError:
            return _INF

    return call


def _complex(function: Callable[[complex], complex] | None, x: complex) -> complex:
    if function is None:
        return complex(_NAN, _NAN)
    try:
        return function(x)
    except (ValueError, OverflowError, ZeroDivisionError):
        return complex(_NAN, _NAN)


def _log_of(log: Callable[[float], float], pole: float) -> Callable[[float], float]:
    return lambda x: -_INF if x == pole else log(x)


def _exp(x: float) -> float:
    return _INF if x > 709.782712893384 else math.exp(x)


def _sinh(x: float) -> float:
    return math.copysign(_INF, x) if abs(x) > 710.4758600739439 else math.sinh(x)


def _atanh(x: float) -> float:
    return math.copysign(_INF, x) if abs(x) == 1.0 else math.atanh(x)


def _cbrt(x: float) -> float:
    return math.copysign(abs(x) ** (1.0 / 3.0), x) if math.isfinite(x) else x


def _rsqrt(x: float) -> float:
    return _INF if x == 0.0 else 1.0 / math.sqrt(x)


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _reciprocal(x: float) -> float:
    return math.copysign(_INF, x) if x == 0.0 else 1.0 / x


def _lgamma(x: float) -> float:
    return _INF if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _digamma(x: float) -> float:
    """Reflection, recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.5, 7, 18)."""
    if x <= 0 and x == math.floor(x):
        return _NAN
    if x < 0:
        return _digamma(1.0 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10.0:
        shift -= 1.0 / x
        x += 1.0
    u = 1.0 / (x * x)
    series = u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u * (1 / 132 - u * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - series


def _erf_inv(y: float) -> float:
    """Winitzki's approximation refined by Newton steps on `erf`, on `erfc` near the ends, where `erf` is flat."""
    if abs(y) >= 1.0:
        return math.copysign(_INF, y) if abs(y) == 1.0 else _NAN
    log = math.log1p(-y * y)
    a = 2.0 / (math.pi * 0.147) + log / 2.0
    x = math.copysign(math.sqrt(max(math.sqrt(a * a - log / 0.147) - a, 0.0)), y)
    for _ in range(4):
        error = (1.0 - abs(y)) - math.erfc(abs(x)) if abs(y) > 0.5 else math.erf(abs(x)) - abs(y)
        x = math.copysign(abs(x) - error * math.sqrt(math.pi) / 2.0 * math.exp(x * x), y)
    return x


def _keep_int(real: Callable[[float], float]) -> Function:
    """Rounding functions: integers stay what they are, floats stay floats, infinities and nan stay."""

    def call(x: Number) -> Number:
        if isinstance(x, int):
            return x
        assert isinstance(x, float)
        return math.copysign(float(real(x)), x) if math.isfinite(x) else x

    return call


def _sign(x: Number) -> Number:
    if isinstance(x, complex):
        return x / abs(x) if x else x
    if isinstance(x, int):
        return (x > 0) - (x < 0)
    return x if math.isnan(x) or x == 0 else math.copysign(1.0, x)


def _pick(left: bool) -> Callable[[float, float], bool]:
    """Return a comparison that picks the larger (`left`) or the smaller argument; nan wins."""
    return lambda x, y: x != x or (y == y and (x >= y if left else x <= y))


def _extremum(largest: bool) -> Function:
    first = _pick(largest)

    def call(*args: Number) -> Number:
        best = args[0]
        for x in args[1:]:
            best = best if first(_real(best), _real(x)) else x
        return best

    return call


def _real(x: Number) -> float | int:
    if isinstance(x, complex):
        raise TypeError("complex numbers have no order")
    return x


def _truediv(x: Number, y: Number) -> Number:
    if y:
        return x / y
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(_NAN, _NAN)
    return _NAN if not x or x != x else math.copysign(_INF, x) * math.copysign(1.0, y)


def floor_divide(x: Number, y: Number) -> Number:
    """`x // y`, rounded down; ints by zero give -1, as XLA does."""
    x, y = _real(x), _real(y)
    if y:
        return x // y if math.isfinite(x) or isinstance(x, int) else _NAN
    return -1 if isinstance(x, int) and isinstance(y, int) else _truediv(x, y)


def remainder(x: Number, y: Number) -> Number:
    """`x % y`, with the sign of `y`; ints by zero give `x`, as XLA does."""
    x, y = _real(x), _real(y)
    if isinstance(x, int) and isinstance(y, int):
        return x % y if y else x
    if not y or not math.isfinite(x):
        return _NAN
    return float(x) % y


def power(x: Number, y: Number) -> Number:
    """`x ** y`; a negative float to a fractional power is nan, too large a result infinite."""
    if isinstance(x, int) and isinstance(y, int) and y >= 0:
        return limits.power(x, y)
    try:
        result = x**y
    except ZeroDivisionError:
        return _INF
    except OverflowError:
        if isinstance(x, complex) or isinstance(y, complex):
            return complex(_NAN, _NAN)
        return -_INF if _real(x) < 0 and _real(y) % 2 == 1 else _INF
    stays_real = not isinstance(x, complex) and not isinstance(y, complex)
    return _NAN if isinstance(result, complex) and stays_real else result


def _shifted(x: Number, y: Number) -> Number:
    assert isinstance(x, int) and isinstance(y, int)
    return limits.shift_left(x, y) if y >= 0 else x >> -y


def _within(function: Function) -> Function:
    """`function` with integers that stay within their budget, also where they meet floats."""

    def call(*args: Number) -> Number:
        try:
            result = function(*args)
        except OverflowError:
            raise Exceeded(Growth.FLOAT) from None
        return limits.check_bits(result) if isinstance(result, int) else result

    return call


def _where(condition: Number, x: Number, y: Number) -> Number:
    return x if condition else y


def _clip(x: Number, low: Number, high: Number) -> Number:
    return MINIMUM(MAXIMUM(x, low), high)


def _absolute(x: Number) -> Number:
    return math.hypot(x.real, x.imag) if isinstance(x, complex) else abs(x)


def _angle(x: Number) -> Number:
    return cmath.phase(x)


def _logaddexp(x: float, y: float) -> float:
    top = max(x, y)
    return top + math.log1p(math.exp(-abs(x - y))) if math.isfinite(top) else x + y if x != y else top


def _conj(x: Number) -> Number:
    return x.conjugate()


def _test(real: Callable[[float], bool], other: Callable[[complex], bool]) -> Function:
    return lambda x: other(x) if isinstance(x, complex) else real(x)


def _round(x: float) -> float:
    return float(round(x))


def _also_of_sizes(function: Function, of_sizes: Callable[[Size, Size], Size]) -> Function:
    """`function`, also of sizes that a run decides, of which it is one."""

    def call(x: Number, y: Number) -> Number:
        if not isinstance(x, Size) and not isinstance(y, Size):
            return function(x, y)
        found = decided(of_sizes(Size.of(cast("Size", x)), Size.of(cast("Size", y))))
        assert found is not None
        return found

    return call


MAXIMUM, MINIMUM = _also_of_sizes(_extremum(True), max_), _also_of_sizes(_extremum(False), min_)
_QUOTIENT = _also_of_sizes(_within(floor_divide), operator.floordiv)
_REMAINDER = _also_of_sizes(_within(remainder), operator.mod)

STATIC: Mapping[str, Function] = MappingProxyType(
    {
        "exp": _total(_exp, cmath.exp),
        "exp2": _total(lambda x: 2.0**x, lambda x: 2.0**x),
        "log": _total(_log_of(math.log, 0.0), cmath.log),
        "log2": _total(_log_of(math.log2, 0.0), lambda x: cmath.log(x) / math.log(2.0)),
        "log10": _total(_log_of(math.log10, 0.0), cmath.log10),
        "log1p": _total(_log_of(math.log1p, -1.0), lambda x: cmath.log(1.0 + x)),
        "expm1": _total(math.expm1, lambda x: cmath.exp(x) - 1.0),
        "sqrt": _total(math.sqrt, cmath.sqrt),
        "rsqrt": _total(_rsqrt, lambda x: 1.0 / cmath.sqrt(x)),
        "cbrt": _total(_cbrt),
        "square": _within(lambda x: x * x),
        "reciprocal": _total(_reciprocal, lambda x: 1.0 / x),
        "sin": _total(math.sin, cmath.sin),
        "cos": _total(math.cos, cmath.cos),
        "tan": _total(math.tan, cmath.tan),
        "asin": _total(math.asin, cmath.asin),
        "acos": _total(math.acos, cmath.acos),
        "atan": _total(math.atan, cmath.atan),
        "sinh": _total(_sinh, cmath.sinh),
        "cosh": _total(math.cosh, cmath.cosh),
        "tanh": _total(math.tanh, cmath.tanh),
        "asinh": _total(math.asinh, cmath.asinh),
        "acosh": _total(math.acosh, cmath.acosh),
        "atanh": _total(_atanh, cmath.atanh),
        "sigmoid": _total(_sigmoid, lambda x: 1.0 / (1.0 + cmath.exp(-x))),
        "erf": _total(math.erf),
        "erfc": _total(math.erfc),
        "erf_inv": _total(_erf_inv),
        "lgamma": _total(_lgamma),
        "digamma": _total(_digamma),
        "abs": _absolute,
        "sign": _sign,
        "floor": _keep_int(math.floor),
        "ceil": _keep_int(math.ceil),
        "trunc": _keep_int(math.trunc),
        "round": _keep_int(_round),
        "real": lambda x: x.real,
        "imag": lambda x: x.imag,
        "conj": _conj,
        "angle": _angle,
        "isnan": _test(math.isnan, cmath.isnan),
        "isinf": _test(math.isinf, cmath.isinf),
        "isfinite": _test(math.isfinite, cmath.isfinite),
        "maximum": MAXIMUM,
        "minimum": MINIMUM,
        "atan2": _within(lambda y, x: math.atan2(_real(y), _real(x))),
        "hypot": _within(lambda x, y: math.hypot(_real(x), _real(y))),
        "logaddexp": _within(lambda x, y: _logaddexp(_real(x), _real(y))),
        "power": _within(power),
        "floor_divide": _QUOTIENT,
        "mod": _REMAINDER,
        "where": _where,
        "clip": _clip,
    }
)
"""Elementwise functions by name."""

OF_SIZES = frozenset(["maximum", "minimum", "floor_divide", "mod"])
"""Those of sizes that a run decides, too."""

OPERATORS: Mapping[str, Function] = MappingProxyType(
    {
        "+": _within(operator.add),
        "-": _within(operator.sub),
        "*": _within(operator.mul),
        "/": _within(_truediv),
        "//": _QUOTIENT,
        "%": _REMAINDER,
        "**": _within(power),
        "&": operator.and_,
        "|": operator.or_,
        "^": operator.xor,
        "<<": _within(_shifted),
        ">>": _within(lambda x, y: _shifted(x, -y)),
        "==": operator.eq,
        "!=": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
)
"""Binary operators on static values by their sign."""

UNARY: Mapping[str, Callable[[Number], Number]] = MappingProxyType(
    {
        "-": operator.neg,
        "+": operator.pos,
        "~": lambda x: not x if isinstance(x, bool) else ~int(_real(x)),
        "not": operator.not_,
    }
)
"""Unary operators on static values by their sign."""


def _select(chosen: Number, then: Number, orelse: Number) -> Number:
    return then if chosen else orelse


_SIGNS: Mapping[int, Mapping[str, Function]] = MappingProxyType(
    {1: UNARY, 2: OPERATORS, 3: MappingProxyType({"if": _select})}
)


def function_named(name: str, arguments: int) -> Function:
    """An elementwise function by its name, an operator of as many arguments by its sign."""
    return STATIC.get(name) or _SIGNS[arguments][name]


def whole(op: str, *values: int) -> int | None:
    """Return the result of an operator on integers, or None if it has no integer result."""
    result = OPERATORS[op](*values)
    return result if isinstance(result, int) else None

"""Elementwise intrinsics: one op, or a few. Static numbers alone are computed by `dsl.staging.calls`.

Read next: `reductions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE
from dsl.ops import builders
from dsl.ops.complex import complex_of
from dsl.ops.special import polygamma
from dsl.ops.table import OPS
from dsl.staging.expressions.arithmetic import OPERATIONS, broadcast_atom, meet_all
from dsl.staging.values import ATOMS, Value, literal
from dsl.types.dtype import BOOL, UNSIGNED

Pure: TypeAlias = Callable[..., Value]
"""`f(builder, *args, **statics)`"""


def op(name: str, *args: Atom, b: Builder) -> Atom:
    """An op without parameters."""
    return b.emit(OPS[name], NONE, args)[0]


def emit(name: str) -> Callable[..., Atom]:
    return lambda b, *args: b.emit(OPS[name], NONE, args)[0]


def elementwise(rule: Callable[..., Atom]) -> Pure:
    """`rule(b, *arrays)`, arrays of one shape."""

    def call(b: Builder, *args: Value) -> Value:
        return rule(b, *meet_all(b, args))

    return call


def _like(x: Atom, value: float) -> Atom:
    return literal(value, x.type.dtype, x.type.shape)


def _times(b: Builder, x: Atom, factor: float) -> Atom:
    """x times a real number: of complex numbers each part, so that an infinite one does not make the other nan."""
    if not x.type.dtype.is_complex:
        return builders.mul(b, x, _like(x, factor))
    parts = (op(part, x, b=b) for part in ("real", "imag"))
    return complex_of(b, *[_times(b, part, factor) for part in parts])


def conj(b: Builder, x: Atom) -> Atom:
    return op("conj", x, b=b) if x.type.dtype.is_complex else x


def real(b: Builder, x: Atom) -> Atom:
    return op("real", x, b=b) if x.type.dtype.is_complex else x


def imag(b: Builder, x: Atom) -> Atom:
    return op("imag", x, b=b) if x.type.dtype.is_complex else _like(x, 0)


def absolute(b: Builder, x: Atom) -> Atom:
    return x if x.type.dtype.kind.value in ("bool", "unsigned") else op("abs", x, b=b)


def isfinite(b: Builder, x: Atom) -> Atom:
    if not x.type.dtype.is_inexact:
        return literal(True, BOOL, x.type.shape)
    if x.type.dtype.is_complex:
        parts = (op("is_finite", op(part, x, b=b), b=b) for part in ("real", "imag"))
        return OPERATIONS["&"](b, *parts)
    return op("is_finite", x, b=b)


def _rounding(name: str) -> Callable[[Builder, Atom], Atom]:
    """Integers are whole already."""
    return lambda b, x: op(name, x, b=b) if x.type.dtype.is_inexact else x


def exp2(b: Builder, x: Atom) -> Atom:
    return builders.exp(b, _times(b, x, math.log(2.0))) if x.type.dtype.is_complex else op("exp2", x, b=b)


def log_to_base(b: Builder, x: Value, base: Value) -> Atom:
    """The logarithm to a static base."""
    assert isinstance(base, float)
    (x,) = meet_all(b, (x,))
    return _times(b, builders.log(b, x), 1.0 / math.log(base))


def sign(b: Builder, x: Atom) -> Atom:
    if x.type.dtype not in UNSIGNED:
        return op("sign", x, b=b)
    return builders.convert(b, builders.compare(b, "ne", x, _like(x, 0)), x.type.dtype)


def where(b: Builder, condition: Value, x: Value, y: Value) -> Value:
    x, y = meet_all(b, (x, y))
    if not isinstance(condition, ATOMS):
        return x if condition else y
    shape = meet_shape(condition, x)
    return builders.select(
        b, broadcast_atom(b, condition, shape), broadcast_atom(b, x, shape), broadcast_atom(b, y, shape)
    )


def meet_shape(x: Atom, y: Atom) -> tuple[int, ...]:
    longer, shorter = sorted((x.type.shape, y.type.shape), key=len, reverse=True)
    lead = len(longer) - len(shorter)
    paired = [m if n == 1 else n for n, m in zip(longer[lead:], shorter, strict=True)]
    return (*longer[:lead], *paired)


MAXIMUM = elementwise(emit("max"))
MINIMUM = elementwise(emit("min"))

_OPS_OF_ONE = (
    "exp log log1p expm1 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "erf erfc erf_inv lgamma"
)
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "sigmoid": "logistic",
        "population_count": "popcount",
    }
)
_OTHERS: Mapping[str, Callable[..., Atom]] = MappingProxyType(
    {
        "exp2": exp2,
        "sign": sign,
        "digamma": lambda b, x: polygamma(b, x, 0),
        "abs": absolute,
        "floor": _rounding("floor"),
        "ceil": _rounding("ceil"),
        "round": _rounding("round_nearest_even"),
        "round_away": _rounding("round_nearest_afz"),
        "real": real,
        "imag": imag,
        "conj": conj,
        "atan2": emit("atan2"),
        "nextafter": emit("nextafter"),
        "rem": emit("rem"),
    }
)
ELEMENTWISE: Mapping[str, Pure] = MappingProxyType(
    {
        **{name: elementwise(emit(name)) for name in _OPS_OF_ONE.split()},
        **{name: elementwise(emit(other)) for name, other in _RENAMED.items()},
        **{name: elementwise(rule) for name, rule in _OTHERS.items()},
        "maximum": MAXIMUM,
        "minimum": MINIMUM,
        "where": where,
        "log_to": log_to_base,
    }
)

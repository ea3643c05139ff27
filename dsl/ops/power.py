"""Functions of two variables, and powers: pow, integer_pow, rem, atan2, nextafter."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE, NotDifferentiable, Op, Zero
from dsl.ir.traits import MODERATE
from dsl.ops.elementwise import (
    INEXACT,
    NUM,
    Atoms,
    Tangents,
    add,
    compare,
    div,
    mul,
    neg,
    scale_by,
    select,
    sub,
)
from dsl.ops.pointwise import binary, one
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_dtype,
    fail,
    over,
    splat,
    wide,
    zeros,
)
from dsl.ops.unary import log
from dsl.types.dtype import F32, F64, FLOATS, INTEGERS

# --- pow --------------------------------------------------------------------------------------------------


def _pow_by_x(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    """y x**(y-1), and 0 where y is 0 (x may be 0 there)."""
    slope = mul(b, y, POW(b, NONE, x, sub(b, y, splat(1, y.type)))[0])
    return select(b, compare(b, "eq", y, zeros(y.type)), zeros(y.type), slope)


def _pow_by_y(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    """log(x) x**y; at x = 0 it is 0 for y > 0, the limit of the product."""
    at_zero = compare(b, "eq", x, zeros(x.type))
    safe = select(b, at_zero, splat(1, x.type), x)
    return mul(b, log(b, safe), z)


def _pow(x: Array, y: Array) -> Array:
    """XLA's integer power: it reads six bits of the exponent, and truncates to a negative power (of 0 to 0)."""
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    inverse = np.where(x == 1, 1, np.where(x + 1 == 0, 1 - 2 * (y & 1).astype(np.int64), 0))
    return np.where(y < 0, inverse.astype(x.dtype), np.power(x, y & 63))


POW = binary(
    "pow",
    "x to the y; nan for a negative x and a y that is not an integer. Of integers with y < 64.",
    _pow,
    (*INEXACT, *INTEGERS),
    (_pow_by_x, _pow_by_y),
    domain=(0.5, 2.0),
)


# --- integer_pow ------------------------------------------------------------------------------------------


class ExponentParams(Struct, frozen=True):
    """A static exponent."""

    exponent: int


def _power_type(params: ExponentParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("integer_pow", types, 1)
    check_dtype("integer_pow", types[0].dtype, NUM)
    if params.exponent < 0 and types[0].dtype.is_integer:
        raise fail(f"integer_pow: {types[0]} has no power {params.exponent}")
    return types


def _power_eval(params: ExponentParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    with np.errstate(all="ignore"):
        return (as_type(_repeated(wide(x), params.exponent), types[0]),)


def _repeated(x: Array, exponent: int) -> Array:
    """Repeated squaring, the order of multiplications that the lowering has."""
    if exponent < 0:
        return 1 / _repeated(x, -exponent)
    result: Array | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        exponent >>= 1
        if exponent:
            x = x * x
    return np.ones_like(x) if result is None else result


def _power_jvp(b: Builder, params: ExponentParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    k = params.exponent
    if k == 0 or not xs[0].type.dtype.is_inexact:
        return tuple(Zero(y.type) for y in ys)
    return (scale_by(b, ts[0], lambda: mul(b, splat(k, xs[0].type), integer_pow(b, xs[0], k - 1))),)


def _power_batch(b: Builder, params: ExponentParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return INTEGER_POW(b, params, *xs), axes


INTEGER_POW: Op[ExponentParams] = Op(
    name="integer_pow",
    params=ExponentParams,
    doc="x to a known integer power, by repeated squaring; negative powers of inexact numbers only.",
    type_rule=_power_type,
    evaluate=_power_eval,
    jvp=_power_jvp,
    transpose=NOT_LINEAR,
    batch=_power_batch,
    sharding="...->...",
    samples=(
        *over(NUM, (2, 3), params=ExponentParams(3)),
        *over((F64,), (2, 3), params=ExponentParams(-2), domain=(0.5, 2.0)),
        *over((F32, F64), (2,), params=ExponentParams(0)),
        *over((F32, F64), (), params=ExponentParams(1)),
        *over((F64,), (2,), params=ExponentParams(7), domain=(-1.2, 1.2)),
    ),
    traits=MODERATE,
)


# --- others -----------------------------------------------------------------------------------------------


def _rem(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.fmod(x, y)
    safe = np.where(y == 0, 1, y)
    if x.dtype.kind == "i":
        safe = np.where(y == -1, 1, safe)
    return np.where(y == 0, x, np.fmod(x, safe.astype(x.dtype)))


def _rem_by_y(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    return neg(b, div(b, sub(b, x, z), y))


def _atan2_by_y(b: Builder, y: Atom, x: Atom, z: Atom) -> Atom:
    return div(b, x, add(b, mul(b, x, x), mul(b, y, y)))


def _atan2_by_x(b: Builder, y: Atom, x: Atom, z: Atom) -> Atom:
    return neg(b, div(b, y, add(b, mul(b, x, x), mul(b, y, y))))


REM = binary(
    "rem",
    "The remainder of truncating division, with the sign of x; integer x rem 0 is x.",
    _rem,
    (*INTEGERS, *FLOATS),
    (one, _rem_by_y),
    domain=(0.5, 3.0),
)
ATAN2 = binary(
    "atan2",
    "The angle of the point (y, x) for operands y, x.",
    np.arctan2,
    FLOATS,
    (_atan2_by_y, _atan2_by_x),
    domain=(0.5, 2.0),
)
NEXTAFTER = binary(
    "nextafter",
    "The representable number next to x in the direction of y.",
    np.nextafter,
    FLOATS,
    NotDifferentiable("nextafter is a step in the representation of numbers"),
    evaluate=lambda params, types, x, y: (np.nextafter(x, y),),
)

POWER: tuple[Op[Any], ...] = (POW, INTEGER_POW, REM, ATAN2, NEXTAFTER)


def integer_pow(b: Builder, x: Atom, exponent: int) -> Atom:
    """`x` to a static integer power, elementwise."""
    if exponent == 1:
        return x
    if exponent == 0:
        return splat(1, x.type)
    return INTEGER_POW(b, ExponentParams(exponent), x)[0]


def rem(b: Builder, x: Atom, y: Atom) -> Atom:
    """The rest of the division that rounds towards zero, with the sign of `x`; elementwise, of one type."""
    return REM(b, NONE, x, y)[0]


def power(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x` to the power `y`, elementwise, of one type."""
    return POW(b, NONE, x, y)[0]

"""Ops that choose among values: max, min, clamp; and what depends on the sign: abs, sign, is_finite.

Ties share: where x equals y, max and min give each half of the tangent. abs has derivative 0 at 0. nan wins.
"""

from __future__ import annotations

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE, NoParams, Op, Tangent, Zero
from dsl.ir.traits import CHEAP
from dsl.ops.complex import conj, real
from dsl.ops.elementwise import (
    Atoms,
    Tangents,
    batch_alike,
    compare,
    convert,
    div,
    mul,
    scale_by,
    select,
    sum_tangents,
)
from dsl.ops.pointwise import binary
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Axes,
    Batched,
    alike,
    as_type,
    check_arity,
    check_dtype,
    numpy_rule,
    over,
    splat,
    wide,
    zero_jvp,
    zeros,
)
from dsl.types.dtype import BOOL, COMPLEXES, F32, FLOATS, INTEGERS, SIGNED

REAL = (*INTEGERS, *FLOATS)


# --- max and min ------------------------------------------------------------------------------------------


def _share(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    """1 where the result is x alone, 1/2 where it is both, 0 where it is y."""
    taken, tied = compare(b, "eq", x, z), compare(b, "eq", x, y)
    one, half, none = (splat(v, x.type) for v in (1, 0.5, 0))
    return select(b, taken, select(b, tied, half, one), none)


MAX = binary(
    "max",
    "The larger of two; nan if either is; of bools, or.",
    np.maximum,
    (*REAL, BOOL),
    (_share, lambda b, x, y, z: _share(b, y, x, z)),
    traits=CHEAP,
)
MIN = binary(
    "min",
    "The smaller of two; nan if either is; of bools, and.",
    np.minimum,
    (*REAL, BOOL),
    (_share, lambda b, x, y, z: _share(b, y, x, z)),
    traits=CHEAP,
)


# --- clamp ------------------------------------------------------------------------------------------------


def _clamp_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """Return the tangent of min(max(x, low), high): at a bound, x and the bound share it."""
    if all(isinstance(t, Zero) for t in ts):
        return (Zero(ys[0].type),)
    (low, x, high), (low_t, x_t, high_t) = xs, ts
    raised = maximum(b, x, low)
    raised_t = _shared(b, (x, low), raised, (x_t, low_t))
    return (_shared(b, (raised, high), ys[0], (raised_t, high_t)),)


def _shared(b: Builder, xs: tuple[Atom, Atom], z: Atom, ts: tuple[Tangent, Tangent]) -> Tangent:
    """The tangent of z, the larger or smaller of two."""
    (x, y), (dx, dy) = xs, ts
    left, right = scale_by(b, dx, lambda: _share(b, x, y, z)), scale_by(b, dy, lambda: _share(b, y, x, z))
    return sum_tangents(b, (left, right))


def _clamp_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_alike(b, CLAMP, params, xs, axes, size)


CLAMP: Op[NoParams] = Op(
    name="clamp",
    params=NoParams,
    doc="min(max(x, low), high) of operands (low, x, high).",
    type_rule=alike("clamp", 3, REAL),
    evaluate=numpy_rule(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
    jvp=_clamp_jvp,
    transpose=NOT_LINEAR,
    batch=_clamp_batch,
    sharding="...,...,...->...",
    samples=(*over(REAL, (2, 3), (2, 3), (2, 3)), *over((F32,), (), (), ())),
    traits=CHEAP,
)


# --- abs and sign -----------------------------------------------------------------------------------------


def _abs_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("abs", types, 1)
    (x,) = types
    check_dtype("abs", x.dtype, (*SIGNED, *FLOATS, *COMPLEXES))
    return (Tensor(x.dtype.real, x.shape),)


def _abs_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """sign(x) dx; of a complex number the real part of conj(sign(x)) dx. At 0 the sign is 0."""
    (x,), (dx,) = xs, ts
    if not x.type.dtype.is_complex:
        return (scale_by(b, dx, lambda: sign(b, x)),)
    turned = scale_by(b, dx, lambda: conj(b, sign(b, x)))
    return (Zero(ys[0].type) if isinstance(turned, Zero) else real(b, turned),)


def _same_place(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return ABS(b, params, *xs), axes


ABS: Op[NoParams] = Op(
    name="abs",
    params=NoParams,
    doc="The absolute value; of a complex number a real one. The smallest integer stays itself.",
    type_rule=_abs_type,
    evaluate=lambda params, types, x: (as_type(np.abs(x), _abs_type(params, types)[0]),),
    jvp=_abs_jvp,
    transpose=NOT_LINEAR,
    batch=_same_place,
    sharding="...->...",
    samples=(*over((*SIGNED, *FLOATS, *COMPLEXES), (2, 3)), *over((F32,), ())),
    traits=CHEAP,
)


def _sign(x: Array) -> Array:
    if x.dtype.kind == "c":
        size = np.abs(x)
        return np.where(size == 0, x, x / np.where(size == 0, 1, size))
    return np.where(x == 0, x, np.sign(x))


def _sign_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """Zero for real numbers. x / |x| turns by i s Im(conj(s) dx) / |x| = (dx - s s conj(dx)) / 2|x|."""
    (x,), (s,), (dx,) = xs, ys, ts
    if isinstance(dx, Zero) or not x.type.dtype.is_complex:
        return (Zero(s.type),)
    size = convert(b, ABS(b, NONE, x)[0], x.type.dtype)
    half = splat(0.5, s.type)
    along: Tangent = scale_by(b, dx, lambda: _over(b, half, size))
    across: Tangent = scale_by(b, conj(b, dx), lambda: _over(b, mul(b, splat(-0.5, s.type), mul(b, s, s)), size))
    return (sum_tangents(b, (along, across)),)


def _over(b: Builder, x: Atom, y: Atom) -> Atom:
    from_zero = compare(b, "eq", y, zeros(y.type))
    return select(b, from_zero, zeros(y.type), div(b, x, y))


def _sign_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return SIGN(b, params, *xs), axes


_SIGN_TYPES = (*SIGNED, *FLOATS, *COMPLEXES)
SIGN: Op[NoParams] = Op(
    name="sign",
    params=NoParams,
    doc="-1, 0 or 1; x / |x| of a complex number; zeros keep their sign, nan stays nan.",
    type_rule=alike("sign", 1, _SIGN_TYPES),
    evaluate=lambda params, types, x: (as_type(_sign(wide(x)), types[0]),),
    jvp=_sign_jvp,
    transpose=NOT_LINEAR,
    batch=_sign_batch,
    sharding="...->...",
    samples=(*over(_SIGN_TYPES, (2, 3)), *over((F32,), ())),
    traits=CHEAP,
)


# --- is_finite --------------------------------------------------------------------------------------------


def _finite_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("is_finite", types, 1)
    check_dtype("is_finite", types[0].dtype, FLOATS)
    return (Tensor(BOOL, types[0].shape),)


def _finite_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return IS_FINITE(b, params, *xs), axes


IS_FINITE: Op[NoParams] = Op(
    name="is_finite",
    params=NoParams,
    doc="Whether a number is neither infinite nor nan.",
    type_rule=_finite_type,
    evaluate=lambda params, types, x: (np.asarray(np.isfinite(x)),),
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_finite_batch,
    sharding="...->...",
    samples=over(FLOATS, (2, 3)),
)

SELECTION: tuple[Op[NoParams], ...] = (MAX, MIN, CLAMP, ABS, SIGN, IS_FINITE)


def maximum(b: Builder, x: Atom, y: Atom) -> Atom:
    """The larger of two, elementwise, of one type; nan if one is nan."""
    return MAX(b, NONE, x, y)[0]


def minimum(b: Builder, x: Atom, y: Atom) -> Atom:
    """The smaller of two, elementwise, of one type; nan if one is nan."""
    return MIN(b, NONE, x, y)[0]


def clamp(b: Builder, low: Atom, x: Atom, high: Atom) -> Atom:
    """`x` limited to `low` … `high`, elementwise, of one type."""
    return CLAMP(b, NONE, low, x, high)[0]


def absolute(b: Builder, x: Atom) -> Atom:
    """The absolute value, elementwise; of complex numbers their modulus, a float."""
    return ABS(b, NONE, x)[0]


def sign(b: Builder, x: Atom) -> Atom:
    """-1, 0 or 1, elementwise; nan of nan; of complex numbers `x / abs(x)`."""
    return SIGN(b, NONE, x)[0]


def is_finite(b: Builder, x: Atom) -> Atom:
    """Return elementwise bools: true where x is finite."""
    return IS_FINITE(b, NONE, x)[0]

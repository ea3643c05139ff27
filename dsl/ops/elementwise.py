"""The arithmetic core: family bases `unary`, `binary`, and the ops every other family's rules are written with.

Operands of one op have one shape and, unless an op says otherwise, one dtype: nothing broadcasts by itself.

Selection. A branch that is not taken must not contribute to a derivative even where its own derivative is
infinite or nan: `where(x > 0, sqrt(x), 0)` has derivative 0 at 0. Every product that a derivative makes with a
known factor is therefore `scale`, the multiplication in which zero absorbs everything (0 * inf = 0 * nan = 0):
a tangent or cotangent that is zero by selection stays zero through all rules. Where the factor is a finite
literal it is plain `mul`. Complex cotangents follow the pairing Re(sum(ct * t)), without conjugation.

Read next: `unary` for the functions of one variable, `compose` for builders of several equations.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import NONE, Linear, NoParams, NotLinear, Op, Sample, Tangent, TransposeRule, Zero
from dsl.ops.layout import Axes, Batched, at_axis
from dsl.ops.rule import (
    NOT_LINEAR,
    Array,
    Arrays,
    check_arity,
    check_dtype,
    fail,
    is_linear,
    known,
    over,
    shaped,
    splat,
    wide,
    zero_jvp,
    zeros,
)
from dsl.types.dtype import (
    ALL,
    BOOL,
    C64,
    COMPLEXES,
    F32,
    FLOATS,
    I8,
    I32,
    INTEGERS,
    U8,
    UNSIGNED,
    DType,
)

NUM = (*INTEGERS, *FLOATS, *COMPLEXES)
INEXACT = (*FLOATS, *COMPLEXES)

Atoms: TypeAlias = tuple[Atom, ...]
Tangents: TypeAlias = tuple[Tangent, ...]
Operands: TypeAlias = "tuple[Atom | Linear, ...]"
Cotangents: TypeAlias = "tuple[Tangent | None, ...]"
Compute: TypeAlias = Callable[..., Any]
Partial: TypeAlias = Callable[[Builder, Atom, Atom, Atom], Atom]
Derivative: TypeAlias = Callable[[Builder, Atom, Atom], Atom]


# --- what the families share ------------------------------------------------------------------------------


def alike(
    name: str, arity: int, dtypes: Iterable[DType]
) -> Callable[[Any, tuple[Tensor, ...]], tuple[Tensor, ...]]:
    """The type rule of `arity` operands of one type, which is also the result's."""
    allowed = frozenset(dtypes)

    def rule(params: Any, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, arity)
        first = types[0]
        for other in types:
            if other is not first and other != first:
                raise fail(f"{name}: operands {first} and {other} differ")
        check_dtype(name, first.dtype, allowed)
        return (first,)

    return rule


def computed(compute: Compute) -> Callable[..., Arrays]:
    """An evaluation rule from a NumPy expression: half precision goes through f32, warnings are silent."""

    def evaluate(params: Any, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
        with np.errstate(all="ignore"):
            return (shaped(compute(*[wide(x) for x in xs]), types[0]),)

    return evaluate


def batch_alike(b: Builder, op: Op[Any], params: Any, xs: Atoms, axes: Axes, size: int) -> Batched:
    """Elementwise: bring every operand's batch axis to the place of the first one that has it."""
    target = next(a for a in axes if a is not None)
    moved = [
        x if axis == target else at_axis(b, x, axis, size, target) for x, axis in zip(xs, axes, strict=True)
    ]
    return op(b, params, *moved), (target,)


def sum_tangents(b: Builder, terms: Sequence[Tangent]) -> Tangent:
    """The sum of tangents of one type, structural zeros left out."""
    total: Tangent = terms[0]
    for term in terms[1:]:
        if isinstance(total, Zero):
            total = term
        elif not isinstance(term, Zero):
            total = add(b, total, term)
    return total


def scaled(b: Builder, t: Tangent, factor: Callable[[], Atom]) -> Tangent:
    """`scale(t, factor())`, with nothing emitted for a structural zero."""
    return t if isinstance(t, Zero) else scale(b, t, factor())


def unary(
    name: str,
    doc: str,
    compute: Compute,
    dtypes: Sequence[DType],
    derivative: Derivative | None,
    *,
    domain: tuple[float, float] = (-2.0, 2.0),
) -> Op[NoParams]:
    """A function of one variable, applied to each element. `derivative(b, x, y)` is the factor dy/dx.

    None as derivative means zero wherever there is one (steps, integer functions).
    """

    def jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
        assert derivative is not None
        return (scaled(b, ts[0], lambda: derivative(b, xs[0], ys[0])),)

    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return op(b, params, *xs), axes

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 1, dtypes),
        evaluate=computed(compute),
        jvp=zero_jvp if derivative is None else jvp,
        transpose=NOT_LINEAR,
        batch=batch,
        sharding="...->...",
        samples=(
            *over(dtypes, (2, 3), domain=domain),
            *over(dtypes[:1], (), domain=domain),
            *over(dtypes[:1], (0,), domain=domain),
        ),
    )
    return op


def binary(
    name: str,
    doc: str,
    compute: Compute,
    dtypes: Sequence[DType],
    partials: tuple[Partial, Partial] | None,
    *,
    transpose: TransposeRule[NoParams] | NotLinear = NOT_LINEAR,
    domain: tuple[float, float] = (-2.0, 2.0),
) -> Op[NoParams]:
    """A function of two operands of one type. `partials[k](b, x, y, z)` is dz/d(operand k)."""

    def jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
        assert partials is not None
        x, y = xs
        terms = [scaled(b, t, partial(d, b, x, y, ys[0])) for t, d in zip(ts, partials, strict=True)]
        return (sum_tangents(b, terms),)

    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return batch_alike(b, op, params, xs, axes, size)

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 2, dtypes),
        evaluate=computed(compute),
        jvp=zero_jvp if partials is None else jvp,
        transpose=transpose,
        batch=batch,
        sharding="...,...->...",
        samples=(
            *over(dtypes, (2, 3), (2, 3), domain=domain),
            *over(dtypes[:1], (), (), domain=domain),
            *over(dtypes[:1], (0,), (0,), domain=domain),
        ),
    )
    return op


def one(b: Builder, x: Atom, *rest: Atom) -> Atom:
    return splat(1, x.type)


# --- linear arithmetic ------------------------------------------------------------------------------------


def _linear_jvp(op: Callable[[], Op[Any]]) -> Callable[[Builder, Any, Atoms, Atoms, Tangents], Tangents]:
    """The tangent of a linear function of one variable is the function of the tangent."""

    def jvp(b: Builder, params: Any, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
        (t,) = ts
        return (Zero(ys[0].type) if isinstance(t, Zero) else op()(b, params, t)[0],)

    return jvp


def _neg_transpose(b: Builder, params: NoParams, xs: Operands, cts: tuple[Tangent, ...]) -> Cotangents:
    (ct,) = cts
    return (ct if isinstance(ct, Zero) else neg(b, ct),)


def _same_batch(op: Callable[[], Op[Any]]) -> Callable[[Builder, Any, Atoms, Axes, int], Batched]:
    def batch(b: Builder, params: Any, xs: Atoms, axes: Axes, size: int) -> Batched:
        return op()(b, params, *xs), axes

    return batch


NEG: Op[NoParams] = Op(
    name="neg",
    params=NoParams,
    doc="Minus x; integers wrap.",
    type_rule=alike("neg", 1, NUM),
    evaluate=computed(np.negative),
    jvp=_linear_jvp(lambda: NEG),
    transpose=_neg_transpose,
    batch=_same_batch(lambda: NEG),
    sharding="...->...",
    samples=(*over(NUM, (2, 3)), *over((F32,), ())),
)


def _add_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    return (sum_tangents(b, ts),)


def _add_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    return tuple(ct if is_linear(x) else None for x in xs)


def _sub_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    dx, dy = ts
    if isinstance(dy, Zero):
        return (dx,)
    return (neg(b, dy) if isinstance(dx, Zero) else sub(b, dx, dy),)


def _sub_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, y = xs
    minus = None if not is_linear(y) else ct if isinstance(ct, Zero) else neg(b, ct)
    return (ct if is_linear(x) else None, minus)


def _pairwise(
    name: str, doc: str, compute: Compute, jvp: Any, transpose: TransposeRule[NoParams]
) -> Op[NoParams]:
    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return batch_alike(b, op, params, xs, axes, size)

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 2, NUM),
        evaluate=computed(compute),
        jvp=jvp,
        transpose=transpose,
        batch=batch,
        sharding="...,...->...",
        samples=(*over(NUM, (2, 3), (2, 3)), *over((F32,), (), ()), *over((F32,), (0,), (0,))),
    )
    return op


ADD = _pairwise("add", "x + y; integers wrap.", np.add, _add_jvp, _add_transpose)
SUB = _pairwise("sub", "x - y; integers wrap.", np.subtract, _sub_jvp, _sub_transpose)


# --- products ---------------------------------------------------------------------------------------------


def _product_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    """Of `mul` and `scale`, linear in either operand: the cotangent times the other one."""
    (ct,) = cts
    x, y = xs
    return (
        scaled(b, ct, lambda: known(y)) if is_linear(x) else None,
        scaled(b, ct, lambda: known(x)) if is_linear(y) else None,
    )


def _div_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    return (scaled(b, ct, lambda: reciprocal(b, known(xs[1]))), None)


def _absorbing(x: Array, factor: Array) -> Array:
    return np.where((x == 0) | (factor == 0), np.zeros_like(x), x * factor)


def _div(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.true_divide(x, y)
    quotient = x // np.where(y == 0, 1, y)
    quotient += (quotient < 0) & (quotient * y != x)
    by_zero = np.array(-1).astype(x.dtype)
    return np.where(y == 0, by_zero, quotient)


def _rem(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.fmod(x, y)
    safe = np.where((y == 0) | ((y == -1) if y.dtype.kind == "i" else False), 1, y)
    return np.where(y == 0, x, np.fmod(x, safe)).astype(x.dtype)


def _div_by_y(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    return neg(b, div(b, z, y))


def _rem_by_y(b: Builder, x: Atom, y: Atom, z: Atom) -> Atom:
    quotient = div(b, sub(b, x, z), y)
    return neg(b, quotient)


MUL = binary(
    "mul",
    "x * y; integers wrap.",
    np.multiply,
    NUM,
    (lambda b, x, y, z: y, lambda b, x, y, z: x),
    transpose=_product_transpose,
)
SCALE = binary(
    "scale",
    "x * factor where neither is zero, else 0, whatever the other is: the product that derivatives use.",
    _absorbing,
    INEXACT,
    (lambda b, x, y, z: y, lambda b, x, y, z: x),
    transpose=_product_transpose,
)
DIV = binary(
    "div",
    "x / y; integers truncate towards zero, and x / 0 is -1 (signed) or the largest number (unsigned).",
    _div,
    NUM,
    (lambda b, x, y, z: reciprocal(b, y), _div_by_y),
    transpose=_div_transpose,
    domain=(0.5, 3.0),
)
REM = binary(
    "rem",
    "The remainder of truncating division, with the sign of x; integer x rem 0 is x.",
    _rem,
    (*INTEGERS, *FLOATS),
    (one, _rem_by_y),
    domain=(0.5, 3.0),
)


# --- compare, select, convert -----------------------------------------------------------------------------

DIRECTIONS = ("eq", "ne", "lt", "le", "gt", "ge")
_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@dataclass(frozen=True, slots=True)
class CompareParams:
    """`direction` is one of eq, ne, lt, le, gt, ge."""

    direction: str


def _compare_type(params: CompareParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("compare", types, 2)
    x, y = types
    if x != y:
        raise fail(f"compare: operands {x} and {y} differ")
    if params.direction not in DIRECTIONS:
        raise fail(f"compare: {params.direction!r} is no direction")
    if x.dtype.is_complex and params.direction not in ("eq", "ne"):
        raise fail(f"compare: {x.dtype} has no order")
    return (Tensor(BOOL, x.shape),)


def _compare_batch(b: Builder, params: CompareParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_alike(b, COMPARE, params, xs, axes, size)


COMPARE = Op(
    name="compare",
    params=CompareParams,
    doc="Elementwise comparison; a comparison with nan is false, except `ne`.",
    type_rule=_compare_type,
    evaluate=lambda params, types, x, y: (np.asarray(_COMPARE[params.direction](x, y)),),
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_compare_batch,
    sharding="...,...->...",
    samples=(
        *over(ALL, (2, 3), (2, 3), params=CompareParams("eq")),
        *(s for d in DIRECTIONS for s in over((F32, I32, U8), (2, 3), (2, 3), params=CompareParams(d))),
    ),
)


def _select_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("select", types, 3)
    pred, x, y = types
    if x != y:
        raise fail(f"select: branches {x} and {y} differ")
    if pred.dtype is not BOOL or (pred.shape and pred.shape != x.shape):
        raise fail(f"select: {pred} is not a bool of shape () or {x.shape}")
    return (x,)


def _select_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    _, dx, dy = ts
    if isinstance(dx, Zero) and isinstance(dy, Zero):
        return (Zero(ys[0].type),)
    nothing = zeros(ys[0].type)
    return (
        select(b, xs[0], nothing if isinstance(dx, Zero) else dx, nothing if isinstance(dy, Zero) else dy),
    )


def _select_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    pred, x, y = xs
    if isinstance(ct, Zero):
        return (None, ct if is_linear(x) else None, ct if is_linear(y) else None)
    nothing = zeros(ct.type)
    return (
        None,
        select(b, known(pred), ct, nothing) if is_linear(x) else None,
        select(b, known(pred), nothing, ct) if is_linear(y) else None,
    )


def _select_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    pred, x, y = xs
    if axes[0] is None and not pred.type.shape:
        target = next(a for a in axes if a is not None)
        moved = [at_axis(b, v, a, size, target) for v, a in zip(xs[1:], axes[1:], strict=True)]
        return (select(b, pred, *moved),), (target,)
    x, y = at_axis(b, x, axes[1], size, 0), at_axis(b, y, axes[2], size, 0)
    pred = at_axis(b, pred, axes[0], size, 0)
    for n in x.type.shape[pred.type.rank :]:
        pred = at_axis(b, pred, None, n, pred.type.rank)
    return (select(b, pred, x, y),), (0,)


SELECT = Op(
    name="select",
    params=NoParams,
    doc="x where pred, else y. `pred` has the shape of x, or none.",
    type_rule=_select_type,
    evaluate=lambda params, types, pred, x, y: (np.asarray(np.where(pred, x, y)),),
    jvp=_select_jvp,
    transpose=_select_transpose,
    batch=_select_batch,
    sharding=lambda params, types: "...,...,...->..." if types[0].shape else ",...,...->...",
    samples=(
        *(Sample(NONE, (Tensor(BOOL, (2, 3)), Tensor(d, (2, 3)), Tensor(d, (2, 3)))) for d in ALL),
        Sample(NONE, (Tensor(BOOL), Tensor(F32, (2, 3)), Tensor(F32, (2, 3)))),
        Sample(NONE, (Tensor(BOOL), Tensor(F32), Tensor(F32))),
    ),
)


@dataclass(frozen=True, slots=True)
class DTypeParams:
    dtype: DType


def _convert_type(params: DTypeParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("convert", types, 1)
    return (Tensor(params.dtype, types[0].shape),)


def _convert_eval(params: DTypeParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    source, target = types[0].dtype, params.dtype
    with np.errstate(all="ignore"):
        if source.is_complex and not target.is_complex:
            x = (x != 0) if target.is_bool else x.real
        if target.is_integer and x.dtype.kind not in "iub":
            return (_saturate(x.astype(np.float64), target),)
        return (x.astype(target.numpy),)


def _saturate(x: Array, target: DType) -> Array:
    """Float to integer as XLA does it: truncated, nan to 0, what does not fit to the nearest end."""
    low, high = (
        (0, 2**target.bits - 1)
        if target in UNSIGNED
        else (-(2 ** (target.bits - 1)), 2 ** (target.bits - 1) - 1)
    )
    inside = np.where(np.isnan(x) | (x <= low) | (x >= high), 0, x).astype(target.numpy)
    ends = np.where(x >= high, target.numpy.type(high), target.numpy.type(low))
    return np.where((x >= high) | (x <= low), ends, inside).astype(target.numpy)


def _convert_jvp(b: Builder, params: DTypeParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (t,) = ts
    if isinstance(t, Zero) or not params.dtype.is_inexact:
        return (Zero(ys[0].type),)
    return (convert(b, t, params.dtype),)


def _convert_transpose(b: Builder, params: DTypeParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    return (Zero(xs[0].type) if isinstance(ct, Zero) else convert(b, ct, xs[0].type.dtype),)


CONVERT: Op[DTypeParams] = Op(
    name="convert",
    params=DTypeParams,
    doc="To another dtype: floats truncate and saturate to integers, integers wrap, complex drops its imaginary part.",
    type_rule=_convert_type,
    evaluate=_convert_eval,
    jvp=_convert_jvp,
    transpose=_convert_transpose,
    batch=_same_batch(lambda: CONVERT),
    sharding="...->...",
    samples=tuple(
        s
        for target in (BOOL, I8, I32, U8, *FLOATS, C64)
        for s in over((BOOL, I8, I32, U8, *FLOATS, C64), (2, 3), params=DTypeParams(target))
    ),
)


# --- builders ---------------------------------------------------------------------------------------------


def neg(b: Builder, x: Atom) -> Atom:
    return NEG(b, NONE, x)[0]


def add(b: Builder, x: Atom, y: Atom) -> Atom:
    return ADD(b, NONE, x, y)[0]


def sub(b: Builder, x: Atom, y: Atom) -> Atom:
    return SUB(b, NONE, x, y)[0]


def mul(b: Builder, x: Atom, y: Atom) -> Atom:
    return MUL(b, NONE, x, y)[0]


def div(b: Builder, x: Atom, y: Atom) -> Atom:
    return DIV(b, NONE, x, y)[0]


def rem(b: Builder, x: Atom, y: Atom) -> Atom:
    return REM(b, NONE, x, y)[0]


def reciprocal(b: Builder, x: Atom) -> Atom:
    return div(b, splat(1, x.type), x)


def scale(b: Builder, t: Atom, factor: Atom) -> Atom:
    """The product of a tangent with a factor in which zero absorbs; plain where the factor is known finite."""
    if isinstance(factor, Literal) and cmath.isfinite(factor.value):
        return t if factor.value == 1 else mul(b, t, factor)
    return SCALE(b, NONE, t, factor)[0]


def compare(b: Builder, direction: str, x: Atom, y: Atom) -> Atom:
    return COMPARE(b, CompareParams(direction), x, y)[0]


def select(b: Builder, pred: Atom, x: Atom, y: Atom) -> Atom:
    return SELECT(b, NONE, pred, x, y)[0]


def convert(b: Builder, x: Atom, dtype: DType) -> Atom:
    return x if x.type.dtype == dtype else CONVERT(b, DTypeParams(dtype), x)[0]


ELEMENTWISE: tuple[Op[Any], ...] = (NEG, ADD, SUB, MUL, SCALE, DIV, REM, COMPARE, SELECT, CONVERT)

"""The arithmetic core: the ops that the rules of every other family are written with.

Operands of one op have one shape and, unless an op says otherwise, one dtype: nothing broadcasts by itself.

Selection. A branch that is not taken must not contribute to a derivative even where its own derivative is
infinite or nan: `where(x > 0, sqrt(x), 0)` has derivative 0 at 0. Every product that a derivative makes with
a known factor is therefore `scale`, the multiplication in which zero absorbs everything, inf and nan too: a
tangent or cotangent that is zero by selection stays zero through all rules. Where the factor is a finite
literal it is plain `mul`. When all transformations are done, `dsl.transforms.zero_propagation` finds the products
where nothing is zero by selection, and makes them plain. Complex cotangents pair as Re(sum(ct * t)), without
conjugation.

Read next: `pointwise` and `unary` for the functions, `compose` for builders of several equations.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Literal, Tensor
from dsl.ir.op import NONE, JvpRule, Linear, NoParams, Op, Sample, Tangent, TransposeRule, Weaken, Zero, ZeroRule
from dsl.ir.region import Facts
from dsl.ir.traits import CHEAP, Cost, Traits
from dsl.ops import zero_flow
from dsl.ops.factors import except_axes
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    alike,
    check_arity,
    fail,
    is_linear,
    linear_map,
    numpy_rule,
    over,
    require_known,
    splat,
    zero_jvp,
    zeros,
)
from dsl.ops.zero_flow import WILD, ZERO
from dsl.types.dtype import ALL, BF16, BOOL, C64, COMPLEXES, F32, FLOATS, I32, INTEGERS, U8, DType
from dsl.types.numpy_dtypes import converted

NUM = (*INTEGERS, *FLOATS, *COMPLEXES)
INEXACT = (*FLOATS, *COMPLEXES)

Atoms: TypeAlias = tuple[Atom, ...]
Tangents: TypeAlias = tuple[Tangent, ...]
Operands: TypeAlias = "tuple[Atom | Linear, ...]"
Cotangents: TypeAlias = "tuple[Tangent | None, ...]"


# --- what the families share ------------------------------------------------------------------------------


def batch_alike(b: Builder, op: Op[Any], params: Any, xs: Atoms, axes: Axes, size: int) -> Batched:
    """Elementwise: bring every operand's batch axis to the place of the first one that has it."""
    target = next(a for a in axes if a is not None)
    moved = [x if axis == target else at_axis(b, x, axis, size, target) for x, axis in zip(xs, axes, strict=True)]
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


def scale_by(b: Builder, t: Tangent, factor: Callable[[], Atom]) -> Tangent:
    """`scale(t, factor())`, with nothing emitted for a structural zero."""
    return t if isinstance(t, Zero) else scale(b, t, factor())


# --- linear arithmetic ------------------------------------------------------------------------------------


NEG: Op[NoParams] = linear_map(
    name="neg",
    params=NoParams,
    doc="Minus x; integers wrap.",
    type_rule=alike("neg", 1, NUM),
    evaluate=numpy_rule(np.negative),
    adjoint=lambda b, params, type, ct: neg(b, ct),
    batch=lambda b, params, xs, axes, size: (NEG(b, params, *xs), axes),
    sharding="...->...",
    samples=(*over(NUM, (2, 3)), *over((F32,), ())),
    traits=Traits(moves=True, cost=Cost.CHEAP),
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


def arithmetic(
    name: str,
    doc: str,
    compute: Callable[..., Any],
    dtypes: Sequence[DType],
    jvp: JvpRule[NoParams],
    transpose: TransposeRule[NoParams],
    traits: Traits,
    domain: tuple[float, float] = (-2.0, 2.0),
    zero_rule: ZeroRule | None = None,
    weaken: Weaken | None = None,
) -> Op[NoParams]:
    """A linear op of two operands of one type."""

    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return batch_alike(b, op, params, xs, axes, size)

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 2, dtypes),
        evaluate=numpy_rule(compute),
        jvp=jvp,
        transpose=transpose,
        batch=batch,
        sharding="...,...->...",
        samples=(
            *over(dtypes, (2, 3), (2, 3), domain=domain),
            *over((F32,), (), (), domain=domain),
            *over((F32,), (0,), (0,), domain=domain),
        ),
        traits=traits,
        zero_rule=zero_rule,
        weaken=weaken,
    )
    return op


_SUM = Traits(commutative=True, cost=Cost.CHEAP)
ADD = arithmetic(
    "add", "x + y; integers wrap.", np.add, NUM, _add_jvp, _add_transpose, _SUM, zero_rule=zero_flow.summed
)
SUB = arithmetic(
    "sub", "x - y; integers wrap.", np.subtract, NUM, _sub_jvp, _sub_transpose, CHEAP, zero_rule=zero_flow.summed
)


# --- products ---------------------------------------------------------------------------------------------


def _product_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x, y), (dx, dy) = xs, ts
    return (sum_tangents(b, (scale_by(b, dx, lambda: y), scale_by(b, dy, lambda: x))),)


def _scale_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """Return the tangent of a product, whose tangent operand stays first."""
    (x, y), (dx, dy) = xs, ts
    turned: Tangent = dy if isinstance(dy, Zero) else scale(b, x, dy)
    return (sum_tangents(b, (scale_by(b, dx, lambda: y), turned)),)


def _product_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    """Of `mul` and `scale`, linear in either operand: the cotangent times the other one."""
    (ct,) = cts
    x, y = xs
    return (
        scale_by(b, ct, lambda: require_known(y)) if is_linear(x) else None,
        scale_by(b, ct, lambda: require_known(x)) if is_linear(y) else None,
    )


def _div_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (_, y), (dx, dy), (z,) = xs, ts, ys
    of_x = scale_by(b, dx, lambda: reciprocal(b, y))
    return (sum_tangents(b, (of_x, scale_by(b, dy, lambda: neg(b, mul(b, z, reciprocal(b, y)))))),)


def _div_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, y = xs
    return (scale_by(b, ct, lambda: reciprocal(b, require_known(y))) if is_linear(x) else None, None)


def _absorbing(x: Array, factor: Array) -> Array:
    return np.where((x == 0) | (factor == 0), np.zeros_like(x), x * factor)


def _div(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.true_divide(x, y)
    quotient = x // np.where(y == 0, 1, y)
    quotient += (quotient < 0) & (quotient * y != x)
    by_zero = np.array(-1).astype(x.dtype)
    return np.where(y == 0, by_zero, quotient)


def _weaken_scale(b: Builder, equation: Equation, known: Facts) -> bool:
    (x, y), (of_x, of_y) = equation.inputs, known
    left, right = bool(of_x & ZERO and of_y & WILD), bool(of_y & ZERO and of_x & WILD)
    if left and right:
        return False
    if left or right:
        zero = zeros(x.type)
        select(b, compare(b, "eq", x if left else y, zero), zero, mul(b, x, y))
    else:
        mul(b, x, y)
    return True


_SCALE_DOC = "x * factor if neither is zero, else 0 whatever the other is: the product that derivatives use."
_DIV_DOC = "x / y; integers truncate, and x / 0 is -1 (signed) or the largest number (unsigned)."
_PRODUCT = Traits(commutative=True, multilinear=(0, 1), cost=Cost.CHEAP)
_QUOTIENT = Traits(multilinear=(0,), cost=Cost.MODERATE)
MUL = arithmetic("mul", "x * y; integers wrap.", np.multiply, NUM, _product_jvp, _product_transpose, _PRODUCT)
SCALE = arithmetic(
    "scale",
    _SCALE_DOC,
    _absorbing,
    INEXACT,
    _scale_jvp,
    _product_transpose,
    _PRODUCT,
    zero_rule=zero_flow.multiplied,
    weaken=_weaken_scale,
)
DIV = arithmetic("div", _DIV_DOC, _div, NUM, _div_jvp, _div_transpose, _QUOTIENT, domain=(0.5, 3.0))


# --- compare, select, convert -----------------------------------------------------------------------------

DIRECTIONS = ("eq", "ne", "lt", "le", "gt", "ge")
_COMPARE: Mapping[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


class CompareParams(Struct, frozen=True):
    """`direction` is one of eq, ne, lt, le, gt, ge."""

    direction: str


def _compare_type(params: CompareParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("compare", types, 2)
    x, y = types
    if x != y:
        raise fail(f"compare: operands {x} and {y} differ")
    if params.direction not in DIRECTIONS:
        raise fail(f"compare: {params.direction!r} is not a direction")
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
    traits=CHEAP,
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
    return (select(b, xs[0], nothing if isinstance(dx, Zero) else dx, nothing if isinstance(dy, Zero) else dy),)


def _select_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    pred, x, y = xs
    if isinstance(ct, Zero):
        return (None, ct if is_linear(x) else None, ct if is_linear(y) else None)
    nothing = zeros(ct.type)
    return (
        None,
        select(b, require_known(pred), ct, nothing) if is_linear(x) else None,
        select(b, require_known(pred), nothing, ct) if is_linear(y) else None,
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
    sharding=except_axes(lambda params: ()),
    samples=(
        *(Sample(NONE, (Tensor(BOOL, (2, 3)), Tensor(d, (2, 3)), Tensor(d, (2, 3)))) for d in ALL),
        Sample(NONE, (Tensor(BOOL), Tensor(F32, (2, 3)), Tensor(F32, (2, 3)))),
        Sample(NONE, (Tensor(BOOL), Tensor(F32), Tensor(F32))),
    ),
    traits=Traits(moves=True, cost=Cost.CHEAP),
    zero_rule=zero_flow.selected,
)


class DTypeParams(Struct, frozen=True):
    """The dtype of the result."""

    dtype: DType


def _convert_type(params: DTypeParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("convert", types, 1)
    return (Tensor(params.dtype, types[0].shape),)


def _convert_eval(params: DTypeParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    return (converted(x, params.dtype),)


_FROM = (BOOL, I32, U8, BF16, F32, C64)
_PAIRS = (
    *((source, target) for source in _FROM for target in ALL),
    *((source, target) for source in ALL if source not in _FROM for target in (F32, I32, source)),
)
CONVERT: Op[DTypeParams] = linear_map(
    name="convert",
    params=DTypeParams,
    doc="To another dtype: floats truncate and saturate to integers, integers wrap, complex to real drops i.",
    type_rule=_convert_type,
    evaluate=_convert_eval,
    adjoint=lambda b, params, type, ct: convert(b, ct, type.dtype),
    batch=lambda b, params, xs, axes, size: (CONVERT(b, params, *xs), axes),
    sharding="...->...",
    samples=tuple(s for source, target in _PAIRS for s in over((source,), (2, 3), params=DTypeParams(target))),
    traits=CHEAP,
    zero_rule=zero_flow.converted,
)


# --- builders ---------------------------------------------------------------------------------------------


def neg(b: Builder, x: Atom) -> Atom:
    """`-x`, elementwise."""
    return NEG(b, NONE, x)[0]


def add(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x + y`, elementwise, of one type."""
    return ADD(b, NONE, x, y)[0]


def sub(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x - y`, elementwise, of one type."""
    return SUB(b, NONE, x, y)[0]


def mul(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x * y`, elementwise, of one type."""
    return MUL(b, NONE, x, y)[0]


def div(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x / y`, elementwise, of one type; integers round towards zero."""
    return DIV(b, NONE, x, y)[0]


def reciprocal(b: Builder, x: Atom) -> Atom:
    """`1 / x`, elementwise."""
    return div(b, splat(1, x.type), x)


def scale(b: Builder, t: Atom, factor: Atom) -> Atom:
    """A tangent times a factor, where zero absorbs; plain `mul` where the factor is known to be finite."""
    if isinstance(factor, Literal) and cmath.isfinite(factor.value):
        return t if factor.value == 1 else mul(b, t, factor)
    return SCALE(b, NONE, t, factor)[0]


def compare(b: Builder, direction: str, x: Atom, y: Atom) -> Atom:
    """Bools of the shape of `x` and `y`, which have one type; `direction` is one of eq ne lt le gt ge."""
    return COMPARE(b, CompareParams(direction), x, y)[0]


def select(b: Builder, pred: Atom, x: Atom, y: Atom) -> Atom:
    """`x` where `pred` is true, else `y`; all of one shape."""
    return SELECT(b, NONE, pred, x, y)[0]


def convert(b: Builder, x: Atom, dtype: DType) -> Atom:
    """`x` cast to `dtype`; `x` itself if it has that dtype."""
    return x if x.type.dtype == dtype else CONVERT(b, DTypeParams(dtype), x)[0]


ELEMENTWISE: tuple[Op[Any], ...] = (NEG, ADD, SUB, MUL, SCALE, DIV, COMPARE, SELECT, CONVERT)

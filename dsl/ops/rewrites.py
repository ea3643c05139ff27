"""Local rewrites that change no value: folding of literals, neutral operands, moves of moves. One table of all.

A rule sees the operands as they have become, and the equations that made them. It relates several ops, so it stands
here, above their families. A rewrite is allowed only if it is exact for every input, nan, infinities and the sign of
zero included, with two exceptions: `scale`, the product that only derivatives use, may lose the sign of a zero, and
parts that are joined rather than added to zeros keep that of theirs.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np
from msgspec import Struct

from dsl.ir.function import Atom, Equation, Literal, Tensor, Var
from dsl.ir.op import NONE, AnyOp, Op, RegionOp
from dsl.ir.sizes import is_traced
from dsl.ops.contract import DOT_GENERAL, DotParams, before_transpose
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import CALL, CallParams
from dsl.ops.elementwise import (
    ADD,
    COMPARE,
    CONVERT,
    DIV,
    MUL,
    NEG,
    SCALE,
    SELECT,
    SUB,
    CompareParams,
    DTypeParams,
)
from dsl.ops.extent import CONCATENATE, PAD, SLICE, AxisParams, PadParams
from dsl.ops.layout import BROADCAST_IN_DIM, REDUCE_SUM, RESHAPE, REV, TRANSPOSE, BroadcastParams, PermutationParams
from dsl.ops.rule_helpers import splat, zeros
from dsl.ops.selection import MAX, MIN
from dsl.types.dtype import F32, F64

Defs: TypeAlias = "Mapping[Atom, Equation]"
Atoms: TypeAlias = tuple[Atom, ...]


class Instead(Struct, frozen=True):
    """Another equation for the same outputs, after those in `made` for operands that are new."""

    op: AnyOp
    params: Any
    inputs: Atoms
    made: tuple[Equation, ...] = ()


Rewrite: TypeAlias = "Atom | Instead | None"
Rule: TypeAlias = Callable[[Any, Atoms, Var, Defs], Rewrite]
"""rule(params, inputs, output, the equations by their outputs)."""

RegionRule: TypeAlias = Callable[[Any, Atoms], "Atoms | Instead | None"]

_PARTS = 64
"""At most so many are joined by one equation: joins of what is joined twice would double them with each step."""


# --- what rules ask --------------------------------------------------------------------------------------


def _made(x: Atom, op: Op[Any], defs: Defs) -> Equation | None:
    made = defs.get(x) if isinstance(x, Var) else None
    return made if made is not None and made.op is op else None


def _is(x: Atom, value: float) -> bool:
    return isinstance(x, Literal) and x.value == value


def _signed_zero(x: Atom, sign: float) -> bool:
    """Return whether `x` is a zero that is neutral for a sum: of this sign, or of a dtype without signs of zero."""
    if not isinstance(x, Literal) or x.value != 0 or x.type.dtype.is_complex:
        return False
    return not x.type.dtype.is_float or math.copysign(1.0, float(x.value.real)) == sign


def _python(value: Any, type: Tensor) -> Literal:
    """A NumPy scalar as a literal."""
    dtype = type.dtype
    if dtype.is_complex:
        return Literal(complex(value), type)
    if dtype.is_float:
        return Literal(float(value), type)
    return Literal(bool(value) if dtype.is_bool else int(value), type)


def _folded(op: Op[Any], params: Any, xs: Atoms, y: Var) -> Literal | None:
    """The value of an elementwise op on splats, computed on one element."""
    arrays, types = [], []
    for x in xs:
        if not isinstance(x, Literal):
            return None
        arrays.append(np.asarray(x.value, x.type.dtype.numpy))
        types.append(Tensor(x.type.dtype))
    (found,) = op.evaluate(params, tuple(types), *arrays)
    return _python(found[()], y.type)


# --- arithmetic -------------------------------------------------------------------------------------------


def _add(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    if _signed_zero(b, -1.0):
        return a
    if _signed_zero(a, -1.0):
        return b
    for one, other in ((a, b), (b, a)):
        made = _made(other, NEG, defs)
        if made is not None:
            return Instead(SUB, NONE, (one, made.inputs[0]))
    return _add_parts(a, b, defs) or _folded(ADD, params, xs, y)


def _sub(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    if _signed_zero(b, 1.0):
        return a
    made = _made(b, NEG, defs)
    if made is not None:
        return Instead(ADD, NONE, (a, made.inputs[0]))
    return _folded(SUB, params, xs, y)


def _neg(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (a,) = xs
    made = _made(a, NEG, defs)
    if made is not None:
        return made.inputs[0]
    return _folded(NEG, params, xs, y)


def _mul(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    for one, other in ((a, b), (b, a)):
        if isinstance(other, Literal):
            if other.value == 1:
                return one
            if other.value == 0 and other.type.dtype.is_integer:
                return other
            if other.value == -1 and not other.type.dtype.is_complex:
                return Instead(NEG, NONE, (one,))
        if _is_zero_anyway(one, other, defs):
            return one
    return _folded(MUL, params, xs, y)


def _is_zero_anyway(x: Atom, factor: Atom, defs: Defs) -> bool:
    """Return whether `factor` is the number of a truth, and `x` is zero where it is not one: max(a, 0) beside a !=
    0."""
    truth, made = _made(factor, CONVERT, defs), _made(x, MAX, defs) or _made(x, MIN, defs)
    asked = None if truth is None else _made(truth.inputs[0], COMPARE, defs)
    if asked is None or made is None or cast(CompareParams, asked.params).direction != "ne":
        return False
    return asked.inputs == made.inputs and _is(made.inputs[1], 0)


def _scale(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    for one, other in (xs, xs[::-1]):
        if isinstance(other, Literal):
            if other.value == 0:
                return zeros(y.type)
            if cmath.isfinite(other.value):
                return Instead(MUL, NONE, (one, other))
    return None


def _div(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    """One correctly rounded division is the same wherever it is done."""
    if _is(xs[1], 1):
        return xs[0]
    return _folded(DIV, params, xs, y) if y.type.dtype in (F32, F64) else None


def _compare(params: CompareParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    if isinstance(xs[0], Literal) and isinstance(xs[1], Literal):
        a, b = xs[0].value, xs[1].value
        if params.direction in ("eq", "ne"):
            return splat((a == b) == (params.direction == "eq"), y.type)
        if isinstance(a, complex) or isinstance(b, complex):
            return None
        found = {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[params.direction]
        return splat(found, y.type)
    return None


def _select(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    pred, a, b = xs
    if isinstance(pred, Literal):
        return a if pred.value else b
    if a is b or (isinstance(a, Literal) and isinstance(b, Literal) and a.key == b.key):
        return a
    return b if _is_chosen_by(pred, a, b, defs) else None


def _is_chosen_by(pred: Atom, a: Atom, b: Atom, defs: Defs) -> bool:
    """Return whether `b` is the larger or the smaller of what `pred` compares, and `a` the same where `pred` holds."""
    asked = _made(pred, COMPARE, defs)
    op = None if asked is None else {"gt": MAX, "lt": MIN}.get(cast(CompareParams, asked.params).direction)
    made = None if op is None else _made(b, op, defs)
    return asked is not None and made is not None and asked.inputs[0] is a and asked.inputs == made.inputs


def _convert(params: DTypeParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type.dtype == params.dtype:
        return x
    if isinstance(x, Literal):
        with np.errstate(all="ignore"):
            return _fold_convert(x, y)
    return None


def _fold_convert(x: Literal, y: Var) -> Literal | None:
    source, target = x.type.dtype, y.type.dtype
    if source.is_complex or (target.is_integer and not source.is_integer and not source.is_bool):
        return None
    return _python(np.asarray(x.value, source.numpy).astype(target.numpy)[()], y.type)


# --- parts ------------------------------------------------------------------------------------------------


def _add_parts(a: Atom, b: Atom, defs: Defs) -> Instead | None:
    """Parts beside each other are joined, not added to zeros: so come the cotangents of what was taken apart."""
    one, other = _made(a, PAD, defs), _made(b, PAD, defs)
    if one is not None and other is not None:
        return _join(one, other)
    total = _made(a, ADD, defs)
    if total is None or other is None:
        return None
    for rest, x in (total.inputs, total.inputs[::-1]):
        part = _made(x, PAD, defs)
        found = None if part is None else _join(part, other)
        if found is not None:
            joined = Equation(found.op, found.params, found.inputs, (Var(b.type),), other.span)
            return Instead(ADD, NONE, (rest, *joined.outputs), (*found.made, joined))
    return None


def _join(one: Equation, other: Equation) -> Instead | None:
    """The sum of two arrays padded with zeros, if they come to lie beside each other."""
    if not (_is(one.inputs[1], 0) and _is(other.inputs[1], 0)):
        return None
    for left, right in ((one, other), (other, one)):
        axis = _axis_of_neighbours(left, right)
        if axis is not None:
            return _joined(left, right, axis)
    return None


def _axis_of_neighbours(left: Equation, right: Equation) -> int | None:
    """The axis along which what `right` pads begins where what `left` pads ends; along all others they are alike."""
    p, q, shape = cast(PadParams, left.params), cast(PadParams, right.params), left.inputs[0].type.shape
    apart = [k for k in range(len(shape)) if (p.low[k], p.high[k]) != (q.low[k], q.high[k])]
    if any(map(is_traced, (*p.low, *p.high, *q.low, *q.high))):
        return None
    if len(apart) != 1 or any((*p.interior, *q.interior)) or min(*p.low, *p.high, *q.low, *q.high) < 0:
        return None
    return apart[0] if p.low[apart[0]] + shape[apart[0]] == q.low[apart[0]] else None


def _joined(left: Equation, right: Equation, axis: int) -> Instead:
    """Join two padded arrays into one, padded again where that does not cover everything."""
    p, q = cast(PadParams, left.params), cast(PadParams, right.params)
    (x, fill), (y, _) = left.inputs, right.inputs
    high = (*p.high[:axis], q.high[axis], *p.high[axis + 1 :])
    if not any((*p.low, *high)):
        return Instead(CONCATENATE, AxisParams(axis), (x, y))
    shape = list(x.type.shape)
    shape[axis] += y.type.shape[axis]
    both = Var(Tensor(x.type.dtype, tuple(shape)))
    made = Equation(CONCATENATE, AxisParams(axis), (x, y), (both,), left.span)
    return Instead(PAD, PadParams(p.low, high, p.interior), (both, fill), (made,))


def _concatenate(params: AxisParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    """Flatten nested concatenations along one axis, unless there are many parts."""
    made = [_made(x, CONCATENATE, defs) for x in xs]
    parts = [(x,) if e is None or e.params != params else e.inputs for x, e in zip(xs, made, strict=True)]
    flat = tuple(chain.from_iterable(parts)) if sum(map(len, parts)) <= _PARTS else xs
    return Instead(CONCATENATE, params, flat) if len(flat) > len(xs) else None


# --- moves ------------------------------------------------------------------------------------------------


def _moved(x: Atom, y: Var) -> Rewrite:
    """A splat stays one however it is moved; a move to the same shape that keeps the order is none."""
    return Literal(x.value, y.type) if isinstance(x, Literal) else None


def _reshape(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type == y.type:
        return x
    made = _made(x, RESHAPE, defs)
    if made is not None:
        inner = made.inputs[0]
        return inner if inner.type == y.type else Instead(made.op, params, (inner,))
    return _moved(x, y)


def _transpose(params: PermutationParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if params.permutation == tuple(range(len(params.permutation))):
        return x
    made = _made(x, TRANSPOSE, defs)
    if made is not None:
        before = cast(PermutationParams, made.params).permutation
        both = PermutationParams(tuple([before[a] for a in params.permutation]))
        return Instead(made.op, both, made.inputs)
    return _moved(x, y)


def _broadcast(params: BroadcastParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type == y.type:
        return x
    made = _made(x, BROADCAST_IN_DIM, defs)
    if made is not None:
        before = cast(BroadcastParams, made.params).dims
        both = BroadcastParams(params.shape, tuple([params.dims[d] for d in before]))
        return Instead(made.op, both, made.inputs)
    return _moved(x, y)


def _rev(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    made = _made(xs[0], REV, defs)
    if made is not None and made.params == params:
        return made.inputs[0]
    return _moved(xs[0], y)


def _slice(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    return xs[0] if xs[0].type == y.type else _moved(xs[0], y)


def _reduce_sum(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    if not params.axes:
        return xs[0]
    x = xs[0]
    return zeros(y.type) if isinstance(x, Literal) and x.value == 0 else None


def _dot(params: DotParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    """A sum of products finds the axes of its operands wherever they are."""
    for side, x in enumerate(xs):
        made = _made(x, TRANSPOSE, defs)
        moved = before_transpose(params, side, cast(PermutationParams, made.params).permutation) if made else None
        if made is not None and moved is not None:
            return Instead(DOT_GENERAL, moved, (*xs[:side], *made.inputs, *xs[side + 1 :]))
    return None


RULES: Mapping[Op[Any], Rule] = MappingProxyType(
    {
        ADD: _add,
        SUB: _sub,
        NEG: _neg,
        MUL: _mul,
        SCALE: _scale,
        DIV: _div,
        COMPARE: _compare,
        SELECT: _select,
        CONVERT: _convert,
        RESHAPE: _reshape,
        TRANSPOSE: _transpose,
        BROADCAST_IN_DIM: _broadcast,
        REV: _rev,
        SLICE: _slice,
        CONCATENATE: _concatenate,
        REDUCE_SUM: _reduce_sum,
        DOT_GENERAL: _dot,
    }
)


# --- regions ----------------------------------------------------------------------------------------------


def _cond(params: CondParams, xs: Atoms) -> Instead | None:
    """The branch that is certain."""
    if not isinstance(xs[0], Literal):
        return None
    index = int(xs[0].value.real)
    inside = 0 <= index < len(params.branches)
    return Instead(CALL, CallParams(params.branches[index if inside else -1]), xs[1:])


def _call(params: CallParams, xs: Atoms) -> Atoms | None:
    """A body that is nothing but names."""
    body = params.function
    if body.equations:
        return None
    given: dict[Atom, Atom] = dict(zip(body.params, xs, strict=True))
    return tuple([given[r] if isinstance(r, Var) else r for r in body.results])


REGION_RULES: Mapping[RegionOp[Any], RegionRule] = MappingProxyType({COND: _cond, CALL: _call})

"""Pieces that rules of several families share: checks of type rules, structural zeros, sample makers.

Knows no op. Families import it; the rules themselves are with their ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import (
    NONE,
    AlongRule,
    BatchRule,
    Expand,
    Linear,
    MaskRule,
    Measure,
    NotLinear,
    Op,
    PadRule,
    Params,
    Place,
    Sample,
    ShardingRule,
    SpreadRule,
    Tangent,
    TransposeRule,
    Zero,
    ZeroRule,
)
from dsl.ir.region import CannotTransform, Problem
from dsl.ir.traits import PLAIN, Traits
from dsl.types.dtype import BF16, F16, DType

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, ...]
Axes = tuple["int | None", ...]
Batched = tuple[tuple[Atom, ...], Axes]

P = TypeVar("P", bound=Params)

NOT_LINEAR = NotLinear("it is not a linear operation")


def fail(sentence: str) -> IRTypeError:
    """The error of a type rule."""
    return IRTypeError(sentence)


def batch_of_nothing(
    type_rule: Callable[[P, tuple[Tensor, ...]], tuple[Tensor, ...]], params: P, xs: Sequence[Atom], axes: Axes
) -> Batched:
    """Return the results of an op for an empty batch, along axis 0."""
    shapes = [[n for i, n in enumerate(x.type.shape) if i != axis] for x, axis in zip(xs, axes, strict=True)]
    each = type_rule(params, tuple([Tensor(x.type.dtype, tuple(s)) for x, s in zip(xs, shapes, strict=True)]))
    return tuple([zeros(Tensor(t.dtype, (0, *t.shape))) for t in each]), (0,) * len(each)


def check_arity(name: str, types: Sequence[Tensor], count: int) -> None:
    """Raises IRTypeError unless there are `count` operands."""
    if len(types) != count:
        raise IRTypeError(f"{name} takes {count} operands, not {len(types)}")


def check_axes(name: str, axes: Sequence[int], rank: int) -> None:
    """Axes are counted from the front, distinct, and in range."""
    if len(set(axes)) != len(axes) or any(not 0 <= a < rank for a in axes):
        raise IRTypeError(f"{name}: axes {tuple(axes)} do not fit rank {rank}")


def check_dtype(name: str, dtype: DType, allowed: Iterable[DType]) -> None:
    """Raises IRTypeError unless the op is defined on `dtype`."""
    if dtype not in allowed:
        raise IRTypeError(f"{name} is not defined on {dtype}")


def zero_jvp(
    b: Builder,
    params: Any,
    inputs: tuple[Atom, ...],
    outputs: tuple[Atom, ...],
    tangents: tuple[Tangent, ...],
) -> tuple[Tangent, ...]:
    """The rule of ops whose outputs do not vary smoothly: integers, bools, steps."""
    return tuple(Zero(y.type) for y in outputs)


def zeros(type: Tensor) -> Literal:
    """A splat of zeros of any dtype."""
    return splat(0, type)


def splat(value: float, type: Tensor) -> Literal:
    """A number as a literal of `type`, in the Python type its dtype calls for."""
    dtype = type.dtype
    if dtype.is_float:
        return Literal(float(value), type)
    if dtype.is_complex:
        return Literal(complex(value), type)
    return Literal(bool(value) if dtype.is_bool else int(value), type)


def materialise(x: Tangent) -> Atom:
    """A tangent as an array: a structural zero becomes zeros."""
    return zeros(x.type) if isinstance(x, Zero) else x


def is_linear(x: Atom | Linear) -> bool:
    """Return whether an operand of a transposition is the linear one."""
    return isinstance(x, Linear)


def require_known(x: Atom | Linear) -> Atom:
    """An operand that a transpose rule needs the value of."""
    if isinstance(x, Linear):
        reason = "transposed in two operands at once, and not linear in both together"
        raise CannotTransform(Problem.NOT_LINEAR, "product", reason)
    return x


def _tangent_of_linear(op: Op[P], b: Builder, params: P, type: Tensor, t: Tangent) -> tuple[Tangent, ...]:
    return (Zero(type),) if isinstance(t, Zero) or not type.dtype.is_inexact else op(b, params, t)


def _adjoint_rule(adjoint: Callable[[Builder, P, Tensor, Atom], Atom]) -> TransposeRule[P]:
    def transpose(
        b: Builder, params: P, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
    ) -> tuple[Tangent | None, ...]:
        (ct,), type = cts, xs[0].type
        return (Zero(type) if isinstance(ct, Zero) else adjoint(b, params, type, ct),)

    return transpose


def linear_map(
    *,
    name: str,
    params: type[P],
    doc: str,
    type_rule: Callable[[P, tuple[Tensor, ...]], tuple[Tensor, ...]],
    evaluate: Callable[..., Arrays],
    adjoint: Callable[[Builder, P, Tensor, Atom], Atom],
    batch: BatchRule[P],
    sharding: ShardingRule[P],
    samples: tuple[Sample[P], ...],
    traits: Traits = PLAIN,
    zero_rule: ZeroRule | None = None,
    expand: Expand | None = None,
    place: Place | None = None,
    flops: Measure[P] | None = None,
    sent: Measure[P] | None = None,
    along: AlongRule[P] | None = None,
    spread: SpreadRule | None = None,
    mask: MaskRule[P] | None = None,
    pad: PadRule[P] | None = None,
) -> Op[P]:
    """An op of one operand that is linear in it: its tangent is the op of the tangent.

    `adjoint(b, params, type of the operand, cotangent)` is the cotangent of the operand.
    """

    op = Op(
        name=name,
        params=params,
        doc=doc,
        type_rule=type_rule,
        evaluate=evaluate,
        jvp=lambda b, params, xs, ys, ts: _tangent_of_linear(op, b, params, ys[0].type, *ts),
        transpose=_adjoint_rule(adjoint),
        batch=batch,
        sharding=sharding,
        samples=samples,
        traits=traits,
        zero_rule=zero_rule,
        expand=expand,
        place=place,
        flops=flops,
        sent=sent,
        along=along,
        spread=spread,
        mask=mask,
        pad=pad,
    )
    return op


def alike(name: str, arity: int, dtypes: Iterable[DType]) -> Callable[[Any, tuple[Tensor, ...]], tuple[Tensor, ...]]:
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


def numpy_rule(compute: Callable[..., Any]) -> Callable[..., Arrays]:
    """An evaluation rule from a NumPy expression: half precision goes through f32, warnings are silent."""

    def evaluate(params: Any, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
        with np.errstate(all="ignore"):
            return (as_type(compute(*[wide(x) for x in xs]), types[-1]),)

    return evaluate


def over(
    dtypes: Iterable[DType],
    *shapes: tuple[int, ...],
    params: Any = NONE,
    domain: tuple[float, float] = (-2.0, 2.0),
) -> tuple[Sample[Any], ...]:
    """One sample per dtype, all operands of that dtype, with the given shapes."""
    return tuple(Sample(params, tuple(Tensor(d, s) for s in shapes), domain) for d in dtypes)


def wide(x: Array) -> Array:
    """Half precision is computed in f32 and rounded once, as XLA's CPU backend does."""
    return x.astype(np.float32) if x.dtype in (F16.numpy, BF16.numpy) else x


def as_type(x: Any, type: Tensor) -> Array:
    """The result of a NumPy expression as an array of exactly `type`."""
    return np.asarray(x).astype(type.dtype.numpy, copy=False).reshape(type.shape)

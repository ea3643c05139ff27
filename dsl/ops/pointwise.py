"""The two bases of pointwise functions: `unary` and `binary`. A member states its formula and its derivative.

Knows no member. Read next: `unary`, `power`, `special`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NoParams, NotDifferentiable, Op
from dsl.ir.traits import PLAIN, Traits
from dsl.ops.elementwise import Atoms, Tangents, batch_alike, scale_by, sum_tangents
from dsl.ops.rule_helpers import NOT_LINEAR, Arrays, Axes, Batched, alike, numpy_rule, over, splat, zero_jvp
from dsl.types.dtype import DType

Compute: TypeAlias = Callable[..., Any]
Partial: TypeAlias = Callable[[Builder, Atom, Atom, Atom], Atom]
Derivative: TypeAlias = Callable[[Builder, Atom, Atom], Atom]


def unary(
    name: str,
    doc: str,
    compute: Compute,
    dtypes: Sequence[DType],
    derivative: Derivative | NotDifferentiable | None,
    *,
    domain: tuple[float, float] = (-2.0, 2.0),
    traits: Traits = PLAIN,
) -> Op[NoParams]:
    """A function of one variable, applied to each element. `derivative(b, x, y)` is the factor dy/dx.

    None as derivative means zero wherever there is one (steps, integer functions).
    """

    def jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
        assert callable(derivative)
        return (scale_by(b, ts[0], lambda: derivative(b, xs[0], ys[0])),)

    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return op(b, params, *xs), axes

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 1, dtypes),
        evaluate=numpy_rule(compute),
        jvp=_rule(derivative, jvp),
        transpose=NOT_LINEAR,
        batch=batch,
        sharding="...->...",
        samples=(*over(dtypes, (2, 3), domain=domain), *_edges(dtypes[0], 1, domain)),
        traits=traits,
    )
    return op


def binary(
    name: str,
    doc: str,
    compute: Compute,
    dtypes: Sequence[DType],
    partials: tuple[Partial, Partial] | NotDifferentiable | None,
    *,
    domain: tuple[float, float] = (-2.0, 2.0),
    evaluate: Callable[..., Arrays] | None = None,
    traits: Traits = PLAIN,
) -> Op[NoParams]:
    """A function of two operands of one type. `partials[k](b, x, y, z)` is dz/d(operand k).

    `evaluate` replaces the rule made of `compute`, which computes half precision in f32.
    """

    def jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
        assert isinstance(partials, tuple)
        x, y = xs
        terms = [scale_by(b, t, partial(d, b, x, y, ys[0])) for t, d in zip(ts, partials, strict=True)]
        return (sum_tangents(b, terms),)

    def batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return batch_alike(b, op, params, xs, axes, size)

    op = Op(
        name=name,
        params=NoParams,
        doc=doc,
        type_rule=alike(name, 2, dtypes),
        evaluate=numpy_rule(compute) if evaluate is None else evaluate,
        jvp=_rule(partials, jvp),
        transpose=NOT_LINEAR,
        batch=batch,
        sharding="...,...->...",
        samples=(*over(dtypes, (2, 3), (2, 3), domain=domain), *_edges(dtypes[0], 2, domain)),
        traits=traits,
    )
    return op


def _rule(derivative: Any, jvp: Any) -> Any:
    """The jvp field: a spoken absence as it is, zero for None, else the family's rule."""
    if isinstance(derivative, NotDifferentiable):
        return derivative
    return zero_jvp if derivative is None else jvp


def _edges(dtype: DType, arity: int, domain: tuple[float, float]) -> tuple[Any, ...]:
    shapes: tuple[tuple[int, ...], ...] = ((), (0,))
    return tuple(s for shape in shapes for s in over((dtype,), *[shape] * arity, domain=domain))


def one(b: Builder, x: Atom, *rest: Atom) -> Atom:
    """The derivative 1."""
    return splat(1, x.type)

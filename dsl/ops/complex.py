"""The parts of complex numbers: complex, real, imag, conj.

Cotangents pair as Re(sum(ct * t)) without conjugation, as everywhere; so a cotangent ct of real(z) gives z
the cotangent ct, one of imag(z) gives it -i ct, and conj is its own adjoint.
"""

from __future__ import annotations

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE, NoParams, Op, Zero
from dsl.ir.traits import Cost, Traits
from dsl.ops.elementwise import Atoms, Cotangents, Operands, Tangents, batch_alike, neg
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    alike,
    check_arity,
    fail,
    is_linear,
    linear_map,
    materialise,
    numpy_rule,
    over,
    zeros,
)
from dsl.types.dtype import COMPLEXES, F32, F64


def _complex_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("complex", types, 2)
    x, y = types
    if x != y or x.dtype not in (F32, F64):
        raise fail(f"complex: {x} and {y} are not parts of complex numbers")
    return (Tensor(x.dtype.complex, x.shape),)


def _complex_eval(params: NoParams, types: tuple[Tensor, ...], x: Array, y: Array) -> Arrays:
    out = np.empty(types[0].shape, _complex_type(params, types)[0].dtype.numpy)
    out.real, out.imag = x, y
    return (out,)


def _complex_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    if all(isinstance(t, Zero) for t in ts):
        return (Zero(ys[0].type),)
    return COMPLEX(b, NONE, *[materialise(t) for t in ts])


def _complex_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, y = xs
    if isinstance(ct, Zero):
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    return (real(b, ct) if is_linear(x) else None, neg(b, imag(b, ct)) if is_linear(y) else None)


def _complex_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_alike(b, COMPLEX, params, xs, axes, size)


COMPLEX: Op[NoParams] = Op(
    name="complex",
    params=NoParams,
    doc="x + i y of two real numbers.",
    type_rule=_complex_type,
    evaluate=_complex_eval,
    jvp=_complex_jvp,
    transpose=_complex_transpose,
    batch=_complex_batch,
    sharding="...,...->...",
    samples=(*over((F32, F64), (2, 3), (2, 3)), *over((F32,), (), ())),
    traits=Traits(moves=True, cost=Cost.CHEAP),
)


def _real_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("the part of a complex number", types, 1)
    (x,) = types
    if not x.dtype.is_complex:
        raise fail(f"{x} is not complex")
    return (Tensor(x.dtype.real, x.shape),)


REAL: Op[NoParams] = linear_map(
    name="real",
    params=NoParams,
    doc="The real part.",
    type_rule=_real_type,
    evaluate=lambda params, types, z: (np.array(z.real),),
    adjoint=lambda b, params, type, ct: complex_of(b, ct, zeros(ct.type)),
    batch=lambda b, params, xs, axes, size: (REAL(b, params, *xs), axes),
    sharding="...->...",
    samples=over(COMPLEXES, (2, 3)),
    traits=Traits(moves=True, cost=Cost.CHEAP),
)
IMAG: Op[NoParams] = linear_map(
    name="imag",
    params=NoParams,
    doc="The imaginary part.",
    type_rule=_real_type,
    evaluate=lambda params, types, z: (np.array(z.imag),),
    adjoint=lambda b, params, type, ct: complex_of(b, zeros(ct.type), neg(b, ct)),
    batch=lambda b, params, xs, axes, size: (IMAG(b, params, *xs), axes),
    sharding="...->...",
    samples=over(COMPLEXES, (2, 3)),
    traits=Traits(moves=True, cost=Cost.CHEAP),
)
CONJ: Op[NoParams] = linear_map(
    name="conj",
    params=NoParams,
    doc="The complex conjugate.",
    type_rule=alike("conj", 1, COMPLEXES),
    evaluate=numpy_rule(np.conj),
    adjoint=lambda b, params, type, ct: conj(b, ct),
    batch=lambda b, params, xs, axes, size: (CONJ(b, params, *xs), axes),
    sharding="...->...",
    samples=over(COMPLEXES, (2, 3)),
    traits=Traits(moves=True, cost=Cost.CHEAP),
)

PARTS: tuple[Op[NoParams], ...] = (COMPLEX, REAL, IMAG, CONJ)


def complex_of(b: Builder, x: Atom, y: Atom) -> Atom:
    """The complex numbers with real parts `x` and imaginary parts `y`, floats of one shape."""
    return COMPLEX(b, NONE, x, y)[0]


def real(b: Builder, x: Atom) -> Atom:
    """The real part; a real number is its own."""
    return REAL(b, NONE, x)[0] if x.type.dtype.is_complex else x


def imag(b: Builder, x: Atom) -> Atom:
    """The imaginary parts of complex `x`: floats of its shape."""
    return IMAG(b, NONE, x)[0]


def conj(b: Builder, x: Atom) -> Atom:
    """The conjugate; a real number is its own."""
    return CONJ(b, NONE, x)[0] if x.type.dtype.is_complex else x

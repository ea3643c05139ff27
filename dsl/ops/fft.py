"""Discrete Fourier transforms over the last axes: fft, ifft, rfft, irfft as kinds of one op.

Under the pairing Re(sum(ct * t)) fft and ifft are their own adjoints, since their matrices are symmetric.
rfft is the first half of fft, so its adjoint pads and transforms; irfft counts the inner frequencies twice.
"""

from __future__ import annotations

from math import log2, prod

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Op, Sample
from dsl.ops.complex import conj, real
from dsl.ops.elementwise import Atoms, mul
from dsl.ops.extent import constant, pad
from dsl.ops.factors import leading
from dsl.ops.layout import batch_in_front, broadcast_in_dim
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_dtype,
    fail,
    linear_map,
    zeros,
)
from dsl.ops.zero_flow import with_holes
from dsl.types.dtype import C64, C128, COMPLEXES, F32, F64, DType

KINDS = ("fft", "ifft", "rfft", "irfft")


class FftParams(Struct, frozen=True):
    """`lengths` of the transformed axes, the last ones; for rfft and irfft those of the real array."""

    kind: str
    lengths: tuple[int, ...]


def _fft_type(params: FftParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("fft", types, 1)
    (x,) = types
    if params.kind not in KINDS or not params.lengths:
        raise fail(f"fft: {params} is not a transform")
    check_dtype(params.kind, x.dtype, (F32, F64) if params.kind == "rfft" else COMPLEXES)
    half = (*params.lengths[:-1], params.lengths[-1] // 2 + 1)
    before = half if params.kind == "irfft" else params.lengths
    after = half if params.kind == "rfft" else params.lengths
    count = len(params.lengths)
    if x.rank < count or x.shape[-count:] != before or min(params.lengths) < 1:
        raise fail(f"fft: {x} does not have lengths {before}")
    return (Tensor(_result(params.kind, x.dtype), (*x.shape[:-count], *after)),)


def _result(kind: str, dtype: DType) -> DType:
    if kind == "rfft":
        return dtype.complex
    return dtype.real if kind == "irfft" else dtype


def _fft_eval(params: FftParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    axes = tuple(range(-len(params.lengths), 0))
    transform = getattr(np.fft, f"{params.kind}n")
    return (as_type(transform(x, params.lengths, axes), _fft_type(params, types)[0]),)


def _fft_adjoint(b: Builder, params: FftParams, type: Tensor, ct: Atom) -> Atom:
    match params.kind:
        case "rfft":
            none = [0] * ct.type.rank
            missing = [*none[:-1], params.lengths[-1] - ct.type.shape[-1]]
            whole = pad(b, ct, zeros(Tensor(ct.type.dtype)), none, missing, none)
            return real(b, fft(b, "fft", whole, params.lengths))
        case "irfft":
            spectrum = conj(b, fft(b, "rfft", ct, params.lengths))
            return mul(b, spectrum, _frequency_weights(b, params, spectrum.type))
        case _:
            return FFT(b, params, ct)[0]


def _frequency_weights(b: Builder, params: FftParams, type: Tensor) -> Atom:
    """1 / total for frequency 0 and the highest of an even length, twice that for those between."""
    total, n = int(np.prod(params.lengths)), params.lengths[-1]
    weights = np.full(n // 2 + 1, 2 / total)
    weights[0] = 1 / total
    if n % 2 == 0:
        weights[-1] = 1 / total
    return broadcast_in_dim(b, constant(b, weights, type.dtype), type.shape, (type.rank - 1,))


def _fft_batch(b: Builder, params: FftParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_in_front(b, FFT, params, xs, axes, size)


def _fft_samples() -> tuple[Sample[FftParams], ...]:
    whole = [
        Sample(FftParams(kind, n), (Tensor(d, (2, *n)),))
        for kind in ("fft", "ifft")
        for d, n in ((C64, (4,)), (C128, (3,)), (C128, (2, 3)))
    ]
    halves = [Sample(FftParams("rfft", n), (Tensor(d, n),)) for d, n in ((F32, (4,)), (F64, (5,)), (F64, (3, 4)))]
    back = [
        Sample(FftParams("irfft", n), (Tensor(d, (*n[:-1], n[-1] // 2 + 1)),))
        for d, n in ((C64, (4,)), (C128, (5,)), (C128, (3, 4)), (C128, (1,)))
    ]
    return (*whole, *halves, *back)


FFT: Op[FftParams] = linear_map(
    name="fft",
    params=FftParams,
    doc="The discrete Fourier transform over the last axes; the inverse ones divide by the size.",
    type_rule=_fft_type,
    evaluate=_fft_eval,
    adjoint=_fft_adjoint,
    batch=_fft_batch,
    sharding=leading(lambda params: len(params.lengths), _fft_type),
    samples=_fft_samples(),
    zero_rule=with_holes,
    flops=lambda params, inputs, outputs: round(5 * outputs[0].size * log2(prod(params.lengths))),
)

FOURIER = (FFT,)


def fft(b: Builder, kind: str, x: Atom, lengths: tuple[int, ...]) -> Atom:
    """The discrete Fourier transform of the last axes, of `lengths`; `kind` is one of `KINDS`."""
    return FFT(b, FftParams(kind, lengths), x)[0]

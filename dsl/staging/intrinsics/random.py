"""Draws from keys, bit for bit those of `jax.random` with partitionable threefry; the formulas are JAX's.

Read next: `dsl.ops.random`, the generator itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE
from dsl.ops import builders
from dsl.ops import random as generator
from dsl.ops.sort import sort
from dsl.ops.table import OPS
from dsl.staging.expressions.arithmetic import spread
from dsl.staging.intrinsics.axes import axis_of
from dsl.staging.intrinsics.elementwise import MAXIMUM, Pure, emit
from dsl.staging.intrinsics.reductions import arg_extremum
from dsl.staging.intrinsics.shapes import dtype_of
from dsl.staging.values import ATOMS, Value, as_atom, as_int, as_ints, literal
from dsl.types.dtype import F32, I32, U8, U16, U32, U64, DType

_WORDS = MappingProxyType({8: U8, 16: U16, 32: U32, 64: U64})


def key(b: Builder, seed: Value) -> Value:
    """Of a static seed the low 64 bits; negative ones as two's complement of 32 bits."""
    if isinstance(seed, int):
        small = -(2**31) <= seed < 2**32
        bits = seed % 2 ** (32 if small else 64)
        return builders.constant(b, np.array([bits >> 32, bits % 2**32], np.uint32), U32)
    return generator.key_of(b, as_atom(seed))


def split(b: Builder, k: Value, *, num: Value = 2) -> Value:
    return generator.split(b, as_atom(k), as_ints(num))


def fold_in(b: Builder, k: Value, i: Value) -> Value:
    data = literal(as_int(i) % 2**32, U32) if isinstance(i, int) else as_atom(i)
    return generator.fold_in(b, as_atom(k), data)


def bits(b: Builder, k: Value, *, shape: Value, dtype: Value = U32) -> Value:
    return generator.random_bits(b, as_atom(k), as_ints(shape), dtype_of(dtype))


def _info(dtype: DType) -> Any:
    return ml_dtypes.finfo(dtype.numpy)


def between(b: Builder, k: Atom, shape: tuple[int, ...], dtype: DType, low: Any, high: Any) -> Atom:
    """Uniform in [low, high): the mantissa's random bits as a fraction, scaled as JAX does."""
    mantissa = int(_info(dtype).nmant)
    width = 8 if mantissa < 8 else dtype.bits
    word = _WORDS[width]
    raw = generator.random_bits(b, k, shape, word)
    kept = b.emit(OPS["shift_right_logical"], NONE, (raw, literal(width - mantissa, word, shape)))[0]
    fraction = builders.mul(b, builders.convert(b, kept, dtype), literal(2.0**-mantissa, dtype, shape))
    first, last = np.asarray(low, dtype.numpy), np.asarray(high, dtype.numpy)
    scale, base = float(last - first), literal(float(first), dtype, shape)
    if scale != 1.0:
        fraction = builders.mul(b, fraction, literal(scale, dtype, shape))
    if float(first) != 0.0:
        fraction = builders.add(b, fraction, base)
    return as_atom(MAXIMUM(b, base, fraction))


def uniform(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    return between(b, as_atom(k), as_ints(shape), dtype_of(dtype), 0.0, 1.0)


def normal(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    """sqrt(2) erf_inv(u) with u uniform in (-1, 1)."""
    kind = dtype_of(dtype)
    one = np.ones((), kind.numpy)
    low = np.nextafter(-one, 0 * one)
    u = between(b, as_atom(k), as_ints(shape), kind, low, one)
    return builders.mul(b, literal(math.sqrt(2.0), kind, u.type.shape), emit("erf_inv")(b, u))


def bernoulli(b: Builder, k: Value, p: Value, *, shape: Value = None) -> Value:
    chance = as_atom(p)
    extents = chance.type.shape if shape is None else as_ints(shape)
    u = between(b, as_atom(k), extents, chance.type.dtype, 0.0, 1.0)
    return builders.compare(b, "lt", u, spread(b, chance, extents))


def gumbel(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    """-log(-log(u))"""
    kind = dtype_of(dtype)
    u = between(b, as_atom(k), as_ints(shape), kind, _info(kind).tiny, 1.0)
    return builders.neg(b, builders.log(b, builders.neg(b, builders.log(b, u))))


def categorical(b: Builder, k: Value, logits: Value, *, axis: Value = -1, shape: Value = None) -> Value:
    """The argmax of logits plus Gumbel noise; `shape` is that of the result."""
    array = as_atom(logits)
    place = axis_of(b, axis, array.type.rank)
    batch = (*array.type.shape[:place], *array.type.shape[place + 1 :])
    extents = batch if shape is None else as_ints(shape)
    lead = len(extents) - len(batch)
    whole = list(extents[lead:])
    whole.insert(place, array.type.shape[place])
    noise = gumbel(b, k, shape=(*extents[:lead], *whole), dtype=array.type.dtype)
    total = builders.add(b, as_atom(noise), spread(b, array, as_atom(noise).type.shape))
    return arg_extremum("argmax")(b, total, axis=lead + place)


def exponential(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    u = as_atom(uniform(b, k, shape=shape, dtype=dtype))
    return builders.neg(b, emit("log1p")(b, builders.neg(b, u)))


def laplace(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    kind = dtype_of(dtype)
    low = -1.0 + _info(kind).epsneg
    u = between(b, as_atom(k), as_ints(shape), kind, low, 1.0)
    return builders.mul(b, emit("sign")(b, u), emit("log1p")(b, builders.neg(b, emit("abs")(b, u))))


def logistic(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    kind = dtype_of(dtype)
    u = between(b, as_atom(k), as_ints(shape), kind, _info(kind).tiny, 1.0)
    return builders.sub(b, builders.log(b, u), emit("log1p")(b, builders.neg(b, u)))


def cauchy(b: Builder, k: Value, *, shape: Value, dtype: Value = F32) -> Value:
    kind, extents = dtype_of(dtype), as_ints(shape)
    u = between(b, as_atom(k), extents, kind, _info(kind).eps, 1.0)
    centred = builders.sub(b, u, literal(0.5, kind, extents))
    return emit("tan")(b, builders.mul(b, literal(math.pi, kind, extents), centred))


def rademacher(b: Builder, k: Value, *, shape: Value, dtype: Value = I32) -> Value:
    """-1 or 1."""
    drawn = as_atom(bernoulli(b, k, literal(0.5, F32), shape=shape))
    kind, extents = dtype_of(dtype), as_ints(shape)
    doubled = builders.mul(b, builders.convert(b, drawn, kind), literal(2, kind, extents))
    return builders.sub(b, doubled, literal(1, kind, extents))


def permutation(b: Builder, k: Value, *, n: Value) -> Value:
    """0 … n - 1 shuffled: sorted by random words, often enough to make ties unlikely."""
    size = as_int(n)
    rounds = math.ceil(3 * math.log(max(1, size)) / math.log(2**32 - 1))
    order = builders.iota(b, I32, (size,), 0)
    current = as_atom(k)
    for _ in range(rounds):
        pair = generator.split(b, current, (2,))
        current, use = (builders.reshape(b, builders.slice_axis(b, pair, 0, i, i + 1), (2,)) for i in (0, 1))
        order = sort(b, (generator.random_bits(b, use, (size,)), order), 0)[1]
    return order


def randint(b: Builder, k: Value, low: Value, high: Value, *, shape: Value, dtype: Value = I32) -> Value:
    """low <= x < high. Two words per draw, so that the remainder is nearly uniform."""
    kind, extents = dtype_of(dtype), as_ints(shape)
    word = _WORDS[kind.bits]
    first, last = (_integer(b, v, kind, extents) for v in (low, high))
    pair = generator.split(b, as_atom(k), (2,))
    words: list[Atom] = []
    for i in (0, 1):
        part = builders.reshape(b, builders.slice_axis(b, pair, 0, i, i + 1), (2,))
        words.append(generator.random_bits(b, part, extents, word))
    one = literal(1, word, extents)
    span = builders.convert(b, builders.sub(b, last, first), word)
    span = builders.select(b, builders.compare(b, "le", last, first), one, span)
    rem = emit("rem")
    factor = rem(b, literal(2 ** (kind.bits // 2), word, extents), span)
    factor = rem(b, builders.mul(b, factor, factor), span)
    offset = builders.add(b, builders.mul(b, rem(b, words[0], span), factor), rem(b, words[1], span))
    return builders.add(b, first, builders.convert(b, rem(b, offset, span), kind))


def _integer(b: Builder, value: Value, kind: DType, shape: tuple[int, ...]) -> Atom:
    if isinstance(value, ATOMS):
        return spread(b, builders.convert(b, value, kind), shape)
    return literal(as_int(value), kind, shape)


RANDOM: Mapping[str, Pure] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            key,
            split,
            fold_in,
            bits,
            uniform,
            normal,
            bernoulli,
            gumbel,
            categorical,
            exponential,
            laplace,
            logistic,
            cauchy,
            rademacher,
            permutation,
            randint,
        )
    }
)

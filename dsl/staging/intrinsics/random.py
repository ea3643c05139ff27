"""Draws from keys, bit for bit those of `jax.random` with partitionable threefry; the formulas are JAX's.

Read next: `dsl.ops.random`, the generator itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dsl.ir.build import Builder
from dsl.ops import builders
from dsl.ops import random as generator
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.intrinsics.shapes import dtype_of
from dsl.staging.values import Value, as_atom, as_int, as_ints, literal
from dsl.types.dtype import U8, U16, U32, U64

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


RANDOM: Mapping[str, Pure] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            key,
            split,
            fold_in,
            bits,
        )
    }
)

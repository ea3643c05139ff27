"""Counter-based random bits: threefry2x32, and what is derived from it: keys split, folded, turned into bits.

The cipher is Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
1, 2, 3, SC 2011). Keys are u32[..., 2]. How counters and outputs are arranged is that of `jax.random` with
partitionable threefry, so draws agree bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE, Op
from dsl.ops.bits import OR, SHIFT_LEFT, SHIFT_RIGHT_LOGICAL, XOR
from dsl.ops.elementwise import Atoms, batch_alike, convert
from dsl.ops.extent import concatenate, iota, slice_axis
from dsl.ops.layout import broadcast_in_dim, reshape
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    check_arity,
    fail,
    over,
    splat,
    zero_jvp,
    zeros,
)
from dsl.types.dtype import U8, U16, U32, U64, DType

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


# --- the cipher -------------------------------------------------------------------------------------------


class CipherParams(Struct, frozen=True):
    """`keys`: the results are keys of other ciphers. A compiler that merged a chain of ciphers into one expression
    would compute every cipher of the chain again for each element of the last."""

    keys: bool


def _cipher_type(params: CipherParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("threefry2x32", types, 4)
    if any(t != types[0] for t in types) or types[0].dtype is not U32:
        raise fail(f"threefry2x32: operands {', '.join(map(str, types))} are not of one u32 type")
    return types[:2]


def _rotated(x: Array, count: int) -> Array:
    return (x << np.uint32(count)) | (x >> np.uint32(32 - count))


def _cipher_eval(params: CipherParams, types: tuple[Tensor, ...], *words: Array) -> Arrays:
    first, second, x, y = words
    keys = (first, second, first ^ second ^ np.uint32(PARITY))
    with np.errstate(over="ignore"):
        x, y = x + keys[0], y + keys[1]
        for group in range(5):
            for count in ROTATIONS[group % 2]:
                x = x + y
                y = _rotated(y, count) ^ x
            x = x + keys[(group + 1) % 3]
            y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return np.asarray(x), np.asarray(y)


def _cipher_batch(b: Builder, params: CipherParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    outputs, (axis,) = batch_alike(b, THREEFRY2X32, params, xs, axes, size)
    return outputs, (axis, axis)


THREEFRY2X32: Op[CipherParams] = Op(
    name="threefry2x32",
    params=CipherParams,
    doc="Two words of random bits from two words of key and two of counter, elementwise.",
    type_rule=_cipher_type,
    evaluate=_cipher_eval,
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_cipher_batch,
    sharding="...,...,...,...->...,...",
    samples=(
        *over((U32,), (2, 3), (2, 3), (2, 3), (2, 3), params=CipherParams(keys=False), domain=(0, 2**32 - 1)),
        *over((U32,), (2, 3), (2, 3), (2, 3), (2, 3), params=CipherParams(keys=True), domain=(0, 2**32 - 1)),
        *over((U32,), (), (), (), (), params=CipherParams(keys=True), domain=(0, 2**32 - 1)),
    ),
)

RANDOM: tuple[Op[CipherParams], ...] = (THREEFRY2X32,)


# --- keys and bits ----------------------------------------------------------------------------------------


def key_of(b: Builder, seed: Atom) -> Atom:
    """The key of an integer seed: its high and low 32 bits. Shape (*seed's, 2)."""
    if seed.type.dtype.bits == 64:
        wide = convert(b, seed, U64)
        high = convert(b, SHIFT_RIGHT_LOGICAL(b, NONE, wide, splat(32, wide.type))[0], U32)
        return _joined(b, high, convert(b, wide, U32))
    low = convert(b, seed, U32)
    return _joined(b, zeros(low.type), low)


def random_bits(b: Builder, key: Atom, shape: Sequence[int], dtype: DType = U32) -> Atom:
    """Unsigned random numbers of `dtype` and `shape` from one key, u32[2]."""
    high, low = _enciphered(b, key, shape, CipherParams(keys=False))
    if dtype is U64:
        wide = convert(b, high, U64)
        upper = SHIFT_LEFT(b, NONE, wide, splat(32, wide.type))[0]
        return OR(b, NONE, upper, convert(b, low, U64))[0]
    if dtype not in (U8, U16, U32):
        raise fail(f"random bits come as unsigned integers, not as {dtype}")
    return convert(b, XOR(b, NONE, high, low)[0], dtype)


def split(b: Builder, key: Atom, shape: Sequence[int]) -> Atom:
    """New keys u32[*shape, 2] from one, which is used up."""
    return _joined(b, *_enciphered(b, key, shape, CipherParams(keys=True)))


def fold_in(b: Builder, key: Atom, data: Atom) -> Atom:
    """A new key from a key and a scalar integer, of which the low 32 bits count."""
    first, second = _words(b, key, ())
    low = convert(b, data, U32)
    return _joined(b, *THREEFRY2X32(b, CipherParams(keys=True), first, second, zeros(low.type), low))


def _enciphered(b: Builder, key: Atom, shape: Sequence[int], params: CipherParams) -> tuple[Atom, Atom]:
    """The cipher of the position of each element, counted in row-major order in 64 bits."""
    type = Tensor(U32, tuple(shape))
    count = type.size
    high: Atom
    if count < 2**32:
        high, low = zeros(type), reshape(b, iota(b, U32, (count,), 0), type.shape)
    else:
        places = iota(b, U64, (count,), 0)
        upper = SHIFT_RIGHT_LOGICAL(b, NONE, places, splat(32, places.type))[0]
        high, low = (reshape(b, convert(b, x, U32), type.shape) for x in (upper, places))
    first, second = _words(b, key, type.shape)
    one, two = THREEFRY2X32(b, params, first, second, high, low)
    return one, two


def _words(b: Builder, key: Atom, shape: tuple[int, ...]) -> tuple[Atom, Atom]:
    """The two words of a key, spread over `shape`."""
    if key.type != Tensor(U32, (2,)):
        raise fail(f"{key.type} is not a key")
    first, second = (reshape(b, slice_axis(b, key, 0, k, k + 1), ()) for k in (0, 1))
    return broadcast_in_dim(b, first, shape, ()), broadcast_in_dim(b, second, shape, ())


def _joined(b: Builder, first: Atom, second: Atom) -> Atom:
    shape = first.type.shape
    return concatenate(b, [reshape(b, x, (*shape, 1)) for x in (first, second)], len(shape))

"""The threefry-2x32 hash as IR, and keys made with it: bit for bit those of `jax.random` with
`jax_threefry_partitionable`.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011): twenty rounds of add, rotate, xor,
with the key injected after every four. A key is u32[..., 2]. Read next: `intrinsics.random`.
"""

from __future__ import annotations

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE
from dsl.ops import compose
from dsl.ops.table import OPS
from dsl.staging.values import literal
from dsl.types.dtype import U32, U64

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def _xor(b: Builder, x: Atom, y: Atom) -> Atom:
    return b.emit(OPS["xor"], NONE, (x, y))[0]


def _rotated(b: Builder, x: Atom, count: int) -> Atom:
    left = b.emit(OPS["shift_left"], NONE, (x, _word(count, x)))[0]
    right = b.emit(OPS["shift_right_logical"], NONE, (x, _word(32 - count, x)))[0]
    return b.emit(OPS["or"], NONE, (left, right))[0]


def _word(value: int, like: Atom) -> Atom:
    return literal(value, like.type.dtype, like.type.shape)


def threefry(b: Builder, k0: Atom, k1: Atom, x0: Atom, x1: Atom) -> tuple[Atom, Atom]:
    """The hash of the counter (x0, x1) under the key (k0, k1); all of one shape."""
    schedule = (k0, k1, _xor(b, _xor(b, k0, k1), _word(PARITY, k0)))
    x0, x1 = compose.add(b, x0, k0), compose.add(b, x1, k1)
    for block in range(5):
        for count in ROTATIONS[block % 2]:
            x0 = compose.add(b, x0, x1)
            x1 = _xor(b, x0, _rotated(b, x1, count))
        x0 = compose.add(b, x0, schedule[(block + 1) % 3])
        x1 = compose.add(b, compose.add(b, x1, schedule[(block + 2) % 3]), _word(block + 1, x1))
    return x0, x1


def halves(b: Builder, key: Atom) -> tuple[Atom, Atom]:
    """The two words of each key."""
    axis = key.type.rank - 1
    shape = key.type.shape[:-1]
    first = compose.slice_axis(b, key, axis, 0, 1)
    return compose.reshape(b, first, shape), compose.reshape(b, compose.slice_axis(b, key, axis, 1, 2), shape)


def joined(b: Builder, words: tuple[Atom, Atom]) -> Atom:
    return compose.stack(b, words, words[0].type.rank)


def counters(b: Builder, shape: tuple[int, ...]) -> tuple[Atom, Atom]:
    """The number of each element of `shape`, row-major, as a high and a low word."""
    size = 1
    for extent in shape:
        size *= extent
    flat = compose.iota(b, U64 if size > 2**32 else U32, (size,), 0)
    if size <= 2**32:
        low = compose.reshape(b, flat, shape)
        return literal(0, U32, shape), low
    shift = literal(32, U64, (size,))
    high = compose.convert(b, b.emit(OPS["shift_right_logical"], NONE, (flat, shift))[0], U32)
    return compose.reshape(b, high, shape), compose.reshape(b, compose.convert(b, flat, U32), shape)


def hashed(b: Builder, key: Atom, shape: tuple[int, ...]) -> tuple[Atom, Atom]:
    """Two words for every element of `shape`, from one key."""
    k0, k1 = (compose.broadcast_in_dim(b, word, shape, ()) for word in halves(b, key))
    return threefry(b, k0, k1, *counters(b, shape))


def seeded(b: Builder, seed: Atom) -> Atom:
    """The key of an integer seed: its high word (0 for 32 bits) and its low word."""
    if seed.type.dtype.bits == 64:
        wide = compose.convert(b, seed, U64)
        high = b.emit(OPS["shift_right_logical"], NONE, (wide, literal(32, U64, seed.type.shape)))[0]
        return joined(b, (compose.convert(b, high, U32), compose.convert(b, wide, U32)))
    low = compose.convert(b, seed, U32)
    return joined(b, (literal(0, U32, seed.type.shape), low))


def fold_in(b: Builder, key: Atom, data: Atom) -> Atom:
    """The hash of the seed `data` under the key."""
    word = compose.convert(b, data, U32)
    k0, k1 = halves(b, key)
    return joined(b, threefry(b, k0, k1, literal(0, U32, word.type.shape), word))


def split(b: Builder, key: Atom, count: int) -> Atom:
    """`count` keys."""
    return joined(b, hashed(b, key, (count,)))


def bits(b: Builder, key: Atom, shape: tuple[int, ...], width: int = 32) -> Atom:
    """Random words of 8, 16, 32 or 64 bits."""
    high, low = hashed(b, key, shape)
    if width == 64:
        wide = compose.convert(b, high, U64)
        top = b.emit(OPS["shift_left"], NONE, (wide, literal(32, U64, shape)))[0]
        return b.emit(OPS["or"], NONE, (top, compose.convert(b, low, U64)))[0]
    return _xor(b, high, low)

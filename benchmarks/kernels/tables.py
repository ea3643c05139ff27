"""The rivals of `tables.dsl`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.kernels.rival import Kernel, Rival


def floyd_warshall(to: Rival, d: Any) -> Any:
    return to.fold(d.shape[0], lambda k, d: to.np.minimum(d, d[:, k, None] + d[None, k, :]), d)


def needleman_wunsch(to: Rival, a: Any, b: Any, gap: Any) -> Any:
    costs = gap * to.np.arange(len(b) + 1, dtype=np.int32)
    running = jax.lax.cummax if to.is_jax else np.maximum.accumulate

    def row(above: Any, place: Any) -> Any:
        i, letter = place
        match = above[:-1] + to.np.where(b == letter, np.int32(1), np.int32(-1))
        best = to.np.concatenate(((-gap * (i + 1))[None], to.np.maximum(match, above[1:] - gap)))
        new = running(best + costs) - costs
        return new, new

    first = -costs
    return to.np.concatenate((first[None], to.scan(row, first, (to.np.arange(len(a), dtype=np.int32), a))[1]))


def nussinov(to: Rival, s: Any) -> Any:
    n = s.shape[0]
    order = jnp.arange(n)

    def entry(i: Any, j: Any, t: Any) -> Any:
        below, left = jnp.where(i + 1 < n, t[jnp.minimum(i + 1, n - 1)], 0), jnp.maximum(j - 1, 0)
        inner = below[left] + ((s[i] + s[j] == 3) & (i < j - 1))
        under = jnp.roll(t[:, j], -1)
        halves = jnp.max(jnp.where((order >= i) & (order < j), t[i] + under, 0))
        best = jnp.maximum(jnp.maximum(below[j], t[i, left]), jnp.maximum(inner, halves))
        return t.at[i, j].set(jnp.where(j > i, best, t[i, j]))

    def row(k: Any, t: Any) -> Any:
        i = n - 1 - k
        return jax.lax.fori_loop(0, n, lambda j, t: entry(i, j, t), t)

    return jax.lax.fori_loop(0, n, row, jnp.zeros((n, n), jnp.int32))


def nussinov_plain(to: Rival, s: Any) -> Any:
    n = len(s)
    t = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            inner = t[i + 1, j - 1] + (s[i] + s[j] == 3 and i < j - 1)
            halves = np.max(t[i, i:j] + t[i + 1 : j + 1, j])
            t[i, j] = max(t[i + 1, j], t[i, j - 1], inner, halves)
    return t


def crc16(to: Rival, data: Any) -> Any:
    def byte(i: Any, crc: Any) -> Any:
        crc = crc ^ (data[i] << 8)
        for _ in range(8):
            moved = (crc << 1) & 65535
            crc = to.np.where(crc & 32768 != 0, moved ^ 4129, moved)
        return crc

    return to.fold(len(data), byte, np.int32(65535))


def crc16_plain(to: Rival, data: Any) -> Any:
    crc = 65535
    for byte in data.tolist():
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 4129 if crc & 32768 else crc << 1) & 65535
    return np.int32(crc)


def letters(r: Any, n: int, kinds: int = 4) -> Any:
    return r.integers(0, kinds, n).astype(np.int32)


KERNELS = (
    Kernel("floyd_warshall", lambda r, n: (r.random((n, n)),), floyd_warshall, (6,), (250,)),
    Kernel("needleman_wunsch", lambda r, n: (letters(r, n), letters(r, n + 3), np.int32(1)), needleman_wunsch,
           (6,), (500,)),
    Kernel("nussinov", lambda r, n: (letters(r, n),), nussinov, (7,), (60,), nussinov_plain),
    Kernel("crc16", lambda r, n: (letters(r, n, 256),), crc16, (9,), (16000,), crc16_plain),
)  # fmt: skip

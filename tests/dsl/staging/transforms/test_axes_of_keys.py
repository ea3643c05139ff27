"""Maps over keys: an axis that is counted from the end is that which is counted from the front."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
from random import split, uniform

def drawn(k: key) -> f32 = uniform(k)
def scaled(d: {k: key, scale: f32}) -> f32 = d.scale * uniform(d.k)
def moved[P: Move](p: P) -> P = p
def beside(k: key) -> (key, f32) = (k, 1.0)
def applied(f: (key[n]) -> f32[n], ks: key[n]) -> f32[n] = f(ks)
def bound(ks: key[n]) -> f32[n] =
    let g = vmap(fn (k, c) -> c * uniform(k), in_axes=(-1, none))
    g(ks, 1.0)
def row(ks: key[n]) -> f32[n] = vmap(drawn)(ks)
def rows(ks: key[n, m]) -> f32[m, n] = vmap(row, in_axes=1)(ks)
def keys(k: key, l: key) -> (key[2], key[2, 2]) = (split(k), vmap(fn l -> split(l))(split(l)))

def same(ks: key[10, 2], squares: key[2, 2, 2], x: f32[2]) -> (f32[2][9], f32[2, 2][2]) =
    let along = [
        vmap(drawn, in_axes=-1)(ks[0]),
        vmap(scaled, in_axes=({k = -1, scale = none},))({k = ks[1], scale = 1.0}),
        row(vmap(moved, in_axes=-1, out_axes=-1)(ks[2])),
        row(vmap(beside, out_axes=(-1, 0))(ks[3]).0),
        row(vmap(grad(fn (y, k) -> (y * y, k), has_aux=true), in_axes=-1, out_axes=-1)(x, ks[4]).1),
        jvp(vmap(fn (y, k) -> y + uniform(k), in_axes=-1), (zeros([2]), ks[5]), (x, ())).0,
        applied(vmap(drawn, in_axes=-1), ks[6]),
        bound(ks[7]),
        shard(row, mesh(i=1), {i = -1}, {i = -1})(shard(fn k -> k, mesh(i=1), {i = -1}, {i = -1})(ks[8])),
    ]
    (along, [vmap(row, in_axes=-1)(squares[0]), vmap(vmap(drawn, in_axes=-1), in_axes=-1)(squares[1])])
""")


@pytest.fixture(scope="module")
def keys() -> tuple[dsl.Array, dsl.Array]:
    line, square = PROGRAM.keys(dsl.key(0), dsl.key(1))
    return line, square


def test_in_programs(keys: tuple[dsl.Array, dsl.Array]) -> None:
    line, square = keys
    along, across = PROGRAM.same(np.stack([line] * 10), np.stack([square] * 2), [1.0, 2.0])
    np.testing.assert_array_equal(along, [PROGRAM.row(line)] * 9)
    np.testing.assert_array_equal(across, [PROGRAM.rows(square)] * 2)


def test_from_python(keys: tuple[dsl.Array, dsl.Array]) -> None:
    line, square = keys
    np.testing.assert_array_equal(dsl.vmap(PROGRAM.row, in_axes=-1)(square), PROGRAM.rows(square))
    np.testing.assert_array_equal(dsl.vmap(PROGRAM.beside, out_axes=(-1, 0))(line)[0], line)
    np.testing.assert_array_equal(dsl.shard(PROGRAM.row, {"i": 1}, {"i": -1}, {"i": -1})(line), PROGRAM.row(line))

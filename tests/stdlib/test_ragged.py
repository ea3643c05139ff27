"""Lists of different lengths, and what else of the library has a size that data decide, against NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.library import Array

PROGRAM = dsl.program(
    """
import graph
import ragged
import sparse
def by_key(x: f32[k], key: idx[4][k]) = ragged.split_by_key(x, key)
def of_selected(x: f32[k], key: idx[4][k], m: bool[k]) = ragged.sums(ragged.split_by_key(x[m], key[m]))
def chosen(x: f32[n, m], keep: bool[n, m]) = ragged.select(x, keep)
def reduced(x: f32[n, m], keep: bool[n, m]) where n >= 1 =
    let r = ragged.select(x, keep)
    {
        sums = ragged.sums(r),
        means = ragged.means(r),
        maxima = ragged.maxima(r, -inf),
        minima = ragged.minima(r, inf),
        lengths = ragged.lengths(r),
        padded = ragged.padded(r, size=2, fill=-1.0),
    }
def places(x: f32[n, m], keep: bool[n, m]) where n >= 1 =
    let r = ragged.select(x, keep)
    (ragged.list_of(r), ragged.place_of(r), ragged.softmax(r).values)
def above(x: f32[n, m], keep: bool[n, m], t: f32) where n >= 1 =
    let r = ragged.select(x, keep)
    ragged.filter(r, r.values > t)
def twice(x: f32[n, m], keep: bool[n, m]) where n >= 1 = ragged.joined(ragged.select(x, keep), ragged.select(-x, keep))
def second(x: f32[n, m], keep: bool[n, m]) where n >= 2 = ragged.item(ragged.select(x, keep), 1)
def loss(x: f32[n, m], keep: bool[n, m]) -> f32 where n >= 1 = sum(ragged.sums(ragged.select(log(x), keep)) ** 2)
def slope(x: f32[n, m], keep: bool[n, m]) -> f32[n, m] where n >= 1 = grad(loss)(x, keep)
def newton(a: f32, t: f32) = ragged.history(fn x -> 0.5 * (x + a / x), a, fn x -> abs(x * x - a) > t, limit=20)
def pairs(x: f32[n, d]) where n >= 1 = graph.neighbours(x, full([d], inf), 1.0)
def energy(x: f32[n, d]) -> f32 where n >= 1 =
    let e = graph.neighbours(x, full([d], inf), 1.0)
    sum(exp(-sum(square(x[e.senders] - x[e.receivers]), axis=1)))
def forces(x: f32[n, d]) -> f32[n, d] where n >= 1 = grad(energy)(x)
def product(x: f32[n, m], y: f32[m]) where n >= 1 and m >= 1 =
    let s = sparse.from_dense(x)
    (sparse.matmul(s, y), sparse.to_dense(sparse.to_csr(s)), sparse.matmul(sparse.to_csr(s), y))
def row(x: f32[n, m]) where n >= 2 and m >= 1 = sparse.row(sparse.to_csr(sparse.from_dense(x)), 1)
"""
)
X = np.arange(1, 13, dtype=np.float32).reshape(3, 4) / 4
KEEPS = {
    "some": np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 1]], bool),
    "none": np.zeros((3, 4), bool),
    "all": np.ones((3, 4), bool),
}


def lists(r: Any) -> list[Array]:
    """The lists of a record, apart."""
    return np.split(np.asarray(r["values"]), np.asarray(r["offsets"])[1:-1])


def assert_lists(found: Any, wanted: Sequence[Any]) -> None:
    for one, other in zip(lists(found), wanted, strict=True):
        np.testing.assert_allclose(one, other)


@pytest.fixture(params=KEEPS)
def keep(request: pytest.FixtureRequest) -> Array:
    return KEEPS[request.param]


@pytest.mark.parametrize("key", [[2, 0, 2, 1, 0], [3, 3, 3, 3, 3]])
def test_elements_are_split_by_their_keys(key: list[int]) -> None:
    x, keys = np.arange(5, dtype=np.float32), np.array(key, np.int32)
    assert_lists(PROGRAM.by_key(x, keys), [x[keys == k] for k in range(4)])
    kept = x > 1
    np.testing.assert_array_equal(PROGRAM.of_selected(x, keys, kept), [x[kept & (keys == k)].sum() for k in range(4)])


def test_selected_elements_of_each_row(keep: Array) -> None:
    rows = [x[k] for x, k in zip(X, keep, strict=True)]
    assert_lists(PROGRAM.chosen(X, keep), rows)
    assert_lists(PROGRAM.twice(X, keep), [np.concatenate([row, -row]) for row in rows])
    assert_lists(PROGRAM.above(X, keep, 1.0), [row[row > 1] for row in rows])
    np.testing.assert_array_equal(PROGRAM.second(X, keep), rows[1])


def test_reductions_of_lists(keep: Array) -> None:
    found, rows = PROGRAM.reduced(X, keep), [x[k] for x, k in zip(X, keep, strict=True)]
    np.testing.assert_allclose(found["sums"], [row.sum() for row in rows])
    np.testing.assert_allclose(found["means"], [row.mean() if len(row) else np.nan for row in rows])
    np.testing.assert_allclose(found["maxima"], [row.max(initial=-np.inf) for row in rows])
    np.testing.assert_allclose(found["minima"], [row.min(initial=np.inf) for row in rows])
    np.testing.assert_array_equal(found["lengths"], keep.sum(1))
    np.testing.assert_allclose(found["padded"], [[*row, -1, -1][:2] for row in rows])


def test_places_of_elements(keep: Array) -> None:
    of, place, softmax = PROGRAM.places(X, keep)
    np.testing.assert_array_equal(of, np.nonzero(keep)[0])
    np.testing.assert_array_equal(place, [k for row in keep for k in range(row.sum())])
    rows = [np.exp(x[k]) / np.exp(x[k]).sum() for x, k in zip(X, keep, strict=True)]
    np.testing.assert_allclose(softmax, np.concatenate(rows), rtol=1e-6)


def test_slopes_of_lists(keep: Array) -> None:
    sums = np.where(keep, np.log(X), 0).sum(1, keepdims=True)
    np.testing.assert_allclose(PROGRAM.slope(X, keep), np.where(keep, 2 * sums / X, 0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-4, 10.0])
def test_an_iteration_that_stops_early_gives_the_history_it_has(tolerance: float) -> None:
    values, x = [], np.float32(2)
    while abs(x * x - 2) > tolerance:
        values.append(x)
        x = np.float32(0.5) * (x + 2 / x)
    np.testing.assert_allclose(PROGRAM.newton(2.0, tolerance), values, rtol=1e-6)


def test_pairs_that_are_near_each_other() -> None:
    x = np.random.default_rng(0).uniform(0, 2, (6, 2)).astype(np.float32)
    apart = ((x[:, None] - x[None]) ** 2).sum(2)
    near = (apart < 1) & ~np.eye(6, dtype=bool)
    edges = PROGRAM.pairs(x)
    np.testing.assert_array_equal(np.stack([edges["receivers"], edges["senders"]]), np.nonzero(near))
    np.testing.assert_allclose(PROGRAM.energy(x), np.exp(-apart)[near].sum(), rtol=1e-5)
    pull = -4 * np.where(near, np.exp(-apart), 0)[:, :, None] * (x[:, None] - x[None])
    np.testing.assert_allclose(PROGRAM.forces(x), pull.sum(1), rtol=1e-4, atol=1e-5)


def test_matrices_with_as_many_entries_as_there_are(keep: Array) -> None:
    x, y = np.where(keep, X, 0), np.array([1, -2, 3, 0.5], np.float32)
    product, dense, by_rows = PROGRAM.product(x, y)
    np.testing.assert_allclose(product, x @ y)
    np.testing.assert_allclose(by_rows, x @ y)
    np.testing.assert_array_equal(dense, x)
    columns, values = PROGRAM.row(x)
    np.testing.assert_array_equal(columns, np.flatnonzero(x[1]))
    np.testing.assert_array_equal(values, x[1][x[1] != 0])

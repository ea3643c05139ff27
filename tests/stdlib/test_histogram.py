"""Histograms of even intervals: bins that are computed are those that a search finds, next to every edge as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

Array = np.ndarray[Any, Any]

PROGRAM = dsl.program(
    """
def computed[a: Float](x: a[n], low: a, high: a) -> (i32[50], a[51]) = histogram(x, 50, range=(low, high))
def searched[a: Float](x: a[n], low: a, high: a) -> (i32[50], a[51]) = histogram(x, linspace(low, high, 51))
def rows(x: f32[n, m], low: f32[n]) -> i32[n, 4] = [histogram(line, 4, range=(l, 1.0)).0 for (line, l) in zip(x, low)]
def last(low: f32) -> f32 = histogram([0.5], 4, range=(low, 1.0)).1[1]
"""
)

RANGES = [
    *[(-3, 3), (0, 1), (0.1, 0.7), (-1e-3, 1e-3), (-1e30, 1e30), (-3e38, 3e38)],
    *[(1, 1 + 50 * 3e-7), (1e8, 1e8 + 40), (1, 1), (3, -3), (0, 1e-37), (0, 1e-35)],
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_bins_are_those_of_a_search(dtype: type[np.floating[Any]], low: float, high: float) -> None:
    ends = dtype(low), dtype(high)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(*ends, 51, dtype=dtype)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
    inner = (np.random.default_rng(0).random(2000) * (ends[1] / 2 - ends[0] / 2) * 2 + ends[0]).astype(dtype)
    near = [np.nextafter(edges, dtype(side)) for side in (np.inf, -np.inf)]
    x = np.concatenate([edges, *near, special, inner])
    computed, searched = PROGRAM.computed(x, *ends), PROGRAM.searched(x, *ends)
    np.testing.assert_array_equal(np.asarray(computed[0]), np.asarray(searched[0]))
    np.testing.assert_array_equal(np.asarray(computed[1]), np.asarray(searched[1]))


def test_each_row_may_have_a_range_of_its_own() -> None:
    x = np.random.default_rng(1).random((3, 100)).astype(np.float32)
    low = np.array([0.0, 0.5, 1.0], np.float32)
    wanted = [np.histogram(line, 4, (at, 1.0))[0] for line, at in zip(x[:2], low, strict=False)]
    np.testing.assert_array_equal(np.asarray(PROGRAM.rows(x, low))[:2], wanted)


def test_edges_are_differentiated() -> None:
    assert float(dsl.grad(PROGRAM.last)(np.float32(0.0))) == pytest.approx(0.75)

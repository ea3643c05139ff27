"""Combinations of elements by segments, along any axis, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dsl
from tests.support.library import Array

IDS = np.array([2, 0, 2, 3, 0], np.int32)  # segment 1 is empty
X = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
TEXT = """
def prod_of(x: f32[m, n], ids: idx[k][n], static k: size) -> f32[m, k] = segment_prod(x, ids, k, axis=1)
def mean_of(x: f32[m, n], ids: idx[k][n], static k: size) -> f32[m, k] = segment_mean(x, ids, k, axis=1)
def logsumexp_of(x: f32[m, n], ids: idx[k][n], static k: size) -> f32[m, k] = segment_logsumexp(x, ids, k, axis=1)
def softmax_of(x: f32[m, n], ids: idx[k][n], static k: size) -> f32[m, n] = segment_softmax(x, ids, k, axis=1)
"""
WANTED: dict[str, Callable[[Array], Array]] = {
    "prod_of": lambda x: x.prod(axis=1),
    "mean_of": lambda x: x.sum(axis=1) / max(x.shape[1], 1),
    "logsumexp_of": lambda x: np.logaddexp.reduce(x, axis=1, initial=-np.inf),
}


@pytest.mark.parametrize("name", WANTED)
def test_segments_along_an_axis(name: str) -> None:
    wanted = np.stack([WANTED[name](X[:, k == IDS]) for k in range(4)], axis=1)
    np.testing.assert_allclose(np.asarray(getattr(dsl.program(TEXT), name)(X, IDS, k=4)), wanted, rtol=1e-5)


def test_shares_of_segments_are_one_together() -> None:
    shares = np.asarray(dsl.program(TEXT).softmax_of(X, IDS, k=4))
    powers = np.exp(X)
    wanted = powers / np.stack([powers[:, k == IDS].sum(axis=1) for k in IDS], axis=1)
    np.testing.assert_allclose(shares, wanted, rtol=1e-5)

"""Matrices like those of the SuiteSparse collection, generated: grids, convection, bands, jumps, bad scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.solvers.table import Array

G = 20


def weighted(g: int, least: float = 0.2, ground: float = 0.02) -> Any:
    """A grid whose edges have weights between `least` and 1, and nodes that are tied to the ground."""
    at, random, n = np.arange(g * g).reshape(g, g), np.random.default_rng(2), g * g
    ends = np.concatenate(
        [np.stack([at[:-1].ravel(), at[1:].ravel()]), np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()])], 1
    )
    weights = sp.coo_matrix((least ** random.random(ends.shape[1]), tuple(ends)), (n, n))
    edges = weights + weights.T
    return sp.csr_matrix(sp.diags(np.asarray(edges.sum(1)).ravel() + ground) - edges)


def poisson(g: int) -> Any:
    """The five-point Laplacian of a grid, of the walls that hold it."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(g, g))
    return sp.csr_matrix(sp.kron(line, sp.eye(g)) + sp.kron(sp.eye(g), line))


def _convection(g: int) -> Any:
    """Diffusion with a wind along both axes, by differences against the wind."""
    wind = sp.diags([-1.0, 1.0], [-1, 0], shape=(g, g))
    return sp.csr_matrix(poisson(g) + 3.0 * sp.kron(wind, sp.eye(g)) + 1.5 * sp.kron(sp.eye(g), wind))


def bands(n: int, lower: int, upper: int) -> Array:
    """Random bands as SciPy's `solve_banded` takes them, with a dominant diagonal."""
    made = np.random.default_rng(5).normal(size=(lower + upper + 1, n))
    made[upper] = np.abs(made).sum(axis=0) + 1.0
    return made


def of_bands(made: Array, lower: int, upper: int) -> Any:
    """The matrix of bands."""
    return sp.csr_matrix(sp.spdiags(made, range(upper, -lower - 1, -1)))


def _tall() -> Any:
    """A sparse matrix of more rows than columns."""
    return sp.csr_matrix(sp.random(300, 120, 0.05, random_state=7) + sp.eye(300, 120))


def _scaled(n: int) -> Any:
    """A symmetric matrix whose rows and columns have scales from 1 to 1e4."""
    scale = sp.diags(np.logspace(0, 4, n))
    return sp.csr_matrix(scale @ poisson(int(n**0.5)) @ scale)


MADE: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "Poisson": lambda: poisson(G),
        "jumps": lambda: weighted(G, 1e-4, 1e-3),
        "badly scaled": lambda: _scaled(G * G),
        "convection": lambda: _convection(G),
        "banded": lambda: of_bands(bands(400, 2, 3), 2, 3),
        "indefinite": lambda: sp.csr_matrix(poisson(G) - 0.9 * sp.eye(G * G)),
        "tall": _tall,
        "Hilbert": lambda: sp.csr_matrix(1 / (1.0 + np.add.outer(np.arange(8), np.arange(8)))),
    }
)


@cache
def matrix(name: str) -> Any:
    """A matrix by compressed rows."""
    return MADE[name]()


@cache
def condition(name: str) -> float:
    """The condition number of a matrix."""
    return float(np.linalg.cond(matrix(name).toarray()))


def record(a: Any) -> Any:
    """A matrix of SciPy by compressed rows, as functions of the language take it."""
    shape = np.zeros((*a.shape, 0), bool)
    return {"data": a.data, "indices": a.indices.astype(np.int32), "indptr": a.indptr.astype(np.int32), "shape": shape}

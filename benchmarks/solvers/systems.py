"""Solvers of linear systems and preconditioners on generated matrices, whose solutions are known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

import dsl
from benchmarks.solvers.matrices import G, bands, condition, matrix, record
from benchmarks.solvers.table import Array, Found, Row, Table

TOLERANCE = 1e-10
NEAR: Mapping[str, str] = {
    "–": "solve.unchanged(b)",
    "jacobi": "solve.jacobi(s)",
    "block_jacobi": f"solve.block_jacobi(s, {G})",
    "ssor": "solve.ssor(s, omega=1.5)",
    "ilu": "solve.ilu(s, width=8)",
    "polynomial": "solve.polynomial(solve.sparse_matrix(s), 0.05, 8.0, degree=6)",
    "inverse_of": "solve.inverse_of(solve.tridiagonal(sparse.diagonal(s), full([n - 1], -0.9), full([n - 1], -0.9)))",
}
"""Preconditioners of a sparse matrix `s`."""
TEXT = """
import solve
import sparse
type Csr[n, k] = sparse.CSR[f64, n, n, k]
"""
LEAST = """def lsmr(s: sparse.CSR[f64, n, m, k], b: f64[n]) =
    solve.lsmr(solve.sparse_matrix(s), b, tolerance={tol}, limit=4000)
"""
DIRECT: Mapping[str, tuple[str, str]] = {
    "factored": ("Hilbert", "solve.factored(sparse.to_dense(s))"),
    "positive": ("Poisson", "solve.positive(sparse.to_dense(s))"),
    "banded": ("banded", "solve.banded(extra, 2, 3)"),
    "elementwise": ("diagonal", "solve.elementwise(extra[0])"),
    "tridiagonal": ("tridiagonal", "solve.tridiagonal(extra[0], extra[1, 1:], extra[2, 1:])"),
    "kronecker": ("kronecker", "solve.kronecker(solve.factored(extra), solve.factored(extra.T))"),
    "low_rank_update": ("bordered", "solve.low_rank_update(solve.elementwise(extra[0]), extra[3:5].T, extra[1:3].T)"),
}
"""Structures with an inverse, of a sparse matrix `s`, or of numbers `extra`."""
ITERATIVE = (
    *(("cg", "Poisson", near) for near in NEAR),
    *(("cg", "jumps", near) for near in ("–", "jacobi", "block_jacobi", "ssor", "ilu")),
    *(("cg", "badly scaled", near) for near in ("jacobi", "ssor", "ilu")),
    ("minres", "indefinite", "–"),
    ("minres", "Poisson", "–"),
    *(("bicgstab", "convection", near) for near in ("–", "jacobi", "ilu")),
    *(("gmres", "convection", near) for near in ("–", "block_jacobi", "ilu")),
    *((solver, "banded", near) for solver in ("bicgstab", "gmres") for near in ("–", "ilu")),
    ("lsmr", "tall", "–"),
    ("lsmr", "convection", "–"),
)


@cache
def _iterative(solver: str, near: str) -> dsl.Program:
    """Return the program of a solver with a preconditioner."""
    if solver == "lsmr":
        return dsl.program(TEXT + LEAST.format(tol=TOLERANCE))
    both = solver in ("gmres", "bicgstab")
    given = "" if solver == "minres" else ", preconditioner=near.apply"
    given += ", preconditioner_transposed=near.transposed" if both else ""
    effect = " ! check" if near == "ilu" else ""
    return dsl.program(
        TEXT
        + f"def {solver}(s: Csr[n, k], b: f64[n]) -> solve.Solution[f64, f64[n]]{effect}\n"
        + f"    where n >= 1 and k >= 1 and n % {G} == 0 =\n    let near = {NEAR[near]}\n"
        + f"    solve.{solver}(solve.sparse_matrix(s), b{given}, tolerance={TOLERANCE}, limit=4000)\n"
    )


def iterative(solver: str, name: str, near: str) -> Found:
    """Return the steps of a solver, what is left of the equations, and the error of its solution."""
    a = matrix(name)
    x = np.random.default_rng(3).normal(size=a.shape[1])
    b = a @ x
    found: Any = getattr(_iterative(solver, near), solver)(record(a), b)
    got = np.asarray(found["value"])
    left = float(np.linalg.norm(b - a @ got) / np.linalg.norm(b))
    error = float(np.linalg.norm(got - x) / np.linalg.norm(x))
    fine = bool(found["converged"]) and error <= condition(name) * TOLERANCE * (
        condition(name) if solver == "lsmr" else 1
    )
    return Found((a.shape[0], a.nnz, condition(name), int(found["steps"]), left, error), fine)


def _structure(name: str) -> tuple[Any, Array]:
    """Return a matrix, and the numbers that the structure is made of."""
    random = np.random.default_rng(4)
    extra = random.normal(size=(5, 300))
    extra[0] = 4 + np.abs(extra[1:]).sum(axis=0)
    if name == "diagonal":
        return np.diag(extra[0]), extra
    if name == "tridiagonal":
        return np.diag(extra[0]) + np.diag(extra[1, 1:], -1) + np.diag(extra[2, 1:], 1), extra
    if name == "bordered":
        return np.diag(extra[0]) + extra[3:5].T @ extra[1:3], extra
    if name == "kronecker":
        small = random.normal(size=(20, 20)) + 8 * np.eye(20)
        return np.kron(small, small.T), small
    return matrix(name).toarray(), bands(400, 2, 3)


def direct(kind: str) -> Found:
    """Return what a direct inverse leaves of the equations, and the error of its solution."""
    name, made = DIRECT[kind]
    a, extra = _structure(name)
    shape = f"{len(extra)}, {len(extra)}" if kind == "kronecker" else str(len(a))
    size = f"{len(a)}, {matrix(name).nnz}" if name in ("Hilbert", "Poisson") else ""
    sparse_one = f"s: Csr[{size}], " if size else ""
    program = dsl.program(
        TEXT
        + f"def run({sparse_one}extra: f64[{', '.join(map(str, extra.shape))}], b: f64[{shape}]) -> f64[{shape}]"
        + f" = solve.direct({made}, b)\n"
    )
    x = np.random.default_rng(3).normal(size=len(a))
    b = a @ x
    right = b.reshape(len(extra), -1) if kind == "kronecker" else b
    got = np.asarray(program.run(*([record(matrix(name))] if sparse_one else []), extra, right)).ravel()
    left = float(np.linalg.norm(b - a @ got) / np.linalg.norm(b))
    error = float(np.linalg.norm(got - x) / np.linalg.norm(x))
    cond = float(np.linalg.cond(a))
    return Found((len(a), int(np.count_nonzero(a)), cond, "–", left, error), error <= 100 * cond * 2.2e-16)


SYSTEMS_TABLE = Table(
    "systems",
    "Linear systems",
    f"Matrices like those of the SuiteSparse collection, generated: the five-point Laplacian of a grid of {G} by {G} "
    "points, a grid with conductivities from 1e-4 to 1, one whose scales go up to 1e4, convection with diffusion, "
    "random bands, a shifted Laplacian, a tall random matrix, Hilbert's matrix. The right side is made of a known "
    "solution. "
    f"Iterations go on until the residual is {TOLERANCE:.0e} of the right side, for `lsmr` until that of the normal "
    "equations is.",
    "Promised: the solver converges, and its error is at most the tolerance times the condition number (for `lsmr` its "
    "square); that of a direct solution at most 100 roundings times the condition number.",
    ("solver", "matrix", "preconditioner", "rows", "entries", "condition", "steps", "residual", "error"),
    (
        *(
            Row((f"`{s}`", m, near if near == "–" else f"`{near}`"), partial(iterative, s, m, near))
            for s, m, near in ITERATIVE
        ),
        *(Row((f"`{kind}`", name, "–"), partial(direct, kind)) for kind, (name, _) in DIRECT.items()),
    ),
)

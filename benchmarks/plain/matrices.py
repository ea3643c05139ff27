"""Products, decompositions and transforms."""

from __future__ import annotations

import numpy as np

from benchmarks.plain.row import (
    FEW,
    LINES,
    ROWS,
    SMALLER,
    SQUARES,
    VECTORS,
    Row,
    definite,
    long_system,
    many,
    matrices,
    matrix,
    normal,
    regular,
    symmetric,
    system,
    two,
    with_vector,
)

_TWO = "(x: F[n, n], y: F[n, n]) -> F"
_LENGTHS = ((10_000,), (1 << 20,))

PRODUCTS = (
    Row("dot", "(x: F[n], y: F[n]) -> F = x @ y", np.dot, two, VECTORS, 1e-2),
    Row("outer", "(x: F[n], y: F[n]) -> F[n, n] = outer(x, y)", np.outer, two, LINES),
    Row("matvec", "(x: F[n, n], y: F[n]) -> F[n] = x @ y", np.matmul, with_vector, LINES, 1e-2),
    Row("vecmat", "(x: F[n, n], y: F[n]) -> F[n] = y @ x", lambda x, y: y @ x, with_vector, LINES, 1e-2),
    Row("matmul", f"{_TWO}[n, n] = x @ y", np.matmul, matrices, SQUARES, 1e-2),
    Row("matmul nt", f"{_TWO}[n, n] = x @ y.T", lambda x, y: x @ y.T, matrices, SQUARES, 1e-2),
    Row("matmul tn", f"{_TWO}[n, n] = x.T @ y", lambda x, y: x.T @ y, matrices, SQUARES, 1e-2),
    Row("gram", "(x: F[n, n]) -> F[n, n] = x.T @ x", lambda x: x.T @ x, matrix, SQUARES, 1e-2),
    Row("matmul many", "(x: F[k, n, n], y: F[k, n, n]) -> F[k, n, n] = x @ y", np.matmul, many, ((16,), (64,)), 1e-2),
    Row(
        "einsum ij,ij->i", f'{_TWO}[n] = einsum("ij,ij->i", x, y)', lambda x, y: np.vecdot(x, y), matrices, LINES, 1e-2
    ),
    Row("einsum ii->", '(x: F[n, n]) -> F = einsum("ii->", x)', lambda x: np.einsum("ii->", x), regular, LINES, 1e-2),
    Row("trace", "(x: F[n, n]) -> F = trace(x)", np.trace, regular, LINES, 1e-2),
    Row("cov", "(x: F[n, n]) -> F[n, n] where n > 1 = cov(x)", np.cov, matrix, ((512,),), 1e-2),
    Row("corrcoef", "(x: F[n, n]) -> F[n, n] where n > 1 = corrcoef(x)", np.corrcoef, matrix, ((512,),), 1e-2),
    Row("norm", "(x: F[n]) -> F = linalg.norm(x)", np.linalg.norm, normal, VECTORS),
    Row(
        "norm rows",
        "(x: F[n, m]) -> F[n] = linalg.norm(x, axis=1)",
        lambda x: np.linalg.norm(x, axis=1),
        normal,
        ROWS,
    ),
)
DECOMPOSITIONS = (
    Row("solve", "(a: F[n, n], b: F[n]) -> F[n] = linalg.solve(a, b)", np.linalg.solve, system, SMALLER, 1e-2),
    Row("inv", "(a: F[n, n]) -> F[n, n] = linalg.inv(a)", np.linalg.inv, regular, SMALLER, 1e-2),
    Row(
        "slogdet", "(a: F[n, n]) -> F = linalg.slogdet(a).1", lambda a: np.linalg.slogdet(a)[1], regular, SMALLER, 1e-2
    ),
    Row("cholesky", "(a: F[n, n]) -> F[n, n] = linalg.cholesky(a)", np.linalg.cholesky, definite, SMALLER, 1e-2),
    Row("eigvalsh", "(a: F[n, n]) -> F[n] = linalg.eigvalsh(a)", np.linalg.eigvalsh, symmetric, FEW, 1e-2),
    Row("eigh", "(a: F[n, n]) -> F[n, n] = linalg.eigh(a).1", lambda a: np.linalg.eigh(a)[1], symmetric, FEW, 0),
    Row("svd", "(a: F[n, n]) -> (F[n, n], F[n], F[n, n]) = linalg.svd(a)", np.linalg.svd, regular, FEW, 0),
    Row("qr", "(a: F[n, n]) -> F[n, n] = linalg.qr(a).1", lambda a: np.linalg.qr(a)[1], regular, SMALLER, 0),
    Row(
        "lstsq",
        "(a: F[n, 50], b: F[n]) -> F[50] where n >= 50 = linalg.lstsq(a, b)",
        lambda a, b: np.linalg.lstsq(a, b)[0],
        long_system,
        ((1000,),),
        1e-2,
    ),
    Row("pinv", "(a: F[n, n]) -> F[n, n] where n >= 1 = linalg.pinv(a)", np.linalg.pinv, regular, ((64,),), 1e-2),
)
TRANSFORMS = (
    Row(
        "rfft",
        "(x: F[n]) -> F[n // 2 + 1] where n >= 1 = real(fft.rfft(x))",
        lambda x: np.fft.rfft(x).real,
        normal,
        _LENGTHS,
        1e-2,
    ),
    Row(
        "fft",
        "(x: F[n]) -> F[n] where n >= 1 = real(fft.fft(x))",
        lambda x: np.fft.fft(x).real,
        normal,
        _LENGTHS,
        1e-2,
    ),
    Row(
        "rfft rows",
        "(x: F[n, m]) -> F[n, m // 2 + 1] where m >= 1 = real(fft.rfft(x))",
        lambda x: np.fft.rfft(x).real,
        normal,
        ROWS,
        1e-2,
    ),
)
KERNELS = (*PRODUCTS, *DECOMPOSITIONS, *TRANSFORMS)

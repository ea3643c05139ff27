"""Triangular systems and Cholesky factors by LAPACK: what the evaluator gives, for batches and shapes beyond the
samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ir.op import NONE
from dsl.ops.linalg import CHOLESKY, TRIANGULAR_SOLVE, SolveParams
from dsl.types.dtype import C128, F64, DType
from lowering.xla.compile import compile
from tests.support.lowered import lower_here

Value = np.ndarray[Any, Any]
DTYPES = [F64, C128]


def drawn(shape: tuple[int, ...], dtype: DType) -> Value:
    rng = np.random.default_rng(sum(shape))
    a = rng.normal(size=shape)
    return (a + 1j * rng.normal(size=shape) if dtype.is_complex else a).astype(dtype.numpy)


def run(function: Function, *args: Value) -> list[Value]:
    return [np.asarray(y) for y in compile(lower_here(function))(*args)]


def solving(params: Sequence[SolveParams], a: Tensor, *rights: Tensor) -> Function:
    b = Builder()
    matrix, *sides = map(b.param, (a, *rights))
    return b.finish("solve", [TRIANGULAR_SOLVE(b, p, matrix, sides[not p.left])[0] for p in params])


def factoring(type: Tensor) -> Function:
    b = Builder()
    return b.finish("factor", CHOLESKY(b, NONE, b.param(type)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("batch", [(), (3,), (2, 1)])
def test_systems_that_are_not_square(batch: tuple[int, ...], dtype: DType) -> None:
    every = [SolveParams(*p) for p in product((True, False), (True, False), ("none", "transpose", "adjoint"))]
    arguments = [drawn((*batch, *shape), dtype) for shape in ((4, 4), (4, 2), (2, 4))]
    matrix, *rights = arguments
    matrix += 4 * np.eye(4)
    for p, found in zip(
        every, run(solving(every, *[Tensor(dtype, x.shape) for x in arguments]), *arguments), strict=True
    ):
        a = np.tril(matrix) if p.lower else np.triu(matrix)
        a = a if p.transform == "none" else np.swapaxes(a, -1, -2)
        a = a.conj() if p.transform == "adjoint" else a
        np.testing.assert_allclose(a @ found if p.left else found @ a, rights[not p.left], atol=1e-12)


@pytest.mark.parametrize("shape", [(5, 5), (3, 4, 4), (2, 1, 3, 3), (0, 0), (0, 3, 3)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_factor_gives_the_matrix(shape: tuple[int, ...], dtype: DType) -> None:
    x = drawn(shape, dtype)
    a = x @ np.swapaxes(x, -1, -2).conj() + np.eye(shape[-1])
    (found,) = run(factoring(Tensor(dtype, shape)), a + np.triu(np.full(shape, 7.0), 1))
    np.testing.assert_allclose(found @ np.swapaxes(found, -1, -2).conj(), a, atol=1e-12)
    np.testing.assert_array_equal(found, np.tril(found))


def test_only_the_matrices_without_a_factor_are_nan() -> None:
    a = np.stack([np.eye(3), -np.eye(3)])
    (found,) = run(factoring(Tensor(F64, a.shape)), a)
    np.testing.assert_array_equal(found, np.stack([np.eye(3), np.tril(np.full((3, 3), np.nan))]))


@pytest.mark.cpu
def test_the_matrix_is_not_copied_for_the_call() -> None:
    types = Tensor(F64, (6, 6)), Tensor(F64, (6, 2))
    executable: Any = compile(lower_here(solving([SolveParams(True, True)], *types)))
    text = str(executable.raw.hlo_modules()[0].to_string())
    assert "lapack_dtrsm" in text
    assert "f64[6,6]{0,1} bitcast(" in text

"""Factors by LAPACK: they multiply back to the matrix, for batches and shapes beyond the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ir.op import NONE, NoParams, Op
from dsl.ops.decompose import EIG, EIGH, LU, QR, SVD
from dsl.types.dtype import C128, F64, DType
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.lowered import lower_here

Value = np.ndarray[Any, Any]
SHAPES = [(5, 5), (3, 4, 4), (2, 3, 3, 3), (1, 1), (0, 0), (0, 3, 3)]
OBLONG = [(5, 3), (3, 5), (2, 4, 1), (2, 1, 4), (0, 3), (3, 0), (2, 0, 3)]
DTYPES = [F64, C128]


def factors(op: Op[NoParams], a: Value, dtype: DType) -> list[Value]:
    b = Builder()
    outs = op(b, NONE, b.param(Tensor(dtype, a.shape)))
    return [np.asarray(y) for y in compile(lower_here(b.finish(op.name, outs)))(a)]


def drawn(shape: tuple[int, ...], dtype: DType) -> Value:
    rng = np.random.default_rng(len(shape) + sum(shape))
    a = rng.normal(size=shape)
    return (a + 1j * rng.normal(size=shape) if dtype.is_complex else a).astype(dtype.numpy)


def adjoint(x: Value) -> Value:
    return np.swapaxes(x, -1, -2).conj()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape: tuple[int, ...], dtype: DType) -> None:
    a = drawn(shape, dtype)
    packed, pivots, order = factors(LU, a, dtype)
    lower_factor = np.tril(packed, -1) + np.eye(shape[-1])
    rows = np.take_along_axis(a, order[..., None], -2) if a.size else a
    np.testing.assert_allclose(lower_factor @ np.triu(packed), rows, atol=1e-12)
    assert (np.sort(order, -1) == np.arange(shape[-1])).all()
    assert (pivots >= np.arange(shape[-1])).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES + OBLONG)
def test_qr(shape: tuple[int, ...], dtype: DType) -> None:
    a = drawn(shape, dtype)
    q, r = factors(QR, a, dtype)
    np.testing.assert_allclose(q @ r, a, atol=1e-12)
    np.testing.assert_allclose(
        adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), r.shape[:-1] + q.shape[-1:]), atol=1e-12
    )
    assert (np.tril(r, -1) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_eigh(shape: tuple[int, ...], dtype: DType) -> None:
    a = drawn(shape, dtype)
    a = a + adjoint(a)
    values, vectors = factors(EIGH, a, dtype)
    assert (np.diff(values, axis=-1) >= 0).all()
    np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_eig(shape: tuple[int, ...], dtype: DType) -> None:
    a = drawn(shape, dtype)
    values, vectors = factors(EIG, a, dtype)
    np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), np.ones(values.shape), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES + OBLONG)
def test_svd(shape: tuple[int, ...], dtype: DType) -> None:
    a = drawn(shape, dtype)
    u, s, vh = factors(SVD, a, dtype)
    assert (s >= 0).all() and (np.diff(s, axis=-1) <= 0).all()
    np.testing.assert_allclose((u * s[..., None, :]) @ vh, a, atol=1e-12)


def test_a_matrix_that_has_no_answer_spoils_only_itself() -> None:
    a = np.stack([np.eye(3), np.full((3, 3), np.nan), 2 * np.eye(3)])
    u, s, vh = factors(SVD, a, F64)
    assert np.isnan(s[1]).all() and np.isnan(u[1]).all() and np.isnan(vh[1]).all()
    np.testing.assert_allclose(s[[0, 2]], [[1.0] * 3, [2.0] * 3])


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("op", "values", "vectors"), [(SVD, 1, "mode = 83"), (EIGH, 0, "mode = 86"), (EIG, 0, "= 86")])
def test_vectors_that_nothing_needs_are_not_computed(op: Op[NoParams], values: int, vectors: str, dtype: DType) -> None:
    """The values alone are those that come with the vectors."""
    a = drawn((2, 4, 4), dtype)
    a = a + adjoint(a)

    def lowered(chosen: slice) -> Any:
        b = Builder()
        return lower(b.finish(op.name, op(b, NONE, b.param(Tensor(dtype, a.shape)))[chosen]))

    alone, every = lowered(slice(values, values + 1)), lowered(slice(None))
    assert vectors in every.text and vectors not in alone.text
    (found,), wanted = compile(alone)(a), compile(every)(a)[values]
    np.testing.assert_allclose(np.sort(np.asarray(found)), np.sort(np.asarray(wanted)), atol=1e-12)

"""Factors multiply to the matrix, and so do their derivatives, whatever signs and phases the factors have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.op import Op, Sample
from dsl.ops.decompose import EIG, EIGH, LU, QR, SVD
from dsl.types.dtype import C64, F32
from tests.support.derivative import forward

Array = np.ndarray[Any, Any]


def adjoint(x: Array) -> Array:
    return np.swapaxes(x, -1, -2).conj()


def with_tangents(op: Op[Any], sample: Sample[Any]) -> tuple[Array, Array, list[Array], list[Array]]:
    """A matrix and its tangent, the factors and theirs."""
    assert sample.draw is not None
    rng = np.random.default_rng(0)
    (a,) = (np.asarray(x) for x in sample.draw(rng))
    (t,) = (np.asarray(x) for x in sample.draw(rng))
    b = Builder()
    function = b.finish("f", op(b, sample.params, b.param(sample.inputs[0])))
    found = evaluate(forward(function).function, [a, t])
    count = len(function.results)
    return a, t, list(found[:count]), list(found[count:])


def close(x: Array, y: Array, sample: Sample[Any]) -> None:
    tolerance = 2e-4 if sample.inputs[0].dtype in (F32, C64) else 1e-9
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("sample", SVD.samples, ids=str)
def test_svd(sample: Sample[Any]) -> None:
    a, t, (u, s, vh), (du, ds, dvh) = with_tangents(SVD, sample)
    close((u * s[..., None, :]) @ vh, a, sample)
    change = (du * s[..., None, :]) @ vh + (u * ds[..., None, :]) @ vh + (u * s[..., None, :]) @ dvh
    close(change, t, sample)
    for basis, turn in ((u, du), (adjoint(vh), adjoint(dvh))):
        close(adjoint(basis) @ turn, -adjoint(turn) @ basis, sample)


@pytest.mark.parametrize("sample", EIGH.samples, ids=str)
def test_eigh(sample: Sample[Any]) -> None:
    a, t, (w, v), (dw, dv) = with_tangents(EIGH, sample)
    close((v * w[..., None, :]) @ adjoint(v), lower_hermitian(a), sample)
    change = (dv * w[..., None, :]) @ adjoint(v) + (v * dw[..., None, :]) @ adjoint(v)
    close(change + (v * w[..., None, :]) @ adjoint(dv), lower_hermitian(t), sample)


@pytest.mark.parametrize("sample", EIG.samples, ids=str)
def test_eig(sample: Sample[Any]) -> None:
    a, t, (w, v), (dw, dv) = with_tangents(EIG, sample)
    close(a @ v, v * w[..., None, :], sample)
    close(t @ v + a @ dv, dv * w[..., None, :] + v * dw[..., None, :], sample)
    close((v.conj() * dv).sum(-2), np.zeros_like(dw), sample)


def lower_hermitian(a: Array) -> Array:
    below = np.tril(a, -1)
    return np.asarray(below + adjoint(below) + np.eye(a.shape[-1]) * a.real)


@pytest.mark.parametrize("sample", QR.samples, ids=str)
def test_qr(sample: Sample[Any]) -> None:
    a, t, (q, r), (dq, dr) = with_tangents(QR, sample)
    close(q @ r, a, sample)
    close(dq @ r + q @ dr, t, sample)
    close(adjoint(q) @ dq, -adjoint(dq) @ q, sample)
    close(np.tril(dr, -1), np.zeros_like(dr), sample)


@pytest.mark.parametrize("sample", LU.samples, ids=str)
def test_lu(sample: Sample[Any]) -> None:
    a, t, (factors, pivots, order), (change, *_) = with_tangents(LU, sample)
    n = a.shape[-1]
    lower, upper = np.tril(factors, -1) + np.eye(n), np.triu(factors)
    close(lower @ upper, np.take_along_axis(a, order[..., None], -2), sample)
    moved = np.tril(change, -1) @ upper + lower @ np.triu(change)
    close(moved, np.take_along_axis(t, order[..., None], -2), sample)
    assert ((pivots >= np.arange(n)) & (pivots < n)).all()

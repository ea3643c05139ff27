"""Factors of general matrices, on the last two axes: lu, qr, eigh, eig, svd.

The derivatives are the classical perturbation formulas (Giles, Collected matrix derivative results, 2008;
Townsend, Differentiating the singular value decomposition, 2016). They are infinite where eigenvalues or
singular values coincide. Conventions of signs and phases are LAPACK's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import NONE, NoParams, Op, Sample, Zero
from dsl.ops.complex import real
from dsl.ops.elementwise import (
    Atoms,
    Tangents,
    add,
    compare,
    convert,
    div,
    mul,
    reciprocal,
    scale,
    select,
    sub,
)
from dsl.ops.extent import concatenate, iota, slice_axis
from dsl.ops.factors import leading
from dsl.ops.index import WindowParams, gather
from dsl.ops.layout import batch_in_front, broadcast_in_dim, reduce_sum, reshape
from dsl.ops.linalg import (
    MATRIX_TYPES,
    SolveParams,
    adjoint,
    check_matrices,
    cubic,
    diagonal_part,
    hermitian,
    product,
    random_array,
    triangle,
    triangular_solve,
)
from dsl.ops.rule_helpers import NOT_LINEAR, Array, Arrays, check_arity, splat, zeros
from dsl.types.dtype import F64, I32

# --- pieces of the formulas -------------------------------------------------------------------------------


def _diagonal(b: Builder, x: Atom) -> Atom:
    """The diagonals of square matrices, as vectors."""
    return reduce_sum(b, diagonal_part(b, x), (x.type.rank - 1,))


def _by_column(b: Builder, x: Atom, type: Tensor) -> Atom:
    """A vector spread over the rows of matrices: element [i, j] is x[j]."""
    rank = type.rank
    return broadcast_in_dim(b, convert(b, x, type.dtype), type.shape, (*range(rank - 2), rank - 1))


def _by_row(b: Builder, x: Atom, type: Tensor) -> Atom:
    """Element [i, j] is x[i]."""
    return broadcast_in_dim(b, convert(b, x, type.dtype), type.shape, tuple(range(type.rank - 1)))


def _gaps(b: Builder, x: Atom, type: Tensor) -> Atom:
    """1 / (x[j] - x[i]) off the diagonal, 0 on it."""
    difference = sub(b, _by_column(b, x, type), _by_row(b, x, type))
    rows, columns = (iota(b, I32, type.shape[-2:], axis) for axis in (0, 1))
    same = compare(b, "eq", rows, columns)
    same = broadcast_in_dim(b, same, type.shape, (type.rank - 2, type.rank - 1))
    apart = select(b, same, splat(1, type), difference)
    return select(b, same, zeros(type), reciprocal(b, apart))


def _minus_projection(b: Builder, basis: Atom, x: Atom) -> Atom:
    """x without its part in the columns of `basis`: (1 - U U^H) x."""
    return sub(b, x, product(b, basis, product(b, adjoint(b, basis), x)))


def _looped(compute: Any, outs: tuple[Tensor, ...], a: Array) -> Arrays:
    """`compute` of each matrix of a batch; nan where NumPy finds no answer."""
    results = tuple(np.zeros(t.shape, t.dtype.numpy) for t in outs)
    for place in np.ndindex(a.shape[:-2]):
        try:
            parts = compute(a[place])
        except np.linalg.LinAlgError:
            parts = [np.nan if r.dtype.kind in "fc" else 0 for r in results]
        for whole, part in zip(results, parts, strict=True):
            whole[place] = part
    return results


def _samples(shapes: tuple[tuple[int, ...], ...]) -> tuple[Sample[NoParams], ...]:
    typed = [Tensor(d, shapes[0]) for d in MATRIX_TYPES]
    return tuple(_sample(t) for t in (*typed, *(Tensor(F64, s) for s in shapes[1:])))


def _sample(type: Tensor) -> Sample[NoParams]:
    """A random matrix with a well separated diagonal added, so that factors vary smoothly."""

    def draw(rng: np.random.Generator) -> list[Array]:
        n, m = type.shape[-2:]
        spread = np.eye(n, m) * (2.0 + 2.0 * np.arange(m))
        return [(random_array(rng, type) + spread).astype(type.dtype.numpy)]

    return Sample(NONE, (type,), draw=draw)


# --- lu ---------------------------------------------------------------------------------------------------


def _lu_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("lu", types, 1)
    (a,) = types
    check_matrices("lu", a)
    rows = Tensor(I32, a.shape[:-1])
    return (a, rows, rows)


def _lu_one(a: Array) -> tuple[Array, Array, Array]:
    """Gaussian elimination with the largest pivot of each column."""
    a = a.copy()
    n = len(a)
    pivots, order = np.zeros(n, np.int32), np.arange(n)
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k].real) + np.abs(a[k:, k].imag)))
        pivots[k] = p
        a[[k, p]], order[[k, p]] = a[[p, k]], order[[p, k]]
        with np.errstate(all="ignore"):
            if a[k, k] != 0:
                a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, pivots, order


def _lu_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """With P dA = L X U: dL = L tril(X, -1), dU = triu(X) U."""
    (factors, pivots, order), (t,) = ys, ts
    rest = (Zero(pivots.type), Zero(order.type))
    if isinstance(t, Zero):
        return (t, *rest)
    upper = triangle(b, factors, False)
    inner = triangular_solve(b, SolveParams(True, True, unit=True), factors, _rows(b, t, order))
    inner = triangular_solve(b, SolveParams(False, False), factors, inner)
    below, above = triangle(b, inner, True, -1), triangle(b, inner, False)
    lower_change = add(b, product(b, triangle(b, factors, True, -1), below), below)
    return (add(b, lower_change, product(b, above, upper)), *rest)


def _rows(b: Builder, x: Atom, order: Atom) -> Atom:
    """The rows of matrices in the order that a permutation gives."""
    if 0 in x.type.shape:
        return x
    rank = x.type.rank
    batch = tuple(range(rank - 2))
    params = WindowParams(
        offset_dims=(rank - 1,),
        collapsed_dims=(rank - 2,),
        operand_batch_dims=batch,
        index_batch_dims=batch,
        start_index_map=(rank - 2,),
        slice_sizes=(*(1,) * (rank - 1), x.type.shape[-1]),
        in_bounds=True,
        unique=True,
    )
    return gather(b, params, x, reshape(b, order, (*order.type.shape, 1)))


LU: Op[NoParams] = Op(
    name="lu",
    params=NoParams,
    doc="a with permuted rows is L U: both in one matrix, the row exchanged at each step, the permutation.",
    type_rule=_lu_type,
    evaluate=lambda params, types, a: _looped(_lu_one, _lu_type(params, types), a),
    jvp=_lu_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, LU, params, xs, axes, size),
    sharding=leading(lambda params: 2, _lu_type),
    samples=_samples(((3, 3), (2, 2, 2), (1, 1))),
    flops=cubic(2 / 3),
)


# --- qr ---------------------------------------------------------------------------------------------------


def _qr_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("qr", types, 1)
    (a,) = types
    check_matrices("qr", a, square=False)
    *batch, m, n = a.shape
    k = min(m, n)
    return (Tensor(a.dtype, (*batch, m, k)), Tensor(a.dtype, (*batch, k, n)))


def _qr_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (q, r), (t,) = ys, ts
    if isinstance(t, Zero):
        return (Zero(q.type), Zero(r.type))
    rank, (m, n) = r.type.rank, t.type.shape[-2:]
    if m >= n:
        return _qr_tall(b, q, r, t)
    left, right = (slice_axis(b, v, rank - 1, 0, m) for v in (r, t))
    dq, dr = _qr_tall(b, q, left, right)
    rest = slice_axis(b, xs[0], rank - 1, m, n)
    tail = add(
        b,
        product(b, adjoint(b, dq), rest),
        product(b, adjoint(b, q), slice_axis(b, t, rank - 1, m, n)),
    )
    return (dq, concatenate(b, [dr, tail], rank - 1))


def _qr_tall(b: Builder, q: Atom, r: Atom, t: Atom) -> tuple[Atom, Atom]:
    """With X = dA R^-1 and S antihermitian from tril(Q^H X): dQ = X + Q (S - Q^H X), dR = (Q^H X - S) R."""
    change = triangular_solve(b, SolveParams(False, False), r, t)
    inside = product(b, adjoint(b, q), change)
    below = triangle(b, inside, True, -1)
    turn = sub(b, below, adjoint(b, below))
    if inside.type.dtype.is_complex:
        phases = diagonal_part(b, sub(b, inside, convert(b, real(b, inside), inside.type.dtype)))
        turn = add(b, turn, phases)
    dq = add(b, change, product(b, q, sub(b, turn, inside)))
    return dq, product(b, sub(b, inside, turn), r)


QR: Op[NoParams] = Op(
    name="qr",
    params=NoParams,
    doc="a = Q R with orthonormal columns of Q and upper triangular R, in the smaller of the two sizes.",
    type_rule=_qr_type,
    evaluate=lambda params, types, a: _looped(np.linalg.qr, _qr_type(params, types), a),
    jvp=_qr_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, QR, params, xs, axes, size),
    sharding=leading(lambda params: 2, _qr_type),
    samples=_samples(((3, 3), (4, 2), (2, 3), (2, 2, 2))),
    flops=cubic(2),
)


# --- eigh -------------------------------------------------------------------------------------------------


def _eigh_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("eigh", types, 1)
    (a,) = types
    check_matrices("eigh", a)
    return (Tensor(a.dtype.real, a.shape[:-1]), a)


def _eigh_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """With X = V^H dA V: dw = diag(X), dV = V (X / (w_j - w_i)) off the diagonal."""
    (w, v), (t,) = ys, ts
    if isinstance(t, Zero):
        return (Zero(w.type), Zero(v.type))
    inside = product(b, adjoint(b, v), product(b, hermitian(b, t), v))
    turn = scale(b, inside, _gaps(b, w, v.type))
    return (real(b, _diagonal(b, inside)), product(b, v, turn))


EIGH: Op[NoParams] = Op(
    name="eigh",
    params=NoParams,
    doc="Eigenvalues, ascending, and eigenvectors, as columns, of a Hermitian matrix's lower triangle.",
    type_rule=_eigh_type,
    evaluate=lambda params, types, a: _looped(np.linalg.eigh, _eigh_type(params, types), a),
    jvp=_eigh_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, EIGH, params, xs, axes, size),
    sharding=leading(lambda params: 2, _eigh_type),
    samples=_samples(((3, 3), (2, 2, 2), (1, 1))),
    flops=cubic(9),
)


# --- eig --------------------------------------------------------------------------------------------------


def _eig_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("eig", types, 1)
    (a,) = types
    check_matrices("eig", a)
    dtype = a.dtype.complex
    return (Tensor(dtype, a.shape[:-1]), Tensor(dtype, a.shape))


def _eig_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """With X = V^-1 dA V: dw = diag(X), dV = V (X / (w_j - w_i)) off the diagonal, without the part of each column
    along the vector itself, since its length and its phase are fixed."""
    (w, v), (t,) = ys, ts
    if isinstance(t, Zero):
        return (Zero(w.type), Zero(v.type))
    inside = _solved(b, v, product(b, convert(b, t, v.type.dtype), v))
    change = product(b, v, scale(b, inside, _gaps(b, w, v.type)))
    along = _diagonal(b, product(b, adjoint(b, v), change))
    return (_diagonal(b, inside), sub(b, change, scale(b, v, _by_column(b, along, v.type))))


def _solved(b: Builder, a: Atom, right: Atom) -> Atom:
    """a^-1 right, by an LU decomposition."""
    factors, _, order = LU(b, NONE, a)
    inner = triangular_solve(b, SolveParams(True, True, unit=True), factors, _rows(b, right, order))
    return triangular_solve(b, SolveParams(True, False), factors, inner)


EIG: Op[NoParams] = Op(
    name="eig",
    params=NoParams,
    doc="Eigenvalues, in no order, and eigenvectors of length 1, as columns, of a square matrix: complex numbers.",
    type_rule=_eig_type,
    evaluate=lambda params, types, a: _looped(np.linalg.eig, _eig_type(params, types), a),
    jvp=_eig_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, EIG, params, xs, axes, size),
    sharding=leading(lambda params: 2, _eig_type),
    samples=_samples(((3, 3), (2, 2, 2), (1, 1))),
    flops=cubic(25),
)


# --- svd --------------------------------------------------------------------------------------------------


def _svd_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("svd", types, 1)
    (a,) = types
    check_matrices("svd", a, square=False)
    *batch, m, n = a.shape
    k = min(m, n)
    return (
        Tensor(a.dtype, (*batch, m, k)),
        Tensor(a.dtype.real, (*batch, k)),
        Tensor(a.dtype, (*batch, k, n)),
    )


def _svd_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """With X = U^H dA V and F = 1 / (s_j^2 - s_i^2): ds = diag(X), dU = U (F (X s + s X^H)), likewise dV."""
    (u, s, vh), (t,) = ys, ts
    if isinstance(t, Zero):
        return (Zero(u.type), Zero(s.type), Zero(vh.type))
    v = adjoint(b, vh)
    inside = product(b, adjoint(b, u), product(b, t, v))
    type = inside.type
    gaps = _gaps(b, mul(b, s, s), type)
    columns, rows = _by_column(b, s, type), _by_row(b, s, type)
    other = adjoint(b, inside)
    turn_u = scale(b, add(b, scale(b, inside, columns), scale(b, other, rows)), gaps)
    turn_v = scale(b, add(b, scale(b, inside, rows), scale(b, other, columns)), gaps)
    if type.dtype.is_complex:
        turn_u = add(b, turn_u, _phases(b, inside, other, columns))
    du, dv = product(b, u, turn_u), product(b, v, turn_v)
    m, n = t.type.shape[-2:]
    if m > n:
        du = add(b, du, _outside(b, u, product(b, t, v), s))
    if n > m:
        dv = add(b, dv, _outside(b, v, product(b, adjoint(b, t), u), s))
    return (du, real(b, _diagonal(b, inside)), adjoint(b, dv))


def _phases(b: Builder, inside: Atom, other: Atom, columns: Atom) -> Atom:
    """Return the factor that fixes the phase of each left vector: (X - X^H) / 2 s on the diagonal."""
    half = scale(b, sub(b, inside, other), div(b, splat(0.5, columns.type), columns))
    return diagonal_part(b, half)


def _outside(b: Builder, basis: Atom, change: Atom, s: Atom) -> Atom:
    """The part of a change that leaves the space of `basis`, divided by the singular values."""
    return scale(b, _minus_projection(b, basis, change), reciprocal(b, _by_column(b, s, change.type)))


SVD: Op[NoParams] = Op(
    name="svd",
    params=NoParams,
    doc="a = U diag(s) V^H in the smaller of the two sizes, s descending; gives U, s and V^H.",
    type_rule=_svd_type,
    evaluate=lambda params, types, a: _looped(
        lambda m: np.linalg.svd(m, full_matrices=False), _svd_type(params, types), a
    ),
    jvp=_svd_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, SVD, params, xs, axes, size),
    sharding=leading(lambda params: 2, _svd_type),
    samples=_samples(((3, 3), (4, 2), (2, 3), (2, 2, 2))),
    flops=cubic(14),
)

DECOMPOSE: tuple[Op[NoParams], ...] = (LU, QR, EIGH, EIG, SVD)

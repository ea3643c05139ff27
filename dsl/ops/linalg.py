"""Triangular systems and the Cholesky factor. All ops act on the last two axes; the axes before are a batch.

Read next: `decompose`, for factors of general matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import NONE, Measure, NoParams, Op, Sample, Tangent, Zero
from dsl.ir.region import Facts
from dsl.ir.traits import Traits
from dsl.ops.complex import conj, real
from dsl.ops.contract import DOT_GENERAL, DotParams, dot_general
from dsl.ops.elementwise import (
    Atoms,
    Cotangents,
    Operands,
    Tangents,
    add,
    compare,
    convert,
    mul,
    select,
    sub,
)
from dsl.ops.extent import iota
from dsl.ops.factors import leading
from dsl.ops.layout import batch_in_front, broadcast_in_dim, move_axis, reshape, transpose
from dsl.ops.reduce import reduce_or
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_dtype,
    fail,
    is_linear,
    require_known,
    splat,
    zeros,
)
from dsl.ops.zero_flow import CHOSEN
from dsl.records import replace
from dsl.types.dtype import C64, C128, F32, F64, I32

MATRIX_TYPES = (F32, F64, C64, C128)


# --- builders for matrices --------------------------------------------------------------------------------


def matmul(b: Builder, x: Atom, y: Atom) -> Atom:
    """The product of matrices, batch by batch."""
    rank = x.type.rank
    batch = tuple(range(rank - 2))
    return dot_general(b, x, y, ((rank - 1,), (rank - 2,)), (batch, batch))


def product(b: Builder, x: Atom, y: Atom) -> Atom:
    """`matmul` as derivatives use it: it absorbs."""
    rank = x.type.rank
    batch = tuple(range(rank - 2))
    params = DotParams((rank - 1,), (rank - 2,), batch, batch, x.type.dtype, absorbs=True)
    return DOT_GENERAL(b, params, x, y)[0]


def swap_last_axes(b: Builder, x: Atom) -> Atom:
    """The last two axes exchanged."""
    rank = x.type.rank
    return transpose(b, x, (*range(rank - 2), rank - 1, rank - 2))


def adjoint(b: Builder, x: Atom) -> Atom:
    """The conjugate transpose of matrices [*batch, n, m]: [*batch, m, n]."""
    return conj(b, swap_last_axes(b, x))


def triangle(b: Builder, x: Atom, lower: bool, offset: int = 0) -> Atom:
    """`x` with zeros where column - row > offset (lower), or < offset (upper)."""
    rows, columns = (iota(b, I32, x.type.shape[-2:], axis) for axis in (0, 1))
    distance = sub(b, columns, rows)
    bound = splat(offset, distance.type)
    kept = compare(b, "le" if lower else "ge", distance, bound)
    rank = x.type.rank
    return select(b, broadcast_in_dim(b, kept, x.type.shape, (rank - 2, rank - 1)), x, zeros(x.type))


def diagonal_part(b: Builder, x: Atom) -> Atom:
    """`x` with zeros off the diagonal."""
    return triangle(b, triangle(b, x, True), False)


def check_matrices(name: str, x: Tensor, square: bool = True) -> None:
    """Raises IRTypeError unless `x` holds matrices, square ones if `square`."""
    check_dtype(name, x.dtype, MATRIX_TYPES)
    if x.rank < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise fail(f"{name}: {x} holds no {'square ' if square else ''}matrices")


def half_diagonal(b: Builder, x: Atom) -> Atom:
    """The lower triangle with half of the diagonal: what a lower factor moves by under a symmetric change."""
    half = mul(b, diagonal_part(b, x), splat(0.5, x.type))
    return add(b, triangle(b, x, True, -1), half)


# --- triangular_solve -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SolveParams:
    """op(a) x = b, or x op(a) = b with `left` False; op is `transform`: none, transpose or adjoint.

    Only the lower (upper) triangle of `a` is read; with `unit`, ones stand for its diagonal. A solution that
    `absorbs`, as those of derivatives do, is zero for a zero right side, also where `a` has no inverse.
    """

    left: bool
    lower: bool
    transform: str = "none"
    unit: bool = False
    absorbs: bool = field(default=False, repr=False)


def _solve_type(params: SolveParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("triangular_solve", types, 2)
    a, right = types
    check_matrices("triangular_solve", a)
    check_matrices("triangular_solve", right, square=False)
    if params.transform not in ("none", "transpose", "adjoint"):
        raise fail(f"triangular_solve: {params.transform!r} is not a transform")
    meeting = right.shape[-2 if params.left else -1]
    if a.dtype != right.dtype or a.shape[:-2] != right.shape[:-2] or a.shape[-1] != meeting:
        raise fail(f"triangular_solve: {a} does not fit {right}")
    return (right,)


def _solve_eval(params: SolveParams, types: tuple[Tensor, ...], a: Array, right: Array) -> Arrays:
    matrix = np.tril(a) if params.lower else np.triu(a)
    if params.unit:
        matrix = np.where(np.eye(a.shape[-1], dtype=bool), np.ones_like(a), matrix)
    if params.transform != "none":
        matrix = np.swapaxes(matrix, -1, -2)
    if params.transform == "adjoint":
        matrix = matrix.conj()
    with np.errstate(all="ignore"):
        found = _solved(matrix, right, params.left)
    if params.absorbs:
        found = np.where((right != 0).any(axis=-2 if params.left else -1, keepdims=True), found, 0)
    return (as_type(found, types[1]),)


def _solved(matrix: Array, right: Array, left: bool) -> Array:
    """NumPy refuses a singular matrix, for which XLA gives infinities; which come out as nan here."""
    if not left:
        return np.swapaxes(_solved(np.swapaxes(matrix, -1, -2), np.swapaxes(right, -1, -2), True), -1, -2)
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        if matrix.ndim == 2:
            return np.full_like(right, np.nan)
        return np.stack([_solved(m, r, left) for m, r in zip(matrix, right, strict=True)])


def _solve_jvp(b: Builder, params: SolveParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """op(a) dx = db - op(da) x, where da is of the triangle that is read."""
    (a, _), (x,), (da, db) = xs, ys, ts
    right: Tangent = db
    if not isinstance(da, Zero):
        change = _transformed(b, triangle(b, da, params.lower, _strictly(params)), params.transform)
        turned = product(b, change, x) if params.left else product(b, x, change)
        right = mul(b, turned, splat(-1, x.type)) if isinstance(db, Zero) else sub(b, db, turned)
    return (right,) if isinstance(right, Zero) else TRIANGULAR_SOLVE(b, replace(params, absorbs=True), a, right)


def _strictly(params: SolveParams) -> int:
    """Which diagonal bounds the triangle: the main one, or with ones on it the next."""
    return 0 if not params.unit else -1 if params.lower else 1


def _transformed(b: Builder, x: Atom, transform: str) -> Atom:
    if transform == "none":
        return x
    return swap_last_axes(b, x) if transform == "transpose" else adjoint(b, x)


def _solve_transpose(b: Builder, params: SolveParams, xs: Operands, cts: Tangents) -> Cotangents:
    """The transpose of the inverse is the inverse of the transpose; nothing is conjugated on the way."""
    (ct,) = cts
    a, right = xs
    if not is_linear(right):
        return (None, None)
    if isinstance(ct, Zero):
        return (None, ct)
    matrix, transform = require_known(a), "transpose" if params.transform == "none" else "none"
    if params.transform == "adjoint":
        matrix = conj(b, matrix)
    return (None, TRIANGULAR_SOLVE(b, replace(params, transform=transform, absorbs=True), matrix, ct)[0])


def _solve_batch(b: Builder, params: SolveParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    """Right sides of one matrix are so many more columns of one right side. Where they are as large as the matrix, to
    bring the columns together would cost more than copies of the matrix."""
    (a, right), (of_matrix, of_right) = xs, axes
    if of_matrix is not None or of_right is None or right.type.size >= size * a.type.size:
        return batch_in_front(b, TRIANGULAR_SOLVE, params, xs, axes, size)
    place = right.type.rank - (1 if params.left else 3)
    moved = move_axis(b, right, of_right, place)
    batch, (first, second, third) = moved.type.shape[:-3], moved.type.shape[-3:]
    shape = (*batch, first, second * third) if params.left else (*batch, first * second, third)
    wide = TRIANGULAR_SOLVE(b, params, a, reshape(b, moved, shape))[0]
    return (reshape(b, wide, moved.type.shape),), (place,)


def _solve_sample(params: SolveParams, a: Tensor, right: Tensor) -> Sample[SolveParams]:
    def draw(rng: np.random.Generator) -> list[Array]:
        eye = 3 * np.eye(a.shape[-1])
        return [(random_array(rng, a) + eye).astype(a.dtype.numpy), random_array(rng, right)]

    return Sample(params, (a, right), draw=draw)


def random_array(rng: np.random.Generator, type: Tensor) -> Array:
    """Uniform numbers in [-1, 1) for samples, complex ones in both parts."""
    value = rng.uniform(-1, 1, type.shape)
    if type.dtype.is_complex:
        value = value + 1j * rng.uniform(-1, 1, type.shape)
    return np.asarray(value).astype(type.dtype.numpy)


def _solve_samples() -> tuple[Sample[SolveParams], ...]:
    square, tall, flat = (3, 3), (3, 2), (2, 3)
    every = [
        SolveParams(left, lower, transform, unit)
        for left in (True, False)
        for lower in (True, False)
        for transform in ("none", "transpose", "adjoint")
        for unit in (True, False)
    ]
    arranged = [_solve_sample(p, Tensor(C128, square), Tensor(C128, tall if p.left else flat)) for p in every]
    usual = SolveParams(True, True)
    typed = [_solve_sample(usual, Tensor(d, square), Tensor(d, tall)) for d in MATRIX_TYPES]
    batched = _solve_sample(usual, Tensor(F64, (2, *square)), Tensor(F64, (2, *tall)))
    return (*typed, *arranged, batched)


def _weaken(b: Builder, equation: Equation, known: Facts) -> bool:
    a, right = equation.inputs
    params = cast(SolveParams, equation.params)
    if known[1] & CHOSEN:
        _sheltered_solve(b, params, a, right)
    else:
        triangular_solve(b, replace(params, absorbs=False), a, right)
    return True


TRIANGULAR_SOLVE: Op[SolveParams] = Op(
    name="triangular_solve",
    params=SolveParams,
    doc="The solution of a system with a triangular matrix, of operands (matrix, right side).",
    type_rule=_solve_type,
    evaluate=_solve_eval,
    jvp=_solve_jvp,
    transpose=_solve_transpose,
    batch=_solve_batch,
    sharding=leading(lambda params: 2, _solve_type),
    samples=_solve_samples(),
    traits=Traits(multilinear=(1,)),
    weaken=_weaken,
    flops=lambda params, inputs, outputs: inputs[0].shape[-1] * inputs[1].size,
)


def _sheltered_solve(b: Builder, params: SolveParams, a: Atom, right: Atom) -> Atom:
    """The plain solution, and zero for each right side that is."""
    found = TRIANGULAR_SOLVE(b, replace(params, absorbs=False), a, right)[0]
    along = right.type.rank - (2 if params.left else 1)
    some = reduce_or(b, compare(b, "ne", right, zeros(right.type)), (along,))
    rest = [axis for axis in range(right.type.rank) if axis != along]
    return select(b, broadcast_in_dim(b, some, right.type.shape, rest), found, zeros(right.type))


def cubic(count: float) -> Measure[Any]:
    """So many operations for each of m n min(m, n): matrices [*batch, m, n] are brought to a simpler form."""
    return lambda params, inputs, outputs: round(count * inputs[0].size * min(inputs[0].shape[-2:]))


# --- cholesky ---------------------------------------------------------------------------------------------


def _cholesky_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("cholesky", types, 1)
    check_matrices("cholesky", types[0])
    return types


def _cholesky_eval(params: NoParams, types: tuple[Tensor, ...], a: Array) -> Arrays:
    out = np.empty_like(a)
    for place in np.ndindex(a.shape[:-2]):
        try:
            out[place] = np.linalg.cholesky(a[place])
        except np.linalg.LinAlgError:
            out[place] = np.tril(np.full_like(a[place], np.nan))
    return (out,)


def _cholesky_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """dL = L phi(L^-1 dA L^-H), phi the lower triangle, its diagonal halved (Murray, arXiv 1602.07527)."""
    (factor,), (t,) = ys, ts
    if isinstance(t, Zero):
        return (t,)
    change = hermitian(b, t)
    inner = TRIANGULAR_SOLVE(b, SolveParams(True, True), factor, change)[0]
    both = TRIANGULAR_SOLVE(b, SolveParams(False, True, "adjoint"), factor, inner)[0]
    return (product(b, factor, half_diagonal(b, both)),)


def hermitian(b: Builder, t: Atom) -> Atom:
    """The Hermitian matrix whose lower triangle is that of `t`."""
    below = triangle(b, t, True, -1)
    diagonal = diagonal_part(b, t)
    if t.type.dtype.is_complex:
        diagonal = convert(b, real(b, diagonal), t.type.dtype)
    return add(b, add(b, below, adjoint(b, below)), diagonal)


def positive(rng: np.random.Generator, type: Tensor) -> list[Array]:
    """A positive definite matrix."""
    x = random_array(rng, type)
    square = x @ np.swapaxes(x, -1, -2).conj() + 2 * np.eye(type.shape[-1])
    return [np.asarray(square).astype(type.dtype.numpy)]


def _cholesky_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_in_front(b, CHOLESKY, params, xs, axes, size)


def _cholesky_sample(type: Tensor) -> Sample[NoParams]:
    return Sample(NONE, (type,), draw=lambda rng: positive(rng, type))


CHOLESKY: Op[NoParams] = Op(
    name="cholesky",
    params=NoParams,
    doc="The lower factor L of a = L L^H, from the lower triangle; nan where `a` is not positive definite.",
    type_rule=_cholesky_type,
    evaluate=_cholesky_eval,
    jvp=_cholesky_jvp,
    transpose=NOT_LINEAR,
    batch=_cholesky_batch,
    sharding=leading(lambda params: 2, _cholesky_type),
    samples=(
        *(_cholesky_sample(Tensor(d, (3, 3))) for d in MATRIX_TYPES),
        _cholesky_sample(Tensor(F64, (2, 2, 2))),
        _cholesky_sample(Tensor(F64, (1, 1))),
    ),
    flops=cubic(1 / 3),
)

LINALG: tuple[Op[Any], ...] = (TRIANGULAR_SOLVE, CHOLESKY)


def triangular_solve(b: Builder, params: SolveParams, a: Atom, right: Atom) -> Atom:
    """The solution of `a @ x = right` (or `x @ a = right`, as `params` says) for triangular a[*batch, n, n]."""
    return TRIANGULAR_SOLVE(b, params, a, right)[0]


def cholesky(b: Builder, a: Atom) -> Atom:
    """The lower triangular factor of positive definite a[*batch, n, n]; nan for others."""
    return CHOLESKY(b, NONE, a)[0]

"""`sparse` beside `scipy.sparse` and `jax.experimental.sparse`, by XLA and the evaluator; its derivatives, its work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.experimental.sparse import BCOO

import dsl
from dsl.diagnostics.source import Source
from dsl.interop.scipy import from_scipy, to_scipy
from tests.support.cases import some
from tests.support.known_library import known_library
from typechecker import check_source

_random = np.random.default_rng(5)
Record = Mapping[str, np.ndarray[Any, Any]]


def coo(rows: int, columns: int, entries: int) -> Record:
    """Random entries, several of them at one place, as the format allows."""
    return {
        "data": _random.normal(size=entries),
        "row": _random.integers(0, rows, entries),
        "col": _random.integers(0, columns, entries),
        "shape": np.zeros((rows, columns, 0), bool),
    }


def of(s: Record, rows: int, columns: int) -> sp.coo_matrix:
    return sp.coo_matrix((s["data"], (s["row"], s["col"])), shape=(rows, columns))


S, T, Q = coo(4, 6, 11), coo(4, 6, 5), coo(6, 6, 13)
A, B, C = of(S, 4, 6), of(T, 4, 6), of(Q, 6, 6)
X, Y, Z = (_random.normal(size=shape) for shape in ((6, 3), (2, 4), (4, 6)))
V, W = X[:, 0], Y[0]
LOWER = sp.tril(C) + 9.0 * sp.eye(6)

HEAD = """import sparse

def values(
    s: sparse.COO[f64, n, m, k], t: sparse.COO[f64, n, m, l], q: sparse.COO[f64, m, m, j],
    x: f64[m, p], y: f64[r, n], z: f64[n, m],
) where n == 4 and m == 6 =
    let (a, b, c) = (sparse.to_csr(s), sparse.to_csr(t), sparse.to_csr(q))
    let (d, _) = with checks do sparse.to_bsr(s, 2, 3, size=5)
    let (v, w) = (x[:, 0], y[0])
    {
"""
VALUES: Mapping[str, tuple[str, Any]] = {
    "coo": ("sparse.to_dense(s)", A.toarray()),
    "csr": ("sparse.to_dense(a)", A.toarray()),
    "bsr": ("sparse.to_dense(d)", A.toarray()),
    "csr_coo": ("sparse.to_dense(sparse.to_coo(a))", A.toarray()),
    "bsr_coo": ("sparse.to_dense(sparse.to_coo(d))", A.toarray()),
    "bsr_csr": ("sparse.to_dense(sparse.to_csr(d))", A.toarray()),
    "unique": ("sparse.to_dense(sparse.sum_duplicates(s))", A.toarray()),
    "distinct": ("sparse.distinct(s)", A.tocsr().nnz),
    "found": ('sparse.to_dense(sparse.from_dense(z, size=24, overflow="drop"))', Z),
    "count": ("sparse.count(z)", 24),
    "resized": ("sparse.to_dense((with checks do sparse.resized(s, size=12)).0)", A.toarray()),
    "coo_t": ("sparse.to_dense(sparse.transpose(s))", A.T.toarray()),
    "csr_t": ("sparse.to_dense(sparse.transpose(a))", A.T.toarray()),
    "bsr_t": ("sparse.to_dense(sparse.transpose(d))", A.T.toarray()),
    "coo_vector": ("sparse.matmul(s, v)", A @ V),
    "csr_vector": ("sparse.matmul(a, v)", A @ V),
    "bsr_vector": ("sparse.matmul(d, v)", A @ V),
    "coo_matrix": ("sparse.matmul(s, x)", A @ X),
    "csr_matrix": ("sparse.matmul(a, x)", A @ X),
    "bsr_matrix": ("sparse.matmul(d, x)", A @ X),
    "vector_coo": ("sparse.matmul(w, s)", A.T @ W),
    "vector_csr": ("sparse.matmul(w, a)", A.T @ W),
    "vector_bsr": ("sparse.matmul(w, d)", A.T @ W),
    "matrix_coo": ("sparse.matmul(y, s)", Y @ A),
    "matrix_csr": ("sparse.matmul(y, a)", Y @ A),
    "matrix_bsr": ("sparse.matmul(y, d)", Y @ A),
    "product": ("sparse.to_dense((with checks do sparse.matmul(s, c, size=40)).0)", (A @ C).toarray()),
    "sum": ("sparse.to_dense(sparse.add(s, t))", (A + B).toarray()),
    "sum_csr": ("sparse.to_dense(sparse.add(a, b))", (A + B).toarray()),
    "difference": ("sparse.to_dense(sparse.subtract(s, t))", (A - B).toarray()),
    "difference_csr": ("sparse.to_dense(sparse.subtract(a, b))", (A - B).toarray()),
    "scaled": ("sparse.to_dense(sparse.scale(s, 3.0))", 3 * A.toarray()),
    "scaled_csr": ("sparse.to_dense(sparse.scale(a, 3.0))", 3 * A.toarray()),
    "scaled_bsr": ("sparse.to_dense(sparse.scale(d, 3.0))", 3 * A.toarray()),
    "rows_scaled": ("sparse.to_dense(sparse.scale_rows(s, w))", W[:, None] * A.toarray()),
    "rows_scaled_csr": ("sparse.to_dense(sparse.scale_rows(a, w))", W[:, None] * A.toarray()),
    "columns_scaled": ("sparse.to_dense(sparse.scale_columns(s, v))", A.toarray() * V),
    "columns_scaled_csr": ("sparse.to_dense(sparse.scale_columns(a, v))", A.toarray() * V),
    "elements": ("sparse.to_dense(sparse.multiply(s, z))", A.multiply(Z).toarray()),
    "elements_csr": ("sparse.to_dense(sparse.multiply(a, z))", A.multiply(Z).toarray()),
    "sampled": ("sparse.to_dense(sparse.sampled_matmul(s, y.T, y @ z))", A.multiply(Y.T @ (Y @ Z)).toarray()),
    "row_sums": ("sparse.row_sums(s)", A.toarray().sum(axis=1)),
    "row_sums_csr": ("sparse.row_sums(a)", A.toarray().sum(axis=1)),
    "column_sums": ("sparse.column_sums(s)", A.toarray().sum(axis=0)),
    "column_sums_csr": ("sparse.column_sums(a)", A.toarray().sum(axis=0)),
    "diagonal": ("sparse.diagonal(q)", C.diagonal()),
    "diagonal_csr": ("sparse.diagonal(c)", C.diagonal()),
    "trace": ("sparse.trace(q)", C.trace()),
    "trace_csr": ("sparse.trace(c)", C.trace()),
    "tril": ("sparse.to_dense(sparse.tril(s, -1))", sp.tril(A, -1).toarray()),
    "tril_csr": ("sparse.to_dense(sparse.tril(a, 1))", sp.tril(A, 1).toarray()),
    "triu": ("sparse.to_dense(sparse.triu(s, -1))", sp.triu(A, -1).toarray()),
    "triu_csr": ("sparse.to_dense(sparse.triu(a, 1))", sp.triu(A, 1).toarray()),
    "eye": ("sparse.to_dense(sparse.eye(3, f64))", np.eye(3)),
    "diag": ("sparse.to_dense(sparse.diag(v))", np.diag(V)),
    "diag_above": ("sparse.to_dense(sparse.diag(v, 2))", np.diag(V, 2)),
    "diag_below": ("sparse.to_dense(sparse.diag(v, -1))", np.diag(V, -1)),
    "block_diag": ("sparse.to_dense(sparse.block_diag(s, q))", sp.block_diag((A, C)).toarray()),
    "vstack": ("sparse.to_dense(sparse.vstack(s, q))", sp.vstack((A, C)).toarray()),
    "hstack": ("sparse.to_dense(sparse.hstack(s, t))", sp.hstack((A, B)).toarray()),
    "kron": ("sparse.to_dense(sparse.kron(s, t))", sp.kron(A, B).toarray()),
    "row_of": ("sparse.row_of(a.indptr, k)", np.sort(S["row"])),
    "solved": (
        "sparse.solve_triangular(sparse.add(q, sparse.scale(sparse.eye(m, f64), 9.0)), v)",
        np.linalg.solve(LOWER.toarray(), V),
    ),
    "solved_above": (
        "sparse.solve_triangular(sparse.to_csr(sparse.add(q, sparse.scale(sparse.eye(m, f64), 9.0))), v, lower=false)",
        np.linalg.solve((sp.triu(C) + 9.0 * sp.eye(6)).toarray(), V),
    ),
}
"""Expressions of all functions, and what SciPy gives."""
TEXT = HEAD + "".join(f"        {name} = {text},\n" for name, (text, _) in VALUES.items()) + "    }\n"
VALUES_PROGRAM = dsl.program(TEXT)


@pytest.mark.parametrize("way", ["XLA", "evaluator"])
def test_values_are_those_of_scipy(way: str) -> None:
    function = VALUES_PROGRAM.values
    found = (function if way == "XLA" else function.interpret)(S, T, Q, X, Y, Z)
    assert len(found) == len(VALUES)
    for name, (_, wanted) in VALUES.items():
        np.testing.assert_allclose(np.asarray(found[name]), wanted, rtol=1e-9, atol=1e-12, err_msg=name)


MORE = dsl.program(
    """import sparse

def by_rows(s: sparse.COO[f64, n, m, k]) -> sparse.CSR[f64, n, m, k] = sparse.to_csr(s)
def times(s: sparse.CSR[f64, n, m, k], x: f64[m]) -> f64[n] = sparse.matmul(s, x)
def pulled(s: sparse.CSR[f64, n, m, k], x: f64[m], y: f64[n]) -> (f64[k], f64[m]) =
    grad(fn (d, x) -> dot(y, sparse.matmul({s with data = d}, x)), argnums=(0, 1))(s.data, x)
def many(s: sparse.COO[f64, n, m, k], x: f64[b, m]) -> f64[b, n] = vmap(fn v -> sparse.matmul(s, v))(x)
def of_each(d: f64[b, k], s: sparse.COO[f64, n, m, k], x: f64[m]) -> f64[b, n] =
    vmap(fn d -> sparse.matmul({s with data = d}, x))(d)
def solved(s: sparse.COO[f64, n, n, k], b: f64[n]) -> f64[n] = sparse.solve_triangular(s, b)
def found(x: f64[n, m], static size: size) -> sparse.COO[f64, n, m, size] ! check where n >= 1 and m >= 1 =
    sparse.from_dense(x, size=size)
def blocks(s: sparse.COO[f64, n, m, k], static size: size) -> sparse.BSR[f64, n // 2, m // 3, size, 2, 3] ! check
    where n % 2 == 0 and m % 3 == 0 and m >= 3 =
    sparse.to_bsr(s, 2, 3, size=size)
def product(s: sparse.COO[f64, n, m, k], t: sparse.COO[f64, m, p, l], static size: size)
    -> sparse.COO[f64, n, p, size] ! check
    where n >= 1 and p >= 1 and k >= 1 and l >= 1 =
    sparse.matmul(s, sparse.to_csr(t), size=size)
def dense(s: sparse.CSR[f64, n, m, k]) -> f64[n, m] = sparse.to_dense(s)
def same(s: sparse.COO[f64, n, m, k]) =
    let (once, rows) = (sparse.sum_duplicates(s), sparse.to_csr(s))
    (sparse.to_dense(s), sparse.to_dense(once), sparse.to_dense(rows), sparse.to_dense(sparse.transpose(rows)).T)
"""
)


def test_compressed_rows_are_those_of_scipy() -> None:
    found = MORE.by_rows(S)
    wanted = of(S, 4, 6)
    again = sp.csr_matrix(
        (np.asarray(found["data"]), np.asarray(found["indices"]), np.asarray(found["indptr"])), (4, 6)
    )
    assert abs(again - wanted).max() < 1e-12
    assert (np.diff(np.asarray(found["indptr"])) >= 0).all()


@pytest.mark.parametrize("format", ["coo", "csr", "bsr"])
def test_matrices_of_scipy_are_records_and_back(format: str) -> None:
    matrix = sp.random(4, 6, density=0.5, random_state=2).asformat(format)
    record = from_scipy(matrix)
    np.testing.assert_allclose(np.asarray(dsl.sparse.to_dense(record)), matrix.toarray(), rtol=1e-12)
    again = to_scipy(dsl.sparse.transpose(record))
    assert again.format == format
    np.testing.assert_allclose(again.toarray(), matrix.T.toarray(), rtol=1e-12)


def test_other_formats_of_scipy_are_compressed_rows() -> None:
    assert set(from_scipy(sp.eye(3, format="dia"))) == {"data", "indices", "indptr", "shape"}
    with pytest.raises(TypeError, match="a sparse matrix or array of SciPy"):
        from_scipy(np.eye(3))
    with pytest.raises(TypeError, match="a record of `sparse`"):
        to_scipy({"data": np.ones(3)})


def test_entries_beyond_the_last_row_are_not_part_of_a_matrix() -> None:
    few = {"data": np.array([1.0, 2.0, 9.0]), "indices": np.array([0, 2, 1]), "indptr": np.array([0, 1, 1, 2])}
    few["shape"] = np.zeros((3, 3, 0), bool)
    wanted = np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    np.testing.assert_array_equal(MORE.dense(few), wanted)
    np.testing.assert_array_equal(MORE.times(few, np.array([1.0, 10.0, 100.0])), [1, 0, 200])


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 8), st.integers(0, 2**31))
@settings(max_examples=25, deadline=None)
def test_all_formats_are_one_matrix(rows: int, columns: int, entries: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    s = {
        "data": random.normal(size=entries),
        "row": random.integers(0, rows, entries),
        "col": random.integers(0, columns, entries),
        "shape": np.zeros((rows, columns, 0), bool),
    }
    wanted = of(s, rows, columns).toarray()
    for found in some(MORE.same.interpret(s)):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_entries_are_not_lost_silently() -> None:
    assert MORE.found(np.eye(3), size=3)["data"].tolist() == [1, 1, 1]
    with pytest.raises(dsl.CheckError, match="from_dense: more entries"):
        np.asarray(MORE.found(np.eye(3), size=2)["data"])
    with pytest.raises(dsl.CheckError, match="to_bsr: more blocks"):
        np.asarray(MORE.blocks(S, size=1)["blocks"])
    with pytest.raises(dsl.CheckError, match="matmul: more products"):
        np.asarray(MORE.product(S, Q, size=3)["data"])


def test_derivatives_are_those_of_jax() -> None:
    csr = A.tocsr()
    s = {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, "shape": S["shape"]}
    pairs = np.stack([np.repeat(np.arange(4), np.diff(csr.indptr)), csr.indices], axis=1)
    with jax.enable_x64(True):
        wanted = jax.grad(lambda d, x: W @ (BCOO((d, pairs), shape=(4, 6)) @ x), argnums=(0, 1))(csr.data, V)
    for found, exact in some(zip(MORE.pulled(s, V, W), wanted, strict=True)):
        np.testing.assert_allclose(np.asarray(found), np.asarray(exact), rtol=1e-12)


def test_maps_are_loops() -> None:
    np.testing.assert_allclose(np.asarray(MORE.many(S, X.T)), (A @ X).T, rtol=1e-12)
    several = _random.normal(size=(3, 11))
    wanted = [of({**S, "data": d}, 4, 6) @ V for d in several]
    np.testing.assert_allclose(np.asarray(MORE.of_each(several, S, V)), wanted, rtol=1e-12)


def test_triangular_solutions_have_derivatives() -> None:
    q = LOWER.tocoo()
    dsl.check_grads(MORE.solved, ({"data": q.data, "row": q.row, "col": q.col, "shape": Q["shape"]}, V))


PRODUCTS = {
    "matmul": "sparse.matmul(s, x)",
    "by rows": "sparse.matmul(sparse.to_csr(s), x)",
    "from the left": "sparse.matmul(x, s)",
    "gradient": "grad(fn d -> sum(square(sparse.matmul({s with data = d}, x))))(s.data)",
    "gradient of the operand": "grad(fn x -> sum(square(sparse.matmul(s, x))))(x)",
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_take_as_long_as_there_are_entries(name: str) -> None:
    """Sixteen times the entries, rows and columns take sixteen times the memory and operations, not 256 times."""
    f = dsl.program(f"import sparse\ndef f(s: sparse.COO[f32, n, n, k], x: f32[n]) = {PRODUCTS[name]}\n").f
    small, large = (dsl.cost(f, n=n, k=4 * n) for n in (256, 4096))
    assert large.peak <= 17 * small.peak
    assert large.bytes <= 24 * small.bytes
    assert large.flops <= 24 * small.flops


REFUSED = {
    "other columns": ("(s: sparse.COO[f32, n, m, k], x: f32[n]) -> f32[n] = sparse.matmul(s, x)", "E0402"),
    "another dtype": ("(s: sparse.COO[f64, n, m, k], x: f32[m]) -> f32[n] = sparse.matmul(s, x)", "E03"),
    "rows as columns": ("(s: sparse.COO[f32, n, m, k]) -> sparse.COO[f32, n, m, k] = sparse.transpose(s)", "E0402"),
    "a diagonal that is not square": ("(s: sparse.COO[f32, n, m, k]) -> f32[n] = sparse.diagonal(s)", "E04"),
    "any number as an index": (
        "(d: f32[k], i: i32[k], x: f32[n]) -> f32[n] = sparse.matmul(sparse.coo(d, i, i, n, n), x)",
        "E0701",
    ),
    "another number of entries": (
        "(s: sparse.COO[f32, n, m, k], t: sparse.COO[f32, n, m, k]) -> sparse.COO[f32, n, m, k] = sparse.add(s, t)",
        "E04",
    ),
    "a check that is not declared": (
        "(x: f32[3, 3]) -> sparse.COO[f32, 3, 3, 4] = sparse.from_dense(x, size=4)",
        "E0701",
    ),
    "blocks that do not divide": (
        "(s: sparse.COO[f32, 5, 6, k]) -> sparse.BSR[f32, 2, 2, 4, 2, 3] ! check = sparse.to_bsr(s, 2, 3, size=4)",
        "E04",
    ),
    "no format": ("(x: f32[n, m]) -> f32[n, m] = sparse.to_dense(x)", "E03"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_uses_are_refused(name: str) -> None:
    text, code = REFUSED[name]
    found = check_source(Source("<string>", f"import sparse\ndef f{text}\n"), cache=known_library()).diagnostics
    assert len(found) == 1
    assert found[0].code.startswith(code)


def test_indices_from_python_are_checked() -> None:
    with pytest.raises(dsl.ArgumentError, match="row holds 4, which is not an index below 4"):
        MORE.by_rows({**S, "row": S["row"] * 0 + 4})

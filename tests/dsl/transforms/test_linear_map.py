"""`linear_map`: a map and its transpose, each a loop that no rule could see to be linear; and what only `stop_gradient`
reads is not differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

TEXT = """
def iterated(a: f64[n, n], b: f64[n]) -> f64[n] =
    let (_, x) = iterate (i, x) = (0, zeros([n], f64)) while i < 300 limit 300 do (i + 1, x + 0.2 * (b - a @ x))
    x
def inverse(a: f64[n, n], b: f64[n]) -> f64[n] =
    let x = stop_gradient(iterated(a, b))
    x + zero_with_derivative(fn r -> iterated(a, r), fn r -> iterated(a.T, r), b - a @ x)
def f(a: f64[n, n], b: f64[n]) -> f64 = sum(sin(inverse(a, b)))
def slopes(a: f64[n, n], b: f64[n]) -> (f64[n, n], f64[n]) = grad(f, argnums=(0, 1))(a, b)
def forward(a: f64[n, n], b: f64[n]) -> f64[n, n] = jacfwd(fn b -> inverse(a, b))(b)
def curved(a: f64[n, n], b: f64[n]) -> (f64[n, n], f64[n, n]) =
    (hessian(fn b -> f(a, b))(b), jacrev(grad(fn b -> f(a, b)))(b))
def many(a: f64[k, n, n], b: f64[k, n]) -> f64[k, n] = vmap(grad(f, argnums=1))(a, b)
def shared(a: f64[n, n], b: f64[k, n]) -> f64[k, n] = vmap(grad(f, argnums=1), in_axes=(none, 0))(a, b)
def rule(p: (f64[n],), t: (f64[n],)) -> (f64[n], f64[n]) =
    (2.0 * p.0, linear_map(fn u -> 2.0 * u, fn u -> 2.0 * u, t.0))
def by_rule(x: f64[n]) -> f64[n, n] = jacrev(custom_jvp(fn v -> 2.0 * v, rule))(x)
def records(a: f64[n, n], b: f64[n]) -> f64[n] =
    let both = fn (r: f64[n]) -> {u = a @ r, v = sum(r)}
    grad(fn b -> dot(linear_map(both, fn q -> a.T @ q.u + q.v, b).u, b))(b)
def found(a: f64[n, n], b: f64[n], static order: size) -> f64[n] =
    let apply = fn r -> iterated(a, r)
    implicit_solution(fn x -> b - a @ x, apply, fn r -> iterated(a.T, r), iterated(a, b), order=order)
def first(a: f64[n, n], b: f64[n]) -> f64[n, n, n] = jacrev(fn a -> found(a, b, 1))(a)
def second(a: f64[n, n], b: f64[n]) = jacfwd(jacrev(fn a -> found(a, b, 2)))(a)
def mixed(a: f64[n, n], b: f64[n]) = jacrev(fn a -> found(a, b, 2))(a)
def drawn(a: f64[n, n], b: f64[n]) -> f64[n] = grad(fn b -> sum(b * stop_gradient(iterated(a, b))))(b)
"""
RANDOM = np.random.default_rng(0)
A = 2 * np.eye(3) + 0.2 * RANDOM.normal(size=(3, 3))
B = RANDOM.normal(size=3)
INVERSE = np.linalg.inv(A)
X = INVERSE @ B


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(TEXT)


def test_derivatives_of_both_modes_and_orders_run_the_maps(m: dsl.Program) -> None:
    adjoint = INVERSE.T @ np.cos(X)
    by_matrix, by_vector = map(np.asarray, m.slopes(A, B))
    np.testing.assert_allclose(by_vector, adjoint, rtol=1e-9)
    np.testing.assert_allclose(by_matrix, -np.outer(adjoint, X), rtol=1e-9)
    np.testing.assert_allclose(np.asarray(m.forward(A, B)), INVERSE, rtol=1e-9)
    for found in m.curved(A, B):
        np.testing.assert_allclose(np.asarray(found), INVERSE.T @ np.diag(-np.sin(X)) @ INVERSE, rtol=1e-8)


def test_it_is_mapped_with_what_it_captures_and_without(m: dsl.Program) -> None:
    each = [INVERSE.T @ np.cos(INVERSE @ b) for b in (B, 2 * B)]
    np.testing.assert_allclose(np.asarray(m.shared(A, np.stack([B, 2 * B]))), each, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(m.many(np.stack([A, A]), np.stack([B, 2 * B]))), each, rtol=1e-9)


def test_the_evaluator_agrees(m: dsl.Program) -> None:
    np.testing.assert_allclose(m.slopes.interpret(A, B)[1], INVERSE.T @ np.cos(X), rtol=1e-9)


def test_a_rule_may_use_it_on_tangents(m: dsl.Program) -> None:
    np.testing.assert_allclose(np.asarray(m.by_rule(B)), 2 * np.eye(3))


def test_operands_and_results_are_trees(m: dsl.Program) -> None:
    np.testing.assert_allclose(np.asarray(m.records(A, B)), (A + A.T) @ B, rtol=1e-12)


def test_what_only_stop_gradient_reads_is_not_differentiated(m: dsl.Program) -> None:
    """The loop is not made one that remembers: it stays what it is in the value."""
    assert "while" in m.drawn.ir(A, B)
    assert "scan" not in m.drawn.ir(A, B)
    np.testing.assert_allclose(np.asarray(m.drawn(A, B)), X, rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def f(x: i32[n]) -> i32[n] = linear_map(fn v -> v, fn v -> v, x)", "E03"),
        ("def f(a: f32[n, m], x: f32[m]) -> f32[n] = linear_map(fn v -> a @ v, fn u -> a @ u, x)", "E04"),
        ("def f(x: f32[n]) -> f32[n] = linear_map(fn v -> checked(v), fn v -> v, x)", "E07"),
    ],
)
def test_wrong_uses_are_refused(text: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert str(caught.value).startswith(f"error[{code}")


def test_a_value_without_a_derivative_computes_nothing_for_one(m: dsl.Program) -> None:
    """The residual and both maps are gone: one loop is left."""
    assert m.inverse.hlo(A, B).count(" while(") == 1
    assert m.slopes.hlo(A, B).count(" while(") == 2


def test_a_solution_has_derivatives_up_to_its_order(m: dsl.Program) -> None:
    """By A, that of A⁻¹ b is -A⁻¹ dA A⁻¹ b, and the second one A⁻¹ (dA A⁻¹ eA + eA A⁻¹ dA) A⁻¹ b."""
    slope = -np.einsum("ij,k->ijk", INVERSE, X)
    for found in (m.first(A, B), m.mixed(A, B)):
        np.testing.assert_allclose(np.asarray(found), slope, rtol=1e-9)
    wanted = np.einsum("ij,kl,m->ijklm", INVERSE, INVERSE, X) + np.einsum("il,mj,k->ijklm", INVERSE, INVERSE, X)
    np.testing.assert_allclose(np.asarray(m.second(A, B)), wanted, rtol=1e-8)
    with pytest.raises(dsl.DslError, match="E0821"):
        dsl.jacfwd(m.first)(A, B)

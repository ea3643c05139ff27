"""Transformations within transformations, as programs write them and as Python does, beside JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl

Tree = Any


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def agree(found: Tree, expected: Tree, tolerance: float = 1e-10) -> None:
    ours, theirs = jax.tree.leaves(jax.tree.map(np.asarray, found)), jax.tree.leaves(expected)
    assert len(ours) == len(theirs)
    for left, right in zip(ours, map(np.asarray, theirs), strict=True):
        assert left.dtype == right.dtype
        scale = max(np.abs(right).max(initial=0.0), 1e-30)
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * scale)


_random = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return np.asarray(_random.normal(size=shape))


# ---------------------------------------------------------------- a model, differentiated in every way

MODEL = """
type P[d] = {w: f64[d], b: f64}
def loss(p: P[d], x: f64[n, d], y: f64[n]) -> f64 = mean(tanh(x @ p.w + p.b - y) ** 2)
def by_names(p: P[d], x: f64[n, d], y: f64[n]) -> (f64[n], P[d]) = grad(loss, argnums=("y", "p"))(p, x, y)
def by_name(p: P[d], x: f64[n, d], y: f64[n]) -> f64[n] =
    let g = grad(jit(loss), argnums="y")
    g(p, x, y)
def of_lambda(p: P[d], x: f64[n, d], y: f64[n]) -> f64[n] = grad(fn (q, t) -> loss(q, x, t), argnums="t")(p, y)
def curvature(p: P[d], x: f64[n, d], y: f64[n]) -> {w: {w: f64[d, d], b: f64[d]}, b: P[d]} = hessian(loss)(p, x, y)
def product(p: P[d], v: P[d], x: f64[n, d], y: f64[n]) -> P[d] = hvp(fn p -> loss(p, x, y), p, v)
def reverse_forward(p: P[d], v: P[d], x: f64[n, d], y: f64[n]) -> P[d] =
    grad(fn q -> jvp(fn p -> loss(p, x, y), (q,), (v,)).1)(p)
def reverse_reverse(p: P[d], v: P[d], x: f64[n, d], y: f64[n]) -> P[d] = grad(fn q ->
        let g = grad(loss)(q, x, y)
        sum(g.w * v.w) + g.b * v.b
    )(p)
def forward_reverse(p: P[d], v: P[d], x: f64[n, d], y: f64[n]) -> P[d] = linearize(fn p -> grad(loss)(p, x, y), p).1(v)
def per_example(p: P[d], x: f64[n, d], y: f64[n]) -> P[d][n] = [grad(loss)(p, x[i, None], y[i, None]) for i in range(n)]
def mapped(p: P[d], x: f64[n, d], y: f64[n]) -> P[d][n] =
    vmap(fn (p, x, y) -> grad(loss)(p, x[None], y[None]), in_axes=(none, 0, 0))(p, x, y)
"""


def loss(p: Tree, x: Any, y: Any) -> Any:
    return jnp.mean(jnp.tanh(x @ p["w"] + p["b"] - y) ** 2)


@pytest.fixture(scope="module")
def model() -> dsl.Program:
    return dsl.program(MODEL)


P: Tree = {"w": normal(3), "b": np.float64(0.2)}
D: Tree = {"w": normal(3), "b": np.float64(0.7)}
X, Y = normal(5, 3), normal(5)
X3, X4 = normal(2, 3, 4), normal(2, 3, 2, 4)


def test_arguments_are_chosen_by_name(model: dsl.Program) -> None:
    p, y = jax.grad(loss, (0, 2))(P, X, Y)
    agree(model.by_names(P, X, Y), (y, p))
    agree(model.by_name(P, X, Y), y)
    agree(model.of_lambda(P, X, Y), y)
    agree(dsl.grad(model.loss, argnums=("y", "p"))(P, X, Y), (y, p))


def test_second_derivatives_are_one(model: dsl.Program) -> None:
    hessian = jax.hessian(loss)(P, X, Y)
    agree(model.curvature(P, X, Y), hessian)
    agree(dsl.jacfwd(dsl.grad(model.loss))(P, X, Y), hessian)
    product = jax.jvp(lambda p: jax.grad(loss)(p, X, Y), (P,), (D,))[1]
    for way in (model.product, model.reverse_forward, model.reverse_reverse, model.forward_reverse):
        agree(way(P, D, X, Y), product)


def test_per_example_gradients_are_one(model: dsl.Program) -> None:
    expected = jax.vmap(lambda x, y: jax.grad(loss)(P, x[None], y[None]))(X, Y)
    agree(model.per_example(P, X, Y), expected)
    agree(model.mapped(P, X, Y), expected)
    one = dsl.grad(model.loss)
    agree(dsl.jit(dsl.vmap(one, in_axes=(None, 0, 0)))(P, X[:, None], Y[:, None]), expected)
    agree(dsl.vmap(dsl.jit(one), in_axes=(None, 0, 0))(P, X[:, None], Y[:, None]), expected)


# ---------------------------------------------------------------- parts beside the value, static parameters, axes

ASIDE = """
def f(x: f64[n], y: f64) -> (f64, {pred: f64[n], k: i32}) = (sum(x ** 2 * y), {pred = x * y, k = i32(3)})
def both(x: f64[n], y: f64) -> ((f64, {pred: f64[n], k: i32}), (f64[n], f64)) =
    value_and_grad(f, argnums=(0, 1), has_aux=true)(x, y)
def nested(x: f64[n], y: f64) -> f64[n] =
    grad(fn x -> (grad(f, argnums="y", has_aux=true)(x, y).0, x), has_aux=true)(x).0
"""


def test_what_comes_beside_the_value() -> None:
    m = dsl.program(ASIDE)
    x, y = normal(3), np.float64(1.7)

    def f(x: Any, y: Any) -> Any:
        return jnp.sum(x**2 * y), {"pred": x * y, "k": jnp.int32(3)}

    agree(m.both(x, y), jax.value_and_grad(f, (0, 1), has_aux=True)(x, y))
    agree(dsl.grad(m.f, has_aux=True)(x, y), jax.grad(f, has_aux=True)(x, y))
    agree(m.nested(x, y), 2 * x)


STATIC = """
def f(x: f64[n], static k: int, static scale: float = 2.0) -> f64 = scale * sum(x ** k)
def default(x: f64[n]) -> f64[n] = grad(f)(x, k=3)
def given(x: f64[b, n]) -> f64[b, n] = vmap(grad(f))(x, k=2, scale=0.5)
def forward(x: f64[n]) -> f64[n, n] = hessian(f)(x, k=3)
"""


def test_static_parameters_pass_through() -> None:
    m = dsl.program(STATIC)
    x = normal(3)
    agree(m.default(x), 6 * x**2)
    agree(m.given(x[None]), x[None])
    agree(m.forward(x), np.diag(12 * x))
    agree(dsl.jit(dsl.vmap(dsl.grad(m.f)))(x[:, None], k=4, scale=1.0), 4 * x[:, None] ** 3)


AXES = """
def f(x: f64[a, b], p: {w: f64[b, c], s: f64}, k: i32) -> {o: f64[a, c], t: f64[b]} =
    {o = x @ p.w * p.s + f64(k), t = sum(x, axis=0)}
def uneven(x: f64[a, n, b], p: {w: f64[b, c, n], s: f64}, k: i32[n]) -> {o: f64[a, n, c], t: f64[n, b]} =
    vmap(f, in_axes=(1, {w = -1, s = none}, 0), out_axes={o = 1, t = 0})(x, p, k)
def nested(x: f64[n, m, a, b], p: {w: f64[b, c], s: f64}, k: i32[m]) -> {o: f64[n, m, a, c], t: f64[n, m, b]} =
    vmap(vmap(f, in_axes=(0, none, 0)), in_axes=(0, none, none))(x, p, k)
"""


def test_axes_of_each_leaf() -> None:
    m = dsl.program(AXES)

    def f(x: Any, p: Tree, k: Any) -> Tree:
        return {"o": x @ p["w"] * p["s"] + k, "t": x.sum(0)}

    k = np.array([1, 2, 3], np.int32)
    one: Tree = {"w": normal(4, 5, 3), "s": np.float64(2.0)}
    axes: Any = (1, {"w": -1, "s": None}, 0)
    expected = jax.vmap(f, in_axes=axes, out_axes={"o": 1, "t": 0})(X3, one, k)
    agree(m.uneven(X3, one, k), expected)
    agree(dsl.vmap(m.f, in_axes=axes, out_axes={"o": 1, "t": 0})(X3, one, k), expected)
    two: Tree = {"w": normal(4, 5), "s": np.float64(2.0)}
    expected = jax.vmap(jax.vmap(f, (0, None, 0)), (0, None, None))(X4, two, k)
    agree(m.nested(X4, two, k), expected)
    agree(dsl.vmap(dsl.vmap(m.f, in_axes=(0, None, 0)), in_axes=(0, None, None))(X4, two, k), expected)


# ---------------------------------------------------------------- named axes

NAMED = """
def each(x: f64, y: f64) -> f64[6] ! axis("i": 3) =
    let turned = ppermute(x, "i", [(0, 1), (1, 2), (2, 0)])
    [psum(x, "i"), pmean(x * y, "i"), pmax(x, "i"), pmin(y, "i"), f64(axis_index("i")), turned]
def both(x: f64[n, k]) -> f64[n, k] =
    vmap(vmap(fn v -> v * psum(v, ("i", "j")) + pmax(v, ("j",)), axis_name="j"), axis_name="i")(x)
def normalised(x: f64[n, d]) -> f64[n, d] = vmap(fn r ->
    let centred = r - pmean(r, "b")
    centred / sqrt(pmean(centred ** 2, "b") + 1e-5), axis_name="b")(x)
def through(x: f64[n, d]) -> f64[n, d] = grad(fn x -> sum(sin(normalised(x))))(x)
"""


def test_named_axes() -> None:
    m = dsl.program(NAMED)
    x, y, z = normal(3), normal(3), normal(3, 4)

    def each(x: Any, y: Any) -> Any:
        turned = jax.lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 0)])
        reduced = [jax.lax.psum(x, "i"), jax.lax.pmean(x * y, "i"), jax.lax.pmax(x, "i"), jax.lax.pmin(y, "i")]
        return jnp.stack([*reduced, jax.lax.axis_index("i").astype(x.dtype), turned])

    def normalised(x: Any) -> Any:
        return (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5)

    agree(dsl.vmap(m.each, axis_name="i")(x, y), jax.vmap(each, axis_name="i")(x, y))
    with pytest.raises(dsl.ArgumentError, match="E0903"):
        dsl.vmap(m.each, axis_name="i")(x[:2], y[:2])
    agree(m.both(z), z * z.sum() + z.max(axis=1, keepdims=True))
    agree(m.through(z), jax.grad(lambda x: jnp.sum(jnp.sin(normalised(x))))(z))


# ---------------------------------------------------------------- loops, and linear functions used again

LOOPS = """
def s(x: f64[n]) -> f64 =
    let (c, ys) = scan c = 1.0 for v in x do (c * v, sin(c) * v)
    sum(ys ** 2) + c
def third(x: f64[n]) -> f64[n, n, n] = jacfwd(hessian(s))(x)
def batched(x: f64[b, n]) -> f64[b, n, n] = vmap(hessian(s))(x)
def g(x: f64[n]) -> f64[n] = sin(x) * cumsum(x)
def rows(x: f64[n]) -> f64[n, n] =
    let (_, pull) = vjp(g, x)
    vmap(fn e -> pull(e).0)(eye(n, f64))
def columns(x: f64[n]) -> f64[n, n] =
    let (_, lin) = linearize(g, x)
    [lin(e) for e in eye(n, f64)]
def normal_equations(x: f64[n], b: f64[n]) -> f64[n] =
    let (_, lin) = linearize(g, x)
    let (_, pull) = vjp(g, x)
    fold v = b for _ in range(3) do pull(lin(v)).0 + b
def root(a: f64) -> f64 = iterate x = 1.0 + a while abs(x * x - a) > 1e-12 limit 50 do 0.5 * (x + a / x)
def slopes(a: f64[n]) -> f64[n] = vmap(grad(root))(a)
"""


def _scan(x: Any) -> Any:
    c, ys = jax.lax.scan(lambda c, v: (c * v, jnp.sin(c) * v), jnp.float64(1), x)
    return jnp.sum(ys**2) + c


@pytest.fixture(scope="module")
def loops() -> dsl.Program:
    return dsl.program(LOOPS)


def test_higher_derivatives_of_loops(loops: dsl.Program) -> None:
    x = normal(4)
    agree(loops.third(x), jax.jacfwd(jax.hessian(_scan))(x))
    agree(loops.batched(x[None]), jax.hessian(_scan)(x)[None])
    a = np.array([2.0, 9.0, 0.25, 100.0])
    agree(loops.slopes(a), 0.5 / np.sqrt(a), 1e-8)


def test_a_linear_function_is_used_many_times(loops: dsl.Program) -> None:
    x, b = normal(4), normal(4)
    jacobian = np.asarray(jax.jacfwd(lambda x: jnp.sin(x) * jnp.cumsum(x))(x))
    agree(loops.rows(x), jacobian)
    agree(loops.columns(x), jacobian.T)
    expected = b
    for _ in range(3):
        expected = jacobian.T @ (jacobian @ expected) + b
    agree(loops.normal_equations(x, b), expected)
    _, lin = dsl.linearize(loops.g, x)
    _, pull = dsl.vjp(loops.g, x)
    for unit, row, column in zip(np.eye(4), jacobian, jacobian.T, strict=True):
        agree(lin(unit), column)
        agree(pull(unit), (row,))


CHECKED: tuple[tuple[Callable[[dsl.Program], dsl.Function], tuple[Any, ...], int, tuple[str, ...]], ...] = (
    (lambda m: m.g, (normal(4),), 3, ("fwd", "rev")),
    (lambda m: m.s, (normal(3),), 2, ("rev",)),
    (lambda m: m.root, (np.float64(3.0),), 2, ("fwd",)),
)


@pytest.mark.parametrize("case", CHECKED)
def test_derivatives_of_higher_order_against_differences(loops: dsl.Program, case: Any) -> None:
    function, arguments, order, modes = case
    dsl.check_grads(function(loops), arguments, order, modes)


# ---------------------------------------------------------------- leaves without tangents, ranks that are not known

DISCRETE = """
def f(p: {a: f64[n], k: i32}) -> {y: f64[n], k: i32} = {y = p.a * f64(p.k), k = p.k}
def forward(p: {a: f64[n], k: i32}, t: f64[n]) -> f64[n] = jvp(f, (p,), ({a = t, k = ()},)).1.y
def backward(p: {a: f64[n], k: i32}, t: f64[n]) -> f64[n] = vjp(f, p).1({y = t, k = ()}).0.a
def length[a: Float](x: a[*s]) -> a = sqrt(sum(x * x) + 1)
"""


def test_integers_in_records_have_no_tangents() -> None:
    m = dsl.program(DISCRETE)
    p: Tree = {"a": normal(3), "k": np.int32(3)}
    t = normal(3)
    agree(m.forward(p, t), 3 * t)
    agree(m.backward(p, t), 3 * t)
    agree(dsl.jvp(m.f, (p,), ({"a": t, "k": ()},))[1]["y"], 3 * t)
    agree(dsl.vjp(m.f, p)[1]({"y": t, "k": ()})[0]["a"], 3 * t)
    agree(dsl.linearize(m.f, p)[1]({"a": t, "k": ()})["y"], 3 * t)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_of_an_array_of_any_rank_is_mapped(axis: int) -> None:
    m = dsl.program(DISCRETE)
    expected = jax.grad(lambda x: jnp.sqrt(jnp.sum(x * x) + 1))
    found = dsl.vmap(dsl.grad(m.length), in_axes=axis, out_axes=axis)(X)
    agree(found, jax.vmap(expected, in_axes=axis, out_axes=axis)(X))

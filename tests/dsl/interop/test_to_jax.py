"""Functions of programs inside of JAX give what JAX gives for the same function written for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl.interop.jax import as_jax, to_jax

M = dsl.program("""
    from random import normal

    type Params[d] = {w: f32[d], b: f32}

    ## The mean of the squares.
    def loss(p: Params[d], x: f32[n, d], y: f32[n], static power: int = 2) -> f32 where n >= 1 =
        mean((tanh(x @ p.w) + p.b - y) ** power)

    def steps(x: f32[n], static k: int) -> (f32[n], f32) =
        let y = fold c = x for i in range(k) do sin(c) + 0.1 * c
        (y, sum(y ** 2))

    def solved(a: f32[n, n], b: f32[n]) -> f32[n] = a @ b

    def noisy(x: f32[n]) -> f32[n] ! rand = x + normal(fresh_key(), [n])

    def pick(x: f32[n], i: i32) -> f32 ! check = x[i]

    def loud(x: f32) -> f32 ! io =
        print("x is {}", x)
        x
""")
P = {"w": jnp.array([1.0, -0.5, 0.25]), "b": jnp.float32(0.5)}
X = jnp.arange(12.0).reshape(4, 3) / 10
Y = jnp.array([1.0, 0.0, -1.0, 2.0])
loss = to_jax(M.loss)
steps = to_jax(M.steps)


def jax_loss(p: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.mean((jnp.tanh(x @ p["w"]) + p["b"] - y) ** 2)


def jax_steps(x: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    for _ in range(k):
        x = jnp.sin(x) + 0.1 * x
    return x, jnp.sum(x**2)


def equal(ours: Any, theirs: Any) -> None:
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


USES: dict[str, Callable[[Any, Any], Any]] = {
    "jit": lambda f, g: jax.jit(f)(P, X, Y),
    "grad": lambda f, g: jax.grad(f, argnums=(0, 1))(P, X, Y),
    "jit of grad": lambda f, g: jax.jit(jax.value_and_grad(f))(P, X, Y),
    "vmap": lambda f, g: jax.vmap(f, (None, 0, 1))(P, jnp.stack([X, -X]), jnp.stack([Y, 2 * Y], axis=1)),
    "vmap of grad": lambda f, g: jax.jit(jax.vmap(jax.grad(f), (None, 0, None)))(P, jnp.stack([X, -X]), Y),
    "grad of vmap": lambda f, g: jax.grad(lambda x: jnp.sum(jax.vmap(f, (None, 0, None))(P, x, Y) ** 2))(
        jnp.stack([X, -X])
    ),
    "jvp": lambda f, g: jax.jvp(lambda x: f(P, x, Y), (X,), (X**2,)),
    "hessian": lambda f, g: jax.hessian(lambda w: f({"w": w, "b": P["b"]}, X, Y))(P["w"]),
    "linearize": lambda f, g: jax.linearize(lambda y: f(P, X, y), Y)[1](Y),
    "in a scan": lambda f, g: jax.lax.scan(
        lambda p, x: (jax.tree.map(lambda a, b: a - 0.1 * b, p, jax.grad(f)(p, x, Y)), f(p, x, Y)),
        P,
        jnp.stack([X, -X]),
    ),
    "loops": lambda f, g: jax.vmap(jax.grad(lambda x: g(x, k=3)[1]))(X),
    "forward over loops": lambda f, g: jax.jacfwd(lambda x: g(x, k=2)[0])(X[0]),
}


@pytest.mark.parametrize("use", USES)
def test_values_and_derivatives_are_those_of_jax(use: str) -> None:
    equal(USES[use](loss, steps), USES[use](jax_loss, jax_steps))


def test_static_arguments_names_and_documents() -> None:
    assert loss.__name__ == "loss" and "The mean of the squares." in (loss.__doc__ or "")
    assert not np.allclose(loss(P, X, y=Y, power=4), loss(P, X, Y))


def test_the_program_is_inlined() -> None:
    text = jax.jit(loss).lower(P, X, Y).as_text()
    assert "stablehlo.tanh" in text and "@dsl_loss" in text and "custom_call" not in text


def test_arguments_that_do_not_fit_are_refused_when_they_are_traced() -> None:
    with pytest.raises(dsl.ArgumentError, match="n is 4 according to x"):
        jax.jit(loss)(P, X, Y[:2])


def test_random_numbers_are_those_of_the_seed() -> None:
    noisy = to_jax(M.noisy)
    expected = M.noisy(X[0], key=3)
    np.testing.assert_allclose(noisy(X[0], key=3), expected)
    np.testing.assert_allclose(jax.jit(noisy)(X[0], key=jax.random.key(3)), expected)
    keys = jax.random.split(jax.random.key(0), 2)
    drawn = jax.vmap(lambda k: noisy(X[0], key=k))(keys)
    assert not np.allclose(drawn[0], drawn[1])


def test_checks_fail_when_the_results_are_computed() -> None:
    pick = to_jax(M.pick)
    assert pick(X[0], 1) == X[0, 1]
    with pytest.raises(Exception, match="index out of bounds"):
        jax.block_until_ready(pick(X[0], 7))
        jax.effects_barrier()


def test_output_cannot_be_inlined() -> None:
    with pytest.raises(TypeError, match="`loud` prints while it runs"):
        to_jax(M.loud)(1.0)


def test_functions_of_jax_take_results() -> None:
    y, _ = M.steps(np.arange(3, dtype=np.float32), k=0)
    assert jnp.asarray(y).unsafe_buffer_pointer() == as_jax(y).unsafe_buffer_pointer()
    np.testing.assert_array_equal(jnp.stack([y, y])[1] + y, [0, 2, 4])
    with pytest.raises(ValueError, match=r"jax\.numpy"):
        jax.jit(jnp.sin)(y)
    spread = dsl.device_put(np.arange(4, dtype=np.float32), dsl.Sharding(dsl.devices()[:2], 0))
    np.testing.assert_array_equal(jnp.asarray(spread), [0, 1, 2, 3])

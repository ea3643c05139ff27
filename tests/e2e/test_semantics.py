"""Corners of the language's meaning, each a program of one function `f` against NumPy's or JAX's word for it.

Every program runs in the reference evaluator and in XLA. Those without derivatives stand in `tests.support.meanings`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from tests.support.meanings import EFFECTS, GRID, INDEXING, LOOPS, NUMBERS, Case, f32, i32


def _of(function: Callable[..., Any], *args: Any) -> Any:
    """What a function of JAX gives, compiled as one program."""
    return jax.tree.map(np.asarray, jax.jit(function)(*args))


def _slope(function: Callable[..., Any], *args: Any) -> Any:
    return _of(jax.grad(function), *args)


W = f32(0.5, -0.3, 0.8)
M = np.array([[0.2, 0.5, -0.1], [0.7, 0.1, 0.3], [-0.4, 0.6, 0.9]], np.float32)


def _rosenbrock(x: Any) -> Any:
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


ROSENBROCK = "def r(x: f32[n]) -> f32 where n >= 1 = sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)\n"
LOSS = "def loss(w: f32[n], x: f32) -> f32 = sum(sin(w) * x) + x ** 3\n"
DERIVATIVES = {
    "grad": Case(ROSENBROCK + "def f(x: f32[n]) -> f32[n] where n >= 1 = grad(r)(x)", (W,), _slope(_rosenbrock, W)),
    "hessian": Case(
        ROSENBROCK + "def f(x: f32[n]) -> f32[n, n] where n >= 1 = hessian(r)(x)",
        (W,),
        _of(jax.hessian(_rosenbrock), W),
    ),
    "hvp": Case(
        ROSENBROCK + "def f(x: f32[n], v: f32[n]) -> f32[n] where n >= 1 = hvp(r, x, v)",
        (W, f32(1, 2, 3)),
        _of(jax.hessian(_rosenbrock), W) @ f32(1, 2, 3),
    ),
    "jacobians": Case(
        "def g(x: f32[n]) -> f32[n, n] = x[:, None] * sin(x)[None, :]\n"
        "def f(x: f32[n]) -> (f32[n, n, n], f32[n, n, n]) = (jacfwd(g)(x), jacrev(g)(x))",
        (W,),
        (_of(jax.jacfwd(lambda x: x[:, None] * jnp.sin(x)), W),) * 2,
    ),
    "jacobian_of_a_record": Case(
        "def g(p: {a: f32[n], b: f32}) -> f32[n] = p.a * p.b\n"
        "def f(p: {a: f32[n], b: f32}) -> {a: f32[n, n], b: f32[n]} = jacrev(g)(p)",
        ({"a": W, "b": np.float32(2)},),
        {"a": 2 * np.eye(3, dtype="f4"), "b": W},
    ),
    "argnums": Case(
        LOSS + "def f(w: f32[n], x: f32) -> (f32[n], f32) = grad(loss, argnums=(0, 1))(w, x)",
        (W, 2.0),
        (2 * np.cos(W), np.float32(np.sin(W).sum() + 12)),
    ),
    "has_aux": Case(
        "def g(x: f32[n]) -> (f32, f32[n]) = (sum(x ** 2), x + 1.0)\n"
        "def f(x: f32[n]) -> ((f32, f32[n]), f32[n]) = value_and_grad(g, has_aux=true)(x)",
        (W,),
        ((np.sum(W**2), W + 1), 2 * W),
    ),
    "jvp": Case(
        LOSS + "def f(w: f32[n], x: f32) -> (f32, f32) = jvp(loss, (w, x), (w, 1.0))",
        (W, 2.0),
        (np.float32(np.sin(W).sum() * 2 + 8), np.float32((2 * np.cos(W) * W).sum() + np.sin(W).sum() + 12)),
    ),
    "vjp": Case(
        "def g(x: f32[n], m: f32[n, n]) -> f32[n] = m @ tanh(x)\n"
        "def f(x: f32[n], m: f32[n, n], c: f32[n]) -> (f32[n], f32[n, n]) =\n"
        "    let (y, pull) = vjp(g, x, m)\n"
        "    pull(c + y)",
        (W, M, W),
        _of(lambda x, m: jax.vjp(lambda x, m: m @ jnp.tanh(x), x, m)[1](x + m @ np.tanh(W)), W, M),
    ),
    "linearize": Case(
        "def g(x: f32[n]) -> f32[n] = sin(x) * x\n"
        "def f(x: f32[n], t: f32[n]) -> (f32[n], f32[n]) =\n"
        "    let (y, lin) = linearize(g, x)\n"
        "    (y, lin(t) + lin(2.0 * t))",
        (W, M[0]),
        (np.sin(W) * W, 3 * M[0] * (np.sin(W) + W * np.cos(W))),
    ),
    "grad_of_grad": Case("def f(x: f32) -> f32 = grad(grad(grad(fn v -> v ** 5)))(x)", (2.0,), np.float32(240)),
    "per_example": Case(
        LOSS + "def f(w: f32[n], x: f32[m]) -> f32[m, n] = vmap(grad(loss), in_axes=(none, 0))(w, x)",
        (W, f32(1, 2)),
        np.cos(W)[None] * f32(1, 2)[:, None],
    ),
    "vmap_axes": Case(
        "def g(x: f32[n], y: f32[n]) -> f32[n] = x + 2.0 * y\n"
        "def f(x: f32[n, m], y: f32[m, n]) -> f32[n, m] = vmap(g, in_axes=(1, 0), out_axes=1)(x, y)",
        (GRID, GRID.T.copy()),
        3 * GRID,
    ),
    "if_under_vmap_in_grad": Case(
        "def f(x: f32[n]) -> f32[n] = grad(fn v -> sum([if u > 0.0 then sqrt(u) else 0.0 for u in v]))(x)",
        (f32(0, 4, 1),),
        f32(0, 0.25, 0.5),
    ),
    "where_in_grad": Case(
        "def f(x: f32[n]) -> f32[n] = grad(fn v -> sum(where(v > 0.0, sqrt(v), 0.0)))(x)",
        (f32(0, 4, 1),),
        f32(0, 0.25, 0.5),
    ),
    "iterate_with_limit_in_grad": Case(
        "def root(a: f32) -> f32 = iterate x = 1.0 while abs(x * x - a) > 1e-6 limit 30 do 0.5 * (x + a / x)\n"
        "def f(a: f32) -> (f32, f32) = value_and_grad(root)(a)",
        (2.0,),
        (np.float32(np.sqrt(2)), np.float32(0.5 / np.sqrt(2))),
    ),
    "max_ties": Case("def f(x: f32[n]) -> f32[n] = grad(fn v -> max(v))(x)", (f32(3, 1, 3),), f32(0.5, 0, 0.5)),
    "maximum_ties": Case("def f(x: f32) -> f32 = grad(fn v -> maximum(v, 1.0))(x)", (1.0,), np.float32(0.5)),
    "abs_at_zero": Case("def f(x: f32) -> f32 = grad(fn v -> abs(v))(x)", (0.0,), np.float32(0)),
    "stop_gradient": Case("def f(x: f32) -> f32 = grad(fn v -> v * stop_gradient(v))(x)", (3.0,), np.float32(3)),
    "scan_in_grad": Case(
        "def g(x: f32[n]) -> f32 =\n"
        "    let (s, ys) = scan s = 1.0 for v in x do (s * sin(v), s * v)\n"
        "    s + sum(ys)\n"
        "def f(x: f32[n]) -> f32[n] = grad(g)(x)",
        (W,),
        _slope(
            lambda x: (lambda r: r[0] + jnp.sum(r[1]))(jax.lax.scan(lambda s, v: (s * jnp.sin(v), s * v), 1.0, x)), W
        ),
    ),
    "checkpoint": Case(
        "def g(x: f32[n]) -> f32 = sum(sin(sin(x)))\ndef f(x: f32[n]) -> f32[n] = grad(checkpoint(g))(x)",
        (W,),
        np.cos(np.sin(W)) * np.cos(W),
    ),
    "custom_jvp": Case(
        "def h(x: f32) -> f32 = x ** 2\n"
        "def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 ** 2, 10.0 * t.0)\n"
        "def f(x: f32) -> (f32, f32) = value_and_grad(custom_jvp(h, rule))(x)",
        (3.0,),
        (np.float32(9), np.float32(10)),
    ),
    "custom_vjp": Case(
        "def h(x: f32, y: f32) -> f32 = x * y\n"
        "def fwd(x: f32, y: f32) -> (f32, (f32, f32)) = (x * y, (x, y))\n"
        "def bwd(s: (f32, f32), ct: f32) -> (f32, f32) = (s.1 * ct * 100.0, s.0 * ct)\n"
        "def f(x: f32, y: f32) -> (f32, f32) = grad(custom_vjp(h, fwd, bwd), argnums=(0, 1))(x, y)",
        (3.0, 2.0),
        (np.float32(200), np.float32(3)),
    ),
    "grad_with_respect_to_a_record": Case(
        "type P[d] = {w: f32[d], b: f32}\ndef g(p: P[d], x: f32[d]) -> f32 = (p.w @ x + p.b) ** 2\n"
        "def f(p: P[d], x: f32[d]) -> P[d] = p - 0.1 * grad(g)(p, x)",
        ({"w": W, "b": np.float32(1)}, f32(1, 2, 3)),
        {
            "w": W - np.float32(0.2) * (W @ f32(1, 2, 3) + 1) * f32(1, 2, 3),
            "b": 1 - np.float32(0.2) * (W @ f32(1, 2, 3) + 1),
        },
    ),
    "gradient_of_gathers": Case(
        "def g(x: f32[n], i: idx[n][k]) -> f32 = sum(x[i] ** 2)\n"
        "def f(x: f32[n], i: idx[n][k]) -> f32[n] = grad(g)(x, i)",
        (W, i32(0, 0, 2)),
        W * f32(4, 0, 2),
    ),
    "gradient_of_updates": Case(
        "def g(x: f32[n], v: f32) -> f32 where n >= 2 = sum(x.at[1].set(v) ** 2)\n"
        "def f(x: f32[n], v: f32) -> (f32[n], f32) where n >= 2 = grad(g, argnums=(0, 1))(x, v)",
        (W, 5.0),
        (2 * W * f32(1, 0, 1), np.float32(10)),
    ),
    "grad_under_accum": Case(
        "def g(x: f32) -> f32 ! accum(t: f32) =\n    t += x\n    x ** 2\n"
        "def f(x: f32) -> (f32, f32) = with accum t: f32 do grad(g)(x)",
        (3.0,),
        (np.float32(6), np.float32(3)),
    ),
    "cumulative": Case(
        "def f(x: f32[n]) -> f32[n] = grad(fn v -> sum(cumprod(v) * cumsum(v)))(x)",
        (W,),
        _slope(lambda v: jnp.sum(jnp.cumprod(v) * jnp.cumsum(v)), W),
    ),
    "complex_gradient": Case(
        "def f(x: f32) -> f32 = grad(fn v -> real(exp(c64(v) * 1.0j)))(x)", (0.5,), np.float32(-np.sin(0.5))
    ),
    "empty_gradient": Case("def f(x: f32[n]) -> f32[n] = grad(fn v -> sum(v ** 2))(x)", (W[:0],), W[:0]),
    "vmap_of_jit_of_grad": Case("def f(x: f32[n]) -> f32[n] = vmap(jit(grad(fn v -> sin(v))))(x)", (W,), np.cos(W)),
    "hessian_by_hand": Case(
        "def g(x: f32[n]) -> f32 = sum(x ** 3)\ndef f(x: f32[n]) -> f32[n, n] = jacfwd(grad(g))(x)",
        (W,),
        np.diag(6 * W),
    ),
}

ADDS = "def g(x: f32) -> f32 ! accum(t: f32) =\n    t += x\n    x ** 2\n"
WRITES = "def g(x: f32) -> f32 ! state(s: f32) =\n    s := s + x\n    x ** 2 * s\n"
NINE = np.float32(9)
EFFECTS_TRANSFORMED = {
    **{
        f"accum_under_{name}": Case(
            f"{ADDS}def f(x: f32) -> ({result}, f32) = with accum t: f32 do {call}", (3.0,), value
        )
        for name, result, call, value in (
            ("jit", "f32", "jit(g)(x)", (NINE, np.float32(3))),
            ("checkpoint", "f32", "checkpoint(g)(x)", (NINE, np.float32(3))),
            ("grad_of_checkpoint", "f32", "grad(checkpoint(g))(x)", (np.float32(6), np.float32(3))),
            ("grad_of_grad", "f32", "grad(grad(g))(x)", (np.float32(2), np.float32(3))),
            ("jvp", "(f32, f32)", "jvp(g, (x,), (x,))", ((NINE, np.float32(18)), np.float32(3))),
            ("vjp", "f32", "vjp(g, x).0", (NINE, np.float32(3))),
            ("jacrev", "f32", "jacrev(g)(x)", (np.float32(6), np.float32(3))),
            ("hessian", "f32", "hessian(g)(x)", (np.float32(2), np.float32(3))),
            ("hvp", "f32", "hvp(g, x, x)", (np.float32(6), np.float32(3))),
        )
    },
    "accum_under_vmap_of_grad": Case(
        ADDS + "def f(x: f32[n]) -> (f32[n], f32) = with accum t: f32 do vmap(grad(g))(x)",
        (f32(1, 2),),
        (f32(2, 4), np.float32(3)),
    ),
    "state_under_value_and_grad": Case(
        WRITES + "def f(x: f32) -> ((f32, f32), f32) = with state s = 10.0 do value_and_grad(g)(x)",
        (3.0,),
        ((np.float32(117), np.float32(87)), np.float32(13)),
    ),
    "derivative_through_state": Case(
        WRITES + "def f(x: f32) -> f32 = grad(fn y -> (with state s = y do g(y)).1)(x)", (3.0,), np.float32(2)
    ),
    "derivative_through_accum": Case(
        ADDS + "def f(x: f32) -> f32 = grad(fn y -> (with accum t: f32 do g(y)).1)(x)", (3.0,), np.float32(1)
    ),
    "handler_state_under_grad": Case(
        "effect ask: (v: f32) -> f32\ndef g(x: f32) -> f32 ! ask = x * ask(x)\n"
        "def f(x: f32) -> (f32, f32) =\n"
        "    (with handler ask(v) ->\n"
        "        n := n + v\n"
        "        resume(v * v), state n = 0.0 do grad(g)(x))",
        (3.0,),
        (np.float32(27), np.float32(3)),
    ),
    "handler_under_vmap": Case(
        "effect ask: (v: f32) -> f32\ndef g(x: f32) -> f32 ! ask = x * ask(x)\n"
        "def f(x: f32[n]) -> f32[n] = with handler ask(v) -> resume(v * v) do vmap(g)(x)",
        (f32(3, 1),),
        f32(27, 1),
    ),
    "dependent_defaults": Case(
        "def b(x: f32[n], static k: int = 3, static m: int = k * 2, y: f32[n] = x + 1.0) -> f32[k, m] =\n"
        "    zeros([k, m]) + sum(y)\n"
        "def f(x: f32[n]) -> f32[3, 6] = b(x)",
        (f32(1, 2),),
        np.full((3, 6), 5, "f4"),
    ),
    "sizes_known_from_indices_alone": Case(
        "import nn\n"
        "def g(i: idx[n], x: f32) -> f32[n] = nn.one_hot(i, n) * x\n"
        "def h(i: idx[n][m]) -> i32 = n * m\n"
        "def f(x: f32[k]) -> (f32[k, k], f32[k], f32[k], i32) where k >= 1 =\n"
        "    let rows = [g(i, 2.0) for i in range(k)]\n"
        "    let places = argsort(x)\n"
        "    (rows, jacrev(g, argnums=1)(argmax(x), 3.0), vmap(g, in_axes=(0, none))(places, 1.0)[0], h(places))",
        (f32(3, 9, 1),),
        (2 * np.eye(3, dtype="f4"), f32(0, 1, 0), f32(0, 0, 1), np.int32(9)),
    ),
    "transformed_library_functions": Case(
        "def f(x: f32[n, m]) -> (f32[m], f32[n, m], f32[n]) =\n"
        "    (vmap(sum, in_axes=-1)(x), vmap(grad(sum))(x), vmap(checkpoint(mean))(x))",
        (GRID,),
        (GRID.sum(0), np.ones((3, 4), "f4"), GRID.mean(1)),
    ),
    "defaults_that_sizes_depend_on": Case(
        """
        def along[a: Float](x: a[*s], h: a = 0.5, *, static axis: int = 1) -> a[*s] where has_axis(s, axis) =
            let size = extent(s, axis)
            x * h * size
        def f(x: f32[n, m]) -> f32[n, m] = along(x)
        """,
        (np.ones((2, 3), np.float32),),
        np.full((2, 3), 1.5, np.float32),
    ),
    "generic_defaults": Case(
        "def h[a: Float](x: a[n], *, y: a = 0.5) -> a[n] = x * y\ndef f(x: f16[n]) -> f16[n] = h(x)",
        (np.array([2], "f2"),),
        np.array([1], "f2"),
    ),
}

CASES = {**EFFECTS_TRANSFORMED, **NUMBERS, **INDEXING, **LOOPS, **EFFECTS, **DERIVATIVES}


@pytest.mark.parametrize("name", CASES)
def test_meaning(name: str) -> None:
    case = CASES[name]
    function = dsl.program(case.text).f
    same(read(function.interpret(*case.args)), case.expected)
    same(read(function(*case.args)), case.expected)


def read(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(read, value))
    if isinstance(value, dict):
        return {name: read(part) for name, part in value.items()}
    return np.asarray(value)


def same(value: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(value) == len(expected)
        for part, wanted in zip(value, expected, strict=True):
            same(part, wanted)
    elif isinstance(expected, dict):
        assert value.keys() == expected.keys()
        for name, wanted in expected.items():
            same(value[name], wanted)
    else:
        wanted = np.asarray(expected)
        assert (value.dtype, value.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(value.astype(np.complex128), wanted.astype(np.complex128), 2e-5, 2e-6)

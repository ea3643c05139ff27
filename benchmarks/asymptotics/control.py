"""Rows of control constructs and transformations."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.asymptotics.row import Table

LOSS = "def loss(x: f32[n]) -> f32 = sum(sin(x) * exp(-x * x) + tanh(x) * x)\n"


def _loss(x: Any) -> Any:
    return (jnp.sin(x) * jnp.exp(-x * x) + jnp.tanh(x) * x).sum()


def _chain(x: Any) -> Any:
    return jax.lax.scan(lambda s, v: (jnp.sin(s) * 0.5 + v, None), 0.0, x)[0]


CHAIN = "def chain(x: f32[n]) -> f32 = fold s = 0.0 for v in x do sin(s) * 0.5 + v\n"
WAVES = "def waves(x: f32[n]) -> f32[n] = [sin(v) * exp(v) for v in x]\n"


def _waves(x: Any) -> Any:
    return jnp.sin(x) * jnp.exp(x)


DERIVED: Table = MappingProxyType(
    {
        "grad": (f"{LOSS}def f(x: f32[n]) = grad(loss)(x)", jax.grad(_loss)),
        "value_and_grad": (f"{LOSS}def f(x: f32[n]) = value_and_grad(loss)(x)", jax.value_and_grad(_loss)),
        "grad of checkpoint": (f"{LOSS}def f(x: f32[n]) = grad(checkpoint(loss))(x)", jax.grad(jax.checkpoint(_loss))),
        "grad of a fold": (f"{CHAIN}def f(x: f32[n]) = grad(chain)(x)", jax.grad(_chain)),
        "grad of sort": (
            "def f(x: f32[n]) = grad(fn v -> sum(sort(v) * v))(x)",
            jax.grad(lambda v: (jnp.sort(v) * v).sum()),
        ),
        "grad of cumsum": (
            "def f(x: f32[n]) = grad(fn v -> sum(cumsum(v) * v))(x)",
            jax.grad(lambda v: (jnp.cumsum(v) * v).sum()),
        ),
        "grad of prod": ("def f(x: f32[n]) = grad(fn v -> prod(v))(x)", jax.grad(jnp.prod)),
        "grad of max": ("def f(x: f32[n]) = grad(fn v -> max(v))(x)", jax.grad(jnp.max)),
        "grad of logsumexp": ("def f(x: f32[n]) = grad(fn v -> logsumexp(v))(x)", jax.grad(jax.nn.logsumexp)),
        "grad of cumprod": (
            "def f(x: f32[n]) = grad(fn v -> sum(cumprod(v)))(x)",
            jax.grad(lambda v: jnp.cumprod(v).sum()),
        ),
        "jvp": (f"{WAVES}def f(x: f32[n]) = jvp(waves, (x,), (x,))", lambda x: jax.jvp(_waves, (x,), (x,))),
        "jvp of a fold": (f"{CHAIN}def f(x: f32[n]) = jvp(chain, (x,), (x,))", lambda x: jax.jvp(_chain, (x,), (x,))),
        "vmap": (
            f"{WAVES}def f(x: f32[n]) = vmap(waves)(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(_waves)(x.reshape(-1, 16)),
        ),
        "vmap of grad": (
            f"{LOSS}def f(x: f32[n]) = vmap(grad(loss))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.grad(_loss))(x.reshape(-1, 16)),
        ),
        "vmap of a fold": (
            f"{CHAIN}def f(x: f32[n]) = vmap(chain)(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(_chain)(x.reshape(-1, 16)),
        ),
        "hessian of 16": (
            f"{LOSS}def f(x: f32[n]) = vmap(hessian(loss))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.hessian(_loss))(x.reshape(-1, 16)),
        ),
        "jacfwd of 16": (
            f"{WAVES}def f(x: f32[n]) = vmap(jacfwd(waves))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.jacfwd(_waves))(x.reshape(-1, 16)),
        ),
        "jacrev of 16": (
            f"{WAVES}def f(x: f32[n]) = vmap(jacrev(waves))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.jacrev(_waves))(x.reshape(-1, 16)),
        ),
    }
)
STEP = "def step(s: f32, v: f32) -> (f32, f32) =\n    let next = 0.3 * v + 0.7 * s\n    (next, sin(next))\n"
LOOPS: Table = MappingProxyType(
    {
        "scan": (
            f"{STEP}def f(x: f32[n]) = scan s = 0.0 for v in x do step(s, v)",
            lambda x: jax.lax.scan(_step, 0.0, x),
        ),
        "scan in reverse": (
            f"{STEP}def f(x: f32[n]) = scan s = 0.0 for v in x reverse do step(s, v)",
            lambda x: jax.lax.scan(_step, 0.0, x, reverse=True),
        ),
        "grad of a scan": (
            f"{STEP}def total(x: f32[n]) -> f32 = sum((scan s = 0.0 for v in x do step(s, v)).1)\n"
            "def f(x: f32[n]) = grad(total)(x)",
            jax.grad(lambda x: jax.lax.scan(_step, 0.0, x)[1].sum()),
        ),
        "iterate": (
            "def f(x: f32[n]) = iterate y = x while sum(y) > 1.0 limit 30 do 0.5 * y",
            lambda x: jax.lax.while_loop(
                lambda s: (s[0] < 30) & (s[1].sum() > 1), lambda s: (s[0] + 1, 0.5 * s[1]), (0, x)
            )[1],
        ),
        "iterate without a limit": (
            "def f(x: f32[n]) = iterate y = x while sum(y) > 1.0 do 0.5 * y",
            lambda x: jax.lax.while_loop(lambda y: y.sum() > 1, lambda y: 0.5 * y, x),
        ),
        "jvp of iterate": (
            "def halved(x: f32[n]) -> f32[n] = iterate y = x while sum(y) > 1.0 limit 30 do 0.5 * sin(y)\n"
            "def f(x: f32[n]) = jvp(halved, (x,), (x,))",
            lambda x: jax.jvp(_halved, (x,), (x,)),
        ),
        "jacfwd of iterate": (
            "def root(a: f32) -> f32 = iterate x = a while abs(x * x - a) > 1e-4 limit 50 do 0.5 * (x + a / x)\n"
            "def f(x: f32[n]) = [jacfwd(root)(v) for v in x]",
            lambda x: jax.vmap(jax.jacfwd(_root))(x),
        ),
        "if": (
            "def f(x: f32[n]) = if x[0] > 0.5 then sin(x) else cos(x)",
            lambda x: jax.lax.cond(x[0] > 0.5, jnp.sin, jnp.cos, x),
        ),
        "grad of if": (
            "def f(x: f32[n]) = grad(fn v -> sum(if v[0] > 0.5 then sin(v) else cos(v)))(x)",
            jax.grad(lambda v: jax.lax.cond(v[0] > 0.5, jnp.sin, jnp.cos, v).sum()),
        ),
        "recursion": (
            "def halves(x: f32[n]) -> f32 =\n"
            "    if n <= 1 then sum(x) else sin(halves(x[:n // 2])) + cos(halves(x[n // 2:n // 2 * 2]))\n"
            "def f(x: f32[n]) = halves(x[:64])",
            lambda x: _halves(x[:64]),
        ),
        "linearize": (
            f"{WAVES}def f(x: f32[n]) =\n    let (y, push) = linearize(waves, x)\n    (y, push(x), push(y))",
            lambda x: _linearized(x),
        ),
        "vjp": (
            f"{WAVES}def f(x: f32[n]) =\n    let (y, pull) = vjp(waves, x)\n    (y, pull(y))",
            lambda x: _pulled(x),
        ),
        "hvp": (
            f"{LOSS}def f(x: f32[n]) = hvp(loss, x, x)",
            lambda x: jax.jvp(jax.grad(_loss), (x,), (x,))[1],
        ),
        "jvp of cumprod": (
            "def f(x: f32[n]) = jvp(fn v -> cumprod(v), (x,), (x,))",
            lambda x: jax.jvp(jnp.cumprod, (x,), (x,)),
        ),
        "jvp of cummax": (
            "def f(x: f32[n]) = jvp(fn v -> cummax(v), (x,), (x,))",
            lambda x: jax.jvp(jax.lax.cummax, (x,), (x,)),
        ),
        "grad of cumlogsumexp": (
            "def f(x: f32[n]) = grad(fn v -> sum(cumlogsumexp(v)))(x)",
            jax.grad(lambda v: jax.lax.cumlogsumexp(v).sum()),
        ),
        "grad of top_k": (
            "def f(x: f32[n]) where n >= 16 = grad(fn v -> sum(top_k(v, 16).0 ** 2.0))(x)",
            jax.grad(lambda v: (jax.lax.top_k(v, 16)[0] ** 2).sum()),
        ),
        "grad of softmax": (
            "import nn\ndef f(x: f32[n]) where n >= 1 = grad(fn v -> sum(nn.softmax(v) * v))(x)",
            jax.grad(lambda v: (jax.nn.softmax(v) * v).sum()),
        ),
        "grad of interp": (
            "def f(x: f32[n]) where n >= 16 = grad(fn v -> sum(interp(v, cumsum(x[:16]), x[:16])))(x)",
            lambda x: jax.grad(lambda v: jnp.interp(v, jnp.cumsum(x[:16]), x[:16]).sum())(x),
        ),
        "grad of associative_scan": (
            "def f(x: f32[n]) = grad(fn v -> sum(associative_scan(fn (a, b) -> a + b - a * b, v)))(x)",
            jax.grad(lambda v: jax.lax.associative_scan(lambda a, b: a + b - a * b, v).sum()),
        ),
    }
)


def _step(s: Any, v: Any) -> Any:
    after = 0.3 * v + 0.7 * s
    return after, jnp.sin(after)


def _halved(x: Any) -> Any:
    def step(s: Any) -> Any:
        return s[0] + 1, 0.5 * jnp.sin(s[1])

    return jax.lax.while_loop(lambda s: (s[0] < 30) & (s[1].sum() > 1), step, (0, x))[1]


def _root(a: Any) -> Any:
    def step(s: Any) -> Any:
        return s[0] + 1, 0.5 * (s[1] + a / s[1])

    return jax.lax.while_loop(lambda s: (s[0] < 50) & (abs(s[1] * s[1] - a) > 1e-4), step, (0, a))[1]


def _halves(x: Any) -> Any:
    half = len(x) // 2
    return x.sum() if len(x) <= 1 else jnp.sin(_halves(x[:half])) + jnp.cos(_halves(x[half:]))


def _linearized(x: Any) -> Any:
    y, push = jax.linearize(_waves, x)
    return y, push(x), push(y)


def _pulled(x: Any) -> Any:
    y, pull = jax.vjp(_waves, x)
    return y, pull(y)

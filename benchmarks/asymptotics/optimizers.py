"""Rows of `optim`, beside the same formulas in JAX."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.asymptotics.row import Row, Table, table, two

START = "def f(x: f32[n], g: f32[n]) = "


def _ema(old: Any, new: Any, decay: float) -> Any:
    return decay * old + (1 - decay) * new


def _adamw(x: Any, g: Any, weight_decay: float) -> Any:
    mu, nu = _ema(x, g, 0.9), _ema(x, g * g, 0.999)
    step = (mu / (1 - 0.9)) / (jnp.sqrt(nu / (1 - 0.999)) + 1e-8) + weight_decay * x
    return -0.1 * step, {"count": 1, "mu": mu, "nu": nu}


def _lion(x: Any, g: Any) -> Any:
    return -0.1 * (jnp.sign(_ema(x, g, 0.9)) + 1e-3 * x), {"mu": _ema(x, g, 0.99)}


def _rmsprop(x: Any, g: Any) -> Any:
    nu = _ema(x, g * g, 0.9)
    return -0.1 * g * jax.lax.rsqrt(nu + 1e-8), {"nu": nu}


def _adagrad(x: Any, g: Any) -> Any:
    total = x + g * g
    return -0.1 * g * jax.lax.rsqrt(total + 1e-7), {"sum_of_squares": total}


def _cosine(x: Any, g: Any) -> Any:
    return (x * g).sum() / (jnp.linalg.norm(x) * jnp.linalg.norm(g))


MOMENTS = "{count = 0, mu = x, nu = x}"
CALLS: Table = MappingProxyType(
    {
        "apply_updates": ("optim.apply_updates(x, g)", lambda x, g: x + g),
        "global_norm": ("optim.global_norm((x, g))", lambda x, g: jnp.sqrt((x * x).sum() + (g * g).sum())),
        "clip_by_global_norm": (
            "optim.clip_by_global_norm(x, 1.0)",
            lambda x, g: x * jnp.where(jnp.linalg.norm(x) <= 1, 1.0, 1.0 / jnp.linalg.norm(x)),
        ),
        "clip": ("optim.clip(x, 0.5)", lambda x, g: jnp.clip(x, -0.5, 0.5)),
        "add_decayed_weights": ("optim.add_decayed_weights(x, g, 0.1)", lambda x, g: x + 0.1 * g),
        "ema": ("optim.ema(x, g, 0.9)", lambda x, g: _ema(x, g, 0.9)),
        "sgd_init": ("optim.sgd_init(x)", lambda x, g: jnp.zeros_like(x)),
        "adam_init": ("optim.adam_init(x)", lambda x, g: (0, jnp.zeros_like(x), jnp.zeros_like(x))),
        "adamw_init": ("optim.adamw_init(x)", lambda x, g: (0, jnp.zeros_like(x), jnp.zeros_like(x))),
        "rmsprop_init": ("optim.rmsprop_init(x)", lambda x, g: jnp.zeros_like(x)),
        "adagrad_init": ("optim.adagrad_init(x)", lambda x, g: jnp.full_like(x, 0.1)),
        "lion_init": ("optim.lion_init(x)", lambda x, g: jnp.zeros_like(x)),
        "sgd_update": (
            "optim.sgd_update(g, {trace = x}, x, learning_rate=0.1, momentum=0.9)",
            lambda x, g: (-0.1 * (g + 0.9 * x), {"trace": g + 0.9 * x}),
        ),
        "adam_update": (f"optim.adam_update(g, {MOMENTS}, x, learning_rate=0.1)", lambda x, g: _adamw(x, g, 0.0)),
        "adamw_update": (f"optim.adamw_update(g, {MOMENTS}, x, learning_rate=0.1)", lambda x, g: _adamw(x, g, 1e-4)),
        "rmsprop_update": ("optim.rmsprop_update(g, {nu = x}, x, learning_rate=0.1)", _rmsprop),
        "adagrad_update": ("optim.adagrad_update(g, {sum_of_squares = x}, x, learning_rate=0.1)", _adagrad),
        "lion_update": ("optim.lion_update(g, {mu = x}, x, learning_rate=0.1)", _lion),
        "squared_error": ("optim.squared_error(x, g)", lambda x, g: (x - g) ** 2),
        "l2_loss": ("optim.l2_loss(x, g)", lambda x, g: 0.5 * (x - g) ** 2),
        "huber_loss": (
            "optim.huber_loss(x, g, 0.3)",
            lambda x, g: jnp.where(abs(x - g) <= 0.3, 0.5 * (x - g) ** 2, 0.3 * (abs(x - g) - 0.15)),
        ),
        "log_cosh": ("optim.log_cosh(x, g)", lambda x, g: jnp.logaddexp(x - g, g - x) - jnp.log(2.0)),
        "softmax_cross_entropy": ("optim.softmax_cross_entropy(x, g)", lambda x, g: -(g * jax.nn.log_softmax(x)).sum()),
        "softmax_cross_entropy_with_integer_labels": (
            "optim.softmax_cross_entropy_with_integer_labels(x[None, :], argmax(x)[None])",
            lambda x, g: -jax.nn.log_softmax(x)[jnp.argmax(x)[None]],
        ),
        "sigmoid_binary_cross_entropy": (
            "optim.sigmoid_binary_cross_entropy(x, g)",
            lambda x, g: -g * jax.nn.log_sigmoid(x) - (1 - g) * jax.nn.log_sigmoid(-x),
        ),
        "cosine_similarity": ("optim.cosine_similarity(x, g)", _cosine),
        "cosine_distance": ("optim.cosine_distance(x, g)", lambda x, g: 1 - _cosine(x, g)),
        "exponential_decay": ("[optim.exponential_decay(i, 0.1, 9.0, 0.5) for i in range(n)]", None),
        "linear_schedule": ("[optim.linear_schedule(i, 0.1, 0.0, 99.0) for i in range(n)]", None),
        "cosine_decay_schedule": ("[optim.cosine_decay_schedule(i, 0.1, 99.0) for i in range(n)]", None),
        "polynomial_schedule": ("[optim.polynomial_schedule(i, 0.1, 0.0, 2.0, 99.0) for i in range(n)]", None),
        "warmup_cosine_decay_schedule": (
            "[optim.warmup_cosine_decay_schedule(i, 0.0, 0.1, 99.0, 999.0) for i in range(n)]",
            None,
        ),
    }
)


def optimizers() -> Iterator[Row]:
    """A row for every function of `optim`."""
    yield from table(two, {name: (START + call, theirs) for name, (call, theirs) in CALLS.items()}, "optim")

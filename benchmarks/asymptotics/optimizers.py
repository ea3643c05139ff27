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


def _first_of_adam(g: Any) -> Any:
    """The first step of Adam without its rate: the means are g and g² without their bias."""
    return g / (jnp.sqrt(g * g) + 1e-8)


def _orthogonalised(x: Any) -> Any:
    y = x / (jnp.sqrt((x * x).sum()) + 1e-7)
    for _ in range(5):
        s = y @ y.T
        y = 3.4445 * y + (-4.7750 * s + 2.0315 * (s @ s)) @ y
    return y


def _ratio(updates: Any, params: Any) -> Any:
    return updates * jnp.linalg.norm(params) / jnp.linalg.norm(updates)


MATRIX = "reshape(g[: n // 16 * 16], [16, n // 16])"
RULES: Table = MappingProxyType(
    {
        "memory": ('optim.memory("x", fn () -> x, fn last -> last + g)', lambda x, g: x + g),
        "begin": ("optim.trace(g, 0.9)", lambda x, g: g),
        "step": ("optim.trace(g, 0.9)", lambda x, g: g),
        "counted": ("x * f32(optim.counted())", lambda x, g: x),
        "moving_mean": ('optim.moving_mean(g, "m", 0.9)', lambda x, g: 0.1 * g),
        "trace": ("optim.trace(g, 0.9)", lambda x, g: g),
        "scale_by_adam": ("optim.scale_by_adam(g)", lambda x, g: _first_of_adam(g)),
        "scale_by_rms": ("optim.scale_by_rms(g)", lambda x, g: g * jax.lax.rsqrt(0.1 * g * g + 1e-8)),
        "scale_by_rss": ("optim.scale_by_rss(g)", lambda x, g: g * jax.lax.rsqrt(0.1 + g * g + 1e-7)),
        "scale_by_lion": ("optim.scale_by_lion(g)", lambda x, g: jnp.sign(0.1 * g)),
        "scale_by_trust_ratio": ("optim.scale_by_trust_ratio(g, x)", lambda x, g: _ratio(g, x)),
        "descend": ("optim.descend(g, 0.1)", lambda x, g: -0.1 * g),
        "sgd": ("optim.sgd(g, 0.1)", lambda x, g: -0.1 * g),
        "adam": ("optim.adam(g, 0.1)", lambda x, g: -0.1 * _first_of_adam(g)),
        "adamw": ("optim.adamw(g, x, 0.1)", lambda x, g: -0.1 * (_first_of_adam(g) + 1e-4 * x)),
        "nadam": ("optim.nadam(g, 0.1)", None),
        "adagrad": ("optim.adagrad(g, 0.1)", lambda x, g: -0.1 * g * jax.lax.rsqrt(0.1 + g * g + 1e-7)),
        "rmsprop": ("optim.rmsprop(g, 0.1)", lambda x, g: -0.1 * g * jax.lax.rsqrt(0.1 * g * g + 1e-8)),
        "lion": ("optim.lion(g, x, 0.1)", lambda x, g: -0.1 * (jnp.sign(0.1 * g) + 1e-3 * x)),
        "lamb": ("optim.lamb(g, x, 0.1)", lambda x, g: -0.1 * _ratio(g / (jnp.sqrt(g * g) + 1e-6), x)),
        "orthogonalised": (
            f"optim.orthogonalised({MATRIX})",
            lambda x, g: _orthogonalised(g[: len(g) // 16 * 16].reshape(16, -1)),
        ),
        "muon": (f"optim.muon({MATRIX}, 0.1)", None),
        "scale_by_factored_rms": (f"optim.scale_by_factored_rms({MATRIX})", None),
        "adafactor": (f"optim.adafactor({MATRIX}, {MATRIX}, 0.1)", None),
        "shampoo": (f"optim.shampoo({MATRIX}[:, :16], 0.1) + g[0]", None),
        "masked": ("optim.masked(g, x, fn g -> optim.adam(g, 0.1))", None),
        "every": ("optim.every(g, 2, fn g -> optim.adam(g, 0.1))", None),
        "where_finite": ("optim.where_finite(g, fn g -> optim.adam(g, 0.1))", None),
    }
)
FIRST = """
def rule(x: f32[n], g: f32[n]) -> RESULT ! optim.memory = CALL
def f(x: f32[n], g: f32[n]) =
    let (updates, _) = optim.step(optim.begin(fn () -> rule(x, g)), fn () -> rule(x, g))
    updates
"""


def _first_step(call: str) -> str:
    result = "f32[16, n // 16]" if MATRIX in call else "f32[n]"
    return FIRST.replace("RESULT", result).replace("CALL", call)


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
    yield from table(two, {name: (_first_step(call), theirs) for name, (call, theirs) in RULES.items()}, "optim")

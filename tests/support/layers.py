"""Cases of `nn`: pooling, and functions that JAX keeps in `jax.nn` beside the usual ones."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.library import Case

_random = np.random.default_rng(13)
X = _random.normal(size=(3, 4)).astype(np.float32)
IMAGES = _random.normal(size=(2, 5, 6)).astype(np.float32)
ONE_ARRAY = "(x: f32[n, m]) -> f32[n, m] = "


def largest(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2), (1, 2, 2), "VALID")


def mean(x: Any) -> Any:
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 3), (1, 1, 2), "SAME") / 6


LAYERS: tuple[Case, ...] = (
    *[
        Case(f"nn_{n}", f"{ONE_ARRAY}nn.{n}(3.0 * x)", (X,), lambda x, n=n: getattr(jax.nn, n)(3.0 * x))
        for n in ("identity", "sparse_plus", "sparse_sigmoid")
    ],
    Case("nn_log1mexp", ONE_ARRAY + "nn.log1mexp(abs(x))", (X,), lambda x: jax.nn.log1mexp(jnp.abs(x)), 1e-4),
    Case(
        "nn_logmeanexp",
        "(x: f32[n, m]) -> f32[n, 1] where m >= 1 = nn.logmeanexp(x, axis=1, keepdims=true)",
        (X,),
        lambda x: jax.nn.logmeanexp(x, axis=1, keepdims=True),
    ),
    Case(
        "nn_max_pool",
        "(x: f32[c, h, w]) -> f32[c, h // 2, w // 2] where h >= 2 and w >= 2 = nn.max_pool(x, (2, 2), 2)",
        (IMAGES,),
        largest,
    ),
    Case(
        "nn_avg_pool",
        "(x: f32[c, h, w]) -> f32[c, h, (w + 1) // 2] where h >= 1 and w >= 1 ="
        ' nn.avg_pool(x, (2, 3), strides=(1, 2), padding="SAME")',
        (IMAGES,),
        mean,
    ),
    Case(
        "nn_max_pool_padded",
        "(x: f32[c, h, w]) -> f32[c, h, w - 1] where h >= 1 and w >= 2 ="
        " nn.max_pool(x, [2, 2], padding=((1, 0), (0, 0)))",
        (IMAGES,),
        lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2), (1, 1, 1), ((0, 0), (1, 0), (0, 0))),
    ),
    Case(
        "nn_avg_pool_padded",
        "(x: f32[c, h, w]) -> f32[c, (h - 1) // 2 + 1, (w - 1) // 2 + 1] where h >= 1 and w >= 1 ="
        " nn.avg_pool(x, (3, 3), 2, (1, 1))",
        (IMAGES,),
        lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 3, 3), (1, 2, 2), ((0, 0), (1, 1), (1, 1))) / 9,
    ),
    Case(
        "nn_pool_slopes",
        "(x: f32[c, h, w]) -> f32[c, h, w] where h >= 2 and w >= 2 ="
        " grad(fn x -> sum(nn.max_pool(x, (2, 2), 2) ** 2) + sum(nn.avg_pool(x, (2, 2)) ** 3))(x)",
        (IMAGES,),
        jax.grad(
            lambda x: (
                jnp.sum(largest(x) ** 2)
                + jnp.sum((jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2), (1, 1, 1), "VALID") / 4) ** 3)
            )
        ),
    ),
)

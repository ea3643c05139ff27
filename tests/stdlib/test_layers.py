"""The layers of `nn`: values and gradients beside JAX, memory of attention, steps with a cache."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from tests.support.library import leaves
from tests.support.neural import LAYERS, TEXT

KEY = np.array([0, 7], np.uint32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def close(found: Any, wanted: Any, tolerance: float = 3e-5) -> None:
    for got, want in zip(leaves(found), leaves(wanted), strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", (0, 1))
@pytest.mark.parametrize("name", LAYERS)
def test_values_and_gradients(program: dsl.Program, name: str, size: int) -> None:
    layer, random = LAYERS[name], np.random.default_rng(size)
    args = [random.normal(size=shape).astype(np.float32) for shape in layer.shapes[size]]
    start = getattr(program, f"{name}_start").interpret(KEY, *args)
    params = jax.tree.map(lambda x: x + 0.3 * random.normal(size=x.shape).astype(np.float32), start)
    found, slopes = getattr(program, f"{name}_slopes")(params, *args)
    wanted = jax.grad(lambda *x: jnp.sum(jnp.sin(layer.expected(*x))), tuple(range(layer.slopes + 1)))(params, *args)
    close(found, layer.expected(params, *args))
    close(slopes, wanted, 1e-4)

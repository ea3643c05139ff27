"""`dsl export`: what JAX and its StableHLO read gives what the program gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl.__main__ import execute
from dsl.interop.jax import exported
from dsl.tools.building import stablehlo
from lowering.xla import adapter

TEXT = """
import linalg
import random

def fitted(a: f32[n, n], p: {w: f32[n], b: f32}, *, y: f32[n], static k: int = 2) -> {x: f32[n], r: f32} =
    let x = linalg.cholesky(a @ a.T) @ (p.w + k * y)
    {x = x, r = sum(x) + p.b}

def noisy(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def checked(x: f32[n]) -> f32[n] ! check =
    assert sum(x) > 0.0
    x
"""
X = np.array([[1, 2], [3, 5]], np.float32)
W = np.array([1, -1], np.float32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def test_jax_calls_what_was_exported(program: dsl.Program, tmp_path: Path) -> None:
    (tmp_path / "m.dsl").write_text(TEXT)
    words = ["export", str(tmp_path / "m.dsl"), "fitted", "--size", "n=2", "--static", "k=3"]
    assert execute([*words, "--jax", "--output", str(tmp_path / "m.jax")]) == 0
    read = jax.export.deserialize(bytearray((tmp_path / "m.jax").read_bytes()))
    found = jax.jit(read.call)(X, {"b": jnp.float32(1.0), "w": jnp.asarray(W)}, y=W)
    expected = program.fitted(X, {"w": W, "b": 1.0}, y=W, k=3)
    np.testing.assert_allclose(found["x"], expected["x"], rtol=1e-5)
    np.testing.assert_allclose(found["r"], expected["r"], rtol=1e-5)


def test_stablehlo_takes_the_leaves_of_the_arguments_in_order(tmp_path: Path) -> None:
    (tmp_path / "m.dsl").write_text(TEXT)
    words = ["export", str(tmp_path / "m.dsl"), "noisy", "--size", "n=2"]
    assert execute([*words, "--output", str(tmp_path / "m.mlirbc")]) == 0
    text = adapter.text_of_portable((tmp_path / "m.mlirbc").read_bytes())
    assert "@main(%arg0: tensor<2xf32>, %arg1: tensor<2xui32>) -> tensor<2xf32>" in text


def test_a_function_that_draws_takes_a_key(program: dsl.Program) -> None:
    read = jax.export.deserialize(bytearray(exported(program.noisy, {"x": W})))
    found = read.call(W, key=jax.random.key_data(jax.random.key(3)))
    np.testing.assert_allclose(found, program.noisy(W, key=3), rtol=1e-6)


@pytest.mark.parametrize("form", [exported, stablehlo])
@pytest.mark.parametrize("words", ["! io =\n    print('{}', x)", "! debug =\n    print('{}', x, ordered=false)"])
def test_what_prints_is_refused(form: Callable[[dsl.Function, Mapping[str, Any]], bytes], words: str) -> None:
    loud = dsl.program(f"def loud(x: f32[n]) -> f32[n] {words}\n    x".replace("'", '"')).loud
    with pytest.raises(dsl.InputError, match=r"E0970.*`loud` prints, or calls Python"):
        form(loud, {"x": W})


def test_checks_are_refused(program: dsl.Program) -> None:
    with pytest.raises(dsl.InputError, match="E0970"):
        exported(program.checked, {"x": W})

"""The layers of `nn`: values and gradients beside JAX, memory of attention, steps with a cache."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from tests.support.equinox_layers import EQUINOX, WITHOUT
from tests.support.library import leaves, tree
from tests.support.neural import LAYERS, MODELS, TEXT

KEY = np.array([0, 7], np.uint32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def close(found: Any, wanted: Any, tolerance: float = 3e-5) -> None:
    for got, want in zip(leaves(found), leaves(wanted), strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def _summed(value: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jnp.sum(jnp.sin(value)), value


@pytest.mark.parametrize("size", (0, 1))
@pytest.mark.parametrize("name", LAYERS)
def test_values_and_gradients(program: dsl.Program, name: str, size: int) -> None:
    """At one size beside short references in JAX, at the other beside Equinox, with the same parameters."""
    layer, random = LAYERS[name], np.random.default_rng(size)
    expected = layer.expected if size == 0 or name in WITHOUT else EQUINOX[name]
    args = [random.normal(size=shape).astype(np.float32) for shape in layer.shapes[size]]
    start = getattr(program, f"{name}_start").interpret(KEY, *args)
    params = jax.tree.map(lambda x: x + 0.3 * random.normal(size=x.shape).astype(np.float32), start)
    found, slopes = getattr(program, f"{name}_slopes")(params, *args)
    inputs = tuple(range(layer.slopes + 1))
    wanted, value = jax.jit(jax.grad(lambda *x: _summed(expected(*x)), inputs, has_aux=True))(params, *args)
    close(found, value)
    close(slopes, wanted, 1e-4)


def test_every_layer_is_held_against_equinox() -> None:
    assert {*EQUINOX, *WITHOUT} == set(LAYERS)
    effects = {d.name.name: d.effects.span.text for d in nodes(tree("nn")) if isinstance(d, ast.Def) and d.effects}
    public = {name for name, row in effects.items() if re.search(r"\bparam\b", row) and not name.startswith("_")}
    used = set(re.findall(r"nn\.(\w+)\(", " ".join([layer.body for layer in LAYERS.values()]) + MODELS))
    assert len(public) > 15 and public - used == {"init", "apply", "batch_statistics", "with_statistics"} - used


@pytest.fixture(scope="module")
def cached() -> dsl.Program:
    return dsl.program(MODELS)


def test_steps_with_a_cache_are_the_whole(cached: dsl.Program) -> None:
    x = np.random.default_rng(3).normal(size=(2, 9, 16)).astype(np.float32)
    params = cached.start(KEY, x)
    close(cached.one_by_one(params, x), cached.whole(params, x))


def test_dropout_keeps_the_mean(cached: dsl.Program) -> None:
    x = np.ones(4000, np.float32)
    found = np.asarray(cached.noisy(x, key=KEY))
    assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(found.mean() - 1) < 5 / np.sqrt(3 * len(x))
    close(cached.quiet(x, key=KEY), x)


def test_statistics_of_a_batch_are_collected_and_used(cached: dsl.Program) -> None:
    x = np.random.default_rng(4).normal(2, 3, size=(50, 4)).astype(np.float32)
    params = {name: {"scale": np.ones(4, "f"), "bias": np.zeros(4, "f")} for name in ("one", "two")}
    value, kept = cached.trained(params, x)
    inner = np.maximum((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), 0)
    close(kept["one"], {"mean": x.mean(0), "var": x.var(0)}, 1e-4)
    close(kept["two"], {"mean": inner.mean(0), "var": inner.var(0)}, 1e-4)
    close(cached.used(params, kept, x), value, 1e-4)


def test_memory_of_attention_grows_with_the_length(cached: dsl.Program) -> None:
    """Without blocks it grows with the square, which shows that the estimate would see it."""

    def growth(name: str) -> float:
        small, middle, large = (dsl.cost(getattr(cached, name), t=t, h=2, d=8).peak for t in (1024, 2048, 3072))
        return float(large - middle) / float(middle - small)

    assert growth("in_blocks") == pytest.approx(1.0, abs=0.02)
    assert growth("as_a_whole") > 1.5


WRONG = {
    "no_groups": (
        '(x: f32[b, 6, n]) -> f32[b, 8, n] ! nn.param where n >= 1 = nn.conv(x, "c", 8, 3, groups=4)',
        "E0407",
    ),
    "heads": ('(x: f32[b, t, 10]) -> f32[b, t, 10] ! nn.param = nn.multi_head_attention(x, "a", 4)', "E0407"),
    "odd_heads": (
        '(x: f32[b, t, 6]) -> f32[b, t, 6] ! nn.param = nn.multi_head_attention(x, "a", 2, rotary=true)',
        "E0407",
    ),
    "no_depth": ('(x: f32[b, n]) -> f32[b, 3] ! nn.param = nn.mlp(x, "m", 8, 0, 3, nn.relu)', "E0407"),
    "name_twice": ('(x: f32[b, n]) -> f32[b, n] ! nn.param = nn.dense(nn.dense(x, "d", n), "d", n)', "E0722"),
    "block_of_another_size": (
        '(x: f32[b, n]) -> f32[b, n] ! nn.param = nn.layers(x, "l", 3, fn h -> nn.dense(h, "d", 5))',
        "E0402",
    ),
    "no_statistics": ('(x: f32[b, n]) -> f32[b, n] ! nn.param = nn.batch_norm(x, "b")', "E0701"),
    "no_key": ("(x: f32[b, n]) -> f32[b, n] = nn.dropout(x, 0.1)", "E0701"),
    "labels_out_of_bounds": ("(x: f32[n, 3], i: idx[4][n]) -> f32[n] = nn.cross_entropy(x, i)", "E0303"),
    "other_record": (
        '(x: f32[b, n]) -> f32[b, 3] = nn.apply({d = {w = ones([n, 3])}}, fn () -> nn.dense(x, "d", 3))',
        "E0309",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_are_refused(name: str) -> None:
    text, code = WRONG[name]
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(f"import nn\ndef f{text}\n")
    assert f"[{code}]" in str(caught.value)

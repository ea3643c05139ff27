"""`with_sharding` inside of programs: the value on every number of devices and under every transformation, laid out as
it says where XLA has partitioned the program."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
let grid = mesh(data=4, model=2)
def laid(x: f32[n, d]) -> f32[n, d] = with_sharding(x, grid, {data = 0, model = 1})
def layer(w: f32[d, d], x: f32[n, d]) -> f32[n, d] = laid(tanh(laid(x) @ laid(w)))
def deep(w: f32[d, d], x: f32[n, d], y: f32[n, d]) -> f32 =
    let out = fold u = x for _ in range(2) do checkpoint(fn u -> layer(w, u))(u)
    mean((out - y) ** 2)
def trained(w: f32[d, d], x: f32[n, d], ys: f32[k, n, d]) -> (f32[n, d], f32[k, d, d]) =
    let (_, moved) = jvp(fn x -> layer(w, x), (x,), (x,))
    (moved, vmap(grad(deep), in_axes=(none, none, 0))(w, x, ys))
def doubled(x: f32[n, d]) -> f32[n, d] = laid(2.0 * laid(x))
def chosen(x: f32[n, m], static whole: bool) -> f32[n, m] = if whole then laid(x) else x
def parts(xs: f32[k, n, m], static whole: bool) -> f32[k, n, m] where not whole = pmap(chosen)(xs, whole=whole)
"""


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


@pytest.fixture(scope="module")
def args() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    return tuple([rng.normal(size=shape).astype("f4") for shape in ((4, 4), (8, 4), (2, 8, 4))])


@pytest.fixture(scope="module")
def wanted(m: Any, args: tuple[Any, ...]) -> list[Any]:
    return [np.asarray(x) for x in m.trained.interpret(*args)]


@pytest.mark.parametrize("count", [2, 8])
def test_the_value_is_that_of_one_device(m: Any, args: tuple[Any, ...], wanted: list[Any], count: int) -> None:
    with dsl.default_device(*dsl.devices()[:count]):
        found = m.trained(*args)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5, atol=1e-6)
    shape = {2: (4, 4), 8: (2, 2)}[count]
    assert [shard.data.shape for shard in found[0].addressable_shards] == [shape] * count


def test_xla_computes_with_parts(m: Any) -> None:
    lowered = m.doubled.lower(np.ones((8, 4), "f4"))
    assert "sdy.sharding_constraint" in lowered.as_text()
    optimised = lowered.as_text("optimized")
    assert "f32[2,2]" in optimised and not re.search(r" all-\w+\(", optimised)


def test_what_a_static_choice_says_of_a_part_is_refused_before_it_runs(m: Any) -> None:
    xs = np.ones((2, 8, 4), "f4")
    np.testing.assert_array_equal(np.asarray(m.parts(xs, whole=False)), xs)
    with pytest.raises(dsl.DslError, match="where not whole"):
        m.parts(xs, whole=True)
    with pytest.raises(dsl.DslError, match="E1018"):
        dsl.program(PROGRAM.replace(" where not whole", ""))
    with pytest.raises(dsl.DslError, match="E1018"):
        dsl.pmap(m.laid)(xs)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(8, 4), (64, 520)])
def test_extremes_of_axes_that_devices_share(dtype: str, shape: tuple[int, int]) -> None:
    """Devices reduce what they share by plain operations alone, which may lose nan."""
    program = dsl.program("""
    let grid = mesh(data=4, model=2)
    def extremes[a: Float](x: a[n, d]) -> (a[n], a[d], a, a, a[n]) where n >= 1 and d >= 1 =
        let y = with_sharding(x, grid, {data = 0, model = 1})
        (max(y, axis=1), min(y, axis=0), max(y), min(2 * y), logsumexp(y, axis=1))
    def of_parts[a: Float](x: a[n, d]) -> a[n] where n >= 1 and d >= 1 = pmap(max)(x)
    """)
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    for _ in range(2):
        wanted = [x.max(1), x.min(0), x.max(), 2 * x.min(), np.log(np.exp(x).sum(1))]
        for found, value in zip(program.extremes(x), wanted, strict=True):
            np.testing.assert_allclose(np.asarray(found), value, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(np.asarray(program.of_parts(x)), wanted[0])
        x[3, 2] = np.nan

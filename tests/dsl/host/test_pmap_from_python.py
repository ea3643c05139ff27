"""`pmap` in programs and from Python: on every number of devices what `vmap` gives, and where its results lie."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some

PROGRAM = """
from random import uniform

def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def centred(x: f32[d]) -> f32[d] ! axis("i") = x - pmean(x, "i") + pmax(x, "i") * pmin(x, "i")
def placed(x: f32) -> f32[n] ! axis("i": n) = all_gather(x, "i") * cast(axis_index("i") + 1, f32)
def moved(x: f32) -> f32 ! axis("i": n) = ppermute(x, "i", ((0, 1), (1, 2), (2, 3), (3, 5), (5, 0)))
def noisy(x: f32) -> f32 ! rand = x + uniform(fresh_key(), [])
def root(x: f32) -> f32 ! check =
  assert x >= 0.0, "x must not be negative"
  sqrt(x)
def settled(x: f32) -> f32 ! axis("i") =
  iterate v = x while v < 40.0 limit 12 do if v < 20.0 then v + pmean(v, "i") else v * 1.5
def inner(xs: f32[m]) -> f32[m] ! axis("i") = pmap(fn x -> x * psum(x, "j") + psum(x, "i"), axis_name="j")(xs)
def loss(w: {m: f32[d], b: f32}, x: f32[d], y: f32) -> f32 = (tanh(dot(w.m, x) + w.b) - y) ** 2
def step(w: {m: f32[d], b: f32}, xs: f32[k, d], ys: f32[k]) -> ({m: f32[d], b: f32}, f32) ! axis("i") =
  let (values, slopes) = vmap(value_and_grad(loss), in_axes=(none, 0, 0))(w, xs, ys)
  let slope = tree_map(fn g -> pmean(mean(g, axis=0), "i"), slopes)
  (tree_map(fn (p, g) -> p - 0.1 * g, w, slope), pmean(mean(values), "i"))
def train(w: {m: f32[d], b: f32}, xs: f32[n, k, d], ys: f32[n, k]) -> ({m: f32[d], b: f32}, f32) =
  pmap(step, axis_name="i", in_axes=(none, 0, 0), out_axes=none)(w, xs, ys)
def told(x: f32[n]) -> f32[n] ! io =
  let y = pmap(fn (v: f32) -> v + 1.0)(x)
  print("sum {}", sum(y))
  y
"""
COUNTS = (1, 2, 4, 8)
X = np.linspace(0.5, 4.0, 8, dtype="f4")
CASES = {"share": X, "placed": X, "moved": X, "settled": X, "centred": np.outer(X, X[:3]), "inner": np.outer(X, X[:2])}


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def agree(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_it_is_vmap_on_every_number_of_devices(m: Any, name: str) -> None:
    f, x = getattr(m, name), CASES[name]
    wanted, slope = dsl.vmap(f, axis_name="i")(x), dsl.jacrev(dsl.vmap(f, axis_name="i"))(x)
    for count in COUNTS:
        with dsl.default_device(*dsl.devices()[:count]):
            mapped = dsl.pmap(f, axis_name="i")
            found = mapped(x)
            agree(found, wanted)
            if found.shape == x.shape:
                agree(mapped(found), dsl.vmap(f, axis_name="i")(wanted))
            assert len(found.devices) == count and (count == 1 or found.sharding.axis == 0)
            if count in (1, 4):
                agree(dsl.jacrev(mapped)(x), slope)
    agree(mapped.interpret(x), wanted)


def test_linear_functions_of_it_run_on_the_devices(m: Any) -> None:
    mapped, same = (over(m.share, axis_name="i") for over in (dsl.pmap, dsl.vmap))
    for derivative in (dsl.vjp, dsl.linearize):
        (out, linear), (_, wanted) = derivative(mapped, X), derivative(same, X)
        found, right = linear(X), wanted(X)
        agree(found[0] if derivative is dsl.vjp else found, right[0] if derivative is dsl.vjp else right)
        assert len(out.devices) == 8
    agree(dsl.jvp(mapped, (X,), (X,))[1], dsl.jvp(same, (X,), (X,))[1])


def test_axes_are_those_of_vmap(m: Any) -> None:
    x = np.outer(X, X[:4])
    for in_axes, out_axes in ((0, 1), (1, 0), (-1, -1)):
        options: dict[str, Any] = {"axis_name": "i", "in_axes": in_axes, "out_axes": out_axes}
        agree(dsl.pmap(m.centred, **options)(x), dsl.vmap(m.centred, **options)(x))


def test_elements_draw_and_fail_as_under_vmap(m: Any) -> None:
    agree(dsl.pmap(m.noisy)(X, key=3), dsl.vmap(m.noisy)(X, key=3))
    agree(dsl.pmap(m.root)(X), np.sqrt(X))
    with pytest.raises(dsl.CheckError, match="x must not be negative"):
        np.asarray(dsl.pmap(m.root)(-X))


def test_training_keeps_its_parameters_on_the_devices(m: Any) -> None:
    rng = np.random.default_rng(0)
    xs, ys = rng.normal(size=(8, 3, 2)).astype("f4"), rng.normal(size=(8, 3)).astype("f4")
    w: Any = {"m": np.ones(2, "f4"), "b": np.float32(0)}
    flat: Any = w
    whole = dsl.vmap(m.step, in_axes=(None, 0, 0), out_axes=None, axis_name="i")
    for _ in range(3):
        (w, value), (flat, same) = m.train(w, xs, ys), whole(flat, xs, ys)
        agree(value, same)
    assert w["m"].sharding == dsl.Sharding(dsl.devices(), axis=None)
    agree(w["m"], flat["m"])
    text = optimized(m.train, w, xs, ys)
    assert text.count(" all-reduce(") == 1 and " all-gather(" not in text


def optimized(f: dsl.Function, *args: Any) -> str:
    """As XLA compiles it."""
    return f.lower(*args).as_text("optimized")


def test_arguments_are_laid_out_from_wherever_they_lie(m: Any) -> None:
    mapped, wanted = dsl.pmap(m.share, axis_name="i"), X / X.sum()
    for where in ("cpu:3", dsl.Sharding(dsl.devices()), dsl.Sharding(dsl.devices(), axis=0)):
        given = dsl.device_put(X, where)
        for _ in range(2):
            agree(mapped(given), wanted)
    with dsl.default_device(*dsl.devices()[2:4]):
        assert mapped(given).devices == tuple(dsl.devices()[2:4])


def test_few_elements_use_few_devices(m: Any) -> None:
    assert len(dsl.pmap(m.share, axis_name="i")(X[:3]).devices) == 3
    assert len(dsl.pmap(m.share, axis_name="i")(X[:1]).devices) == 1


def test_an_axis_that_cannot_be_shared_out_is_an_error(m: Any) -> None:
    with dsl.default_device(*dsl.devices()[:3]), pytest.raises(dsl.DeviceError) as caught:
        dsl.pmap(m.share, axis_name="i")(X)
    assert caught.value.code == "E1007" and "`i` has 8 elements, which 3 devices" in str(caught.value)


def test_a_program_for_several_devices_prints_once(m: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert m.told(X[:4]).tolist() == (X[:4] + 1).tolist()
    assert capfd.readouterr().out == f"sum {np.sum(X[:4] + 1)}\n"


def test_calls_that_nobody_waits_for_do_not_block_each_other(m: Any) -> None:
    """Also from several threads at once, each with the devices in an order of its own."""

    def work(k: int) -> Any:
        with dsl.default_device(*(dsl.devices() if k % 2 else reversed(dsl.devices()))):
            mapped, x = dsl.pmap(m.share, axis_name="i"), X
            for _ in range(60):
                x = mapped(x)
            return np.asarray(x)

    with ThreadPoolExecutor(4) as pool:
        for found in some(pool.map(work, range(4))):
            agree(found, X / X.sum())

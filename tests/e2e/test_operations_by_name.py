"""Operations known by name: what a handler collects is what one reads, whatever transforms the program around it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl

HEAD = """
from random import normal, split

effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]

def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def begun[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> (B, P) =
    with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def draw[B: Tree, P: Tree](k: key, f: () -> B ! sample(P)) -> P =
    let (_, p) =
        with rng(k) do
            with handler sample(name, loc, scale) -> resume(loc + scale * normal(fresh_key(), loc.shape)), record do f()
    p
def log_density[B: Tree, P: Tree](p: P, f: () -> B ! sample(P)) -> f32 =
    let (_, total) =
        with handler sample(name, loc, scale) as v from p ->
            total := total - sum(0.5 * ((v - loc) / scale) ** 2 + log(scale))
            resume(v)
        , state total = 0.0 do f()
    total
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> normal(k, [m]))
"""
X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(4, 3)
KEY = dsl.key(7)


@cache
def program(text: str) -> dsl.Program:
    return dsl.program(HEAD + text)


def numpy(value: Any) -> Any:
    return {name: numpy(part) for name, part in value.items()} if isinstance(value, dict) else np.asarray(value)


NET = """
def net(x: f32[b, 3]) -> f32[b, 2] ! param = dense(tanh(dense(x, "hidden", 5)), "out", 2)
def scanned(x: f32[b, 3]) -> f32[b, 2] ! param =
    let (_, ys) = scan c = 0.0 for row in x do (c, net([row])[0])
    ys
def chosen(x: f32[b, 3]) -> f32[b, 2] ! param = if sum(x) < 100.0 then net(x) else zeros([b, 2])
"""
PLACES = {
    "a call": "apply(p, fn () -> net(x))",
    "a comprehension": "[apply(p, fn () -> net([row]))[0] for row in x]",
    "a comprehension inside": "apply(p, fn () -> [net([row])[0] for row in x])",
    "a map inside": "apply(p, fn () -> vmap(fn row -> net([row])[0])(x))",
    "a map over records": "vmap(fn (p, row) -> apply(p, fn () -> net([row]))[0], in_axes=(none, 0))(p, x)",
    "a scan inside": "apply(p, fn () -> scanned(x))",
    "jit": "jit(fn p -> apply(p, fn () -> net(x)))(p)",
    "checkpoint inside": "apply(p, fn () -> checkpoint(net)(x))",
    "a branch inside": "apply(p, fn () -> chosen(x))",
}


def expected(p: Any) -> np.ndarray:
    hidden = np.tanh(X @ p["hidden"]["w"] + p["hidden"]["b"])
    return np.asarray(hidden @ p["out"]["w"] + p["out"]["b"])


@pytest.mark.parametrize("place", PLACES)
def test_a_record_is_read_wherever_the_model_runs(place: str) -> None:
    text = NET + "def start(k: key, x: f32[b, 3]) -> net.param = init(k, fn () -> net(x))\n"
    text += f"def run(p: net.param, x: f32[b, 3]) -> f32[b, 2] = {PLACES[place]}\n"
    m = program(text)
    p = m.start(KEY, X)
    assert {name: set(layer) for name, layer in p.items()} == {"hidden": {"b", "w"}, "out": {"b", "w"}}
    np.testing.assert_allclose(np.asarray(m.run(p, X)), expected(numpy(p)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.asarray(m.run.interpret(p, X)), expected(numpy(p)), rtol=1e-5, atol=1e-5)


def test_what_is_collected_is_what_the_run_used() -> None:
    m = program(NET + "def both(k: key, x: f32[b, 3]) -> (f32[b, 2], net.param) = begun(k, fn () -> net(x))\n")
    y, p = m.both(KEY, X)
    np.testing.assert_allclose(np.asarray(y), expected(numpy(p)), rtol=1e-5, atol=1e-5)


def test_gradients_are_those_of_a_function_of_the_record() -> None:
    text = NET + "def start(k: key, x: f32[b, 3]) -> net.param = init(k, fn () -> net(x))\n"
    text += "def loss(p: net.param, x: f32[b, 3]) -> f32 = sum(apply(p, fn () -> net(x)) ** 2)\n"
    text += """
def by_hand(p: net.param, x: f32[b, 3]) -> f32 =
    sum((tanh(x @ p.hidden.w + p.hidden.b) @ p.out.w + p.out.b) ** 2)
def slopes(p: net.param, x: f32[b, 3]) -> (net.param, net.param) = (grad(loss)(p, x), grad(by_hand)(p, x))
"""
    m = program(text)
    ours, theirs = map(numpy, m.slopes(m.start(KEY, X), X))
    for layer, field in (("hidden", "w"), ("hidden", "b"), ("out", "w"), ("out", "b")):
        np.testing.assert_allclose(ours[layer][field], theirs[layer][field], rtol=1e-4, atol=1e-5)


def test_a_loop_without_steps_has_parameters_that_are_drawn() -> None:
    text = """
def rows(xs: f32[t, 3]) -> f32[t, 2] ! param = [dense(x, "d", 2) for x in xs]
def start(k: key, xs: f32[t, 3]) -> rows.param = init(k, fn () -> rows(xs))
"""
    m = program(text)
    none, some = numpy(m.start(KEY, X[:0])), numpy(m.start(KEY, X))
    np.testing.assert_array_equal(none["d"]["w"], some["d"]["w"])


def test_a_stack_of_layers_is_a_fold_over_one_record() -> None:
    text = """
def layers[P: Tree](
    x: f32[*s], static name: str, static n: size, f: (f32[*s]) -> f32[*s] ! param(P)
) -> f32[*s] ! param =
    let ps = param(name, fn k -> [init(k, fn () -> f(zeros([*s]))) for k in split(k, n)])
    fold h = x for p in ps do apply(p, fn () -> f(h))
def block(x: f32[b, n]) -> f32[b, n] ! param = x + dense(tanh(dense(x, "up", 2 * n)), "down", n)
def deep(x: f32[b, n]) -> f32[b, n] ! param = layers(x, "blocks", 3, block)
def start(k: key, x: f32[b, n]) -> deep.param = init(k, fn () -> deep(x))
def run(p: deep.param, x: f32[b, n]) -> f32[b, n] = apply(p, fn () -> deep(x))
"""
    m = program(text)
    p = m.start(KEY, X)
    blocks = numpy(p)["blocks"]
    assert blocks["up"]["w"].shape == (3, 3, 6)
    assert not np.array_equal(blocks["up"]["w"][0], blocks["up"]["w"][1])
    h = X
    for i in range(3):
        inner = np.tanh(h @ blocks["up"]["w"][i] + blocks["up"]["b"][i])
        h = h + inner @ blocks["down"]["w"][i] + blocks["down"]["b"][i]
    np.testing.assert_allclose(np.asarray(m.run(p, X)), h, rtol=1e-4, atol=1e-4)


MODEL = """
def model(sigma: f32[n]) -> f32[n] ! sample =
    let mu = sample("mu", 0.0, 5.0)
    let theta = with scope("group") do sample("theta", full([n], mu), ones([n]))
    sample("y", theta, sigma)
def prior(k: key, sigma: f32[n]) -> model.sample = draw(k, fn () -> model(sigma))
def density(values: model.sample, sigma: f32[n]) -> f32 = log_density(values, fn () -> model(sigma))
"""
SIGMA = np.array([0.5, 1.0, 2.0], np.float32)


def _site(v: np.ndarray, loc: Any, scale: Any) -> float:
    return float(np.sum(-0.5 * ((v - loc) / scale) ** 2 - np.log(scale)))


def test_a_log_density_is_the_sum_of_its_sites() -> None:
    m = program(MODEL)
    values = m.prior(KEY, SIGMA)
    v = numpy(values)
    theta = v["group"]["theta"]
    sites = _site(v["mu"], 0.0, 5.0) + _site(theta, v["mu"], np.ones(3)) + _site(v["y"], theta, SIGMA)
    np.testing.assert_allclose(float(m.density(values, SIGMA)), sites, rtol=1e-5)


def test_a_record_of_some_names_leaves_the_others_to_the_handler_around() -> None:
    text = (
        MODEL
        + """
def given(k: key, y: f32[n], sigma: f32[n]) -> {group: {theta: f32[n]}, mu: f32} =
    draw(k, fn () -> with handler sample(name, loc, scale) as v from {y = y} -> resume(v) do model(sigma))
def rest(values: {group: {theta: f32[n]}, mu: f32}, y: f32[n], sigma: f32[n]) -> f32 =
    log_density(values, fn () -> with handler sample(name, loc, scale) as v from {y = y} -> resume(v) do model(sigma))
"""
    )
    m = program(text)
    y = np.array([1.0, 2.0, 3.0], np.float32)
    values = m.given(KEY, y, SIGMA)
    v = numpy(values)
    sites = _site(v["mu"], 0.0, 5.0) + _site(v["group"]["theta"], v["mu"], np.ones(3))
    np.testing.assert_allclose(float(m.rest(values, y, SIGMA)), sites, rtol=1e-5)


def test_handlers_of_different_names_commute() -> None:
    text = MODEL
    for name, fields in (("first", ("y", "mu")), ("second", ("mu", "y"))):
        around = [f"with handler sample(name, loc, scale) as v from {{{f} = {f}}} -> resume(v) do" for f in fields]
        text += f"""
def {name}(theta: f32[n], mu: f32, y: f32[n], sigma: f32[n]) -> f32 =
    log_density({{group = {{theta = theta}}}}, fn () -> {around[0]} ({around[1]} model(sigma)))
"""
    m = program(text)
    args = SIGMA - 1, np.float32(0.3), np.ones(3, np.float32), SIGMA
    assert float(m.first(*args)) == float(m.second(*args)) != 0


def test_a_clause_may_perform_its_operation_by_the_same_name() -> None:
    text = (
        MODEL
        + """
def centred(sigma: f32[n]) -> f32[n] ! sample =
    with handler sample(name, loc, scale) ->
        resume(loc + scale * sample(name, zeros(loc.shape), ones(loc.shape)))
    do model(sigma)
def standard(k: key, sigma: f32[n]) -> model.sample = draw(k, fn () -> centred(sigma))
def density2(values: model.sample, sigma: f32[n]) -> f32 = log_density(values, fn () -> centred(sigma))
"""
    )
    m = program(text)
    values = m.standard(KEY, SIGMA)
    v = numpy(values)
    flat = [v["mu"], v["group"]["theta"], v["y"]]
    np.testing.assert_allclose(
        float(m.density2(values, SIGMA)), sum(_site(x, 0.0, np.ones_like(x)) for x in flat), rtol=1e-5
    )


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5, unique=True), st.randoms(use_true_random=False))
def test_values_belong_to_names(names: list[str], random: Any) -> None:
    """Another order of the operations gives the same value for each name."""

    def text(sites: list[tuple[int, str]]) -> str:
        written = " + ".join(f'sample("{name}", {k}.0, 1.0)' for k, name in sites)
        return f"def f() -> f32 ! sample = {written}\ndef run(k: key) -> f.sample = draw(k, fn () -> f())\n"

    sites = list(enumerate(names))
    before, after = (program(text(order)).run(KEY) for order in (sites, random.sample(sites, len(sites))))
    assert {name: float(v) for name, v in before.items()} == {name: float(v) for name, v in after.items()}

"""The programs of `docs/models.md` are accepted, and do what the page says; its mistakes are refused."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import dsl

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
NETWORK, AROUND, TRAINING, MODEL, HANDLED, CENTRED = re.findall(r"```dsl\n(.*?)```", PAGE, flags=re.DOTALL)
X = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
HEAD = "import nn\nimport optim\nimport prob\n"
NET = 'def net(x: f32[b, d]) -> f32[b, 2] ! nn.param = nn.dense(nn.dense(x, "a", 4), "b", 2)\n'
SITES = """def model(y: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.normal(0.0, 1.0))
    prob.observe("y", prob.normal(full([n], mu), 1.0), y)
"""
MISTAKES = MappingProxyType(
    {
        "two layers with the same name": (
            "E0722",
            'def f(x: f32[b, 4]) -> f32[b, 4] ! nn.param = nn.dense(nn.dense(x, "a", 4), "a", 4)',
        ),
        "a model called twice without scopes": (
            "E0722",
            NET + "def f(x: f32[b, d]) -> f32[b, 2] ! nn.param = net(x) + net(x)",
        ),
        "parameters of another model, or a missing or unknown field": (
            "E0309",
            NET + "def f(p: {a: {w: f32[3, 4], b: f32[4]}}, x: f32[b, 3]) -> f32[b, 2] = nn.apply(p, fn () -> net(x))",
        ),
        "parameters for another width": (
            "E0402",
            NET + "def f(p: net.param, x: f32[b, d + 1]) -> f32[b, 2] = nn.apply(p, fn () -> net(x))",
        ),
        "a model called outside `nn.apply`": ("E0701", NET + "def f(x: f32[b, d]) -> f32[b, 2] = net(x)"),
        "an initial value that depends on the data": (
            "E0725",
            'def f(x: f32[b]) -> f32[b] ! nn.param = x * nn.param("s", fn k -> mean(x))',
        ),
        "a layer that exists for some sizes only": (
            "E0723",
            NET + "def f(x: f32[b, d]) -> f32[b, 2] ! nn.param = if b > 3 then net(x) else zeros([b, 2])",
        ),
        "the memory of another rule": (
            "E0309",
            """def rule(g: f32[n]) -> f32[n] ! optim.memory = optim.adam(g, 0.1)
def other(g: f32[n]) -> f32[n] ! optim.memory = optim.sgd(g, 0.1)
def f(m: other.memory, g: f32[n]) -> f32[n] = optim.step(m, fn () -> rule(g)).0""",
        ),
        "a rule whose memory is lost": ("E0701", "def f(g: f32[n]) -> f32[n] = optim.adam(g, 0.1)"),
        "a site twice, or in a loop": (
            "E0723",
            'def f(x: f32[n]) -> f32[n] ! prob.sample = [v + prob.sample("a", prob.normal(0.0, 1.0)) for v in x]',
        ),
        "a site in a run-time branch, or inside `grad`": (
            "E0723",
            'def f(x: f32) -> f32 ! prob.sample = if x > 0.0 then prob.sample("a", prob.normal(x, 1.0)) else x',
        ),
        "a condition on a site that does not exist": (
            "E0724",
            SITES
            + """def f(y: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
    with handler prob.sample(name, d) as v from {nu = 1.0} -> resume(v) do model(y)""",
        ),
        "values of another model, or of another number of groups": (
            "E0309",
            SITES + "def f(v: {nu: f32}, y: f32[n]) -> f32 = prob.log_joint(v, fn () -> model(y))",
        ),
        "a key used twice": (
            "E0610",
            NET
            + "def f(k: key, x: f32[b, d]) -> (net.param, net.param) ="
            + " (nn.init(k, fn () -> net(x)), nn.init(k, fn () -> net(x)))",
        ),
    }
)


def test_a_network_learns_from_its_gradient() -> None:
    m = dsl.program(NETWORK)
    p = m.start(dsl.key(0), X)
    assert np.asarray(p["hidden"]["w"]).shape == (3, 64)
    labels = (X[:, 0] > 0).astype(np.int32)
    slope = dsl.grad(m.loss)(p, X, labels)
    after = {k: {n: np.asarray(p[k][n]) - 0.1 * np.asarray(slope[k][n]) for n in p[k]} for k in p}
    assert float(m.loss(after, X, labels)) < float(m.loss(p, X, labels))


def test_layers_around_layers_have_a_record_in_each_scope() -> None:
    text = "def start(k: key, x: f32[b, n]) -> deep.param = nn.init(k, fn () -> deep(x))\n"
    p = dsl.program(AROUND + text).start(dsl.key(0), X)
    assert set(p) == {"first", "second", "rest"}
    assert np.asarray(p["rest"]["up"]["w"]).shape == (6, 3, 12)


def test_training_goes_on_with_its_memory() -> None:
    m = dsl.program(TRAINING)
    y = X[:, 0] * X[:, 1]
    state = m.begin(dsl.key(0), X)
    losses = []
    for _ in range(60):
        state, loss = m.train(state, X, y)
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
    assert int(np.asarray(state["memory"]["adam"]["count"])) == 60


def test_the_posterior_of_a_line_is_that_of_least_squares() -> None:
    m = dsl.program(MODEL)
    x = np.linspace(-1, 1, 40).astype(np.float32)
    y = (2.0 * x + 1.0 + 0.1 * np.random.default_rng(1).normal(size=40)).astype(np.float32)
    draws = m.posterior(dsl.key(0), x, y, draws=200)
    slope, offset = np.polyfit(x, y, 1)
    np.testing.assert_allclose(np.asarray(draws["slope"]).mean(), slope, atol=0.03)
    np.testing.assert_allclose(np.asarray(draws["offset"]).mean(), offset, atol=0.02)
    one = {name: np.asarray(values)[0] for name, values in draws.items()}
    assert np.asarray(m.predicted(dsl.key(1), one, x, y)["y"]).shape == (40,)


def test_a_part_may_be_given() -> None:
    text = """
def rest(k: key, first: f32, static n: size) -> {steps: f32[n]} =
    prob.draw_prior(k, fn () -> from_there(first, n))
"""
    assert np.asarray(dsl.program(HANDLED + text).rest(dsl.key(0), np.float32(3), n=5)["steps"]).shape == (5,)


def test_every_mistake_of_the_page_is_tried() -> None:
    rows = re.findall(r"^\| (.*?) \| (\[E.*) \|$", PAGE, flags=re.MULTILINE)
    assert {name for name, _ in rows} == MISTAKES.keys()
    for name, said in rows:
        assert f"[{MISTAKES[name][0]}]" in said, name


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused(name: str) -> None:
    code, text = MISTAKES[name]
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(HEAD + text + "\n")
    assert {found.code for found in caught.value.diagnostics if found.code.startswith("E")} == {code}

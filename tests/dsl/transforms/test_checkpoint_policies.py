"""What the policies of `checkpoint` keep, also through calls and loops: how often each op is left in the gradient."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import dsl
from dsl.host.functions.function import Function
from dsl.ir.walk import functions
from dsl.staging.stage import Staged
from dsl.transforms.pipeline import TIDY, run

PROGRAM = """
def layer(w: f64[d, d], x: f64[d]) -> f64[d] =
    let h = checkpoint_name(sin(w @ x), "hidden")
    let g = checkpoint_name(exp(0.1 * h), "grown")
    tanh(log(1.0 + g))
def straight(w: f64[d, d], x: f64[d]) -> f64[d] =
    let h = checkpoint_name(sin(w @ x), "hidden")
    let g = checkpoint_name(exp(0.1 * h), "grown")
    tanh(log(1.0 + g))
def twice(w: f64[d, d], x: f64[d]) -> f64[d] = layer(w, layer(w, x))
def loop(w: f64[d, d], x: f64[d]) -> f64[d] = fold h = x for _ in range(3) do layer(w, h)
def pick(w: f64[d, d], x: f64[d]) -> {a: f64[d], n: i32} = checkpoint_name({a = w @ x, n = 1}, "pair")
"""
POLICIES = {
    "nothing": ('policy="nothing"', {"sin": 2, "exp": 2, "dot_general": 3}),
    "none": ("policy=none", {"sin": 2, "exp": 2, "dot_general": 3}),
    "dots": ('policy="dots"', {"sin": 2, "exp": 2, "dot_general": 2}),
    "everything": ('policy="everything"', {"sin": 1, "exp": 1, "dot_general": 2}),
    "hidden": ('policy=("hidden",)', {"sin": 1, "exp": 2, "dot_general": 3}),
    "grown": ('policy=("grown",)', {"sin": 1, "exp": 1, "dot_general": 3}),
    "both": ('policy=("grown", "hidden")', {"sin": 1, "exp": 1, "dot_general": 3}),
    "unknown": ('policy=("other",)', {"sin": 2, "exp": 2, "dot_general": 3}),
}
RNG = np.random.default_rng(0)
W, X = RNG.normal(size=(3, 3)), RNG.normal(size=3)


def counted(f: Function, *args: object) -> Counter[str]:
    staged, _, _ = f.staged(args, {})
    assert isinstance(staged, Staged)
    done = run(staged.function, TIDY, check=True)
    return Counter(e.op.name for part in functions(done) for e in part.equations)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["straight", "loop"])
def test_kept_or_computed_again(name: str, policy: str) -> None:
    option, expected = POLICIES[policy]
    text = f"def f(w: f64[d, d], x: f64[d]) -> f64 = sum(checkpoint({name}, {option})(w, x))\n"
    m = dsl.program(PROGRAM + text + f"def plain(w: f64[d, d], x: f64[d]) -> f64 = sum({name}(w, x))\n")
    found = counted(dsl.value_and_grad(m.f), W, X)
    extra = Counter({"dot_general": 1}) if name == "loop" else Counter[str]()  # the way back through `w @ x`
    assert {op: found[op] - extra[op] for op in expected} == expected
    for by in (0, 1):
        np.testing.assert_allclose(dsl.grad(m.f, by)(W, X), dsl.grad(m.plain, by)(W, X), rtol=1e-12)


@pytest.mark.parametrize("policy", ["nothing", "hidden", "grown", "dots"])
def test_through_calls(policy: str) -> None:
    option, _ = POLICIES[policy]
    again = {"nothing": (4, 4, 4), "hidden": (2, 4, 4), "grown": (2, 2, 4), "dots": (4, 4, 2)}[policy]
    m = dsl.program(PROGRAM + f"def f(w: f64[d, d], x: f64[d]) -> f64 = sum(checkpoint(twice, {option})(w, x))\n")
    found = counted(dsl.value_and_grad(m.f, 1), W, X)
    assert (found["sin"], found["exp"]) == again[:2]
    assert found["dot_general"] == again[2] + 2  # and two on the way back


def test_names_change_nothing_and_go_with_every_transformation() -> None:
    m = dsl.program(PROGRAM + "def f(w: f64[d, d], x: f64[d]) -> f64 = sum(twice(w, x))\n")
    np.testing.assert_allclose(m.pick(W, X)["a"], W @ X)
    batch = np.stack([X, 2 * X])
    mapped = dsl.vmap(dsl.grad(dsl.checkpoint(m.f, policy=("hidden", "grown")), 1), in_axes=(None, 0))(W, batch)
    for row, x in zip(np.asarray(mapped), batch, strict=True):
        np.testing.assert_allclose(row, dsl.grad(m.f, 1)(W, x), rtol=1e-12)
    assert "checkpoint_name" not in m.f.lower(W, X).as_text()


def test_what_is_no_policy() -> None:
    m = dsl.program(PROGRAM + "def by(x: f64, static p: str) -> f64 = checkpoint(fn y -> sin(y), policy=p)(x)\n")
    assert float(m.by(0.0, p="dots")) == 0.0
    with pytest.raises(dsl.ArgumentError, match='needs p == "nothing" or p == "dots"'):
        m.by(0.0, p="doots")
    with pytest.raises(dsl.TransformError) as caught:
        dsl.checkpoint(m.twice, policy="doots")
    assert caught.value.code == "E0812"

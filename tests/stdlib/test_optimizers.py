"""Rules of optimizers with memory by name, beside optax: twenty steps on one problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import dsl
from dsl.diagnostics.source import Source
from typechecker import check_source

HEAD = """
import optim
type P[n, m] = {w: f64[n, m], b: f64[m]}
"""
STEPS = 20
RULES: dict[str, tuple[str, Callable[[], Any]]] = {
    "sgd": ("optim.sgd(g, 0.05)", lambda: optax.sgd(0.05)),
    "momentum": ("optim.sgd(g, 0.05, momentum=0.9)", lambda: optax.sgd(0.05, momentum=0.9)),
    "nesterov": (
        "optim.sgd(g, 0.05, momentum=0.9, nesterov=true)",
        lambda: optax.sgd(0.05, momentum=0.9, nesterov=True),
    ),
    "adam": ("optim.adam(g, 0.1)", lambda: optax.adam(0.1)),
    "adamw": ("optim.adamw(g, p, 0.1, weight_decay=0.01)", lambda: optax.adamw(0.1, weight_decay=0.01)),
    "nadam": ("optim.nadam(g, 0.1)", lambda: optax.nadam(0.1)),
    "adagrad": ("optim.adagrad(g, 0.1)", lambda: optax.adagrad(0.1)),
    "rmsprop": ("optim.rmsprop(g, 0.01)", lambda: optax.rmsprop(0.01)),
    "lion": ("optim.lion(g, p, 0.01)", lambda: optax.lion(0.01)),
    "lamb": ("optim.lamb(g, p, 0.1)", lambda: optax.lamb(0.1)),
    "the parts of rmsprop": (
        "optim.descend(optim.scale_by_rms(g), 0.01)",
        lambda: optax.chain(optax.scale_by_rms(), optax.scale(-0.01)),
    ),
    "the parts of adagrad": (
        "optim.descend(optim.scale_by_rss(g), 0.1)",
        lambda: optax.chain(optax.scale_by_rss(), optax.scale(-0.1)),
    ),
    "the parts of lion": (
        "optim.descend(optim.scale_by_lion(g), 0.01)",
        lambda: optax.chain(optax.scale_by_lion(), optax.scale(-0.01)),
    ),
    "the parts of lamb": (
        "optim.descend(optim.scale_by_trust_ratio(optim.scale_by_adam(g), p), 0.1)",
        lambda: optax.chain(optax.scale_by_adam(), optax.scale_by_trust_ratio(), optax.scale(-0.1)),
    ),
    "a moving mean": (
        'optim.descend(optim.moving_mean(g, "mean", 0.9), 0.1)',
        lambda: optax.chain(optax.ema(0.9, debias=False), optax.scale(-0.1)),
    ),
    "clipped": (
        "optim.adam(optim.clip_by_global_norm(g, 1.0), 0.1)",
        lambda: optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1)),
    ),
    "a chain of two": (
        "two(g)",
        lambda: optax.chain(optax.scale_by_adam(), optax.trace(0.5), optax.scale(-0.1)),
    ),
    "each leaf by its own": (
        "{w = matrices(g.w), b = vectors(g.b)}",
        lambda: optax.multi_transform({"w": optax.adam(0.1), "b": optax.sgd(0.05)}, {"w": "w", "b": "b"}),
    ),
    "a schedule": (
        "scheduled(g)",
        lambda: optax.adam(optax.cosine_decay_schedule(0.1, 15)),
    ),
    "a rule for each group of leaves": (
        "grouped(g, p)",
        lambda: optax.multi_transform({"w": optax.lamb(0.02), "b": optax.sgd(0.05)}, {"w": "w", "b": "b"}),
    ),
    "adafactor for matrices": (
        "{w = factored(g.w, p.w), b = vectors(g.b)}",
        lambda: optax.multi_transform(
            {"w": optax.adafactor(0.1, min_dim_size_to_factor=1), "b": optax.sgd(0.05)}, {"w": "w", "b": "b"}
        ),
    ),
    "the parts of adafactor": (
        "{w = by_factors(g.w), b = vectors(g.b)}",
        lambda: optax.multi_transform(
            {
                "w": optax.chain(optax.scale_by_factored_rms(min_dim_size_to_factor=1), optax.scale(-0.01)),
                "b": optax.sgd(0.05),
            },
            {"w": "w", "b": "b"},
        ),
    ),
    "every third step": (
        "optim.every(g, 3, fn g -> optim.adam(g, 0.1))",
        lambda: optax.MultiSteps(optax.adam(0.1), every_k_schedule=3).gradient_transformation(),
    ),
}
PARTS = """
def two(g: P[n, m]) -> P[n, m] ! optim.memory =
    let adam = with scope("adam") do optim.scale_by_adam(g)
    let heavy = with scope("heavy") do optim.trace(adam, 0.5)
    optim.descend(heavy, 0.1)
def matrices(g: f64[n, m]) -> f64[n, m] ! optim.memory = with scope("w") do optim.adam(g, 0.1)
def vectors(g: f64[m]) -> f64[m] ! optim.memory = with scope("b") do optim.sgd(g, 0.05)
def factored(g: f64[n, m], p: f64[n, m]) -> f64[n, m] ! optim.memory where n >= 1 and m >= 1 =
    with scope("w") do optim.adafactor(g, p, 0.1)
def by_factors(g: f64[n, m]) -> f64[n, m] ! optim.memory where n >= 1 and m >= 1 =
    with scope("w") do optim.descend(optim.scale_by_factored_rms(g), 0.01)
def grouped(g: P[n, m], p: P[n, m]) -> P[n, m] ! optim.memory =
    let first = {zeros_like(g) with w = ones_like(g.w)}
    let matrices = with scope("matrices") do optim.masked(g, first, fn g -> optim.lamb(g, p, 0.02))
    let others = with scope("others") do optim.masked(g, ones_like(g) - first, fn g -> optim.sgd(g, 0.05))
    matrices + others
def scheduled(g: P[n, m]) -> P[n, m] ! optim.memory =
    let past = with scope("schedule") do optim.counted() - 1
    with scope("adam") do optim.adam(g, optim.cosine_decay_schedule(past, 0.1, 15.0))
"""
RUN = """
def rule(g: P[n, m], p: P[n, m]) -> P[n, m] ! optim.memory = RULE
def loss(p: P[n, m], x: f64[k, n], y: f64[k, m]) -> f64 = mean((tanh(x @ p.w + p.b) - y) ** 2)
def begin(p: P[n, m]) -> rule.memory = optim.begin(fn () -> rule(p, p))
def run(p: P[n, m], x: f64[k, n], y: f64[k, m], static steps: size) -> P[n, m] =
    let (p, _) = fold (p, kept) = (p, begin(p)) for _ in range(steps) do
        let (updates, kept) = optim.step(kept, fn () -> rule(grad(loss)(p, x, y), p))
        (p + updates, kept)
    p
"""
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(8, 4))
Y = RANDOM.normal(size=(8, 3))
START = {"w": RANDOM.normal(size=(4, 3)), "b": RANDOM.normal(size=3)}


def _by_optax(made: Any) -> Any:
    def loss(p: Any) -> Any:
        return jnp.mean((jnp.tanh(X @ p["w"] + p["b"]) - Y) ** 2)

    def step(_: int, carried: Any) -> Any:
        p, kept = carried
        updates, kept = made.update(jax.grad(loss)(p), kept, p)
        return optax.apply_updates(p, updates), kept

    start = jax.tree.map(jnp.asarray, START)
    return jax.lax.fori_loop(0, STEPS, step, (start, made.init(start)))[0]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_steps_as_in_optax(name: str) -> None:
    rule, made = RULES[name]
    found = dsl.program(HEAD + PARTS + RUN.replace("RULE", rule)).run(START, X, Y, steps=STEPS)
    with jax.enable_x64(True):
        wanted = _by_optax(made())
    for leaf in ("w", "b"):
        np.testing.assert_allclose(np.asarray(found[leaf]), np.asarray(wanted[leaf]), rtol=1e-6, atol=1e-7)


SCHEDULES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "exponential_decay": ("10.0, 0.5", lambda rate: optax.exponential_decay(rate, 10, 0.5)),
    "linear_schedule": ("0.5, 10.0", lambda rate: optax.linear_schedule(rate, 0.5, 10)),
    "cosine_decay_schedule": ("10.0, 0.1", lambda rate: optax.cosine_decay_schedule(rate, 10, 0.1)),
    "polynomial_schedule": ("0.5, 3.0, 10.0, 4.0", lambda rate: optax.polynomial_schedule(rate, 0.5, 3.0, 10, 4)),
    "warmup_cosine_decay_schedule": (
        "2.0, 4.0, 14.0, 0.25, 1.5",
        lambda rate: optax.warmup_cosine_decay_schedule(rate, 2.0, 4, 14, 0.25, 1.5),
    ),
}


@pytest.mark.parametrize(("dtype", "tolerance"), [("f32", 2e-6), ("f64", 1e-13)])
def test_schedules_are_those_of_optax(dtype: str, tolerance: float) -> None:
    """From the start to beyond the end, and their derivatives by the rate that they begin with."""
    rows = ", ".join(f"[optim.{name}(k, rate, {given}) for k in range(20)]" for name, (given, _) in SCHEDULES.items())
    text = f"""import optim
def all(rate: {dtype}) -> {dtype}[{len(SCHEDULES)}, 20] = stack(({rows}))
def slopes(rate: {dtype}) -> {dtype}[{len(SCHEDULES)}, 20] = jacfwd(all)(rate)
"""
    program, rate = dsl.program(text), np.asarray(2.0, {"f32": np.float32, "f64": np.float64}[dtype])
    with jax.enable_x64(True):
        made = [jax.vmap(lambda k, made=made: made(rate.item())(k)) for _, made in SCHEDULES.values()]
        slopes = [jax.vmap(jax.grad(lambda r, k, made=made: made(r)(k)), (None, 0)) for _, made in SCHEDULES.values()]
        steps = jnp.arange(20)
        for found, wanted in (
            (program.all(rate), [f(steps) for f in made]),
            (program.slopes(rate), [f(2.0, steps) for f in slopes]),
        ):
            np.testing.assert_allclose(np.asarray(found), np.stack(wanted), rtol=tolerance, atol=tolerance)


def test_a_schedule_of_two_precisions_is_refused() -> None:
    text = "import optim\ndef f(k: i32, a: f64, b: f32) = optim.linear_schedule(k, a, b, 9.0)\n"
    assert [d.code for d in check_source(Source("p.dsl", text)).diagnostics] == ["E0302"]


def test_shampoo_scales_by_the_fourth_roots_of_the_sums_of_both_sides() -> None:
    m = dsl.program(
        """import optim
def rule(g: f64[n, m]) -> f64[n, m] ! optim.memory = optim.shampoo(g, 0.1)
def second(g: f64[n, m], h: f64[n, m]) -> f64[n, m] =
    optim.step(optim.step(optim.begin(fn () -> rule(g)), fn () -> rule(g)).1, fn () -> rule(h)).0
"""
    )

    def root(x: Any) -> Any:
        values, vectors = np.linalg.eigh(x)
        return vectors * values**-0.25 @ vectors.T

    g, h = RANDOM.normal(size=(2, 4, 3))
    left, right = 1e-6 * np.eye(4) + g @ g.T + h @ h.T, 1e-6 * np.eye(3) + g.T @ g + h.T @ h
    np.testing.assert_allclose(np.asarray(m.second(g, h)), -0.1 * root(left) @ h @ root(right), rtol=1e-7)


def test_the_matrices_of_muon_have_singular_values_near_one() -> None:
    m = dsl.program("import optim\ndef f(x: f32[n, m]) -> f32[n, m] = optim.orthogonalised(x)\n")
    for shape in ((6, 4), (4, 6), (5, 5)):
        values = np.linalg.svd(np.asarray(m.f(RANDOM.normal(size=shape).astype(np.float32))), compute_uv=False)
        assert values.min() > 0.5 and values.max() < 1.3


def test_muon_steps_along_the_orthogonalised_momentum() -> None:
    m = dsl.program(
        """import optim
def rule(g: f32[n, m]) -> f32[n, m] ! optim.memory = optim.muon(g, 0.1, momentum=0.9)
def first(g: f32[n, m]) -> (f32[n, m], f32[n, m]) =
    (optim.step(optim.begin(fn () -> rule(g)), fn () -> rule(g)).0, optim.orthogonalised(1.9 * g))
"""
    )
    for shape, stretch in (((6, 4), np.sqrt(1.5)), ((4, 6), 1.0)):
        found, direction = map(np.asarray, m.first(RANDOM.normal(size=shape).astype(np.float32)))
        np.testing.assert_allclose(found, -0.1 * stretch * direction, rtol=1e-5, atol=1e-6)


def test_a_gradient_that_is_not_finite_is_skipped() -> None:
    text = HEAD + RUN.replace("RULE", "optim.where_finite(g, fn g -> optim.adam(g, 0.1))")
    text += """
def one(kept: rule.memory, g: P[n, m]) -> (P[n, m], rule.memory) = optim.step(kept, fn () -> rule(g, g))
"""
    m = dsl.program(text)
    kept = m.begin(START)
    bad = {"w": np.full((4, 3), np.nan), "b": START["b"]}
    skipped, after = m.one(kept, bad)
    assert all(not np.asarray(leaf).any() for leaf in skipped.values())
    again, _ = m.one(after, START)
    fresh, _ = m.one(kept, START)
    for leaf in ("w", "b"):
        np.testing.assert_array_equal(np.asarray(again[leaf]), np.asarray(fresh[leaf]))

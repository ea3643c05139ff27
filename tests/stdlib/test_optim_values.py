"""Optimizers beside their formulas in NumPy, three steps of each; schedules; losses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.library import Array, Case, compare, unmentioned, written

Step = Callable[[Array, Array, dict[str, Array], int], tuple[Array, dict[str, Array]]]

_random = np.random.default_rng(5)
PARAMS = {"w": _random.normal(size=3).astype(np.float32), "b": np.float32(0.5)}
DOUBLES = np.array([0.1, 0.2, 0.7])
GRADS = {"w": _random.normal(size=3).astype(np.float32), "b": np.float32(-2.0)}
X = _random.normal(size=(3, 4)).astype(np.float32)
Y = _random.normal(size=(3, 4)).astype(np.float32)
SOFT = np.exp(Y) / np.exp(Y).sum(-1, keepdims=True)
IDS = np.array([0, 3, 2], np.int32)
TREE = "{w: f32[n], b: f32}"


def sgd(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    trace = g + 0.9 * s.get("trace", 0 * g)
    return -0.1 * (g + 0.9 * trace), {"trace": trace}


def adam(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    mu, nu = 0.9 * s.get("mu", 0 * g) + 0.1 * g, 0.999 * s.get("nu", 0 * g) + 0.001 * g * g
    return -0.1 * (mu / (1 - 0.9**k)) / (np.sqrt(nu / (1 - 0.999**k)) + 1e-8), {"mu": mu, "nu": nu}


def adamw(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    update, state = adam(g, p, s, k)
    return update - 0.1 * 0.01 * p, state


def rmsprop(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    nu = 0.9 * s.get("nu", 0 * g) + 0.1 * g * g
    return -0.1 * g / np.sqrt(nu + 1e-8), {"nu": nu}


def adagrad(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    total = s.get("sum", 0 * g + 0.1) + g * g
    return -0.1 * g / np.sqrt(total + 1e-7), {"sum": total}


def lion(g: Array, p: Array, s: dict[str, Array], k: int) -> tuple[Array, dict[str, Array]]:
    mu = s.get("mu", 0 * g)
    return -0.1 * (np.sign(0.9 * mu + 0.1 * g) + 0.001 * p), {"mu": 0.99 * mu + 0.01 * g}


def three_steps(step: Step) -> Callable[..., Any]:
    """The parameters after gradients g, 2 g, 3 g, with numbers of double precision."""

    def run(params: dict[str, Array], grads: dict[str, Array]) -> dict[str, Array]:
        out = {}
        for name in params:
            p, g = np.asarray(params[name], np.float64), np.asarray(grads[name], np.float64)
            state: dict[str, Array] = {}
            for k in (1, 2, 3):
                update, state = step(k * g, p, state, k)
                p = p + update
            out[name] = np.asarray(p, np.float32)
        return out

    return run


def optimizer(name: str, step: Step, options: str = "") -> Case:
    text = f"""(p: {TREE}, g: {TREE}) -> {TREE} =
    let (p, _) = fold (p, s) = (p, optim.{name}_init(p)) for k in range(3) do
        let (u, s) = optim.{name}_update(f32(k + 1) * g, s, p, learning_rate=0.1{options})
        (optim.apply_updates(p, u), s)
    p"""
    return Case(name, text, (PARAMS, GRADS), three_steps(step), 1e-4)


def norm(tree: dict[str, Array]) -> Any:
    return np.float32(np.sqrt(sum(np.sum(np.square(v)) for v in tree.values())))


def log_softmax(x: Array) -> Any:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def warmed(k: Array) -> np.float32:
    """From 0.5 to 2 in 4 steps, to 0.25 in 10 more."""
    if k < 4:
        return np.float32(0.5 + 1.5 * float(k) / 4)
    wave = 0.5 * (1 + np.cos(np.pi * min(float(k) - 4, 10.0) / 10))
    return np.float32(0.25 + 1.75 * wave**1.5)


def cosine(x: Array, y: Array) -> Array:
    found: Array = (x * y).sum(-1) / np.linalg.norm(x, axis=-1) / np.linalg.norm(y, axis=-1)
    return found


PAIR = "(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = "
CASES = [
    optimizer("sgd", sgd, ", momentum=0.9, nesterov=true"),
    optimizer("adam", adam),
    optimizer("adamw", adamw, ", weight_decay=0.01"),
    optimizer("rmsprop", rmsprop),
    optimizer("adagrad", adagrad),
    optimizer("lion", lion),
    Case("descend_f64", "(g: f64[n]) -> f64[n] = optim.descend(g, sum(g))", (DOUBLES,), lambda g: -g.sum() * g, 1e-15),
    Case(
        "clip_by_global_norm_f64",
        "(g: f64[n]) -> f64[n] = optim.clip_by_global_norm(g, f64(0.1))",
        (DOUBLES,),
        lambda g: 0.1 * g / np.linalg.norm(g),
        1e-15,
    ),
    Case("global_norm_f64", "(g: f64[n]) -> f64 = optim.global_norm(g, dtype=f64)", (DOUBLES,), np.linalg.norm, 1e-15),
    Case("global_norm", f"(g: {TREE}) -> f32 = optim.global_norm(g)", (GRADS,), norm),
    Case(
        "clip_by_global_norm",
        f"(g: {TREE}) -> {TREE} = optim.clip_by_global_norm(g, 0.5)",
        (GRADS,),
        lambda g: {n: np.float32(0.5 / norm(g)) * v for n, v in g.items()},
    ),
    Case("clip", "(x: f32[n, m]) -> f32[n, m] = optim.clip(x, 0.3)", (X,), lambda x: np.clip(x, -0.3, 0.3)),
    Case(
        "add_decayed_weights",
        f"(p: {TREE}, g: {TREE}) -> {TREE} = optim.add_decayed_weights(g, p, 0.1)",
        (PARAMS, GRADS),
        lambda p, g: {n: np.float32(g[n] + 0.1 * p[n]) for n in p},
    ),
    Case(
        "ema",
        f"(p: {TREE}, g: {TREE}) -> {TREE} = optim.ema(g, p, 0.75)",
        (PARAMS, GRADS),
        lambda p, g: {n: np.float32(0.75 * g[n] + 0.25 * p[n]) for n in p},
    ),
    Case(
        "exponential_decay",
        "(k: i32) -> f32 = optim.exponential_decay(k, 2.0, 10.0, 0.5)",
        (np.int32(5),),
        lambda k: np.float32(2.0 * 0.5**0.5),
    ),
    Case(
        "linear_schedule",
        "(k: i32) -> (f32, f32) = (optim.linear_schedule(k, 2.0, 1.0, 10.0), optim.linear_schedule(k, 2.0, 1.0, 4.0))",
        (np.int32(5),),
        lambda k: (np.float32(1.5), np.float32(1.0)),
    ),
    Case(
        "cosine_decay_schedule",
        "(k: i32) -> f32 = optim.cosine_decay_schedule(k, 2.0, 10.0, 0.1)",
        (np.int32(5),),
        lambda k: np.float32(2.0 * (0.9 * 0.5 + 0.1)),
    ),
    *[
        Case(
            f"polynomial_schedule_{k}",
            "(k: i32) -> f32 = optim.polynomial_schedule(k, 2.0, 0.5, 3.0, 10.0, 4.0)",
            (np.int32(k),),
            lambda k: np.float32(1.5 * (1 - min(max(float(k) - 4.0, 0.0), 10.0) / 10.0) ** 3 + 0.5),
        )
        for k in (0, 4, 7, 14, 30)
    ],
    *[
        Case(
            f"warmup_cosine_decay_schedule_{k}",
            "(k: i32) -> f32 = optim.warmup_cosine_decay_schedule(k, 0.5, 2.0, 4.0, 14.0, 0.25, 1.5)",
            (np.int32(k),),
            warmed,
        )
        for k in (0, 3, 4, 9, 14, 30)
    ],
    *[
        Case(
            f"cosine_{name}",
            f"(x: f32[n, m], y: f32[n, m]) -> f32[n] = optim.cosine_{name}(x, y)",
            (X, Y),
            lambda x, y, sign=sign, base=base: base + sign * cosine(x, y),
        )
        for name, base, sign in (("similarity", np.float32(0), 1), ("distance", np.float32(1), -1))
    ],
    Case(
        "cosine_of_zeros",
        "(x: f32[n, m]) -> (f32[n], f32[n, m]) = (optim.cosine_similarity(0.0 * x, x, 0.1), "
        "grad(fn u -> sum(optim.cosine_similarity(u, x, 0.1)))(0.0 * x))",
        (X,),
        lambda x: (np.zeros(3, np.float32), 10 * x / np.linalg.norm(x, axis=1, keepdims=True)),
    ),
    Case("squared_error", PAIR + "optim.squared_error(x, y)", (X, Y), lambda x, y: (x - y) ** 2),
    Case("l2_loss", PAIR + "optim.l2_loss(x, y)", (X, Y), lambda x, y: (x - y) ** 2 / 2),
    Case(
        "huber_loss",
        PAIR + "optim.huber_loss(x, y, 0.7)",
        (X, Y),
        lambda x, y: np.float32(np.where(abs(x - y) < 0.7, 0.5 * (x - y) ** 2, 0.7 * (abs(x - y) - 0.35))),
    ),
    Case("log_cosh", PAIR + "optim.log_cosh(x, y)", (X, Y), lambda x, y: np.log(np.cosh(x - y))),
    Case(
        "softmax_cross_entropy",
        "(x: f32[n, m], y: f32[n, m]) -> f32[n] = optim.softmax_cross_entropy(x, y)",
        (X, SOFT),
        lambda x, y: -(y * log_softmax(x)).sum(-1),
    ),
    Case(
        "with_integer_labels",
        "(x: f32[n, m], i: idx[m][n]) -> f32[n] = optim.softmax_cross_entropy_with_integer_labels(x, i)",
        (X, IDS),
        lambda x, i: -log_softmax(x)[np.arange(3), i],
    ),
    Case(
        "sigmoid_binary_cross_entropy",
        PAIR + "optim.sigmoid_binary_cross_entropy(x, y)",
        (X, SOFT),
        lambda x, y: np.float32(y * np.log1p(np.exp(-x)) + (1 - y) * np.log1p(np.exp(x))),
    ),
]


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program("import optim\n" + written(CASES))


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_formula(program: dsl.Program, case: Case) -> None:
    compare(program, case)


def test_every_definition_is_compared() -> None:
    stepped = (Path(__file__).parent / "test_optimizers.py").read_text(encoding="utf-8")
    assert unmentioned("optim", written(CASES) + stepped) == []

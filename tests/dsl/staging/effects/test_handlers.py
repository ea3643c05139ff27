"""Which handler an effect reaches: only one whose own text shows it, whatever the names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

CASES: dict[str, tuple[str, Any, list[Any]]] = {
    "a lambda writes its own cell": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = (with state s = 0.0 do f(x)).0
def main(x: f32) -> (f32, f32) =
    with state s = 10.0 do
        run(fn v ->
            s := s + v
            v * 2.0, x)
        """,
        3.0,
        [6.0, 13.0],
    ),
    "a definition that is passed on does": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = (with state s = 0.0 do f(x)).0
def w(v: f32) -> f32 ! state(s: f32) =
    s := s + v
    v * 2.0
def main(x: f32) -> (f32, f32) = with state s = 10.0 do run(w, x)
        """,
        3.0,
        [6.0, 13.0],
    ),
    "a cell in the type of the parameter": (
        """
def run(f: (f32) -> f32 ! state(s: f32), x: f32) -> (f32, f32) = with state s = 5.0 do f(x)
def w(v: f32) -> f32 ! state(s: f32) =
    s := s + v
    v * 2.0
def main(x: f32) -> (f32, f32) = run(w, x)
        """,
        3.0,
        [6.0, 8.0],
    ),
    "two handlers in between": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = (with state s = 0.0 do f(x)).0
def outer(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = (with state s = 1.0 do run(f, x)).0
def main(x: f32) -> (f32, f32) =
    with state s = 10.0 do
        outer(fn v ->
            s := s + v
            v * 2.0, x)
        """,
        3.0,
        [6.0, 13.0],
    ),
    "bound by the one whose text shows it": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = (with state s = 0.0 do f(x)).0
def outer(f: (f32) -> f32 ! state(s: f32), x: f32) -> (f32, f32) = with state s = 1.0 do run(f, x)
def w(v: f32) -> f32 ! state(s: f32) =
    s := s + v
    v * 2.0
def main(x: f32) -> (f32, f32) = outer(w, x)
        """,
        3.0,
        [6.0, 4.0],
    ),
    "a user's effect": (
        """
effect ask: () -> f32
def run(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = with handler ask() -> resume(100.0) do f(x) + ask()
def main(x: f32) -> f32 = with handler ask() -> resume(1.0) do run(fn v -> v + ask(), x)
        """,
        3.0,
        [104.0],
    ),
    "a check": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> (f32, bool) ! e =
    let (v, r) = with checks do f(x)
    (v, r.failed)
def main(x: f32) -> (bool, bool) =
    let (v, r) = with checks do
        run(fn v ->
            assert v > 5.0
            v, x)
    (v.1, r.failed)
        """,
        3.0,
        [False, True],
    ),
    "a check in a loop": (
        """
def run(f: (f32) -> f32 ! e, x: f32[n]) -> (f32, bool) ! e =
    let (v, r) = with checks do
        fold a = 0.0 for u in x do a + f(u)
    (v, r.failed)
def main(x: f32[n]) -> (bool, bool) =
    let (v, r) = with checks do
        run(fn v ->
            assert v > 1.0
            v, x)
    (v.1, r.failed)
        """,
        np.arange(3, dtype=np.float32),
        [False, True],
    ),
    "a check in a parallel map": (
        """
def run(f: (f32) -> f32 ! e, x: f32[n]) -> (f32, bool) ! e =
    let (v, r) = with checks do
        sum([f(u) for u in x])
    (v, r.failed)
def main(x: f32[n]) -> (bool, bool) =
    let (v, r) = with checks do
        run(fn v ->
            assert v > 1.0
            v, x)
    (v.1, r.failed)
        """,
        np.arange(3, dtype=np.float32),
        [False, True],
    ),
    "a check under a derivative": (
        """
def run(f: (f32) -> f32 ! e, x: f32) -> (f32, bool) ! e =
    let (v, r) = with checks do grad(f)(x)
    (v, r.failed)
def main(x: f32) -> (f32, bool, bool) =
    let (v, r) = with checks do
        run(fn v ->
            assert v > 5.0
            v * v, x)
    (v.0, v.1, r.failed)
        """,
        3.0,
        [6.0, False, True],
    ),
}

RNG = """
import random
def run(f: (f32) -> f32 ! e, x: f32, k: key) -> (f32, f32) ! e = with rng(k) do (f(x), random.uniform(fresh_key(), []))
def main(x: f32, k: key) -> (f32, f32) ! rand = run(fn v -> v + random.uniform(fresh_key(), []), x, k)
"""


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in flat(part)]
    return [np.asarray(value).item()]


@pytest.mark.parametrize("name", CASES)
def test_effects_pass_through(name: str) -> None:
    text, argument, expected = CASES[name]
    main = dsl.program(text).main
    assert flat(main(argument)) == flat(main.interpret(argument)) == expected


def test_draws_use_the_key_of_their_own_handler() -> None:
    main = dsl.program(RNG).main
    found = {(k, seed): flat(main(1.0, dsl.key(k), key=seed)) for k in (1, 2) for seed in (1, 2)}
    assert found[1, 1][0] == found[2, 1][0] != found[1, 2][0]
    assert found[1, 1][1] == found[1, 2][1] != found[2, 1][1]


def test_draws_of_a_passed_function_differ_in_every_step() -> None:
    main = dsl.program(
        """
        import random
        def run(f: (f32) -> f32 ! e, x: f32[n], k: key) -> (f32[n], f32[n]) ! e =
            with rng(k) do
                let drawn = [f(v) for v in x]
                let (_, again) = scan a = 0.0 for v in x do (a, f(v))
                (drawn, again)
        def main(x: f32[n], k: key) -> (f32[n], f32[n]) ! rand =
            run(fn v -> random.uniform(fresh_key(), []), x, k)
        """
    ).main
    drawn = flat_arrays(main(np.zeros(4, np.float32), dsl.key(0), key=1))
    assert len(set(drawn)) == 8


def flat_arrays(value: Any) -> list[float]:
    return [x for part in value for x in np.asarray(part).tolist()]

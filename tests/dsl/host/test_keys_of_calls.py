"""Calls with equal keys are bound alike: whatever came before, an argument means and is refused the same."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from itertools import permutations
from typing import Any

import jax
import numpy as np
import pytest

import dsl
from tests.support.cases import some

TEXT = """
import random
from random import normal, split
enum Slope = Flat | Leaky(slope: float)
def inverse(x: f32, static k: float) -> f32 = x / k
def part(x: f32, static k: (float, int)) -> f32 = x / k.0
def leaky(x: f32, static s: Slope) -> f32 =
    match s with
        Flat -> x
        Leaky(k) -> x / k
def large(x: f32, static k: float) -> f32 = LARGE
def both(x: f32) -> (f32, f32) = (large(x, 0.0), large(x, -0.0))
def ints(x: i32[n]) -> i32[n] = x
def floats(x: f32[n]) -> f32[n] = x
def matrix(x: f32[2, 2], y: f32[2]) -> f32[2] = x @ y
def draw(k: key) -> f32 = normal(k)
def draws(ks: key[n]) -> f32[n] = [normal(k) for k in ks]
def more(k: key) -> {at: (key, key[2]), words: u32[2]} =
    let ks = split(k, 3)
    {at = (ks[0], split(ks[1], 2)), words = random.bits(ks[2], [2])}
def noise(x: f32) -> f32 ! rand = x + normal(fresh_key())
""".replace("LARGE", " + ".join(["x / k"] * 30))


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def test_zeros_of_both_signs_are_two_static_values(program: dsl.Program) -> None:
    calls: list[Callable[[float], Any]] = [
        lambda k: program.inverse(1.0, k=k),
        lambda k: program.part(1.0, k=(k, 1)),
        lambda k: program.leaky(1.0, program.Leaky(k)),
        lambda k: program.large(1.0, k),
    ]
    for call in calls:
        for zero in (0.0, -0.0, np.float64(0.0), np.float64(-0.0), 0.0):
            assert float(call(zero)) == math.copysign(math.inf, zero)
    assert [float(x) for x in program.both(1.0)] == [math.inf, -math.inf]


def test_nan_is_one_static_value(program: dsl.Program) -> None:
    before = program.inverse.cache_info().size
    for _ in range(3):
        assert math.isnan(float(program.inverse(1.0, k=float("nan"))))
    assert program.inverse.cache_info().size == before + 1


MASKED = np.ma.masked_array([1.0, 2.0], [False, True], dtype=np.float32)
FLOATS = [np.ones(2, np.float32), [1.0, 1.0], MASKED, dsl.array(np.ones(2, np.float32)), [1, 2e39], [True, 1.0], "12"]
INTS = [[1, 2], [1, 2**40], [1, 2**70], [1, 1.5], [1, np.int64(1)], [1, np.int64(2**40)], np.array([1, 2], "i4"), [1]]
KEYS = [
    0,
    np.int64(1),
    dsl.key(0),
    jax.random.key(0),
    jax.random.PRNGKey(0),
    2**70,
    True,
    None,
    np.zeros(3, "u4"),
    [0, 1],
]


def outcome(function: Any, argument: Any) -> str:
    try:
        return repr(np.asarray(function(argument)).tolist())
    except dsl.ArgumentError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize(("name", "arguments"), [("floats", FLOATS), ("ints", INTS), ("draw", KEYS)])
def test_an_argument_means_the_same_after_any_other(name: str, arguments: list[Any]) -> None:
    cold = [outcome(getattr(dsl.program(TEXT), name), argument) for argument in arguments]
    warm = getattr(dsl.program(TEXT), name)
    for first, second in some(permutations(range(len(arguments)), 2)):
        assert outcome(warm, arguments[first]) == cold[first]
        assert outcome(warm, arguments[second]) == cold[second]


def test_lists_may_hold_arrays(program: dsl.Program) -> None:
    a = np.array([1, 2], np.float32)
    for rows in ([a, a], [[1, 2], a], [dsl.array(a), [1.0, 2.0]]):
        np.testing.assert_array_equal(program.matrix(rows, a), [5, 5])


def test_an_int_seeds_a_key_wherever_one_is_wanted(program: dsl.Program) -> None:
    assert float(program.draw(3)) == float(program.draw(dsl.key(3)))
    assert float(program.noise(0.0, key=np.int64(3))) == float(program.noise(0.0, key=dsl.key(3)))


def test_keys_are_shown_as_keys(program: dsl.Program) -> None:
    def shown(array: Any) -> str:
        return repr(array).replace("\n", "").rpartition(" ")[2]

    assert repr(dsl.key(3)) == "Array([0, 3], key)"
    for _ in range(2):
        made = program.more(0)
        one, two = made["at"]
        for keys in (one, two, two[0], two[1:], *two, pickle.loads(pickle.dumps(two)), copy.deepcopy(one)):
            assert shown(keys) == "key)"
            assert program.draw(keys if keys.ndim == 1 else keys[0]).shape == ()
        for words in (made["words"], two[:, 0], two + dsl.array(1, "u32"), program.more.interpret(0)["words"]):
            assert "u" in shown(words)
    assert shown(dsl.vmap(program.more)(two)["at"][1]) == "key)"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda m: m.draw(jax.random.key(0)), "E0914"),
        (lambda m: m.noise(0.0, key=jax.random.key(0)), "E0914"),
        (lambda m: m.draw(np.array(3, "u4")[None][[0, 0, 0]]), "E0914"),
        *[(lambda m, k=k: m.draw(k), "E0914") for k in (math.nan, 1.5, True, None, "3", np.float32(3), 2**70)],
        *[(lambda m, k=k: m.draws(k), "E0914") for k in ([1, math.nan], [1, True], [1.5, 2], [1, 2**70])],
        *[(lambda m, k=k: m.draws(k), "E0914") for k in ([1, 1], [-1, 2**32 - 1], np.array([3, 4, 3]))],
        (lambda m: m.draws(3), "E0903"),
        (lambda m: dsl.vmap(m.draw)(3), "E0903"),
        (lambda m: m.floats(jax.random.key(0)), "E0901"),
    ],
)
def test_what_is_no_key_is_refused(program: dsl.Program, call: Callable[[dsl.Program], Any], code: str) -> None:
    with pytest.raises(dsl.ArgumentError) as caught:
        call(program)
    assert caught.value.code == code


def test_equal_seeds_are_named_with_their_places(program: dsl.Program) -> None:
    program.draws([1, 2, 3])
    with pytest.raises(dsl.ArgumentError, match="the seed 7 at 0 and at 2, so that both draw the same random numbers"):
        program.draws([7, 8, 7])

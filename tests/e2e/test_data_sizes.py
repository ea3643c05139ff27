"""Sizes that data decide: random ragged programs mean what their bodies mean at the true size, by the evaluator, by
XLA, and padded with anything behind the end; wrong ones are refused. As a script it tries as many as it is given:
`python -m tests.e2e.test_data_sizes 500`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.host.results.containers import rebuilding
from dsl.host.results.variants import Variant
from dsl.interp import evaluate
from dsl.ir.verify import verify
from dsl.transforms.pad import pad
from dsl.transforms.pipeline import DCE, EXPAND, INLINE, run
from tests.support.compilation import compile_quickly
from tests.support.ragged import Right, masks, right_program, wrong_program

RESTS = (float("nan"), 1e30)
EACH = 6
"""How many expressions a program has."""
Arrays = list[np.ndarray[Any, Any]]


def leaves(value: Any) -> Arrays:
    if isinstance(value, dict):
        return [leaf for name in sorted(value) for leaf in leaves(value[name])]
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def close(wanted: Any, found: Any, label: str) -> None:
    for want, have in zip(leaves(wanted), leaves(found), strict=True):
        assert want.shape == have.shape, label
        size = max(1.0, float(np.max(np.abs(want), initial=0)))
        np.testing.assert_allclose(have, want, rtol=2e-3, atol=2e-3 * size, err_msg=label)


def padded_results(function: Any, args: tuple[Any, ...], rest: float) -> Any:
    """What a function gives whose arrays are padded, with this number behind every end after every equation."""
    staged, binding, given = function.staged(args, {})
    prepared = pad(run(staged.function, (INLINE, DCE, EXPAND)), rest)
    verify(prepared)
    results = list(evaluate(prepared, [np.asarray(x) for x in binding.inputs(given)]))
    if staged.checks:
        results.pop()
    return rebuilding(staged.output, binding.containers, Variant)(results)


Values = dict[str, Any]


def inputs(seed: int) -> Iterator[Values]:
    rng, chosen = np.random.default_rng(seed), random.Random(seed)
    shared: Values = {name: rng.normal(size=5).astype("f4") for name in ("x", "w")}
    shared |= {"ms": rng.random((3, 5)) < 0.5, "a": np.float32(rng.normal())}
    for mask in masks(5, chosen.random):
        yield shared | {"m": np.array(mask)}


def assert_means_what_it_says(program: Right, seed: int, compiled: bool) -> None:
    """Selecting first, and then the body at the true size, is the whole; so is the body in NumPy."""
    made = dsl.program(program.text)
    for values in inputs(seed):
        mask, shared = values["m"], {name: value for name, value in values.items() if name != "m"}
        selected = shared | {"y": values["x"][mask], "v": values["w"][mask]}
        wanted = made.selected.interpret(**selected)
        close(program.numpy(**selected), wanted, f"NumPy: {program.text}")
        close(wanted, made.selecting.interpret(**values), program.text)
        for rest in RESTS:
            close(wanted, padded_results(made.selecting, tuple(values.values()), rest), program.text)
        if compiled:
            close(wanted, made.selecting(**values), program.text)


@pytest.mark.parametrize("seed", range(8))
def test_ragged_programs_mean_what_they_say_at_the_true_size(seed: int) -> None:
    assert_means_what_it_says(right_program(seed, 3), seed, compiled=seed < 2)


def assert_refused(seed: int) -> None:
    text, code = wrong_program(seed)
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert any(found.code.startswith(code) for found in caught.value.diagnostics), f"{text}\n{caught.value}"


@pytest.mark.parametrize("seed", range(20))
def test_wrong_ragged_programs_are_refused(seed: int) -> None:
    assert_refused(seed)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: f32[?k]) -> f32[?k] where ?k <= 9 = x * 2.0",
        "def f(x: f32[?k], y: f32[?k]) = sum(x * y)",
        "def g(x: f32[?k]) -> f32 = sum(x)\ndef f(x: f32[n]) -> f32 = g(x) + g(x[x > 0.0])",
        "def f(g: (f32[n]) -> f32[?k], x: f32[n]) -> f32 = sum(g(x))",
    ],
)
def test_a_parameter_of_a_size_that_data_decide_is_one_error(text: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert [found.code for found in caught.value.diagnostics if found.code != "E0405"] == ["E0427"]
    assert "= help: write `k`, which may be any size, also one that data decide" in str(caught.value)


def test_a_type_offers_a_parameter_without_a_mark() -> None:
    with pytest.raises(dsl.DslError, match=r"`type P\[k\] = \{x: f32\[k\]\}`, used as `P\[k\]`"):
        dsl.program("type P = {x: f32[?k]}\ndef f(p: P) = p.x")


def test_one_program_takes_arguments_of_many_lengths() -> None:
    m = dsl.program("""
        def ordered(x: f32[room], count: idx[room + 1]) -> f32[?k] where ?k <= room = sort(x[arange(room) < count])
    """)
    for length in (0, 3, 8):
        x = np.arange(length, dtype=np.float32)[::-1]
        assert m.ordered(np.pad(x, (0, 8 - length), constant_values=np.nan), length).tolist() == sorted(x.tolist())
    assert m.ordered.cache_info().size == 1
    with pytest.raises(dsl.ArgumentError, match="E0912"):
        m.ordered(np.zeros(8, np.float32), 9)


SELECT = dsl.program(
    """
def positive(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def parts(x: f32[n], m: bool[n]) = {kept = x[m], count = sum(i32(m)), twice = (x[m], x[m][:, None] * x[None, :])}
def likelihood(rate: f32, x: f32[n]) -> f32 = sum(rate * log(x[x > 0.0]))
def slopes(rate: f32, x: f32[n]) -> (f32, f32[n]) = grad(likelihood, argnums=(0, 1))(rate, x)
def checked_sum(x: f32[n]) -> f32 ! check =
    let y = checked(sqrt(x[x >= 0.0]))
    assert sum(y) < 100.0, "too much"
    sum(y)
"""
)


@pytest.mark.parametrize("count", [0, 1, 6])
def test_results_come_back_at_their_true_size(count: int) -> None:
    x = np.arange(count, dtype="f4") - 2
    for _ in range(2):
        found = SELECT.positive(x)
        assert isinstance(found, dsl.Array)
        np.testing.assert_array_equal(found, x[x > 0])
    parts = SELECT.parts(x, x > 0)
    np.testing.assert_array_equal(parts["kept"], x[x > 0])
    assert parts["twice"][1].shape == ((x > 0).sum(), count)


def test_derivatives_do_not_see_what_was_not_selected() -> None:
    """The logarithm of a number below zero is nan, and so would be its product with a cotangent of zero."""
    x = np.array([-1, 2, 0, 4], "f4")
    rate, inside = SELECT.slopes(3.0, x)
    np.testing.assert_allclose(rate, np.log(2) + np.log(4), rtol=1e-6)
    np.testing.assert_allclose(inside, [0, 1.5, 0, 0.75])


def test_checks_look_at_what_is_there() -> None:
    assert float(SELECT.checked_sum(np.array([-4, 4, 9], "f4"))) == 5
    with pytest.raises(dsl.CheckError, match="too much"):
        float(SELECT.checked_sum(np.array([-4, 1e6], "f4")))


def test_python_maps_a_function_that_decides_a_size() -> None:
    x = np.array([[-4, 4, 9], [1, -1, -9]], "f4")
    likelihoods = dsl.vmap(SELECT.likelihood, in_axes=(None, 0))
    np.testing.assert_allclose(likelihoods(2.0, x), 2 * np.log([36, 1]), rtol=1e-6)
    rate, inside = dsl.vmap(dsl.grad(SELECT.likelihood, argnums=(0, 1)), in_axes=(None, 0))(2.0, x)
    np.testing.assert_allclose(rate, np.log([36, 1]), rtol=1e-6)
    np.testing.assert_allclose(inside, [[0.0, 0.5, 2 / 9], [2.0, 0.0, 0.0]], rtol=1e-6)


def test_python_maps_no_function_whose_result_has_such_a_size() -> None:
    with pytest.raises(dsl.DslError, match="E0426"):
        dsl.vmap(SELECT.positive)(np.ones((2, 3), "f4"))


def test_a_size_that_is_not_known_has_no_shape() -> None:
    with pytest.raises(dsl.DslError, match="E0917"):
        SELECT.positive.eval_shape(np.ones(3, "f4"))


def test_types_say_so() -> None:
    assert "f32[?k] where ?k <= n" in SELECT.positive.type


FOUND = """
def places(x: f32[n]) = flatnonzero(x)
def different(x: i32[n]) = unique(x)
def picked(x: f32[n], y: f32[n]) -> f32 = sum(y[flatnonzero(x)] ** 2)
def slope(x: f32[n], y: f32[n]) -> f32[n] = grad(picked, argnums=1)(x, y)
"""


@pytest.mark.parametrize("values", [[0, 3, 0, 3, 1], [], [0, 0], [2, 2, 2]])
def test_indices_and_different_elements_are_as_many_as_there_are(values: list[int]) -> None:
    program, x = dsl.program(FOUND), np.array(values, np.float32)
    y = np.arange(len(x), dtype=np.float32) + 1
    for f, given, wanted in (
        (program.places, (x,), np.flatnonzero(x)),
        (program.different, (x.astype("i4"),), np.unique(x)),
        (program.slope, (x, y), np.where(x != 0, 2 * y, 0)),
    ):
        np.testing.assert_array_equal(f(*given), wanted)
        np.testing.assert_array_equal(f.interpret(*given), wanted)


def main(count: int) -> None:
    """As many right programs, of which each construct begins some, and as many wrong ones."""
    compile_quickly()
    for number in range(1000, 1000 + count):
        assert_means_what_it_says(right_program(number, EACH), number, compiled=True)
        assert_refused(number)
    results = EACH * count
    print(f"{results} ragged expressions by XLA, the evaluator, NumPy, and padded; {count} wrong programs are refused")


if __name__ == "__main__":
    main(int(sys.argv[1]))

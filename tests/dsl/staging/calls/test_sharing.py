"""A function that is used many times is transformed once: what is called stays shared."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

BODY = "\n".join(f"    let x{i + 1} = tanh(x{i} * 1.5 + sin(x{i})) * cos(x{i})" for i in range(12))
PROGRAM = f"""
def g(x0: f32[n]) -> f32[n] =
{BODY}
    x12

def loss(x: f32[n]) -> f32 = sum(g(x))
def ten(x: f32[n]) -> f32 = sum(g(g(g(g(g(g(g(g(g(g(x)))))))))))
def two(x: f32[n]) -> f32[n] = grad(loss)(x) + grad(fn y -> sum(g(y) * 2.0))(2.0 * x)
def mapped(x: f32[m, n]) -> f32[m, n] = vmap(g)(x) + vmap(fn y -> g(g(y)))(x)
"""


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def tanhs(f: dsl.Function, *shape: int) -> int:
    """How often the text of the lowered program computes a tanh; once through `g` is 12."""
    return int(f.lower(np.ones(shape, np.float32)).as_text().count("tanh"))


def test_a_function_called_ten_times_is_differentiated_once(program: dsl.Program) -> None:
    assert tanhs(program.ten, 3) == 12
    of_the_function, at_the_last_use, elsewhere = 12, 12, 12  # a derivative computes cheap values again
    assert tanhs(dsl.grad(program.ten), 3) <= of_the_function + at_the_last_use + elsewhere


def test_two_gradients_share_the_function(program: dsl.Program) -> None:
    text = program.two.lower(np.ones(3, np.float32)).as_text()
    assert text.count("tanh") == 12
    assert text.count("func.func private") == 1


def test_two_maps_share_the_function(program: dsl.Program) -> None:
    text = program.mapped.lower(np.ones((2, 3), np.float32)).as_text()
    assert text.count("func.func private") == 1


def test_gradients_agree_with_those_of_a_single_use(program: dsl.Program) -> None:
    x = np.linspace(-1, 1, 3, dtype=np.float32)
    slope = dsl.grad(program.loss)
    expected = np.asarray(slope(x)) + 2 * np.asarray(slope(2 * x))
    np.testing.assert_allclose(np.asarray(program.two(x)), expected, rtol=1e-5)


@pytest.mark.parametrize("given", ["(f32[n]) -> f32[n]", "{f: (f32[n]) -> f32[n], x: f32[n]}", "Giver"])
def test_a_long_function_may_give_functions_that_capture_its_values(given: str) -> None:
    result, use = {
        "(f32[n]) -> f32[n]": ("fn v -> v * x12", "long(x)(x)"),
        "{f: (f32[n]) -> f32[n], x: f32[n]}": ("{f = fn v -> v * x12, x = x12}", "long(x).f(x)"),
        "Giver": ("Held(fn v -> v * x12[0])", "match long(x) with\n    Held(f) -> x * f(1.0)"),
    }[given]
    where = " where n >= 1" if given == "Giver" else ""
    text = f"enum Giver = Held(f: (f32) -> f32)\ndef long(x0: f32[n]) -> {given}{where} =\n{BODY}\n    {result}\n"
    made = dsl.program(f"{PROGRAM}{text}def used(x: f32[n]) -> f32[n]{where} = {use}\n")
    x = np.full(3, 0.25, np.float32)
    np.testing.assert_allclose(np.asarray(made.used(x)), x * np.asarray(made.g(x)), rtol=1e-5)

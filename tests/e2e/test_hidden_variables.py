"""Variables of a signature that no data tells: the results of functions, cells, and the bounds of indices do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

X = np.arange(1.0, 4.0, dtype="f")

TELLERS: dict[str, tuple[str, str, str, str, str, Any]] = {
    "size": ("", "f: (f32[n]) -> f32[m], x: f32[n]", "f32[m]", "twice, x", "ones([m]) + m", [7.0] * 6),
    "shape": ("", "f: (f32[n]) -> f32[*s], x: f32[n]", "f32[*s]", "twice, x", "ones(s) + f32(prod(s))", [7.0] * 6),
    "dtype": ("[a: Float]", "f: (f32[n]) -> a, x: f32[n]", "a", "total, x", "a(1.0) / a(3.0)", 1.0 / 3.0),
    "type": ("[P: VSpace]", "f: (f32[n]) -> P, x: f32[n]", "P", "twice, x", "twofold(f, x)", [2.0, 4.0, 6.0] * 2),
    "bound": ("", "f: (idx[m], f32) -> f32, x: f32[n], i: idx[m]", "f32", "at, x, argmax(x)", "f(i, 1.0) + m", 6.0),
}
"""By what is told: the brackets of a definition, its parameters, its result, arguments, a body, and its value for
x = [1, 2, 3]."""

PROGRAM = """
def twice(x: f32[n]) -> f32[2 * n] = concatenate((x, x))
def total(x: f32[n]) -> f64 = f64(sum(x))
def at(i: idx[m], x: f32) -> f32 = x + f32(i) + m - 3.0
def twofold[P: VSpace](f: (f32[n]) -> P, x: f32[n]) -> P =
    let (_, t) = with accum t: P do
        t += f(x)
        t += f(x)
        ()
    t

def used{brackets}({params}) -> {result} = {body}
effect asked{brackets}: ({params}) -> {result}
"""

CALLS = """
def direct(x: f32[n]) where n >= 1 = used({given})
def compiled(x: f32[n]) where n >= 1 = jit(fn x -> used({given}))(x)
def mapped(x: f32[n]) where n >= 1 = vmap(fn x -> used({given}))(stack((x, x)))[0]
"""


@pytest.mark.parametrize("told", TELLERS)
def test_what_no_data_tells_is_known_in_the_body(told: str) -> None:
    brackets, params, result, given, body, expected = TELLERS[told]
    text = PROGRAM.format(brackets=brackets, params=params, result=result, body=body) + CALLS.format(given=given)
    program = dsl.program(text)
    for name in ("direct", "compiled", "mapped"):
        found = getattr(program, name).interpret(X)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("told", [name for name in TELLERS if name != "bound"])
def test_it_is_known_where_python_gives_the_function(told: str) -> None:
    brackets, params, result, given, body, expected = TELLERS[told]
    program = dsl.program(PROGRAM.format(brackets=brackets, params=params, result=result, body=body))
    function = getattr(program, given.partition(",")[0])
    np.testing.assert_allclose(np.asarray(program.used.interpret(function, X)), expected, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(dsl.vmap(program.used).interpret(function, X[None])), [expected], rtol=1e-6)


def test_the_bounds_of_indices_tell_the_sizes_of_a_function_that_python_gives() -> None:
    program = dsl.program("""
def at(i: idx[m], x: f32) -> f32 = x + m + f32(i)
def applied(f: (idx[k], f32) -> f32, x: f32[k]) -> f32 where k >= 1 = f(argmax(x), 1.0)
""")
    assert program.applied.interpret(program.at, X) == 6.0


def test_a_clause_knows_the_shape_that_a_function_gives() -> None:
    program = dsl.program("""
effect sized: (f: (f32) -> f32[m]) -> f32
def counted(x: f32[n]) -> f32 =
    with handler sized(f) -> resume(sum(f(2.0)) / f(2.0).shape[0] + sum(ones(f(2.0).shape))) do sized(fn t -> t * x)
""")
    assert program.counted.interpret(X) == 7.0


def test_cells_tell_sizes() -> None:
    program = dsl.program("""
def step(x: f32) -> f32 ! state(h: f32[n]) =
    h := h + ones([n])
    sum(h) + x * n
def run(x: f32[n]) -> f32 =
    let (a, h) = with state h = x do step(1.0)
    a + sum(h)
""")
    assert program.run.interpret(X) == 21.0

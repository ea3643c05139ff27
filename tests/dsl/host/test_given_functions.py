"""Functions that Python gives are held against the type that is wanted, wherever they stand.

As an argument, in a tuple, a record, a field of a variant, an optional; beside functions of Python and static values,
and under transformations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
enum Choice = Given(f: (f32) -> f32) | Other
enum Nested = Deep(k: int, c: Choice, t: (int, {g: (f32) -> f32})) | Flat
def plain(f: (f32) -> f32, x: f32) -> f32 = f(x)
def in_tuple(p: ((f32) -> f32, f32), x: f32) -> f32 = p.0(x) + p.1
def in_record(p: {f: (f32) -> f32, y: f32}, x: f32) -> f32 = p.f(x) + p.y
def in_static(static p: {f: (f32) -> f32, d: dtype, k: int}, x: f32) -> f32 = p.f(x)
def in_variant(static c: Choice, x: f32) -> f32 = match c with
    Given(f) -> f(x)
    Other -> x
def in_nested(static n: Nested, x: f32) -> f32 = match n with
    Deep(k, Given(f), t) -> f(x) + t.1.g(x) - f32(k + t.0)
    Deep(k, Other, t) -> x
    Flat -> x
def in_both(static p: (Choice, int), x: f32) -> f32 = match p.0 with
    Given(f) -> f(x)
    Other -> x
def optional(x: f32, static f: ((f32) -> f32)? = none) -> f32 = if f == none then x else f(x)
def beside_python(f: (f32) -> f32, log: (f32) -> () ! io, x: f32) -> f32 ! io =
    log(x)
    f(x)
def beside_shape(f: (f32) -> f32, static s: shape, y: f32[*s], x: f32) -> f32 = f(x) + 0.0 * sum(y)

def good(x: f32) -> f32 = x * x
def with_static(x: f32, static k: int = 2) -> f32 = x ** k
def by_name(x: f32, *, k: f32 = 3.0) -> f32 = x * k
def any_shape(x: f32[*s]) -> f32[*s] = x * x

effect ask: (x: f32) -> f32
def two(x: f32, y: f32) -> f32 = x * y
def vector(x: f32[3]) -> f32 = sum(x)
def whole(x: i32) -> i32 = x
def pair(x: f32) -> (f32, f32) = (x, x)
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def asserting(x: f32) -> f32 ! check =
    assert x > 0.0
    x
def drawing(x: f32) -> f32 ! rand =
    let _ = fresh_key()
    x
def counting(x: f32) -> f32 ! state(s: f32) = x + s
def adding(x: f32) -> f32 ! accum(s: f32) =
    s += x
    x
def summing(x: f32) -> f32 ! axis("i") = psum(x, "i")
def asking(x: f32) -> f32 ! ask = ask(x)
"""
M = dsl.program(PROGRAM)
Form = Callable[[Any], Any]
FORMS: Mapping[str, Form] = {
    "plain": lambda f: M.plain(f, 3.0),
    "in a tuple": lambda f: M.in_tuple((f, 0.0), 3.0),
    "in a record": lambda f: M.in_record({"f": f, "y": 0.0}, 3.0),
    "in a static record": lambda f: M.in_static({"f": f, "d": dsl.f32, "k": 1}, 3.0),
    "in a variant": lambda f: M.in_variant(M.Given(f), 3.0),
    "in a variant in a variant": lambda f: M.in_nested(M.Deep(0, M.Given(f), (9, {"g": M.good})), 3.0),
    "in a record in a variant": lambda f: M.in_nested(M.Deep(0, M.Given(M.good), (9, {"g": f})), 3.0),
    "in a variant in a tuple": lambda f: M.in_both((M.Given(f), 1), 3.0),
    "optional": lambda f: M.optional(3.0, f=f),
    "beside a function of Python": lambda f: M.beside_python(f, lambda _: None, 3.0),
    "beside a shape": lambda f: M.beside_shape(f, [2], np.ones(2, np.float32), 3.0),
    "under vmap": lambda f: dsl.vmap(M.plain)(f, np.full(1, 3.0, np.float32))[0],
    "under jvp": lambda f: dsl.jvp(M.plain, (f, 3.0), (f, 1.0))[0],
    "by the evaluator": lambda f: M.in_variant.interpret(M.Given(f), 3.0),
    "without its data": lambda f: M.plain.eval_shape(f, 3.0) and 9.0,
}
FITTING: Mapping[str, tuple[Any, float]] = {
    "its type": (M.good, 9.0),
    "of any shape": (M.any_shape, 9.0),
    "with a static default": (M.with_static, 9.0),
    "with a default by name": (M.by_name, 9.0),
    "compiled, with a default": (dsl.jit(M.with_static), 9.0),
    "kept, with a default by name": (dsl.checkpoint(M.by_name), 9.0),
}
UNFIT = {
    "more arguments": M.two,
    "more arguments, transformed": dsl.jit(M.two),
    "another shape": M.vector,
    "another dtype": M.whole,
    "another result": M.pair,
    "transformed": dsl.vmap(M.good),
    **{name: getattr(M, name) for name in ("loud", "asserting", "drawing", "counting", "adding", "summing", "asking")},
    "another program": dsl.program(PROGRAM).good,
    "the library": dsl.prelude.sin,
    "a function of Python": np.sin,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", FITTING)
def test_a_function_that_fits_is_called_as_in_the_language(form: str, given: str) -> None:
    function, expected = FITTING[given]
    assert float(FORMS[form](function)) == expected


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", UNFIT)
def test_a_function_that_does_not_fit_is_refused(form: str, given: str) -> None:
    with pytest.raises(dsl.DslError):
        FORMS[form](UNFIT[given])


def test_gradients_of_functions_with_defaults_fit() -> None:
    for form in ("plain", "in a record", "in a variant", "optional"):
        assert float(FORMS[form](dsl.grad(M.by_name))) == 3.0


def test_what_a_function_performs_that_is_mapped_over_an_axis() -> None:
    m = dsl.program("""
    def summed(x: f32, static k: int = 2) -> f32 ! axis("i") = psum(x, "i") * f32(k)
    def call(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
    def inside(x: f32[n]) -> f32[n] = vmap(call, axis_name="i")(summed, x)
    """)
    x = np.ones(2, np.float32)
    assert dsl.vmap(m.call, axis_name="i")(m.summed, x).tolist() == m.inside(x).tolist() == [4.0, 4.0]

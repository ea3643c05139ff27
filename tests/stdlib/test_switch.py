"""`switch` of two to eight functions: values, derivatives, batches, and what is said of a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from typechecker import check_source


def program_of(count: int) -> dsl.Program:
    branches = ", ".join(f"fn v -> {k}.0 * v + {k}.0" for k in range(count))
    return dsl.program(f"""
        def f(i: i32, x: f32[n]) -> f32[n] = switch(i, ({branches}), x)
        def slope(i: i32, x: f32) -> f32 = grad(fn x -> switch(i, ({branches}), x))(x)
        def all_of(i: i32[k], x: f32[n]) -> f32[k, n] = vmap(f, in_axes=(0, none))(i, x)
        """)


def error_of(text: str) -> Diagnostic:
    (found,) = check_source(Source("m.dsl", text)).diagnostics
    return found


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_the_function_of_a_number_is_applied(count: int) -> None:
    m, x = program_of(count), np.array([1.0, 3.0], np.float32)
    numbers = np.arange(-1, count + 2, dtype=np.int32)
    chosen = np.clip(numbers, 0, count - 1).astype(np.float32)
    wanted = chosen[:, None] * x + chosen[:, None]
    np.testing.assert_array_equal(m.all_of(numbers, x), wanted)
    np.testing.assert_array_equal([m.f.interpret(i, x) for i in numbers], wanted)
    np.testing.assert_array_equal([m.slope(i, np.float32(3.0)) for i in numbers], chosen)


def test_a_wrong_branch_is_named_by_its_place() -> None:
    found = error_of("def f(i: i32, x: f32[n]) -> f32[n] = switch(i, (fn x -> x, fn x -> -x, fn x -> sum(x)), x)")
    assert found.code == "E0402"
    assert found.message.startswith("the result of `branches.2` has shape `[]`")
    assert found.primary.span.text == "sum(x)"


def test_a_named_branch_of_another_dtype_is_shown_without_a_cast_of_it() -> None:
    found = error_of("""
def a(x: f32[n]) -> f32[n] = x
def b(x: f64[n]) -> f64[n] = x
def f(i: i32, x: f32[n]) -> f32[n] = switch(i, (a, b), x)
""")
    assert (found.code, found.primary.span.text, found.help) == ("E0302", "b", ())


def test_too_many_branches_are_counted() -> None:
    found = error_of(f"def f(i: i32, x: f32) -> f32 = switch(i, ({', '.join(['sin'] * 9)}), x)")
    assert (found.code, found.message) == (
        "E0303",
        "argument `branches` of `switch` has 9 parts, but 2 to 8 are expected",
    )

"""Functions of Python that a program calls: values, order, what is refused, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl

M = dsl.program("""
    def mapped(f: (f32[n]) -> f32[n] ! io, x: f32[n]) -> f32[n] ! io = f(x) + x
    def told(log: (i32, f32) -> () ! io, x: f32[n]) -> f32 ! io =
        fold t = f32(0) for i in range(n) do
            log(i, t)
            if t < 10.0 then t + x[i] else t
    def both(f: (f32[n]) -> f32 ! io, g: (f32, f32[n]) -> f32 ! io, x: f32[n]) -> f32 ! io = g(f(x), x)
    def tree[P: Tree](f: (P) -> P ! io, p: P) -> P ! io = f(p)
    def wide[a: Float](f: (a[n], a) -> {m: a, v: a[n]} ! io, x: a[n]) -> a[n] ! io = f(x, 2.0).v
    def picked(f: (f32[n]) -> idx[n] ! io, x: f32[n]) -> f32 ! io = x[f(x)]
    def any_effect(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
    def pure(f: (f32) -> f32, x: f32) -> f32 = f(x)
    def sized(f: (f32[n], f32[k]) -> f32[n + k] ! io, x: f32[n], y: f32[k]) -> f32[n + k] ! io = f(x, y)
    def slope(f: (f32[n]) -> f32[n] ! io, x: f32[n]) -> f32[n] ! io = grad(fn x -> sum(mapped(f, x)))(x)
    def doubled(x: f32[n]) -> f32[n] = 2.0 * x
    def rows(f: (f32[n]) -> f32[n] ! io, x: f32[k, n]) -> f32[k, n] ! io =
        let (_, found) = scan c = f32(0) for i in range(k) do (c, f(x[i]))
        found
""")
X = np.arange(3, dtype=np.float32)


def test_a_function_is_called_in_order_with_python_values() -> None:
    seen: list[Any] = []
    assert M.told(lambda *args: seen.append(args), X) == 3
    assert seen == [(0, 0.0), (1, 0.0), (2, 1.0)]
    assert {type(value) for call in seen for value in call} == {int, float}


def test_trees_records_dtypes_and_indices() -> None:
    given = {"a": X, "b": (1.0, X)}
    assert str(M.tree(lambda p: {"b": p["b"], "a": p["a"]}, given)) == str(M.tree(lambda p: p, given))
    wide = M.wide(lambda x, c: {"m": x.mean(), "v": c * x}, X.astype(np.float64))
    assert wide.dtype == np.float64 and wide.tolist() == [0, 2, 4]
    assert M.picked(np.argmax, X) == 2
    assert M.any_effect(lambda x: x + 1, 1.0) == 2
    assert M.sized(lambda x, y: [*x, *y], X, X[:1]).tolist() == [0, 1, 2, 0]
    assert M.rows(lambda x: x[::-1], np.stack([X, X])).tolist() == [[2, 1, 0]] * 2


@settings(max_examples=10)
@given(st.lists(st.integers(-8, 8), min_size=3, max_size=3))
def test_a_call_of_python_is_one_of_the_function_it_computes(x: list[int]) -> None:
    """For the same parameter Python's and the program's function give the same, compiled and by the evaluator."""
    here = np.array(x, np.float32)
    expected = M.mapped(M.doubled, here).tolist()
    assert M.mapped(_doubled, here).tolist() == M.mapped.interpret(_doubled, here).tolist() == expected


def _doubled(x: Any) -> Any:
    return 2 * x


def test_a_function_may_run_programs_and_has_one_of_its_own() -> None:
    def nested(x: Any) -> Any:
        return np.asarray(M.doubled(x))

    before = M.mapped.cache_info().misses
    for _ in range(3):
        assert M.mapped(nested, X).tolist() == [0, 3, 6]
    assert M.mapped.cache_info().misses == before + 1
    assert "callback{name='f', operands=(<f32[3]>,), results=(<f32[3]>,)} %0" in M.mapped.ir(nested, X)


WRONG: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: M.mapped(lambda x: x[:2], X), "E0942", "f(…) is f32[2], not f32[3]"),
    (lambda: M.mapped(lambda x: x.astype(np.float64), X), "E0942", "convert it: `f(…).astype(np.float32)`"),
    (lambda: M.mapped(lambda x: "one", X), "E0942", "f(…) is a str, not f32[n]"),
    (lambda: M.mapped(lambda x: None, X), "E0942", "f(…) is a NoneType, not f32[n]"),
    (lambda: M.picked(lambda x: 3, X), "E0942", "f(…) holds 3, which is not an index below 3"),
    (lambda: M.wide(lambda x, c: {"m": c}, X), "E0942", "f(…) has no field `v`"),
    (lambda: M.tree(lambda p: {"b": p["a"]}, {"a": X}), "E0942", "`P` is one type according to p and another"),
    (lambda: M.mapped(lambda x: x / [][0], X), "E0941", "`f` raised IndexError: list index out of range"),
    (lambda: M.mapped.interpret(lambda x: x / [][0], X), "E0941", "`f` raised IndexError"),
    (lambda: M.mapped(lambda: X, X), "E0941", "`f` raised TypeError"),
    (lambda: M.pure(lambda x: x, 1.0), "E0909", "declare `f: (f32) -> f32 ! io`, or write it in the language"),
    (lambda: M.mapped(3, X), "E0909", "f is 3, not a static (f32[n]) -> f32[n] ! io"),
    (lambda: M.slope(_doubled, X), "E0803", "nobody can look into a function of Python"),
    (lambda: dsl.vmap(M.rows)(_doubled, X[None, None]), "E0721", "in a body that runs in parallel"),
]


@pytest.mark.parametrize(("call", "code", "said"), WRONG)
def test_what_does_not_fit_is_one_diagnostic(call: Callable[[], Any], code: str, said: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        call()
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert said in str(caught.value)


def test_an_exception_of_python_is_the_cause() -> None:
    with pytest.raises(dsl.CheckError, match="E0941") as caught:
        M.mapped(lambda x: 1 / 0, X)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_derivative_tells_python_once() -> None:
    seen: list[float] = []
    assert dsl.grad(M.told)(lambda _, t: seen.append(t), X).tolist() == [1, 1, 1]
    assert seen == [0.0, 0.0, 1.0]


PASSED_ON = """
from random import normal
effect ask: (x: f32) -> f32
def of_cell(x: f32) -> f32 ! state(s: f32) = s + x
def of_total(x: f32) -> f32 ! accum(t: f32) =
    t += x
    x
def of_own(x: f32) -> f32 ! ask = ask(x)
def of_axis(x: f32) -> f32 ! axis("i") = psum(x, "i")
def of_key(x: f32) -> f32 ! rand = x * normal(fresh_key(), [])
def call(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(x)
def within(f: (f32) -> f32 ! {state(s: f32), e}, x: f32) -> (f32, f32) ! e = with state s = 1.0 do f(x)
"""


def test_what_a_function_given_performs_is_handled_as_if_it_were_called() -> None:
    program = dsl.program(PASSED_ON)
    for name in ("of_cell", "of_total", "of_own", "of_axis", "of_key"):
        with pytest.raises(dsl.EffectError, match=f"{name} performs .*, which Python does not handle") as found:
            program.call.interpret(getattr(program, name), 2.0)
        assert found.value.code == "E0702"
    with pytest.raises(dsl.EffectError, match="of_cell performs"):
        dsl.vmap(program.call).interpret(program.of_cell, np.ones(2, np.float32))
    mapped = dsl.vmap(program.call, axis_name="i").interpret(program.of_axis, np.ones(2, np.float32))
    assert mapped.tolist() == [2.0, 2.0]
    assert program.within.interpret(program.of_cell, 2.0) == (3.0, 1.0)

"""Which of several definitions of one name a call is of: by number, names and kinds of the arguments."""

from __future__ import annotations

import pytest

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from typechecker import check_source

LIBRARY = """
## Of one array.
def f[a: Float](x: a[*s]) -> a[*s] = x
## Of an array of bools.
def f(x: bool[*s]) -> i32[*s] = i32(x)
## With a size.
def f[a: Float](x: a[n], static k: size) -> a[n, k] = broadcast_to(x[:, None], [n, k])
## With any integer.
def f[a: Float](x: a[n], static k: int) -> a[n, 1] = x[:, None]
## Of two.
def f[a: Float](x: a[n], y: a[m]) -> a[n + m] = concatenate((x, y))
## With an option.
def f[a: Float](x: a[n], *, static mode: str) -> a[2 * n] = concatenate((x, x))
## Of a list.
static def f(s: ints) -> int = intrinsic.len(s)
## Of an array of integers.
def g[a: Int](x: a[*s]) -> a[7, *s] = broadcast_to(x, [7, *s])
## Of a list of integers.
static def g(s: ints) -> int = intrinsic.list_sum(s)
## One step, or several.
def h(x: f32[n], static steps: ints) -> f32[n, 1] = x[:, None]
## A number of steps that is only known when the program runs.
def h(x: f32[n], steps: i32) -> f32[n, 2] = broadcast_to(x[:, None], [n, 2])
## Of a point in a plane.
def r(p: {x: f32, y: f32}) -> f32[2] = [p.x, p.y]
## Of a point by angle and distance.
def r(p: {angle: f32, y: f32}) -> f32[3] = [p.y, p.y, p.angle]
## Of an array.
def r(p: f32[n]) -> f32[n] = p
## Of a dtype.
def f(static dtype: dtype) -> dtype[7] = zeros([7], dtype)
"""


def check(uses: str) -> list[Diagnostic]:
    return list(check_source(Source("<stdlib>/overloaded.dsl", LIBRARY + uses)).diagnostics)


CHOSEN = {
    "one": "def u(x: f64[n]) -> f64[n] = f(x)",
    "class": "def u(x: bool[n]) -> i32[n] = f(x)",
    "rigid": "def u[b: Float](x: b[n]) -> b[n] = f(x)",
    "undecided": "def u() -> f64 = f(2.0)",
    "array": "def u(x: f32[n], y: f32[m]) -> f32[n + m] = f(x, y)",
    "number": "def u(x: f32[n], static k: size) -> f32[n, k] = f(x, k)",
    "written_number": "def u(x: f32[n]) -> f32[n, 3] = f(x, 3)",
    "difference": "def u(x: f32[n], static k: int) -> f32[n, 1] = f(x, k)",
    "negative": "def u(x: f32[n]) -> f32[n, 1] = f(x, -3)",
    "name": 'def u(x: f32[n]) -> f32[2 * n] = f(x, mode="twice")',
    "parameter_by_name": "def u(x: f32[n], y: f32[m]) -> f32[n + m] = f(y=y, x=x)",
    "shape": "def u(x: f32[n, m]) -> f32[2] = zeros([f(x.shape)])",
    "dtype": "def u() -> i16[7] = f(i16)",
    "written_list": "def u(x: f32[n, m]) -> f32[n + m] = zeros([g([n, m])])",
    "list_by_name": "def u(x: f32[n, m]) -> f32[n + m] =\n    let s = [n, m]\n    zeros([g(s)])",
    "list_beyond_every_dtype": "def u(x: f32[n]) -> f32[n] = x * g([2 ** 70, 1])",
    "constant_list": "let s = [2, 3]\ndef u() -> f32[5] = zeros([g(s)])",
    "number_of_either": "def u(x: f32[n]) -> f32[n] = zeros([g(n)])",
    "list_of_run_time": "def u(i: i64) -> i64[7, 2] = g([i, 2])",
    "nested_list": "def u() -> i32[7, 1, 2] = g([[1, 2]])",
    "method": "def u(x: f32[n], y: f32[m]) -> f32[n + m] = x.f(y)",
    "pipe": "def u(x: bool[n]) -> i32[n] = x |> f",
    "named": "def u(x: bool[n]) -> i32[n] =\n    let g = f\n    g(x)",
    "mapped": "def u(x: bool[n, m]) -> i32[n, m] = vmap(f)(x)",
    "mapped_by_name": "def u(x: f32[n, m]) -> f32[n, m] =\n    let g = vmap(f)\n    g(x)",
    "integer_as_list": "def u(x: f32[n], static k: int) -> f32[n, 1] = h(x, -1) + h(x, k) + h(x, x.shape[0])",
    "known_at_run_time": "def u(x: f32[n], k: i32) -> f32[n, 2] = h(x, k)",
    "record": "def u(p: {x: f32, y: f32}) -> f32[2] = r(p)",
    "other_fields": "def u(p: {angle: f32, y: f32}) -> f32[3] = r(p)",
    "written_record": "def u(v: f32) -> f32[3] = r({angle = v, y = v})",
    "no_record": "def u(p: f32[n]) -> f32[n] = r(p)",
    "argument": "def u(x: f32[n]) -> f32[n] = grad(fn v -> sum(f(v)))(x)",
}


@pytest.mark.parametrize("name", CHOSEN)
def test_the_first_that_takes_the_arguments_is_called(name: str) -> None:
    assert [str(d.message) for d in check(CHOSEN[name] + "\n")] == []


REFUSED = {
    "none": ("f()", "E0307", "missing argument `x`"),
    "too_many": ("f(x, x, x)", "E0307", "takes 1 argument"),
    "keyword": ("f(x, other=1)", "E0308", "no parameter `other`"),
    "class": ("f(i32(x))", "E0332", "not in class Float"),
    "kind": ('f("x")', "E0303", "is a static `str`"),
    "second": ('f(x, "x")', "E0303", "argument `k`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_none_fits_the_closest_says_why_and_all_are_listed(name: str) -> None:
    call, code, words = REFUSED[name]
    (found,) = check(f"def u(x: f32[n]) = {call}\n")
    assert found.code == code
    assert words in found.message
    listed = "`f` is `f[a: Float](x: a[*s])`, or `f(x: bool[*s])`, or `f[a: Float](x: a[n], static k: size)`, or "
    assert (listed in found.notes[-1]) == (not found.help)


def test_what_is_wrong_behind_the_choice_is_said_as_of_any_function() -> None:
    (found,) = check("def u(x: f32[n], y: f64[m]) = f(x, y)\n")
    assert found.code == "E0302"
    assert found.notes == () or "or `f(" not in found.notes[-1]


def test_the_choice_does_not_depend_on_sizes() -> None:
    text = "def u(x: f32[n], y: f32[m]) -> f32[n] = f(x, y)\n"
    assert [d.code for d in check(text)] == ["E0402"]


def test_a_program_has_one_definition_of_a_name() -> None:
    text = "def g(x: f32[n]) -> f32[n] = x\ndef g(x: f32[n], y: f32[n]) -> f32[n] = x + y\n"
    assert [d.code for d in check_source(Source("<string>", text)).diagnostics] == ["E0206"]


def test_a_definition_of_a_program_hides_all_of_the_library() -> None:
    text = "def max(x: f32[n]) -> f32[n] = x\ndef g(x: f32[n]) = max(x, x)\n"
    assert [d.code for d in check_source(Source("<string>", text)).diagnostics] == ["E0307"]

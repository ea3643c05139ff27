"""The formatter: what it writes, that it keeps trees and comments, that a second time changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Source
from dsl.syntax.format import WIDTH, format_source
from dsl.syntax.parse import parse, parse_expression
from dsl.syntax.show import show

CORPUS = Path(__file__).parent / "corpus"


def formatted(text: str) -> str:
    return format_source(Source("x", text))


def check(text: str) -> str:
    once = formatted(text)
    before, wrong = parse(Source("x", text))
    after, also_wrong = parse(Source("x", once))
    assert not wrong and not also_wrong
    assert show(before.declarations) == show(after.declarations)
    assert formatted(once) == once
    return once


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.dsl")), ids=lambda path: path.stem)
def test_the_corpus(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = check(text)
    assert [c for c in text if c.isalnum()] == [c for c in once if c.isalnum()]
    assert "\t" not in once and not any(line != line.rstrip() for line in once.split("\n"))


SPELLED = [
    ("let x=1+2 *-3", "let x = 1 + 2 * -3\n"),
    ("let x = f( a , axis = 0 )", "let x = f(a, axis=0)\n"),
    ("let x = { w=1,b = 2 }", "let x = {w = 1, b = 2}\n"),
    ("let x = a[ 1:-1 , ::2,i:i+k, :n ]", "let x = a[1:-1, ::2, i : i + k, :n]\n"),
    (
        "def f( x:f32[ n ],*,static k:int=3 )->f32!{ io }=x",
        "def f(x: f32[n], *, static k: int = 3) -> f32 ! {io} = x\n",
    ),
    ("def f(g:(A,B)->C!e)=fn x->x", "def f(g: (A, B) -> C ! e) = fn x -> x\n"),
    ("type P[a:Float,n]=(a[n],{x:f32})?", "type P[a: Float, n] = (a[n], {x: f32})?\n"),
    ("enum E=A|B(x:int)", "enum E = A | B(x: int)\n"),
    ("effect e:(static n:str)->f32", "effect e: (static n: str) -> f32\n"),
    ("let x = a|>f|>g #c", "let x = a |> f |> g  #c\n"),
    ("let x = p.w . 0 .T", "let x = p.w.0.T\n"),
    ("let x = f(*a,[*b])", "let x = f(*a, [*b])\n"),
    ("let x = not a and b|c", "let x = not a and b | c\n"),
    ("\n\n\nlet x = 1\n\n\n\n\nlet y = 2\n\n\n", "let x = 1\n\n\nlet y = 2\n"),
    ("# a\n\n\n\n# b\nlet x = 1", "# a\n\n\n# b\nlet x = 1\n"),
    ("def f() =\n  let x = 1\n\n\n\n  x", "def f() =\n    let x = 1\n\n    x\n"),
    (
        "def f() =\n  if a then\n     b\n  else\n     c",
        "def f() =\n    if a then\n        b\n    else\n        c\n",
    ),
    ("def f() =\n  match a with\n   A -> 1\n   # c\n   B ->\n     2", None),
    ("", ""),
    ("# only\n", "# only\n"),
]


@pytest.mark.parametrize(("text", "expected"), SPELLED, ids=[text for text, _ in SPELLED])
def test_spelling(text: str, expected: str | None) -> None:
    once = check(text)
    if expected is not None:
        assert once == expected


def test_long_brackets_are_spread() -> None:
    names = ", ".join(f"argument_{i}" for i in range(12))
    once = check(f"let x = some_function({names})\n")
    assert all(len(line) <= WIDTH for line in once.split("\n"))
    assert once.startswith("let x = some_function(\n    argument_0,\n    argument_1,\n") and once.endswith("\n)\n")


def test_a_body_gets_a_line_of_its_own_before_brackets_are_spread() -> None:
    body = " + ".join(["sum(x)"] * 10)
    head = "def g(x: f32[n], first: f32, second: f32, third: f32) -> f32 ="
    assert formatted(f"{head} {body}\n") == f"{head}\n    {body}\n"
    assert formatted(f"{head}\n    let yyyyyyyy = {body}\n    yyyyyyyy\n").count("\n") == 4
    mean = "mean(argmax(scores(parameters, images), axis=1) == labels)"
    assert formatted(f"{head} {mean}\n") == f"{head}\n    {mean}\n"
    call = f"f({', '.join(['x' * 20] * 6)})"
    assert formatted(f"def g(x: f32[n]) -> f32 = {call}\n").startswith("def g(x: f32[n]) -> f32 = f(\n")


def test_a_long_chain_of_operators_is_broken_at_the_loosest_ones() -> None:
    x, y = "x" * 30, "y" * 30
    broken = f"(\n        {x} * {y}\n        - {x} ** 2 * f({y})\n        + -{y}\n    )"
    assert check(f"def f(x: f32) =\n    let z={x}*{y}-{x}**2*f({y})+-{y} # c\n    z\n") == (
        f"def f(x: f32) =\n    let z = {broken}  # c\n    z\n"
    )
    assert check(f"def f(x: f32) =\n    {x}*{y}-{x}**2*f({y})+-{y}\n") == f"def f(x: f32) =\n    {broken}\n"
    u, v = x[:20], y[:20]
    inside = check(f"let z = f(1, {u} < {v} and not {v} < {u} or true, 2)\n")
    assert inside == f"let z = f(\n    1,\n    {u} < {v} and not {v} < {u}\n    or true,\n    2\n)\n"
    piped = check(f"def f(x: f32) = x |> {x} |> fn {u} -> {u} + {y} |> {x}\n")
    assert piped == f"def f(x: f32) = (\n    x\n    |> {x}\n    |> fn {u} -> {u} + {y}\n    |> {x}\n)\n"


def test_a_long_choice_is_broken_into_its_branches() -> None:
    x, y = "x" * 30, "y" * 30
    assert check(f"def f(x: f32) = if {x} < {y} then {x} + {y} else {y}\n") == (
        f"def f(x: f32) =\n    if {x} < {y} then\n        {x} + {y}\n    else\n        {y}\n"
    )
    choice = f"if {x} then if {y} then a else b else if {x} then {y} else if b then c else d"
    broken = (
        f"if {x} then\n{{0}}    if {y} then a else b\n{{0}}else if {x} then\n{{0}}    {y}\n"
        "{0}else if b then\n{0}    c\n{0}else\n{0}    d"
    )
    bound, last = broken.format(" " * 8), broken.format(" " * 4)
    text = f"def f() =\n  let z = {choice} # c\n  {choice}\n"
    assert check(text) == f"def f() =\n    let z =\n        {bound}  # c\n    {last}\n"


def test_the_body_of_a_long_arm_is_broken_behind_its_arrow() -> None:
    x, y = "x" * 30, "y" * 30
    head = "def f(static e: E) =\n    match e with\n"
    lines = f"        A({x}) -> {x} * {y} * y\n        B -> if {x} then {x} + 1.0 else {y} + 1.0\n"
    assert check(f"{head}{lines}") == (
        f"{head}        A({x}) ->\n            {x} * {y} * y\n"
        f"        B ->\n            if {x} then\n                {x} + 1.0\n"
        f"            else\n                {y} + 1.0\n"
    )
    assert check(f"{head}        (A, _) -> {x} * f({y}, [x, {y}])\n        B -> {x} * {y} * x - {x}\n") == (
        f"{head}        (A, _) -> {x} * f(\n            {y},\n            [x, {y}]\n        )\n"
        f"        B -> (\n            {x} * {y} * x\n            - {x}\n        )\n"
    )


def test_a_long_clause_of_a_handler_keeps_its_block() -> None:
    x = "x" * 30
    text = f"def f() =\n    with handler ask(a) -> resume({x} * {x} * {x}) + 1.0 do\n        k(a)\n"
    assert "resume(\n" in check(text)


def test_the_for_of_a_block_in_brackets_stands_below_its_value() -> None:
    text = "def f(x: f32[n]) = g([\n  # doubled\n  let y = fold s=v for w in x do\n     s + w\n  y\n for v in x])\n"
    assert formatted(text) == (
        "def f(x: f32[n]) = g([\n    # doubled\n    let y = fold s = v for w in x do\n        s + w\n    y\n"
        "    for v in x])\n"
    )


def test_comments_keep_their_place() -> None:
    text = "def f() =\n    # first\n    let x = 1  # one\n    # last\n    x\n    # behind\n# out\ndef g() = 1\n"
    assert check(text) == text


def test_wrong_programs_are_refused() -> None:
    with pytest.raises(DslError) as caught:
        formatted("def f( = 3")
    assert caught.value.diagnostics


# ---------------------------------------------------------------- generated programs

NAME = st.sampled_from(["x", "y", "a_name_that_is_long_enough_for_three_of_them_to_fill_a_line", "where", "state"])
BREAK = st.sampled_from(["", " ", "\n", "\n      ", "  # c\n", "\n # c\n  "])
ATOM = st.one_of(NAME, st.sampled_from(["1", "2.5", "true", '"a"', "()", "none"]))


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operator = st.sampled_from(["+", "-", "*", "**", "@", "//", "|", "&", "and", "or"])
    return st.one_of(
        st.builds(lambda a, s, o, b: f"({s}{a} {o}{s} {b}{s})", inner, BREAK, operator, inner),
        st.builds(lambda f, a, s, b: f"{f}({s}{a}{s},{s}axis{s}={b}{s})", NAME, inner, BREAK, inner),
        st.builds(lambda a, s, b: f"[{s}{a},{s}{b}{s}]", inner, BREAK, inner),
        st.builds(lambda a, s, b: f"({s}{a},{s}{b},{s})", inner, BREAK, inner),
        st.builds(lambda a, b: "{" + f"w={a}, b = {b}" + "}", inner, inner),
        st.builds(lambda f, a, b: f"{f}[{a}:{b}, ::2, ...]", NAME, inner, inner),
        st.builds(lambda a, s: f"[{s}{a} for i{s}in range(n){s}]", inner, BREAK),
        st.builds(lambda a, o, b: f"(-{a} {o} {b})", inner, operator, inner),
        st.builds(lambda a, b, c: f"(if {a} then {b} else {c})", inner, inner, inner),
        st.builds(lambda a, f: f"({a}|>{f})", inner, NAME),
        st.builds(lambda a: f"f(fn x ->\n            let q = {a.replace(chr(10), ' ')}\n            q, 1)", ATOM),
    )


EXPRESSION = st.recursive(ATOM, _compound, max_leaves=12)


STATEMENT = EXPRESSION | st.builds(lambda a, b, c: f"if {a} then {b} else {c}", EXPRESSION, EXPRESSION, EXPRESSION)


@settings(max_examples=150, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=4), STATEMENT)
def test_generated_programs(values: list[str], result: str) -> None:
    lines = "".join(f"    let v{i}   ={value}\n" for i, value in enumerate(values))
    text = f"def f(x:f32)  =\n{lines}    {result}\n"
    if not parse(Source("x", text))[1]:
        check(text)


@settings(max_examples=50, deadline=None)
@given(EXPRESSION)
def test_most_generated_programs_are_right(text: str) -> None:
    _, wrong = parse_expression(Source("x", "(" + text + ")"))
    assert not [d for d in wrong if d.code in ("E0102", "E0103")]


def test_the_conditions_of_a_long_head_get_a_line_of_their_own() -> None:
    params = ", ".join(f"parameter_{i}: f32[n]" for i in range(3))
    head = f"def f({params}) -> f32[n, n // 2] ! nn.param where n >= 2 and n % (2 * k) == 0 ="
    assert check(f"{head} g(x)\n") == head.replace(" where", "\n    where") + "\n    g(x)\n"
    many = ", ".join(f"parameter_{i}: f32[n]" for i in range(6))
    lines = check(f"def f({many}) -> f32[n, n // 2] ! nn.param where {' and '.join(['n >= 2'] * 8)} =\n    g(x)\n")
    assert ") -> f32[n, n // 2] ! nn.param\n    where n >= 2" in lines


def test_a_long_loop_that_is_bound_gets_a_line_of_its_own() -> None:
    carry = "((model, memory, average), losses)"
    loop = "scan (model, memory, average) = (model, memory, average) for ids in rows do"
    body = "let x = 1.0\n{0}    # about y\n{0}    if a then\n{0}        y\n{0}    else\n{0}        z"
    rest = "    # the result\n    losses\n"
    assert check(f"def f() =\n    let {carry} = {loop}\n        {body.format(' ' * 4)}\n{rest}") == (
        f"def f() =\n    let {carry} =\n        {loop}\n            {body.format(' ' * 8)}\n{rest}"
    )
    inner = f"def f() =\n    let {carry} = {loop}\n        let {carry} = {loop}\n            x\n        y\n    losses\n"
    assert check(inner).count(" =\n") == 3


def test_a_call_that_is_added_to_something_short_is_spread_where_it_is() -> None:
    arguments = ", ".join(["argument" * 2] * 6)
    spread = ",\n".join([" " * 8 + "argument" * 2] * 6)
    assert check(f"def f() =\n    let y = x + g({arguments})\n    y\n") == (
        f"def f() =\n    let y = x + g(\n{spread}\n    )\n    y\n"
    )


def test_a_long_comprehension_is_broken_before_its_clauses() -> None:
    value, rows = "value_of_something_long(i + j, m)", "range(length_of_the_rows + 1)"
    assert check(f"let parts = [{value} for i in begin, j in {rows}, k in {rows}]\n") == (
        f"let parts = [\n    {value}\n    for i in begin, j in {rows}, k in {rows}\n]\n"
    )

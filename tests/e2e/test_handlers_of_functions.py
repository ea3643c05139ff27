"""The handler of what a function performs: the one around its call, unless its type leaves effects to its giver."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dsl

DOUBLED = "with handler ask(v) -> resume(2.0 * v) do "
MADE = {
    "a lambda": ("fn v -> ask(v)", "g(x)"),
    "a lambda with a type": ("fn (v: f32) -> ask(v)", "g(x)"),
    "an operation": ("ask", "g(x)"),
    "a definition": ("asks", "g(x)"),
    "a field": ("{h = fn v -> ask(v)}", "g.h(x)"),
    "an element": ("(fn v -> ask(v), 1.0)", "g.0(x)"),
    "a map": ("vmap(fn v -> ask(v))", "sum(g([x]))"),
    "a lambda that calls another": ("(fn f -> fn v -> f(v))(fn v -> ask(v))", "g(x)"),
    "a choice": ("if t then asks else asks", "g(x)"),
}
CALLED = {
    "in a handler": "CALL",
    "in a lambda": "(fn u -> CALL)(0.0)",
    "in a loop": "fold s = 0.0 for u in [1.0] do s + CALL",
    "in a comprehension": "sum([CALL for u in [1.0]])",
}
HEAD = """
effect ask: (v: f32) -> f32
def asks(v: f32) -> f32 ! ask = ask(v)
"""


@pytest.mark.parametrize("made, called", list(product(MADE, CALLED)))
@pytest.mark.parametrize("around", ["", "with handler ask(v) -> resume(9.0 * v) do"])
def test_a_function_performs_where_it_is_called(made: str, called: str, around: str) -> None:
    function, call = MADE[made]
    block = f"let g = {function}\nlet u = 0.0\n{DOUBLED}{CALLED[called].replace('CALL', call)}\n".splitlines()
    lines = [around, *(f"    {line}" for line in block)] if around else block
    text = HEAD + "def f(x: f32, static t: bool) -> f32 =\n" + "".join(f"    {line}\n" for line in lines)
    assert dsl.program(text).f(np.float32(3), t=True) == 6


PASSED = {
    "of a stated type": ("(f32) -> f32 ! ask", "", "g(x)", "GIVEN", 6),
    "in a record": ("{h: (f32) -> f32 ! ask}", "", "g.h(x)", "{h = GIVEN}", 6),
    "in a tuple": ("((f32) -> f32 ! ask, f32)", "", "g.0(x)", "(GIVEN, x)", 6),
    "of any effects": ("(f32) -> f32 ! e", " ! e", "g(x)", "GIVEN", 27),
    "of any effects, in a record": ("{h: (f32) -> f32 ! e}", " ! e", "g.h(x)", "{h = GIVEN}", 27),
}


@pytest.mark.parametrize("passed", PASSED)
@pytest.mark.parametrize("given", ["fn v -> ask(v)", "asks", "ask", "g"])
def test_the_type_of_a_parameter_says_whose_handler_it_is(passed: str, given: str) -> None:
    kind, row, call, argument, wanted = PASSED[passed]
    text = f"""{HEAD}
def inside(g: {kind}, x: f32) -> f32{row} = {DOUBLED}{call}
def f(x: f32) -> f32 =
    with handler ask(v) -> resume(9.0 * v) do
        let g = fn v -> ask(v)
        inside({argument.replace("GIVEN", given)}, x)
"""
    assert dsl.program(text).f(np.float32(3)) == wanted


def test_draws_and_checks_of_lambdas_belong_where_they_are_called() -> None:
    program = dsl.program("""
from random import normal
def inner(a: key, b: key) -> f32 = with rng(a) do
    let g = fn v -> v + normal(fresh_key())
    with rng(b) do g(1.0)
def alone(b: key) -> f32 = with rng(b) do (fn v -> v + normal(fresh_key()))(1.0)
def tried(x: f32) -> bool =
    let g = fn v -> checked(log(v))
    let (_, status) = with checks do g(x)
    status.failed
""")
    assert program.inner(1, 2) == program.inner(3, 2) != program.inner(1, 3)
    assert program.tried(-1.0) and not program.tried(1.0)


CELLS = {
    "state": ("with state s = START do BODY", "s := s + v", (12.0, 1.0)),
    "accum": ("with accum s: f32 do BODY", "s += v", (2.0, 0.0)),
    "a handler's cell": ("with handler ask(v) -> resume(v), state s = START do BODY", "s := s + v", (12.0, 1.0)),
}


def _with_two_cells(kind: str, made: str, call: str, inner: str) -> str:
    opened, write, _ = CELLS[kind]
    outer = opened.replace("START", "1.0").removesuffix(" BODY")
    near = opened.replace("START", "10.0").replace("BODY", call)
    return f"""
effect ask: (v: f32) -> f32
def given(g: (f32) -> f32 ! {inner}(s: f32), x: f32) -> f32 ! {inner}(s: f32) = g(x)
def f(x: f32, static t: bool) -> ((f32, f32), f32) =
    {outer}
        let h = fn v ->
            {write}
            v
        let g = {made}
        {near}
"""


def _is_written_in_order(kind: str, made: str, called: str) -> bool:
    """A cell that only adds may be written in parallel, a state may not."""
    return kind == "accum" or not ("vmap" in made or "comprehension" in called)


WRITTEN = [
    (kind, made, call, called)
    for kind in CELLS
    for made, call in MADE.values()
    for called in CALLED
    if "ask" not in call and _is_written_in_order(kind, made, called)
]


@pytest.mark.parametrize("kind, made, call, called", WRITTEN)
def test_a_function_writes_the_nearer_cell(kind: str, made: str, call: str, called: str) -> None:
    effect = "accum" if kind == "accum" else "state"
    made = made.replace("asks", "h").replace("ask", "h")
    call = CALLED[called].replace("CALL", call).replace("fn u", "fn _").replace("for u", "for _")
    (value, near), far = dsl.program(_with_two_cells(kind, made, call, effect)).f(np.float32(2), t=True)
    assert (float(value), (float(near), float(far))) == (2, CELLS[kind][2])


@pytest.mark.parametrize(
    "mapped", ["fn y -> g(y)", "g", "jit(g)", "fn y -> (fn h -> h(y))(g)", "fn y -> vmap(g)([y])[0]"]
)
@pytest.mark.parametrize("made", ['fn v -> all_gather(v, "i")', 'jit(fn v -> all_gather(v, "i"))'])
def test_a_name_of_an_axis_is_that_of_the_nearest_map(mapped: str, made: str) -> None:
    program = dsl.program(f"""
def f(xs: f32[n]) -> (f32[n, 2, 2], f32[n, n]) =
    vmap(fn x -> (fn g -> (vmap({mapped}, axis_name="i")([x, x]), g(x)))({made}), axis_name="i")(xs)
""")
    xs = np.arange(3, dtype=np.float32)
    near, far = program.f(xs)
    np.testing.assert_array_equal(near, np.broadcast_to(xs[:, None, None], (3, 2, 2)))
    np.testing.assert_array_equal(far, np.broadcast_to(xs, (3, 3)))

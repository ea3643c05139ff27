"""`print(…, ordered=false)` in parallel: the lines are those that the elements print one after the other."""

from __future__ import annotations

import contextlib
import io
from collections import Counter

import numpy as np
import pytest

import dsl

SAY = 'def say(x: f32) -> f32 ! debug =\n    print("say {}", x, ordered=false)\n    x * 2.0\n'
BODIES = {
    "call": "say(x) + say(x + 1.0)",
    "constant": "say(7.0) + x",
    "branch": "if x > 1.0 then say(x) else x",
    "branches": "if x > 1.0 then (if x > 2.0 then say(x) else say(-x)) else x",
    "loop in a branch": "if x > 1.0 then (fold s = x for i in range(2) do say(s + f32(i))) else x",
    "branch in a loop": "fold s = x for i in range(3) do (if s > 2.0 then say(s) else s + 1.0)",
    "scan": "(scan s = x for i in range(2) do (say(s), s)).0",
    "loops that end apart": "iterate s = x while s < 3.0 limit 9 do say(s) - s + 1.0",
    "loops in a branch": "if x < 2.0 then (iterate s = x while s < 3.0 limit 9 do say(s) - s + 1.0) else x",
    "checkpoint": "if x > 1.0 then grad(fn v -> checkpoint(fn u -> say(u) * u)(v))(x) else x",
    "derivative": "value_and_grad(fn v -> if v > 1.0 then say(v) * v else v)(x).0",
    "map": "sum([if x > v then say(x + v) else v for v in [0.0, 1.5, 2.5]])",
    "map of a map": "sum([sum([if x > v + w then say(x + v) else w for w in [0.0, 1.0]]) for v in [0.5, 1.5]])",
    "custom rule": "jvp(custom_jvp(say, fn (p, t) -> (say(p.0), t.0)), (x,), (1.0,)).0",
}
XS = np.array([0.0, 1.0, 2.0, 3.0], np.float32)
WAYS = {
    "vmap": "vmap(f)(xs)",
    "comprehension": "[f(x) for x in xs]",
    "pmap": "pmap(f)(xs)",
    "shard": "shard(fn p -> [f(x) for x in p], mesh(k=2), {k = 0}, {k = 0})(xs)",
}


def program(body: str) -> dsl.Program:
    ways = "".join(f"def by_{name}(xs: f32[4]) -> f32[4] ! debug = {text}\n" for name, text in WAYS.items())
    return dsl.program(f"{SAY}def f(x: f32) -> f32 ! debug = {body}\n{ways}")


def printed(function: dsl.Function, x: np.ndarray, evaluated: bool) -> tuple[list[float], Counter[str]]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        value = np.asarray(function.interpret(x) if evaluated else function(x))
    return np.atleast_1d(value).tolist(), Counter(output.getvalue().splitlines())


@pytest.mark.parametrize("name", BODIES)
def test_the_lines_are_those_of_the_elements(name: str) -> None:
    m = program(BODIES[name])
    alone = [printed(m.f, x, evaluated=True) for x in XS]
    expected = [value for (value,), _ in alone], sum((lines for _, lines in alone), Counter[str]())
    assert expected[1], "something is printed"
    for way in WAYS:
        assert printed(getattr(m, f"by_{way}"), XS, evaluated=True) == expected, way
    assert printed(m.by_vmap, XS, evaluated=False) == expected


@pytest.mark.parametrize(("way", "count"), [("vmap", 2), ("pmap", 2), ("pmap", 4), ("shard", 2)])
def test_several_devices_print_each_its_part(way: str, count: int) -> None:
    m = program(BODIES["branch in a loop"])
    with dsl.default_device(*dsl.devices()[:count]):
        found = printed(getattr(m, f"by_{way}"), XS, evaluated=False)
    assert found == printed(m.by_vmap, XS, evaluated=True)


def test_the_order_of_an_element_is_that_of_the_text() -> None:
    m = dsl.program("""
        def f(x: f32) -> f32 ! debug =
            print("first {}", x, ordered=false)
            let y = x + 1.0
            print("second {}", y, ordered=false)
            y
        def all(xs: f32[2]) -> f32[2] ! debug = vmap(f)(xs)
    """)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        np.asarray(m.all(XS[:2]))
    assert output.getvalue().splitlines() == ["first 0.0", "first 1.0", "second 1.0", "second 2.0"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('def f(x: f32) -> f32 ! io =\n    print("{}", x, ordered=false)\n    x', "E0701"),
        ('def f(x: f32, b: bool) -> f32 ! debug =\n    print("{}", x, ordered=b)\n    x', "E0812"),
        ('def f(x: f32) -> f32 ! debug =\n    print("{}", x, ordered=1)\n    x', "E0812"),
        ('def f(x: f32) -> f32 ! debug =\n    print("{}", x)\n    x', "E0701"),
        ('def f(x: f32) = vmap(fn v -> (print("{}", v, ordered=true), v).1)([x])', "E0721"),
    ],
)
def test_refused(text: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert code in {d.code for d in caught.value.diagnostics}

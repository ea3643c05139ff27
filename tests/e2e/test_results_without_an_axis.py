"""Whether a map may leave a result without an axis: the check and the run give one answer, also of derivatives inside
whose way back sums, gathers or moves along the axis."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import dsl
from dsl.witnesses import check
from typechecker.analyses import sums_of_the_same

X = np.array([0.3, 0.7], np.float32)
LEAVES = ("v", "v", "v", "w", "c", "2.0", 'f32(axis_index("d"))')
ONE = (
    "sin({})",
    "({}) ** 2",
    "custom({})",
    "2.0 * ({})",
    "exp({})",
    "-({})",
    "stop_gradient({})",
    "checkpoint(fn a -> a * a)({})",
    "sigmoid({})",
)
TWO = ("({}) * ({})", "({}) + ({})", "({}) / (3.0 + {})", "maximum({}, {})", "where({} > 0.1, v, {})")
TOLD = (
    *(f'{name}({{}}, "d")' for name in ("psum", "pmean", "pmax", "pmin")),
    'sum(all_gather({}, "d"))',
    'sum(sin(all_gather({}, "d")))',
    'reduce_scatter([{}, 1.0], "d")',
    'sum(all_to_all([{}, 1.0], "d"))',
    'ppermute({}, "d", [(0, 1), (1, 0)])',
)
DERIVATIVES = (
    "inner(v, w, c)",
    "grad(inner)(v, w, c)",
    "grad(inner, argnums=2)(v, w, c)",
    "value_and_grad(inner)(v, w, c).1",
    "jacrev(inner)(v, w, c)",
    "jacfwd(inner)(v, w, c)",
    "jacfwd(inner, argnums=2)(v, w, c)",
    "checkpoint(grad(inner))(v, w, c)",
    "grad(checkpoint(inner), argnums=1)(v, w, c)",
    "jvp(inner, (v, w, c), (1.0, 0.0, 0.0)).1",
    "jvp(inner, (v, w, c), (w, w, w)).1",
    "vjp(inner, v, w, c).1(1.0).0",
    "vjp(inner, v, w, c).1(w).2",
    "linearize(inner, v, w, c).1(w, 0.0, 0.0)",
    "grad(fn u -> u * c)(v) * grad(inner, argnums=2)(v, w, c)",
)
RULES = ("t.0", "p.0 * t.0", 'psum(p.0 * t.0, "d")', 'p.0 * psum(t.0, "d")', 'pmean(t.0, "d")')
MAPS = (
    'vmap(outer, in_axes=(0, 0, none), axis_name="d", out_axes=none)(x, x, 0.9)',
    'pmap(outer, in_axes=(0, 0, none), axis_name="d", out_axes=none)(x, x, 0.9)',
    "sum(shard(whole, mesh(d=2), ({d = 0}, {d = 0}, none), none)(x, x, [0.9]))",
)
ROW = '! axis("d": 2)'
COUNT = 24


def _body(random: Random, depth: int) -> str:
    if depth == 0:
        return random.choice(LEAVES)
    text = random.choice(random.choice((ONE, TWO, TOLD)))
    return text.format(*(_body(random, depth - 1) for _ in range(text.count("{}"))))


def _program(number: int) -> str:
    """A derivative of a random body, and a map of it that gives one result for all elements."""
    random = Random(number)
    return f"""
def custom(u: f32) -> f32 {ROW} = custom_jvp(sin, fn (p: (f32,), t: (f32,)) -> (sin(p.0), {random.choice(RULES)}))(u)
def inner(v: f32, w: f32, c: f32) -> f32 {ROW} = {_body(random, random.randrange(1, 5))}
def outer(v: f32, w: f32, c: f32) -> f32 {ROW} = {random.choice(DERIVATIVES)}
def whole(v: f32[1], w: f32[1], c: f32[1]) -> f32[1] {ROW} = [outer(v[0], w[0], c[0])]
def f(x: f32[2]) = {random.choice(MAPS)}
"""


def _said(text: str) -> str | None:
    """The code with which a program is refused, by the check or by the call."""
    try:
        dsl.program(text).f.interpret(X)
    except dsl.DslError as refused:
        return refused.code
    return None


def test_the_check_says_what_the_run_says(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [_program(number) for number in range(COUNT)]
    monkeypatch.setattr(sums_of_the_same._Walk, "_summed", lambda *_: None)
    by_check = [_said(text) for text in programs]
    monkeypatch.setattr(check, "judge", lambda *_: ())
    by_run = [_said(f"{text}# unchecked\n") for text in programs]
    odd = [(text, *said) for text, *said in zip(programs, by_check, by_run, strict=True) if said[0] != said[1]]
    assert odd == []
    assert {None, "E0812", "E1011"} == {*by_run}

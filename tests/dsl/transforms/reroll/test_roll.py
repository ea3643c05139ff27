"""Copies become loops, and nothing else changes: random chains, their gradients, and what must stay as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.verify import verify
from dsl.ops.control.scan import ScanParams
from dsl.ops.elementwise import add, mul, sub
from dsl.ops.extent import slice_axis
from dsl.ops.layout import reduce_sum, reshape
from dsl.ops.unary import cos, sin, tanh
from dsl.staging.stage import Staged
from dsl.transforms.cse import merge
from dsl.transforms.dce import eliminate
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.reroll.repeats import Repeat, repeats, repeats_and_between
from dsl.transforms.reroll.roll import reroll
from dsl.types.dtype import F64
from tests.support.cases import some_of_example
from tests.support.derivative import grad
from tests.support.programs import VECTOR, number, program

SHORT = 10
WEIGHTS = Tensor(F64, (20, 3))

Line = tuple[Callable[..., Atom], int, str, int]
"""One equation of a copy: what it does, to the value so many before, and to another: of which kind, which."""


def lines(random: Random, count: int) -> list[Line]:
    ops: Sequence[Callable[..., Atom]] = (add, sub, mul)
    kinds = ("near", "shared", "number", "numbers", "weight", "first", "none")
    return [
        (random.choice(ops), random.randrange(1, 4), random.choice(kinds), random.randrange(1, 9)) for _ in range(count)
    ]


def other(b: Builder, kind: str, which: int, copy: int, values: Sequence[Atom], weights: Atom) -> Atom:
    match kind:
        case "near":
            return values[-min(which, len(values))]
        case "shared":
            return values[0]
        case "number":
            return number(0.5, VECTOR)
        case "numbers":
            return number([0.0, -0.0, 0.25, 0.75][(copy * which) % 4], VECTOR)
        case "weight":
            return reshape(b, slice_axis(b, weights, 0, copy, copy + 1), (3,))
        case _:
            return values[min(which, len(values) - 1)]


def chain(seed: int) -> Function:
    """Copies of random equations between others; some of their values are used once more at the end."""
    random = Random(seed)
    copies = [(lines(random, random.randrange(1, 6)), random.randrange(1, 10)) for _ in range(2)]
    picks = [random.random() for _ in range(random.choice((0, 1, 3)))]

    def write(b: Builder, x: Atom, weights: Atom) -> Atom:
        values = [x, cos(b, x)]
        for body, count in copies:
            for copy in range(count):
                for op, back, kind, which in body:
                    y = values[-min(back, len(values))]
                    values.append(
                        sin(b, y) if kind == "none" else tanh(b, op(b, y, other(b, kind, which, copy, values, weights)))
                    )
        total = values[-1]
        for pick in picks:
            total = mul(b, total, add(b, values[int(pick * len(values))], number(2.0, VECTOR)))
        return reduce_sum(b, total, (0,))

    return program([VECTOR, WEIGHTS], write)


def same(before: Function, after: Function) -> None:
    verify(after)
    x, w = np.array([0.3, -0.7, 1.1]), np.linspace(-1, 1, 60).reshape(20, 3)
    for p, q in zip(evaluate(before, (x, w)), evaluate(after, (x, w)), strict=True):
        np.testing.assert_array_equal(p, q)


@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_random_chains_and_their_gradients_stay_the_same(seed: int) -> None:
    f = chain(seed)
    for before in (f, eliminate(merge(grad(f, (0, 1))))):
        same(before, reroll(before, SHORT))


def loops(f: Function) -> list[int]:
    return [e.params.length for e in f.equations if isinstance(e.params, ScanParams)]


def layers(count: int) -> Function:
    """A recurrence with weights and numbers of its own in each copy."""

    def write(b: Builder, x: Atom, weights: Atom) -> Atom:
        for k in range(count):
            w = reshape(b, slice_axis(b, weights, 0, k, k + 1), (3,))
            x = add(b, mul(b, tanh(b, x), w), number(k / 7, VECTOR))
        return reduce_sum(b, x, (0,))

    return program([VECTOR, WEIGHTS], write)


def test_a_gradient_is_two_loops() -> None:
    f = layers(20)
    assert loops(reroll(f, SHORT)) == [19]  # the first copy has nothing before it
    backwards = eliminate(merge(grad(f, (0,))))
    rolled = reroll(backwards, SHORT)
    same(backwards, rolled)
    assert len(loops(rolled)) == 2 and min(loops(rolled)) >= 18


def test_what_is_short_stays() -> None:
    f = layers(10)
    assert reroll(f) is f


def test_equal_copies_that_read_what_is_not_at_hand_stay() -> None:
    def write(b: Builder, x: Atom) -> Atom:
        values = [x]
        for k in range(40):
            values.append(sub(b, sin(b, values[-1]), values[k // 2]))
        return values[-1]

    f = program([VECTOR], write)
    assert evaluate(f, (np.ones(3),))[0].tolist() == evaluate(reroll(f, SHORT), (np.ones(3),))[0].tolist()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abcabcabcabc", [Repeat(0, 3, 4)]),
        ("xyaaaaaaaaaaaaz", [Repeat(2, 1, 12)]),
        ("ababacababacababacababac", [Repeat(1, 6, 3)]),
        ("abcdefghijklmnop", []),
        ("abcabcabcabcxdededededede", [Repeat(0, 3, 4), Repeat(13, 2, 6)]),
    ],
)
def test_repeats_of_letters(text: str, found: list[Repeat]) -> None:
    assert list(repeats(text, SHORT)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abababxcccccccccccc", [Repeat(0, 2, 3), Repeat(7, 1, 12)]),
        ("ccccccccccccxababab", [Repeat(0, 1, 12), Repeat(13, 2, 3)]),
        ("ababababababab", [Repeat(0, 2, 7)]),
        ("abababxcdcdcd", []),
    ],
)
def test_fewer_letters_repeat_beside_many(text: str, found: list[Repeat]) -> None:
    assert list(repeats_and_between(text, SHORT, 6)) == found


def test_what_stands_beside_a_loop_becomes_one() -> None:
    """The derivatives of the lines are fewer than a loop needs alone. They read a stack, and are stacked."""
    lines = ("x{0} * x{1}", "x{0} + x{1}", "tanh(x{0})", "x{0} - x{1}", "sin(x{0})", "x{0} * 0.5")
    steps = [f"    let x{k + 1} = {lines[k % 6].format(k, max(k - 3, 0))}" for k in range(600)]
    text = "\n".join(["def f(x0: f64[64]) -> f64 =", *steps, "    sum(x600)"])
    x = np.linspace(-1.0, 2.0, 64)
    staged, _, _ = dsl.grad(dsl.program(text).f).staged((x,), {})
    assert isinstance(staged, Staged)
    rolled = run(staged.function, LOWERING)
    assert len(loops(rolled)) == 3 and len(rolled.equations) < 200
    np.testing.assert_allclose(evaluate(rolled, (x,))[0], evaluate(staged.function, (x,))[0], rtol=1e-12)


@st.composite
def repetitive(draw: st.DrawFn) -> str:
    """A text in which others come again and again."""
    repeated = st.builds(lambda text, count: text * count, st.text("ab", min_size=1, max_size=7), st.integers(1, 9))
    return "".join(draw(st.lists(repeated, min_size=3, max_size=9)))


@given(repetitive())
def test_repeats_are_what_they_say(text: str) -> None:
    end = 0
    for found in some_of_example(repeats(text, 6)):
        once = text[found.start : found.start + found.period]
        assert found.start >= end and text[found.start :].startswith(once * found.count)
        end = found.start + found.period * found.count


def test_xla_runs_what_was_rolled() -> None:
    steps = [f"    let x{k + 1} = sin(x{k}) * {0.75 + k % 7 / 20} + 0.25" for k in range(180)]
    text = "\n".join(["def f(x0: f64[3]) -> f64 =", *steps, "    sum(x180)\n"])
    gradient, x = dsl.grad(dsl.program(text).f), np.array([0.5, -1.0, 2.0])
    assert "while(" in gradient.hlo(x)
    np.testing.assert_allclose(gradient(x), gradient.interpret(x), rtol=1e-12)

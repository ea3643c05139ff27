"""A part of the mutation testing of the checker: no mutant is accepted and then fails. All of it: `make mutation`."""

from __future__ import annotations

import pytest

from tests.mutation.judge import Verdict, judge, original
from tests.mutation.mutants import OPERATORS, Mutant, mutants
from tests.mutation.report import judged, programs

PROGRAMS = dict(programs())
EVERY = 250
MOST = 4
MOST_LINES = 120  # of all mutants of a program, but for one
TEXT = """
def scores(x: f32[n, d], w: f32[d]) -> f32[n] = x @ w

def draw(k: key, static s: int) -> f32[s] =
    let (a, b) = split(k)
    random.normal(a, [s]) + random.uniform(b, [s])
"""


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_mutant_is_accepted_and_then_fails(name: str) -> None:
    text = PROGRAMS[name]
    before = original(name, text)
    most = max(1, min(MOST, MOST_LINES // text.count("\n")))
    every = max(EVERY, sum(1 for _ in mutants(text)) // most)
    broken = [found for found in judged(before, every) if found.verdict is Verdict.BROKEN]
    assert [f"{b.mutant.operator}: {b.why}\n{b.mutant.text}" for b in broken] == []


def test_every_operator_makes_mutants() -> None:
    made = {mutant.operator for text in PROGRAMS.values() for mutant in mutants(text)}
    assert set(OPERATORS) - made == set()


@pytest.mark.parametrize(
    ("operator", "old", "new"),
    [
        ("swap operands", "x @ w", "w @ x"),
        ("reuse key", "uniform(b", "uniform(a"),
        ("reuse key", "uniform(b", "uniform(k"),
        ("trace static", "static s: int", "s: i32"),
        ("change size", "f32[n] =", "f32[n + 1] ="),
        ("change dtype", "w: f32[d]", "w: f64[d]"),
    ],
)
def test_what_must_be_refused(operator: str, old: str, new: str) -> None:
    text = "import random\n" + TEXT
    found = next(m for m in mutants(text) if m.operator == operator and m.text == text.replace(old, new))
    assert judge(original("scores", text), found).verdict is Verdict.REFUSED


def test_verdicts_on_what_is_accepted() -> None:
    before = original("f", "def f(x: f32[n]) -> f32[n] = x + 1.0\n")
    same = Mutant("same", 1, "def f(y: f32[n]) -> f32[n] = 1.0 + y\n".replace("y", "x"))
    other = Mutant("other", 1, "def f(x: f32[n]) -> f32[n] = x + 2.0\n")
    assert judge(before, same).verdict is Verdict.SAME
    assert judge(before, other).verdict is Verdict.OTHER

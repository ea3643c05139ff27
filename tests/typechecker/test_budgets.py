"""No short text takes long to check, or to specialise: it is small after all, or ends in a diagnostic that says why."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
import pytest

import dsl
from dsl.diagnostics.diagnostic import Severity
from dsl.diagnostics.explain import page
from dsl.diagnostics.source import Source
from dsl.host.checking.checked_program import CheckedProgram
from dsl.types import limits
from tests.support.explosions import PROGRAMS
from tests.support.known_library import known_library
from typechecker import check_source

SECONDS = 60
"""Far more than any of them takes, and far less than those would take that have no budget."""
EXPECTED = {"E0119", "E0503", "E0506"}


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Seconds of processor time: a busy machine makes nothing fail."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", PROGRAMS)
def test_ends_soon(name: str) -> None:
    text = PROGRAMS[name]
    with within(SECONDS):
        result = check_source(Source("text.dsl", text), cache=known_library())
        found = [d for d in result.diagnostics if d.severity is Severity.ERROR]
        assert {d.code for d in found} <= EXPECTED
        assert len(found) <= 6
        if result.program is not None and "def main(x: f32)" in text:
            specialised(dsl.Program(CheckedProgram(result.program)))


def specialised(program: dsl.Program) -> None:
    try:
        program.main.ir(np.float32(1.0))
    except dsl.DslError as error:
        assert len(error.diagnostics) == 1 and error.diagnostics[0].code in ("E0503", "E0506")


def codes(text: str) -> list[str]:
    return [d.code for d in check_source(Source("text.dsl", text)).diagnostics]


@pytest.mark.parametrize(
    ("least", "text"),
    [
        (4_200, "let a = 10 ** {}\n"),
        (13_000, "let a = 1 << {}\n"),
        (250, "def f(x: f32[n]) =\n    let k = n ** {}\n    x\n"),
        (40, "def f(x: f32[n, m, k]) =\n    let p = (n + m + k) ** {}\n    x\n"),
        (9_000, "type T = f32[{}]\n"),
        (390, "static def f(n: int) -> int = if n == 0 then 0 else 1 + f(n - 1)\nlet a = f({})\n"),
    ],
)
def test_what_is_large_and_not_too_large_is_right(least: int, text: str) -> None:
    assert codes(text.format(least)) == []


def test_said_once_for_a_declaration() -> None:
    lines = ["def f(x: f32) =", "    let n0 = 10"]
    lines += [f"    let n{i} = n{i - 1} * n{i - 1}" for i in range(1, 60)]
    assert codes("\n".join([*lines, "    x"])) == ["E0506"]


def test_other_mistakes_are_found_beside() -> None:
    assert codes("let a = 10 ** 10 ** 10\ndef f(x: f32[n]) -> f32 = x\n") == ["E0506", "E0402"]


def test_the_chain_of_calls_is_shown() -> None:
    text = "static def f(n: int) -> int = g(n + 1)\nstatic def g(n: int) -> int = f(n + 1)\nlet k = f(0)\n"
    (found,) = check_source(Source("text.dsl", text)).diagnostics
    assert found.code == "E0503"
    assert "call chain: f -> g -> f -> … -> " in " ".join(found.notes)


def test_an_integer_that_no_float_holds() -> None:
    assert codes("let a = 10 ** 400 * 1.0\n") == ["E0506"]


@pytest.mark.parametrize("name", ["BITS", "TERMS", "DEGREE", "ATOMS", "PARTS", "LEVELS", "AXES", "ELEMENTS"])
def test_limits_are_stated_on_the_page(name: str) -> None:
    assert f"{getattr(limits, name):,}" in (page("E0506") or "")


NESTED = {
    "records": "def f(x: f32) -> f32 =\n    let a0 = {x = x}\n%s    x\n",
    "tuples": "def f(x: f32) -> f32 =\n    let a0 = (x, x)\n%s    x\n",
    "aliases": "type A0 = {x: f32}\n%sdef f(x: f32) -> f32 = x\n",
}
STEPS = {
    "records": "    let a{} = {{x = a{}}}\n",
    "tuples": "    let a{} = (a{}, x)\n",
    "aliases": "type A{} = {{x: A{}}}\n",
}


@pytest.mark.parametrize("form", NESTED)
@pytest.mark.parametrize(("levels", "expected"), [(60, []), (5000, ["E0506"])])
def test_types_are_nested_up_to_a_limit(form: str, levels: int, expected: list[str]) -> None:
    steps = "".join(STEPS[form].format(k + 1, k) for k in range(levels))
    with within(SECONDS):
        assert codes(NESTED[form] % steps) == expected


def test_an_arm_of_a_chain_is_required_where_its_condition_holds() -> None:
    arms = [f"if k == {i} then x[{i}]\n    else " for i in range(90)]
    assert codes(f"def f(x: f32[n], static k: int) -> f32 =\n    {''.join(arms)}0.0\n") == []

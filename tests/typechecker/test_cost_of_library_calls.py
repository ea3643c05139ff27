"""A check costs what the text costs: a text that calls one function of the library elaborates nothing of the library,
and takes few Python calls beyond those of an empty text. All of them are measured by `benchmarks.library_checks`."""

from __future__ import annotations

import cProfile
import statistics
import zlib

import pytest

from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.library_text import Written
from dsl.witnesses import check_source
from tests.support.one_call import OneCall, every_call
from typechecker import CheckCache
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.signatures import elaborate_signature

ONE_OF = 12
HARDEST = (("prelude", "conv"), ("prelude", "vstack"), ("fft", "irfft2"), ("nn", "dot_product_attention"))
MEDIAN, LARGEST = 9_000, 400_000
"""Python calls beyond those of an empty text."""


def chosen() -> list[OneCall]:
    """A twelfth of the calls, by name, and the hardest."""
    return [c for c in every_call() if (c.module, c.name) in HARDEST or zlib.crc32(c.text.encode()) % ONE_OF == 0]


def calls_of(text: str) -> int:
    """The Python calls of a check with the library from records alone."""
    cache, profile = CheckCache(), cProfile.Profile()
    profile.runcall(check_source, Source("main.dsl", text), cache=cache)
    return sum(entry.callcount for entry in profile.getstats())


def test_a_call_of_the_library_costs_few_python_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = "def f(x: f32[n]) = x\n"
    for text in (empty, *(call.text for call in chosen())):
        check_source(Source("main.dsl", text))  # keeps the records that it needs
    monkeypatch.setattr("typechecker.program.bodies.elaborate_signature", _elaborate_of_user)
    least = calls_of(empty)
    found = {f"{c.module}.{c.name}#{c.number}": calls_of(c.text) - least for c in chosen()}
    assert len(found) > 40
    assert statistics.median(found.values()) <= MEDIAN, found
    assert max(found.values()) <= LARGEST, sorted(found.items(), key=lambda each: -each[1])[:5]


SEVERAL = """import nn
def f(x: f32[n, m], w: f32[m]) -> f32[n] = tanh(mean(x * w, axis=1)) + sum(maximum(x, power(x, x)), axis=1)
def g(x: f32[n, m]) -> f32[n, m] = nn.softmax(x, axis=1)
def h(x: f32[n]) -> f32[n] = grad(fn (y: f32[n]) -> sum(nextafter(stop_gradient(y), y) * y))(x)
"""


def test_a_call_reads_no_definition_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("main.dsl", SEVERAL)
    first = check_source(source)  # keeps the records that it needs
    monkeypatch.setattr("dsl.syntax.library_text.Written.node", property(_no_tree))
    assert [found.code for found in first.diagnostics] == ["E0803"]
    assert check_source(source).diagnostics == first.diagnostics


def _no_tree(written: Written) -> ast.Def:
    raise AssertionError(f"{written.name} is read")


def _elaborate_of_user(program: ProgramChecker, info: Definition) -> None:
    assert not info.in_library, f"{info.name} is elaborated"
    elaborate_signature(program, info)

"""A check costs what the text costs: a text that calls one function of the library elaborates nothing of the library,
and takes few Python calls beyond those of an empty text. All of them are measured by `benchmarks.library_checks`."""

from __future__ import annotations

import cProfile
import statistics
import zlib

import pytest

from dsl.diagnostics.source import Source
from tests.support.one_call import OneCall, every_call
from typechecker import CheckCache, check_source
from typechecker.program import bodies

ONE_OF = 12
HARDEST = (("prelude", "conv"), ("prelude", "vstack"), ("fft", "irfft2"), ("nn", "dot_product_attention"))
MEDIAN, LARGEST = 10_000, 700_000
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
    monkeypatch.setattr(bodies, "elaborate_signature", _of_users_only(bodies.elaborate_signature))
    least = calls_of(empty)
    found = {f"{c.module}.{c.name}#{c.number}": calls_of(c.text) - least for c in chosen()}
    assert len(found) > 40
    assert statistics.median(found.values()) <= MEDIAN, found
    assert max(found.values()) <= LARGEST, sorted(found.items(), key=lambda each: -each[1])[:5]


def _of_users_only(elaborate: object) -> object:
    def elaborated(program: object, info: bodies.Definition) -> None:
        assert not info.in_library, f"{info.name} is elaborated"
        assert callable(elaborate)
        elaborate(program, info)

    return elaborated

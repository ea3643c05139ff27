"""The table of asymptotics is complete, and sees what it is there to see. Its timings are no test."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from math import inf, nan

import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from benchmarks.asymptotics import measure
from benchmarks.asymptotics.__main__ import _line, line, summary
from benchmarks.asymptotics.library import MODULES
from benchmarks.asymptotics.measure import Found, attempted, difference
from benchmarks.asymptotics.row import Row, one, two
from benchmarks.asymptotics.rows import WITHOUT, covered, rows
from tests.stdlib.test_library import MODULES as EVERY_MODULE
from tests.support.library import public


@cache
def all_rows() -> list[Row]:
    return list(rows())


def test_every_function_of_the_library_has_a_row() -> None:
    assert sorted(MODULES) == EVERY_MODULE
    every = {f"{module}.{name}" for module in MODULES for name in public(module, run=True)}
    with_row = {covered(row) for row in all_rows()}
    assert len(every) > 400
    assert every - with_row == set(WITHOUT)


def test_names_of_rows_differ() -> None:
    assert len({row.name for row in all_rows()}) == len(all_rows())


def test_a_row_is_measured_beside_its_counterpart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SMALL", 16)
    found = attempted(Row("a", "def f(x: f32[n], y: f32[n]) = x * y", lambda x, y: x * y, two))
    assert (found.note, found.times is not None and found.times[1][1] is not None) == ("", True)


def test_other_values_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SMALL", 16)
    found = attempted(Row("a", "def f(x: f32[n]) = sin(x)", jnp.cos, one))
    assert found.note.startswith("values differ")
    assert found.ratio is None


def test_a_row_that_raises_is_a_row() -> None:
    found = attempted(Row("a", "def f(x: f32[n]) = sinus(x)", jnp.sin, one))
    assert "undefined name `sinus`" in line(found)
    assert "1 above" in next(iter(summary([found])))


def test_what_has_no_room_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "ROOM", 1 << 16)
    found = attempted(Row("a", "def f(x: f32[n]) = sort(x)", jnp.sort, one))
    assert found.note.startswith("TooLarge")


@pytest.mark.cpu
def test_large_results_have_small_arguments() -> None:
    sizes = [
        measure.scale(row, dsl.program(row.text).f)(1 << 16)
        for row in [
            Row("a", f"def f(x: f32[n]) = {text}", None, one) for text in ("outer(x, x)", "polymul(x, x)", "sin(x)")
        ]
    ]
    assert sizes == [1 << 10, 1 << 10, 1 << 16]


@pytest.mark.parametrize(
    ("ours", "theirs", "drawn", "begins"),
    [
        (np.ones(3), np.ones(3) + 1e-5, False, ""),
        (np.ones(3), np.array([1.0, 1.0, 1.1]), False, "values differ by 0.09"),
        (np.array([nan, inf]), np.array([nan, inf]), False, ""),
        (np.array([nan, 1.0]), np.array([1.0, 1.0]), False, "values differ by inf"),
        (np.ones(3), np.ones(4), False, "3 elements"),
        ((np.ones(2), np.ones(2)), np.ones(4), False, "4 elements"),
        (np.ones(3), np.zeros(3), True, ""),
    ],
)
def test_difference(ours: object, theirs: object, drawn: bool, begins: str) -> None:
    found = difference(ours, theirs, drawn)
    assert found.startswith(begins)
    assert bool(found) == bool(begins)


def test_growth_is_seen_by_itself() -> None:
    memory = ((0.0, 0.0), (0.0, 0.0))
    steep = Found("a", ((1e-3, 1.2e-3), (32e-3, 24e-3)), memory)
    equal = Found("b", ((1e-3, 1.2e-3), (16e-3, 19.2e-3)), memory)
    ahead = Found("c", ((1e-4, 1.2e-3), (16e-3, 19.2e-3)), memory)
    assert [f.is_steep for f in (steep, equal, ahead)] == [True, False, False]
    assert Found("d", ((1e-3, None), (0.3, None)), memory).is_steep


def test_a_worker_that_dies_is_no_end() -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(9)"], stdout=subprocess.PIPE) as worker:
        assert _line(worker) == b""

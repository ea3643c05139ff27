"""Indexing axes without elements: every index fails its check or follows its policy; nothing raises in staging."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
def one(x: f32[n], i: i32) -> f32 ! check = x[i]
def many(x: f32[n], i: i32[m]) -> f32[m] ! check = x[i]
def mask(x: bool[n], i: i32[m]) -> bool[m] ! check = x[i]
def rows(x: f32[n, d], i: i32[m]) -> f32[m, d] ! check = x[i]
def part(x: f32[n], i: i32) -> f32[2] ! check = x[i : i + 2]
def clipped(x: f32[n], i: i32[m]) -> f32[m] = x.at[i].get(mode="clip")
def given(x: f32[n], i: i32[m]) -> f32[m] = x.at[i].get(mode="fill", fill=7.0)
def put(x: f32[n], i: i32) -> f32[n] ! check = x.at[i].set(1.0)
def patch(x: f32[n], i: i32) -> f32[n] ! check = x.at[i : i + 2].set(1.0)
def puts(x: f32[n], i: i32[m]) -> f32[n] ! check = x.at[i].add(1.0)
def dropped(x: f32[n], i: i32[m]) -> f32[n] = x.at[i].set(1.0, mode="drop")
def picked(x: f32[n, 3], i: idx[n][m], j: idx[3][m]) -> f32[m] = x[i, j]
"""
ONE, TWO, NONE = np.int32(0), np.zeros(2, np.int32), np.zeros(0, np.int32)
EMPTY, ROWS = np.zeros(0, np.float32), np.zeros((0, 3), np.float32)


def both(name: str, *args: Any) -> np.ndarray[Any, Any]:
    function = getattr(dsl.program(PROGRAM), name)
    result = np.asarray(function(*args))
    np.testing.assert_array_equal(result, np.asarray(function.interpret(*args)))
    return result


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("one", (EMPTY, ONE)),
        ("many", (EMPTY, TWO)),
        ("mask", (np.zeros(0, np.bool_), TWO)),
        ("rows", (ROWS, TWO)),
        ("part", (EMPTY, ONE)),
        ("put", (EMPTY, ONE)),
        ("puts", (EMPTY, TWO)),
    ],
)
def test_an_index_fails_its_check(name: str, args: tuple[Any, ...]) -> None:
    function = getattr(dsl.program(PROGRAM), name)
    for run in (function, function.interpret):
        with pytest.raises(dsl.CheckError, match="size 0"):
            np.asarray(run(*args))


def test_a_window_longer_than_its_axis_fails_its_check() -> None:
    function = dsl.program(PROGRAM).patch
    for run in (function, function.interpret):
        with pytest.raises(dsl.CheckError, match="slice of length 2 out of bounds for an axis of size 1"):
            np.asarray(run(np.zeros(1, np.float32), ONE))


def test_no_index_fails_none() -> None:
    assert both("many", EMPTY, NONE).shape == (0,)
    assert both("rows", ROWS, NONE).shape == (0, 3)
    assert both("puts", EMPTY, NONE).shape == (0,)
    assert both("picked", ROWS, NONE, NONE).shape == (0,)


def test_policies() -> None:
    assert both("clipped", EMPTY, NONE).shape == (0,)
    with pytest.raises(dsl.ArgumentError, match="needs n >= 1 or m == 0; here n = 0, m = 2"):
        dsl.program(PROGRAM).clipped(EMPTY, TWO)
    assert both("given", EMPTY, TWO).tolist() == [7.0, 7.0]
    assert both("dropped", EMPTY, TWO).shape == (0,)

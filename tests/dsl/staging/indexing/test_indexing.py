"""Indexing and updates: every kind of item, by XLA and by the evaluator, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.run import assert_computes

X = np.array([1.5, -2.0, 0.5, 3.0], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0
IDS = np.array([2, 0, 1], np.int32)

CASES: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "slice": (
        ("def f(x: f32[n, 4]) -> f32[n, 2] = x[:, 1:3]"),
        (M,),
        lambda x: x[:, 1:3],
    ),
    "steps": (
        ("def f(x: f32[3, 4]) -> f32[2, 2] = x[::2, ::2]"),
        (M,),
        lambda x: x[::2, ::2],
    ),
    "from the end": (
        ("def f(x: f32[3, 4]) -> f32[3] = x[:, -1]"),
        (M,),
        lambda x: x[:, -1],
    ),
    "new axes": (
        ("def f(x: f32[n], y: f32[m]) -> f32[n, m] = x[:, None] - y[None, :]"),
        (X, X[:3]),
        lambda x, y: x[:, None] - y[None],
    ),
    "rest": (
        ("def f(x: f32[2, 3, 4]) -> f32[2, 3] = x[..., 0]"),
        (np.arange(24, dtype=np.float32).reshape(2, 3, 4),),
        lambda x: x[..., 0],
    ),
    "rows by index": (
        ("def f(x: f32[n, d], i: idx[n][k]) -> f32[k, d] = x[i]"),
        (M, IDS),
        lambda x, i: x[i],
    ),
    "columns by index": (
        ("def f(x: f32[n, d], i: idx[d][k]) -> f32[n, k] = x[:, i]"),
        (M, IDS),
        lambda x, i: x[:, i],
    ),
    "two index arrays": (
        ("def f(x: f32[n, d], i: idx[n][k], j: idx[d][k]) -> f32[k] = x[i, j]"),
        (M, IDS, IDS),
        lambda x, i, j: x[i, j],
    ),
    "index arrays apart": (
        ("def f(x: f32[n, m, d], i: idx[n][k], j: idx[d][k]) -> f32[k, m] = x[i, :, j]"),
        (np.arange(24, dtype=np.float32).reshape(3, 2, 4), IDS, IDS),
        lambda x, i, j: x[i, :, j],
    ),
    "a run-time scalar": (
        ("def f(x: f32[n, d], i: idx[n]) -> f32[d] = x[i]"),
        (M, np.int32(2)),
        lambda x, i: x[i],
    ),
    "a checked index": (
        ("def f(x: f32[n], i: i32) -> f32 ! check = x[i]"),
        (X, np.int32(2)),
        lambda x, i: x[i],
    ),
    "windows": (
        ("def f(x: f32[6]) -> f32[4, 3] = [x[i : i + 3] for i in range(4)]"),
        (np.arange(6, dtype=np.float32),),
        lambda x: np.stack([x[i : i + 3] for i in range(4)]),
    ),
    "windows with steps": (
        ("def f(x: f32[6]) -> f32[3, 2] = [x[i : i + 4 : 2] for i in range(3)]"),
        (np.arange(6, dtype=np.float32),),
        lambda x: np.stack([x[i : i + 4 : 2] for i in range(3)]),
    ),
    "a window of the run with a step": (
        ("def f(x: f32[6], i: i32) -> (f32[2], f32[6]) ! check = (x[i : i + 4 : 2], x.at[i : i + 4 : 2].set(0.0))"),
        (np.arange(6, dtype=np.float32), np.int32(2)),
        lambda x, i: (x[2:6:2], x * np.array([1, 1, 0, 1, 0, 1])),
    ),
    "a window from the end": (
        ("def f(x: f32[6], i: i32) -> (f32[2], f32[6]) ! check = (x[-i : 8 - i], x.at[-i : 8 - i].set(0.0))"),
        (np.arange(6, dtype=np.float32), np.int32(2)),
        lambda x, i: (x[-2:], x * np.array([1, 1, 1, 1, 0, 0])),
    ),
    "windows from the end": (
        ("def f(x: f32[6]) -> f32[3, 2] = [x[-(i + 2) : 6 - i] for i in range(3)]"),
        (np.arange(6, dtype=np.float32),),
        lambda x: np.stack([x[4 - i : 6 - i] for i in range(3)]),
    ),
    "clip": (
        ('def f(x: f32[n], i: i32) -> f32 where n >= 1 = x.at[i].get(mode="clip")'),
        (X, np.int32(9)),
        lambda x, i: x[3],
    ),
    "wrap": (
        ('def f(x: f32[n], i: i32) -> f32 where n >= 1 = x.at[i].get(mode="wrap")'),
        (X, np.int32(-1)),
        lambda x, i: x[3],
    ),
    "fill": (
        ('def f(x: f32[n], i: i32[k]) -> f32[k] where n >= 1 = x.at[i].get(mode="fill", fill=7.0)'),
        (X, np.array([1, 9], np.int32)),
        lambda x, i: np.array([x[1], 7]),
    ),
    "set one": (
        ("def f(x: f32[n], i: idx[n]) -> f32[n] = x.at[i].set(10.0)"),
        (X, np.int32(1)),
        lambda x, i: np.array([x[0], 10, x[2], x[3]]),
    ),
    "add at equal places": (
        ("def f(x: f32[n], i: idx[n][k]) -> f32[n] = x.at[i].add(1.0)"),
        (X, np.array([1, 1, 0], np.int32)),
        lambda x, i: x + np.array([1, 2, 0, 0]),
    ),
    "multiply a slice": (
        ("def f(x: f32[4]) -> f32[4] = x.at[1:3].mul(2.0)"),
        (X,),
        lambda x: x * np.array([1, 2, 2, 1]),
    ),
    "set every other": (
        ("def f(x: f32[4]) -> f32[4] = x.at[::2].set(0.0)"),
        (X,),
        lambda x: x * np.array([0, 1, 0, 1]),
    ),
    "set a row": (
        ("def f(x: f32[n, d], v: f32[d], i: idx[n]) -> f32[n, d] = x.at[i].set(v)"),
        (M, X, np.int32(1)),
        lambda x, v, i: np.stack([x[0], v, x[2]]),
    ),
    "maximum with a slot": (
        ("def f(x: f32[4]) -> f32[4] = x.at[1].max(5.0)"),
        (X,),
        lambda x: np.array([x[0], 5, x[2], x[3]]),
    ),
    "apply": (
        ("def f(x: f32[4]) -> f32[4] = x.at[1].apply(fn v -> v * v)"),
        (X,),
        lambda x: np.array([x[0], x[1] ** 2, x[2], x[3]]),
    ),
    "a mask": (
        ("def f(x: f32[n]) -> f32[n] = x.at[x < 0.0].set(0.0)"),
        (X,),
        lambda x: np.maximum(x, 0),
    ),
    "drop": (
        ('def f(x: f32[n], i: i32[k]) -> f32[n] = x.at[i].set(0.0, mode="drop")'),
        (X, np.array([1, 9], np.int32)),
        lambda x, i: np.array([x[0], 0, x[2], x[3]]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    assert_computes(*CASES[name])

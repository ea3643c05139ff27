"""`dsl.check_grads` with lists of numbers, wherever an array is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

TEXT = """
def record(p: {a: f32, b: f32[2]}) -> f32 = p.a * sum(p.b ** 2)
def pair(p: (f32, f32[2])) -> f32 = p.0 * sum(p.1 ** 2)
def vector(x: f32[2]) -> f32 = sum(x ** 3)
def matrix(x: f32[2, 2]) -> f32 = sum(x ** 3)
"""


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("record", {"a": 1.0, "b": [1.0, 2.0]}),
        ("record", {"a": 1, "b": np.ones(2, np.float32)}),
        ("pair", (2.0, [1, 2])),
        ("vector", [1.0, 2.0]),
        ("matrix", [[1.0, 2.0], [3, 4]]),
    ],
)
def test_lists_are_arrays(name: str, argument: Any) -> None:
    dsl.check_grads(getattr(dsl.program(TEXT), name), (argument,), order=2)

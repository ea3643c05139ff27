"""`dsl.check_grads`: lists of numbers wherever an array is wanted, and what it says of its steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

TEXT = """
def record(p: {a: f32, b: f32[2]}) -> f32 = p.a * sum(p.b ** 2)
def pair(p: (f32, f32[2])) -> f32 = p.0 * sum(p.1 ** 2)
def vector(x: f32[2]) -> f32 = sum(x ** 3)
def stack(p: {a: f32, b: f32[2]}[2]) -> f32 = sum(p.a ** 2) * sum(p.b ** 3)
def tuples(p: ({a: f32}[2], f32)) -> f32 = sum(p.0.a ** 2) * p.1
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
        ("stack", [{"a": 1.0, "b": [1.0, 2.0]}, {"a": 0.5, "b": [0.5, 1.5]}]),
        ("stack", {"a": [1.0, 0.5], "b": [[1.0, 2.0], [0.5, 1.5]]}),
        ("tuples", ([{"a": 1.0}, {"a": 2.0}], 3.0)),
    ],
)
def test_lists_are_arrays(name: str, argument: Any) -> None:
    dsl.check_grads(getattr(dsl.program(TEXT), name), (argument,), order=2)


def test_a_step_that_is_too_long_is_named_with_its_option() -> None:
    steep = dsl.program("def f(x: f32) -> f32 = sin(300.0 * x)").f
    with pytest.raises(AssertionError, match=r"differences with steps of 0.01 \(another size: `eps=`"):
        dsl.check_grads(steep, (0.1,))
    dsl.check_grads(steep, (0.1,), eps=1e-4)


@pytest.mark.parametrize("arguments", [1.0, {"a": 1.0, "b": [1.0, 2.0]}, np.ones(2)])
def test_arguments_are_a_tuple(arguments: Any) -> None:
    with pytest.raises(dsl.TransformError, match="takes a tuple of arguments"):
        dsl.check_grads(dsl.program(TEXT).record, arguments)

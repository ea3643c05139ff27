"""Running programs of tests: XLA and the evaluator, each beside what is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dsl


def flatten(value: Any) -> list[Any]:
    """The arrays of a result, fields of records by name."""
    if isinstance(value, dict):
        return [leaf for name in sorted(value) for leaf in flatten(value[name])]
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flatten(part)]
    return [np.asarray(value)]


def assert_leaves_close(found: Any, wanted: Any, rtol: float = 1e-4, atol: float = 1e-5) -> None:
    leaves, expected = flatten(found), flatten(wanted)
    assert len(leaves) == len(expected)
    for x, y in zip(leaves, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=atol)


def assert_computes(text: str, args: tuple[Any, ...], expected: Callable[..., Any], rtol: float = 1e-4) -> None:
    """`f` of the program gives what `expected` gives of the same arguments, run by XLA and by the evaluator."""
    function = dsl.program(text).f
    wanted = expected(*args)
    assert_leaves_close(function(*args), wanted, rtol, rtol / 10)
    assert_leaves_close(function.interpret(*args), wanted, rtol, rtol / 10)


def assert_agrees(found: Any, wanted: Any) -> None:
    """The same containers, shapes and values; integers and bools exactly."""
    match wanted:
        case dict():
            assert set(found) == set(wanted)
            for name, part in wanted.items():
                assert_agrees(found[name], part)
        case tuple():
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted, strict=True):
                assert_agrees(one, other)
        case _:
            array, expected = np.asarray(found), np.asarray(wanted)
            assert array.shape == expected.shape
            if expected.dtype.kind in "fc":
                np.testing.assert_allclose(array, expected, rtol=1e-4, atol=1e-4)
            else:
                np.testing.assert_array_equal(array, expected)

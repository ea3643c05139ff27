"""The builders of compose: broadcasting and its adjoint, stacking, and what costs no equation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Literal, Tensor
from dsl.ops import builders as c
from dsl.types.dtype import F32, F64, I32
from dsl.types.numpy_dtypes import BY_NUMPY


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape and a shape it broadcasts to."""
    target = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    kept = target[draw(st.integers(0, len(target))) :]
    return tuple(draw(st.sampled_from([1, n])) for n in kept), target


@given(broadcastable())
def test_broadcast_to_is_numpys(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    source, target = shapes
    b = Builder()
    function = b.finish("f", [c.broadcast_to(b, b.param(Tensor(F64, source)), target)])
    x = np.arange(np.prod(source)).reshape(source) + 1.0
    np.testing.assert_array_equal(evaluate(function, [x])[0], np.broadcast_to(x, target))


@given(broadcastable())
def test_sum_to_shape_is_its_adjoint(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    source, target = shapes
    b = Builder()
    x, ct = b.param(Tensor(F64, source)), b.param(Tensor(F64, target))
    function = b.finish("f", [c.broadcast_to(b, x, target), c.sum_to_shape(b, ct, source)])
    rng = np.random.default_rng(0)
    v, w = rng.normal(size=source), rng.normal(size=target)
    there, back = evaluate(function, [v, w])
    np.testing.assert_allclose(np.sum(there * w), np.sum(v * back), atol=1e-12)


def test_stack_and_squeeze() -> None:
    b = Builder()
    x, y = b.param(Tensor(I32, (2,))), b.param(Tensor(I32, (2,)))
    stacked = c.stack(b, [x, y], 1)
    function = b.finish("f", [stacked, c.squeeze(b, c.expand_dims(b, x, (0, 2)), (0, 2))])
    first, second = evaluate(function, [np.array([1, 2], "i4"), np.array([3, 4], "i4")])
    assert first.tolist() == [[1, 3], [2, 4]]
    assert second.tolist() == [1, 2]


def test_moving_a_literal_costs_nothing() -> None:
    b = Builder()
    one = c.full(F32, (2, 3), 1.0)
    moved = [
        c.transpose(b, one, (1, 0)),
        c.reshape(b, one, (6,)),
        c.broadcast_to(b, one, (4, 2, 3)),
        c.slice_axis(b, one, 1, 0, 2),
        c.rev(b, one, (0,)),
        c.add_broadcast_axis(b, one, 5, 1),
        c.zeros_like(one),
    ]
    assert not b.equations
    assert [x.type.shape for x in moved] == [(3, 2), (6,), (4, 2, 3), (2, 2), (2, 3), (2, 5, 3), (2, 3)]


def test_what_changes_nothing_costs_nothing() -> None:
    b = Builder()
    x = b.param(Tensor(F32, (2, 3)))
    same = [
        c.transpose(b, x, (0, 1)),
        c.reshape(b, x, (2, 3)),
        c.broadcast_to(b, x, (2, 3)),
        c.convert(b, x, F32),
        c.reduce_sum(b, x, ()),
        c.slice_axis(b, x, 0, 0, 2),
        c.pad(b, x, c.splat(0, Tensor(F32)), (0, 0), (0, 0), (0, 0)),
        c.concatenate(b, [x], 0),
        c.scale(b, x, c.splat(1, x.type)),
        c.integer_pow(b, x, 1),
    ]
    assert not b.equations
    assert all(y is x for y in same)


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (np.zeros((2, 2)), 0.0),
        (np.full((3,), 2.5), 2.5),
        (np.asarray(True), True),
        (np.array([7], "i8"), 7),
        (np.asarray(1 + 2j), 1 + 2j),
        (np.array([1.0, 2.0]), None),
        (np.array([0.0, -0.0]), None),
        (np.zeros((0,)), None),
    ],
)
def test_constants_of_equal_elements_are_literals(array: np.ndarray[Any, Any], value: object) -> None:
    b = Builder()
    x = c.constant(b, array, BY_NUMPY[array.dtype])
    if value is None:
        assert len(b.equations) == 1
    else:
        assert isinstance(x, Literal)
        assert (x.value, type(x.value)) == (value, type(value))
    np.testing.assert_array_equal(evaluate(b.finish("f", [x]), [])[0], array)

"""Random straight-line programs: built well, verified, printed, parsed and evaluated the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.text import parse, show
from dsl.ir.verify import verify
from dsl.ir.walk import equations, functions
from dsl.ops import builders as c
from dsl.ops.table import OPS
from dsl.types.dtype import F64

MATRIX = Tensor(F64, (2, 2))
Step = Callable[[Builder, Atom, Atom], Atom]
STEPS: tuple[Step, ...] = (
    c.add,
    c.mul,
    c.sub,
    c.maximum,
    lambda b, x, y: c.sin(b, x),
    lambda b, x, y: c.tanh(b, x),
    lambda b, x, y: c.transpose(b, x, (1, 0)),
    lambda b, x, y: c.dot_general(b, x, y, ((1,), (0,))),
    lambda b, x, y: c.select(b, c.compare(b, "lt", x, y), x, y),
    lambda b, x, y: c.broadcast_to(b, c.reduce_sum(b, x, (0,)), (2, 2)),
    lambda b, x, y: c.add(b, x, c.full(F64, (2, 2), 0.5)),
    lambda b, x, y: c.slice_axis(b, c.concatenate(b, [x, y], 0), 0, 1, 3),
    lambda b, x, y: c.sort(b, [x], 1)[0],
    lambda b, x, y: c.cumsum(b, x, 0),
)


@st.composite
def programs(draw: st.DrawFn) -> Function:
    b = Builder()
    pool: list[Atom] = [b.param(MATRIX), b.param(MATRIX)]
    for _ in range(draw(st.integers(0, 8))):
        step = draw(st.sampled_from(STEPS))
        x, y = (pool[draw(st.integers(0, len(pool) - 1))] for _ in range(2))
        pool.append(step(b, x, y))
    return b.finish("random", pool[-draw(st.integers(1, 3)) :])


@settings(max_examples=60, deadline=None)
@given(programs())
def test_text_keeps_the_meaning(function: Function) -> None:
    verify(function)
    again = parse(show(function), OPS)
    verify(again)
    assert show(again) == show(function)
    arrays = [np.array([[0.5, -1.0], [2.0, 0.25]]), np.array([[1.0, 0.0], [-0.5, 3.0]])]
    for x, y in zip(evaluate(function, arrays), evaluate(again, arrays), strict=True):
        np.testing.assert_array_equal(x, y)


@given(programs())
def test_walking_a_function_without_bodies(function: Function) -> None:
    assert functions(function) == [function]
    assert list(equations(function)) == list(function.equations)

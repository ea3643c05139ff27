"""Corners of control flow: empty loops, integer and swapped carries, outputs that are operands, empty
batches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Literal, Tensor
from dsl.ir.verify import verify
from dsl.ops.control import COND, SCAN, WHILE, CondParams, ScanParams, WhileParams
from dsl.ops.elementwise import add, compare, mul
from dsl.ops.layout import reduce_sum
from dsl.ops.unary import sin
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.vmap import vmap
from dsl.types.dtype import BOOL, F64, I32
from tests.support.derivative import forward, grad, hvp, jacfwd, jacrev, value_and_grad, vjp
from tests.support.programs import SCALAR, Array, number, program, slope

COUNT = Tensor(I32)


def count(value: int) -> Literal:
    return Literal(value, COUNT)


def lowered(f: Function, xs: list[Array]) -> tuple[Array, ...]:
    """The results, the same before and after the passes of lowering."""
    verify(f)
    found = evaluate(f, xs)
    for p, q in zip(evaluate(run(f, LOWERING, check=True), xs), found, strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-12)
    return found


def untidy_loop(length: int) -> Function:
    """w, p, xs: a counter decides on a branch, two carries swap, outputs are operands and carries."""
    branches = (program([SCALAR], sin), program([SCALAR], lambda b, x: mul(b, x, x)))

    def step(b: Builder, w: Atom, i: Atom, p: Atom, q: Atom, x: Atom) -> tuple[Atom, ...]:
        (r,) = COND(b, CondParams(branches), compare(b, "gt", i, count(1)), p)
        return add(b, i, count(1)), q, add(b, r, mul(b, w, x)), p, p, w, i

    body = program([SCALAR, COUNT, SCALAR, SCALAR, SCALAR], step)

    def write(b: Builder, w: Atom, p: Atom, xs: Atom) -> tuple[Atom, ...]:
        i, left, right, y, z, v, steps = SCAN(b, ScanParams(body, 1, 3, length), w, count(0), p, p, xs)
        sums = add(b, reduce_sum(b, mul(b, y, z), (0,)), reduce_sum(b, v, (0,)))
        return add(b, add(b, left, right), sums), steps, i

    return program([SCALAR, SCALAR, Tensor(F64, (length,))], write)


@pytest.mark.parametrize("length", [0, 1, 4])
def test_untidy_loops(length: int) -> None:
    f = untidy_loop(length)
    xs = [np.array(0.3), np.array(0.4), np.linspace(0.1, 0.5, length)]
    g = grad(f, (0, 1, 2))
    found = lowered(g, xs)[-3:]
    for k in range(3):
        ahead = [np.ones_like(x) if i == k else np.zeros_like(x) for i, x in enumerate(xs)]
        assert np.sum(found[k]) == pytest.approx(float(slope(f, xs, ahead)[0]), rel=1e-6, abs=1e-9)
    for axes, size in product(((0, None, None), (None, 0, None), (None, None, 0), (0, 0, 0)), (0, 1, 3)):
        batch = [np.repeat(x[None], size, 0) if a == 0 else x for x, a in zip(xs, axes, strict=True)]
        mapped = lowered(vmap(g, axes, [0] * len(g.results), size), batch)[-3:]
        for p, q in zip(mapped, found, strict=True):
            np.testing.assert_allclose(p, np.repeat(q[None], size, 0), rtol=1e-12)


def test_results_that_are_params_or_numbers() -> None:
    f = program([SCALAR, SCALAR], lambda b, x, y: (x, number(2.0), x))
    xs = [np.array(1.0), np.array(5.0)]
    assert [float(v) for v in lowered(value_and_grad(f, (0, 1)), xs)] == [1.0, 2.0, 1.0, 1.0, 0.0]
    constant = program([SCALAR, SCALAR], lambda b, x, y: number(2.0))
    assert [float(v) for v in lowered(value_and_grad(constant, (0, 1)), xs)] == [2.0, 0.0, 0.0]
    assert [float(lowered(make(constant, 0), xs)[0]) for make in (jacfwd, jacrev)] == [0.0, 0.0]
    assert vjp(constant, (0,)).nonzero == (False,)
    assert float(lowered(hvp(constant, (0,)), [*xs, xs[0]])[0]) == 0.0


def test_one_value_in_two_places_of_a_branch() -> None:
    two = [SCALAR, SCALAR]
    branches = (
        program(two, lambda b, x, y: (number(1.0), x)),
        program(two, lambda b, x, y: (mul(b, x, y), y)),
    )
    f = program([Tensor(BOOL), SCALAR], lambda b, p, x: COND(b, CondParams(branches), p, x, x))
    g = value_and_grad(f, (1,))
    for taken, want in ((True, [9.0, 3.0, 6.0]), (False, [1.0, 3.0, 0.0])):
        assert [float(v) for v in lowered(g, [np.array(taken), np.array(3.0)])] == want
    mapped = vmap(grad(f, (1,)), (0, 0), (0, 0), 2)
    values = lowered(mapped, [np.array([True, False]), np.array([3.0, 4.0])])
    np.testing.assert_allclose(values[-1], [6.0, 0.0])


@pytest.mark.parametrize("limit", [None, 5])
def test_loops_that_count(limit: int | None) -> None:
    more = program([COUNT, COUNT, SCALAR], lambda b, n, i, x: compare(b, "lt", i, n))
    step = program([COUNT, SCALAR], lambda b, i, x: (add(b, i, count(1)), sin(b, x)))
    params = WhileParams(more, step, 1, 0, limit)
    f = program([COUNT, SCALAR], lambda b, n, x: WHILE(b, params, n, count(0), x))
    bounds = np.array([0, 2, 9], np.int32)
    steps = [0, 2, 9 if limit is None else 5]
    x = np.array(0.5)
    want = []
    for n in steps:
        at, d = 0.5, 1.0
        for _ in range(n):
            at, d = np.sin(at), d * np.cos(at)
        want.append((at, d))
    done = lowered(vmap(forward(f).function, (0, None, None), (0, 0, 0), 3), [bounds, x, np.array(1.0)])
    np.testing.assert_array_equal(done[0], steps)
    np.testing.assert_allclose(np.stack(done[1:], 1), want, rtol=1e-12)
    if limit is not None:
        last = program([COUNT, SCALAR], lambda b, n, x: WHILE(b, params, n, count(0), x)[1])
        slopes = lowered(vmap(grad(last, (1,)), (0, None), (0,), 3), [bounds, x])
        np.testing.assert_allclose(slopes[0], [d for _, d in want], rtol=1e-12)

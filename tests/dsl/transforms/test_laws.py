"""The laws of the transformations, on random programs with control flow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Function
from dsl.ir.verify import verify
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import reduce_sum
from dsl.transforms.linearize import linearize
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.transforms.vmap import vmap
from tests.support.derivative import forward, grad, hvp, jacfwd, jacrev, value_and_grad, vjp
from tests.support.programs import Array, random_program, random_values, slope

SEEDS = range(30)
EVERY = (0, 1, 2)


def agree(left: Sequence[Array], right: Sequence[Array], tolerance: float = 1e-9) -> None:
    assert len(left) == len(right)
    for p, q in zip(left, right, strict=True):
        assert p.shape == q.shape
        np.testing.assert_allclose(p, q, rtol=tolerance, atol=tolerance)


def checked(f: Function) -> Function:
    verify(f)
    return f


def scalar(f: Function) -> Function:
    """The sum of the squares of all results."""
    b = Builder()
    outs = call(b, f, [b.param(t) for t in f.param_types])
    sums = [reduce_sum(b, mul(b, y, y), range(y.type.rank)) for y in outs]
    total = sums[0]
    for other in sums[1:]:
        total = add(b, total, other)
    return b.finish("scalar", (total,))


@pytest.mark.parametrize("seed", SEEDS)
def test_jvp_is_the_slope(seed: int) -> None:
    f = random_program(seed)
    values, directions = random_values(seed, f.param_types), random_values(seed + 1, f.param_types)
    found = evaluate(checked(forward(f).function), [*values, *directions])
    agree(found[:2], evaluate(f, values))
    agree(found[2:], slope(f, values, directions), 1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_linearize_is_jvp_and_the_pull_is_its_transpose(seed: int) -> None:
    f = random_program(seed)
    values, directions = random_values(seed, f.param_types), random_values(seed + 1, f.param_types)
    want = evaluate(forward(f).function, [*values, *directions])
    made = linearize(f, (True,) * 3)
    known = evaluate(checked(made.primal), values)
    agree(known[:2], want[:2])
    residuals = [[*values, *known][i] for i in made.residuals]
    tangents = evaluate(checked(made.linear), [*residuals, *directions])
    agree(tangents, [t for t, flag in zip(want[2:], made.nonzero, strict=True) if flag])
    back = vjp(f, EVERY)
    known = evaluate(checked(back.primal), values)
    residuals = [[*values, *known][i] for i in back.residuals]
    cotangents = [np.asarray(c) for c in random_values(seed + 2, [y.type for y in made.linear.results])]
    found = evaluate(checked(back.pull), [*residuals, *cotangents])
    left = sum(float(np.sum(c * t)) for c, t in zip(cotangents, tangents, strict=True))
    right = sum(float(np.sum(c * d)) for c, d in zip(found, directions, strict=True))
    assert left == pytest.approx(right, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_clean_up_changes_no_value(seed: int) -> None:
    f = random_program(seed)
    values = random_values(seed, f.param_types)
    g = value_and_grad(scalar(f), EVERY)
    for h in (f, checked(g)):
        want = evaluate(h, values)
        agree(evaluate(run(h, TIDY, check=True), values), want, 1e-12)
        agree(evaluate(run(h, LOWERING, check=True), values), want, 1e-12)


def _batches(seed: int, f: Function, axes: Sequence[int | None], size: int) -> list[Array]:
    """Values for the params of `f`, with an axis of `size` where one is asked for."""
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for t, axis in zip(f.param_types, axes, strict=True):
        shape = list(t.shape)
        if axis is not None:
            shape.insert(axis % (t.rank + 1), size)
        found.append(np.asarray(rng.uniform(-1, 1, shape)))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_vmap_is_a_loop(seed: int) -> None:
    f = random_program(seed)
    size = 3
    for in_axes, out_axes in (((0, 0, 0), (0, 0)), ((0, None, -1), (0, 1)), ((None, 1, 1), (-1, -1))):
        batch = _batches(seed, f, in_axes, size)
        each = [
            evaluate(f, [x if a is None else x.take(i, a) for x, a in zip(batch, in_axes, strict=True)])
            for i in range(size)
        ]
        want = [np.stack(column, a) for column, a in zip(zip(*each, strict=True), out_axes, strict=True)]
        mapped = checked(vmap(f, in_axes, out_axes, size))
        agree(evaluate(mapped, batch), want)
        agree(evaluate(run(mapped, LOWERING, check=True), batch), want)


@pytest.mark.parametrize("seed", SEEDS)
def test_grad_and_vmap_commute(seed: int) -> None:
    f = scalar(random_program(seed, steps=4))
    rng = np.random.default_rng(seed)
    batch = [rng.uniform(-1, 1, (2, *t.shape)) for t in f.param_types]
    each = checked(vmap(grad(f, EVERY), (0, 0, 0), (0, 0, 0), 2))
    want = evaluate(each, batch)
    b = Builder()
    mapped = vmap(f, (0, 0, 0), (0,), 2)
    (y,) = call(b, mapped, [b.param(t) for t in mapped.param_types])
    total = b.finish("total", (reduce_sum(b, y, (0,)),))
    found = checked(grad(total, EVERY))
    agree(evaluate(found, batch), want)
    agree(evaluate(run(found, LOWERING, check=True), batch), want)
    agree(evaluate(run(each, LOWERING, check=True), batch), want)


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_agree(seed: int) -> None:
    f = random_program(seed, steps=4)
    values = random_values(seed, f.param_types)
    for wrt in EVERY:
        columns, rows = jacfwd(f, wrt), jacrev(f, wrt)
        want = evaluate(checked(rows), values)
        agree(evaluate(checked(columns), values), want)
        agree(evaluate(run(columns, LOWERING, check=True), values), want)


@pytest.mark.parametrize("seed", SEEDS)
def test_hessian_products_are_slopes_of_the_gradient_and_symmetric(seed: int) -> None:
    f = scalar(random_program(seed, steps=4))
    values = random_values(seed, f.param_types)
    u, v = random_values(seed + 1, f.param_types), random_values(seed + 2, f.param_types)
    product = checked(hvp(f, EVERY))
    along_u, along_v = evaluate(product, [*values, *u]), evaluate(product, [*values, *v])
    agree(along_v, slope(grad(f, EVERY), values, v), 2e-5)
    left = sum(float(np.sum(p * q)) for p, q in zip(along_u, v, strict=True))
    right = sum(float(np.sum(p * q)) for p, q in zip(along_v, u, strict=True))
    assert left == pytest.approx(right, rel=1e-8, abs=1e-10)
    agree(evaluate(run(product, LOWERING, check=True), [*values, *v]), along_v)


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_over_reverse(seed: int) -> None:
    f = scalar(random_program(seed, steps=4))
    values = random_values(seed, f.param_types)
    twice = checked(grad(scalar(grad(f, EVERY)), EVERY))
    slopes = evaluate(grad(f, EVERY), values)
    want = evaluate(hvp(f, EVERY), [*values, *[2 * s for s in slopes]])
    agree(evaluate(twice, values), want, 1e-8)
    agree(evaluate(run(twice, LOWERING, check=True), values), want, 1e-8)

"""Any transformations in any order: no failure, well-formed IR, and values that clean-up does not change."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function
from dsl.ir.text import parse, show
from dsl.ir.verify import verify
from dsl.ops.control import CALL, CHECKPOINT, DOTS, NOTHING, CallParams, CheckpointParams
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import reduce_sum
from dsl.ops.table import OPS
from dsl.transforms.jvp import jvp
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.transforms.vmap import vmap
from tests.support.cases import some
from tests.support.derivative import grad
from tests.support.programs import SCALAR, number, program, random_program, random_values


def gradient(f: Function) -> Function:
    """Of the sum of the squares of all results, in all parameters."""
    b = Builder()
    outs = call(b, f, [b.param(t) for t in f.param_types])
    total: Atom = number(0.0)
    for y in outs:
        total = add(b, total, reduce_sum(b, mul(b, y, y), range(y.type.rank)))
    return grad(b.finish("scalar", (total,)), range(len(f.params)))


def tangents(f: Function) -> Function:
    return jvp(f, (True,) * len(f.params), (True,) * len(f.results)).function


def map_some(f: Function) -> Function:
    return vmap(f, [0 if i % 2 == 0 else None for i in range(len(f.params))], [0] * len(f.results), 2)


def map_last(f: Function) -> Function:
    return vmap(f, [-1] * len(f.params), [-1] * len(f.results), 3)


def remembered(f: Function) -> Function:
    keep, budget = ((NOTHING, None), (DOTS, None), (None, None), (NOTHING, 40))[len(f.equations) % 4]
    return program(f.param_types, lambda b, *xs: CHECKPOINT(b, CheckpointParams(f, keep, budget=budget), *xs))


def called(f: Function) -> Function:
    return program(f.param_types, lambda b, *xs: CALL(b, CallParams(f), *xs))


STEPS: tuple[Callable[[Function], Function], ...] = (
    gradient,
    tangents,
    map_some,
    map_last,
    remembered,
    called,
)


@pytest.mark.parametrize("block", range(10))
def test_up_to_three_transformations_of_any_program(block: int) -> None:
    for seed in some(range(1000 + 50 * block, 1050 + 50 * block)):
        random = Random(seed)
        f = random_program(seed, steps=5)
        steps = random.choices(STEPS, k=random.choice((1, 2, 3)))
        for step in steps:
            f = step(f)
            verify(f)
        values = random_values(seed, f.param_types)
        want = evaluate(f, values)
        for passes in (TIDY, LOWERING):
            found = evaluate(run(f, passes, check=True), values)
            for p, q in zip(some(found), want, strict=True):
                assert np.all(np.isfinite(q)), (seed, steps)
                np.testing.assert_allclose(p, q, rtol=1e-7, atol=1e-9, err_msg=f"{seed}: {steps}")


def test_calls_nested_as_deep_as_static_recursion_goes() -> None:
    f = program([SCALAR], lambda b, x: mul(b, x, x), "leaf")
    for _ in range(800):
        f = program([SCALAR], _once(CallParams(f)))
    left: dict[str, int] = {}
    run(f, LOWERING, check=True, watch=lambda name, done: left.update({name: len(done.equations)}))
    assert (left["dce"], left["reroll"]) == (801, 2)


def test_calls_that_double_at_every_level_stay_shared() -> None:
    f = program([SCALAR], lambda b, x: mul(b, x, x), "leaf")
    for _ in range(40):
        f = program([SCALAR], _twice(CallParams(f)))
    g = vmap(tangents(f), (0, None), (0, 0), 2)
    verify(g)
    run(g, LOWERING, check=True)


def _twice(params: CallParams) -> Callable[..., Atom]:
    def write(b: Builder, x: Atom) -> Atom:
        (y,) = CALL(b, params, *CALL(b, params, x))
        return mul(b, number(0.5), y)

    return write


def _once(params: CallParams) -> Callable[..., Atom]:
    def write(b: Builder, x: Atom) -> Atom:
        (y,) = CALL(b, params, x)
        return mul(b, y, number(0.5))

    return write


@pytest.mark.parametrize("seed", range(20))
def test_programs_survive_being_printed(seed: int) -> None:
    f = vmap(random_program(seed), (0, 0, 0), (0, 0), 2)
    again = parse(show(f), OPS)
    assert show(again) == show(f)
    values = random_values(seed, f.param_types)
    for p, q in zip(evaluate(again, values), evaluate(f, values), strict=True):
        np.testing.assert_array_equal(p, q)

"""`pmap` is `vmap` on several devices: random programs whose elements speak, under chains of transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function
from dsl.ir.region import CannotTransform
from dsl.ir.verify import verify
from dsl.ops.control import CHECKPOINT, DOTS, CheckpointParams
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, mul
from dsl.ops.layout import reduce_sum
from dsl.transforms.jvp import jvp
from dsl.transforms.pipeline import LOWERING, over_devices, run
from dsl.transforms.pmap import pmap
from dsl.transforms.vmap import vmap
from lowering.stablehlo.module import lower
from lowering.xla.backends import choice
from lowering.xla.compile import compile
from tests.support.derivative import grad
from tests.support.programs import VECTOR, number, program, random_values
from tests.support.speaking_programs import AXIS, speaking_program

Array = np.ndarray[Any, Any]


def gradient(f: Function) -> Function:
    """Of the sum of the squares of all results, in all parameters."""

    def scalar(b: Builder, *xs: Atom) -> Atom:
        total: Atom = number(0.0)
        for y in call(b, f, xs):
            total = add(b, total, reduce_sum(b, mul(b, y, y), range(y.type.rank)))
        return total

    return grad(program(f.param_types, scalar), range(len(f.params)))


def tangents(f: Function) -> Function:
    return jvp(f, (True,) * len(f.params), (True,) * len(f.results)).function


def batched(f: Function) -> Function:
    return vmap(f, [0 if k % 2 else None for k in range(len(f.params))], [-1] * len(f.results), 2)


def remembered(f: Function) -> Function:
    return program(f.param_types, lambda b, *xs: CHECKPOINT(b, CheckpointParams(f, DOTS), *xs))


STEPS: tuple[Callable[[Function], Function], ...] = (gradient, tangents, batched, remembered)
Mapped = Callable[..., Function]


def made(over: Mapped, seed: int, size: int) -> Function:
    """A random program of `size` elements, mapped by `vmap` or `pmap` between transformations."""
    random = Random(seed)
    f = speaking_program(seed, size)
    for step in random.choices(STEPS, k=random.choice((0, 0, 1))):
        f = step(f)
    sources = [random.choice((0, -1, None)) for _ in f.params]
    sources[0] = 0
    f = over(f, sources, [random.choice((0, -1)) for _ in f.results], size, None, AXIS)
    for step in random.choices(STEPS, k=random.choice((0, 1, 2))):
        f = step(f)
    verify(f)
    return f


def on_devices(f: Function, count: int, values: Sequence[Array]) -> list[Array]:
    placed = run(f, over_devices(LOWERING, count), check=True)
    executable = compile(lower(placed, devices=count), devices=choice().devices)
    assert len(executable.place.devices) == count
    return [np.asarray(y) for y in executable(*values)]


def agree(found: Sequence[Array], wanted: Sequence[Array], seed: int) -> None:
    for x, y in zip(found, wanted, strict=True):
        assert np.all(np.isfinite(y)), seed
        np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-8, err_msg=str(seed))


@pytest.mark.parametrize("block", range(4))
def test_all_elements_on_one_device(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        size = 1 + seed % 4
        f, same = made(pmap, seed, size), made(vmap, seed, size)
        values = random_values(seed, f.param_types)
        agree(evaluate(run(f, LOWERING, check=True), values), evaluate(run(same, LOWERING), values), seed)


@pytest.mark.parametrize("seed", range(12))
def test_elements_shared_out_over_devices(seed: int) -> None:
    count = (2, 4, 8)[seed % 3]
    size = count * (1 + (seed // 3) % 2 if count < 8 else 1)
    f, same = made(pmap, seed, size), made(vmap, seed, size)
    values = random_values(seed, f.param_types)
    agree(on_devices(f, count, values), evaluate(run(same, LOWERING), values), seed)


def test_a_result_that_differs_needs_an_axis() -> None:
    square = program((VECTOR,), lambda b, x: mul(b, x, x))
    with pytest.raises(CannotTransform, match="differs between the elements"):
        pmap(square, (0,), (None,), 2)

"""The evaluator and XLA agree on random programs with control flow after transformations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Function
from dsl.ops.control.call import call
from dsl.ops.elementwise import mul
from dsl.ops.layout import reduce_sum
from dsl.transforms.jvp import jvp
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.vmap import vmap
from lowering.xla.compile import compile
from tests.support.cases import some
from tests.support.derivative import grad, hvp
from tests.support.lowered import lower_here
from tests.support.programs import random_program, random_values

EVERY = (0, 1, 2)


def square(f: Function) -> Function:
    b = Builder()
    y = call(b, f, [b.param(t) for t in f.param_types])[1]
    return b.finish("square", (reduce_sum(b, mul(b, y, y), (0,)),))


STEPS: dict[str, Callable[[Function], Function]] = {
    "grad": lambda f: grad(square(f), EVERY),
    "jvp": lambda f: jvp(f, (True,) * 3, (True,) * 2).function,
    "vmap": lambda f: vmap(f, (0, None, 1), (0, 1), 2),
    "vmap of grad": lambda f: vmap(grad(square(f), EVERY), (0, 0, None), (0, 0, 0), 3),
    "hvp": lambda f: hvp(square(f), EVERY),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("seed", range(4))
def test_evaluator_and_xla_agree(step: str, seed: int) -> None:
    f = STEPS[step](random_program(2000 + seed, steps=8))
    values = random_values(seed, f.param_types)
    found = compile(lower_here(run(f, LOWERING, check=True)))(*values)
    for p, q in zip(some(found), evaluate(f, values), strict=True):
        np.testing.assert_allclose(np.asarray(p), q, rtol=1e-9, atol=1e-11)

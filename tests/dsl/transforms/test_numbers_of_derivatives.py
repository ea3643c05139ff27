"""A function that gives a static number has derivatives like any other: zeros of the types that are declared."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from tests.support.cases import some

X = np.ones(2, np.float32)
VALUE, NOTHING = np.float32(3.5), np.zeros(2, np.float32)

CASES = {
    "grad(fn v -> 3.5)(x)": (NOTHING,),
    "value_and_grad(fn v -> 3.5)(x)": (VALUE, NOTHING),
    "jacrev(fn v -> 3.5)(x)": (NOTHING,),
    "jacfwd(fn v -> 3.5)(x)": (NOTHING,),
    "hessian(fn v -> 3.5)(x)": (np.zeros((2, 2), np.float32),),
    "hvp(fn v -> 3.5, x, x)": (NOTHING,),
    "jvp(fn v -> 3.5, (x,), (x,))": (VALUE, np.float32(0.0)),
    "jvp(fn v -> (v, 3.5), (x,), (x,)).1": (X, np.float32(0.0)),
    "linearize(fn v -> 3.5, x).1(x)": (np.float32(0.0),),
    "vjp(fn v -> 3.5, x).1(1.0).0": (NOTHING,),
    "custom_jvp(fn v -> 3.5, fn (p, t) -> (3.5, sum(t.0)))(x)": (VALUE,),
    "vmap(fn v -> jvp(fn u -> 3.5, (v,), (v,)).1)(x)": (NOTHING,),
}


@pytest.mark.parametrize("case", CASES)
def test_static_results(case: str) -> None:
    found = dsl.program(f"def f(x: f32[n]) = {case}").f.interpret(X)
    found = found if isinstance(found, tuple) else (found,)
    for part, expected in zip(some(found), CASES[case], strict=True):
        np.testing.assert_array_equal(part, expected, strict=True)


def test_static_results_from_python() -> None:
    program = dsl.program("def f(x: f32[n]) = 3.5")
    np.testing.assert_array_equal(dsl.jacrev(program.f).interpret(X), NOTHING, strict=True)
    np.testing.assert_array_equal(dsl.hessian(program.f).interpret(X), np.zeros((2, 2), np.float32), strict=True)

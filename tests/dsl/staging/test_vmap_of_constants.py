"""`vmap(f)(x)` is `[f(v) for v in x]`, also where the result of `f` does not depend on its argument."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dsl

BODIES = {
    "true": "bool",
    "1.5": "f32",
    "3": "i32",
    "v": "f32",
    "2.0 * 3": "f32",
    "c": "f32",
    "(if t then 1.0 else 2.0)": "f32",
}
AROUND = {
    "flip(M, axis=0)": "flip({m}, axis=0)",
    "roll(M, 1)": "roll({m}, 1)",
    "concatenate((M, M))[:3]": "concatenate(({m}, {m}))[:3]",
    "where(x > 0.5, M, M)": "where(x > 0.5, {m}, {m})",
    "stack((M, M))[1]": "stack(({m}, {m}))[1]",
    "vmap(fn i -> M[i])(argsort(x))": "vmap(fn i -> {m}[i])(argsort(x))",
}


@pytest.mark.parametrize(("body", "around"), product(BODIES, AROUND))
def test_vmap_is_a_comprehension(body: str, around: str) -> None:
    head = f"(x: f32[3], c: f32, t: bool) -> {BODIES[body]}[3] = "
    mapped, each = (AROUND[around].format(m=m) for m in (f"vmap(fn v -> {body})(x)", f"[{body} for v in x]"))
    m = dsl.program(f"def f{head}{mapped}\ndef g{head}{each}\n")
    args = np.array([0.0, 1.0, 2.0], np.float32), np.float32(7), True
    expected = np.asarray(m.g(*args))
    np.testing.assert_array_equal(np.asarray(m.f(*args)), expected)
    np.testing.assert_array_equal(np.asarray(m.f.interpret(*args)), expected)


def test_bounds_of_indices_go_through_vmap() -> None:
    m = dsl.program("def f(x: f32[n], i: idx[n][k]) -> f32[k] = x[vmap(fn j -> n - 1 - j)(vmap(fn j -> j)(i))]")
    assert np.asarray(m.f(np.arange(3, dtype=np.float32), np.array([0, 2], np.int32))).tolist() == [2.0, 0.0]

"""Defaults of a definition under transformations: they are evaluated where it is called, for an element or a part, and
are no arguments of what is mapped or differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

X = np.array([1.0, 2.0, 3.0], np.float32)
ONES = np.ones_like(X)

PROGRAM = """
def scaled(x: f32, y: f32 = 2.0, z: f32 = 3.0) -> f32 = x * x * y * z
def sized(x: f32[k], y: f32 = k, *, static times: int = k) -> f32 = times * y * sum(x)
def filled(x: f32[k], y: f32[k] = ones([k])) -> f32 = sum(x * y)
"""

CASES = {
    "vmap(scaled)(x)": 6.0 * X * X,
    "vmap(scaled, in_axes=(0,))(x)": 6.0 * X * X,
    "vmap(scaled)(x, z=x)": 2.0 * X**3,
    "vmap(grad(scaled))(x)": 12.0 * X,
    'vmap(grad(scaled, argnums="z"))(x, z=x)': 2.0 * X * X,
    "vmap(grad(scaled, argnums=2))(x, z=x)": 2.0 * X * X,
    "grad(fn v -> sum(vmap(scaled)(v)))(x)": 12.0 * X,
    "jit(vmap(checkpoint(scaled)))(x)": 6.0 * X * X,
    "vmap(vmap(scaled))(stack((x, x)))[1]": 6.0 * X * X,
    "vmap(sized)(stack((x, x), axis=1))": 8.0 * X,
    "vmap(grad(sized))(stack((x, x)))[0]": 9.0 * ONES,
    "vmap(filled)(stack((x, x), axis=1))": 2.0 * X,
    "shard(fn v -> vmap(scaled)(v), mesh(d=1), {d = 0}, {d = 0})(x)": 6.0 * X * X,
    "vmap(fn v -> jvp(scaled, (v,), (1.0,)).1)(x)": 12.0 * X,
    "vmap(fn v -> linearize(scaled, v).1(1.0))(x)": 12.0 * X,
    "vmap(fn v -> vjp(scaled, v).1(1.0).0)(x)": 12.0 * X,
    "vmap(fn v -> hvp(scaled, v, 1.0))(x)": 12.0 * ONES,
}


def test_in_a_program() -> None:
    names = [f"f{k}" for k in range(len(CASES))]
    text = "\n".join(f"def {name}(x: f32[n]) = {case}" for name, case in zip(names, CASES, strict=True))
    program = dsl.program(PROGRAM + text)
    for name, (case, expected) in zip(names, CASES.items(), strict=True):
        np.testing.assert_allclose(np.asarray(getattr(program, name).interpret(X)), expected, rtol=1e-6, err_msg=case)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def test_maps_from_python(program: dsl.Program) -> None:
    np.testing.assert_allclose(dsl.vmap(program.scaled).interpret(X), 6.0 * X * X)
    np.testing.assert_allclose(dsl.vmap(program.scaled, in_axes=(0,)).interpret(X), 6.0 * X * X)
    np.testing.assert_allclose(dsl.vmap(program.scaled, in_axes=(0, None, 0)).interpret(X, z=X), 2.0 * X**3)
    np.testing.assert_allclose(dsl.vmap(dsl.grad(program.scaled, argnums=2)).interpret(X, z=X), 2.0 * X * X)
    np.testing.assert_allclose(dsl.vmap(program.sized).interpret(np.stack([X, X])), 9.0 * X.sum() * ONES[:2])


def test_linear_functions_from_python(program: dsl.Program) -> None:
    assert [float(part) for part in dsl.jvp(program.scaled, (2.0,), (1.0,))] == [24.0, 24.0]
    assert float(dsl.linearize(program.scaled, 2.0)[1](1.0)) == 24.0
    (cotangent,) = dsl.vjp(program.scaled, 2.0)[1](1.0)
    assert float(cotangent) == 24.0
    assert float(dsl.hvp(program.scaled, 2.0, 1.0)) == 12.0


def test_an_argument_without_an_entry_is_refused(program: dsl.Program) -> None:
    with pytest.raises(dsl.TransformError, match="`in_axes` has no entry for y") as caught:
        dsl.vmap(program.scaled, in_axes=(0,))(X, 3.0)
    assert caught.value.code == "E0809"

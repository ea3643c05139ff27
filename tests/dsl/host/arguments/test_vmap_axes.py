"""`dsl.vmap` and `dsl.grad` from Python: axes of leaves, arguments by name, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import dsl
from tests.support.cases import some

TEXT = """
def line(p: {w: f32[n], b: f32}, x: f32[n]) -> f32 = p.w @ x + p.b
def two(x: f32[n]) -> (f32[n], f32) = (x * 2.0, sum(x))
def named(x: f32[n]) -> {double: f32[n], total: f32} = {double = x * 2.0, total = sum(x)}
def product(x: f32, y: f32) -> f32 = x * y * y
def power(x: f32, static k: int) -> f32 = x ** k
def nested(p: ({a: f32, b: (f32, f32)}, f32)) -> f32 = p.0.a + 2.0 * p.0.b.0 + 3.0 * p.0.b.1 + 4.0 * p.1
"""
X = np.arange(12, dtype=np.float32).reshape(3, 4)
Y = X[0]


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


def line(p: Any, x: Any) -> Any:
    return p["w"] @ x + p["b"]


def two(x: Any) -> Any:
    return x * 2.0, x.sum()


def nested(p: Any) -> Any:
    return p[0]["a"] + 2.0 * p[0]["b"][0] + 3.0 * p[0]["b"][1] + 4.0 * p[1]


P = {"w": X, "b": np.float32(1)}
Q = ({"a": X, "b": (X.T, Y)}, X)
CASES: list[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    ("line", line, ({"w": X, "b": X[:, 0]}, X), {}),
    ("line", line, (P, X), {"in_axes": ({"w": 0, "b": None}, 0)}),
    ("line", line, ({"w": X.T, "b": X[:, 0]}, Y[:4]), {"in_axes": ({"w": 1, "b": 0}, None)}),
    ("line", line, ({"w": Y, "b": Y[0]}, X.T), {"in_axes": (None, 1)}),
    ("two", two, (X,), {"in_axes": -1}),
    ("two", two, (X,), {"out_axes": (1, 0)}),
    ("two", two, (X,), {"in_axes": 1, "out_axes": (-1, -1)}),
    ("nested", nested, (({"a": Y, "b": (Y, Y)}, Y),), {}),
    ("nested", nested, (({"a": Y, "b": (Y, Y[0])}, Y[1]),), {"in_axes": (({"a": 0, "b": (0, None)}, None),)}),
    ("nested", nested, (({"a": Y[0], "b": (Y, Y)}, Y),), {"in_axes": (({"a": None, "b": 0}, 0),)}),
]


@pytest.mark.parametrize("case", CASES)
def test_axes_are_those_of_jax(program: dsl.Program, case: Any) -> None:
    name, function, args, options = case
    found = dsl.vmap(getattr(program, name), **options)(*args)
    expected = jax.vmap(function, **options)(*args)
    for x, y in zip(some(jax.tree.leaves(expected)), found if isinstance(found, tuple) else (found,), strict=True):
        np.testing.assert_allclose(np.asarray(y), x, rtol=1e-6)


def test_maps_of_maps(program: dsl.Program) -> None:
    table = dsl.vmap(dsl.vmap(program.product, in_axes=(None, 0)), in_axes=(0, None))(Y, Y)
    np.testing.assert_allclose(table, Y[:, None] * Y[None, :] ** 2)


def test_out_axes_by_field(program: dsl.Program) -> None:
    found = dsl.vmap(program.named, out_axes={"double": 1, "total": 0})(X)
    np.testing.assert_array_equal(found["double"], X.T * 2)
    np.testing.assert_array_equal(found["total"], X.sum(1))


def test_derivatives_by_name(program: dsl.Program) -> None:
    x, y = np.float32(2), np.float32(3)
    assert float(dsl.grad(program.product, argnums="y")(x, y)) == 12.0
    by_y, by_x = dsl.grad(program.product, argnums=("y", "x"))(x, y)
    assert (float(by_y), float(by_x)) == (12.0, 9.0)
    value, g = dsl.value_and_grad(program.product, argnums=-1)(x, y=y)
    assert (float(value), float(g)) == (18.0, 12.0)
    assert float(dsl.grad(program.power)(x, k=3)) == 12.0
    np.testing.assert_array_equal(dsl.vmap(dsl.grad(program.power))(Y, k=2), 2 * Y)


REFUSED: list[tuple[str, Callable[[dsl.Program], Any]]] = [
    ("E0806", lambda p: dsl.vmap(p.two, in_axes=2)(X)),
    ("E0806", lambda p: dsl.vmap(p.product)(Y[0], Y)),
    ("E0806", lambda p: dsl.vmap(p.two, out_axes=3)(X)),
    ("E0807", lambda p: dsl.vmap(p.product)(Y, Y[:2])),
    ("E0808", lambda p: dsl.vmap(p.product, in_axes=(None, None))(Y[0], Y[0])),
    ("E0809", lambda p: dsl.vmap(p.product, in_axes=(0,))(Y, Y)),
    ("E0811", lambda p: dsl.grad(p.product, argnums=5)(1.0, 2.0)),
    ("E0801", lambda p: dsl.grad(p.two)(Y)),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(program: dsl.Program, number: int) -> None:
    code, call = REFUSED[number]
    with pytest.raises(dsl.DslError) as caught:
        call(program)
    assert caught.value.code == code


def test_the_leaf_without_the_axis_is_named(program: dsl.Program) -> None:
    with pytest.raises(dsl.TransformError, match=r"p\.b is f32, which has no axis 0 to map over"):
        dsl.vmap(program.line)({"w": X, "b": 1.0}, X)


def test_a_record_of_which_nothing_is_mapped(program: dsl.Program) -> None:
    text = "def g(p: {w: f32[n], b: f32}, x: f32[m, n]) -> f32[m] = vmap(line, in_axes=({w = none, b = none}, 0))(p, x)"
    found = dsl.program(TEXT + text).g({"w": Y, "b": np.float32(1)}, X)
    np.testing.assert_allclose(found, X @ Y + 1)


def test_static_arguments_of_what_comes_with_its_arguments(program: dsl.Program) -> None:
    out, pull = dsl.vjp(program.power, 2.0, k=3)
    assert [float(x) for x in (out, *pull(1.0))] == [8.0, 12.0]
    out, lin = dsl.linearize(program.power, 2.0, k=3)
    assert [float(out), float(lin(1.0))] == [8.0, 12.0]
    assert [float(x) for x in dsl.jvp(program.power, (2.0,), (1.0,), k=3)] == [8.0, 12.0]
    assert float(dsl.hvp(program.power, 2.0, 1.0, k=3)) == 12.0

"""`dsl.grad(m.f)` and the like refuse at once, without arguments, what no call could use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
def loss(w: f32[d], x: f32[n, d], static k: int = 2) -> f32 = mean((x @ w) ** k)
def vector(x: f32[n]) -> f32[n] = x * x
def count(i: i32) -> f32 = f32(i)
def ints(x: f32[n]) -> i32[n] = i32(x)
def tree(p: {a: f32, b: f32[n]}, x: f32) -> f32 = p.a * sum(p.b) * x
def newton(x: f32) -> f32 ! div = iterate x = x while abs(x * x - 2.0) > 1e-6 do x / 2.0 + 1.0 / x
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def up(x: f32, y: f32) -> f32 = y * nextafter(x, 2.0)
def rev(x: f32) -> f32 = custom_vjp(fn (v: f32) -> v, fn (v: f32) -> (v, ()), fn (r, ct) -> (ct,))(x)
def square(x: f32) -> f32 = x * x
def slope(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, 2.0 * p.0 * t.0)
def bent(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, t.0 * t.0)
def flat(p: (f32,), t: (f32,)) -> f32 = p.0
def apply(static f: (f32) -> f32, x: f32) -> f32 = f(x)
def draw(k: key, x: f32) -> f32 = x + 1.0
def squares(x: f32[*s]) -> f32[*s] = x * x
def total[a: Float](x: a[*s], static axis: axes = none) -> a[*reduced(s, axis, false)] = sum(x, axis=axis)
def same[T: Tree](x: T) -> T = x
"""


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(PROGRAM)


X = np.ones(3, np.float32)
FACE: Any = dsl
"""For arguments of types that it does not take."""
Attempt = Callable[[Any], Any]
REFUSED: list[tuple[str, Attempt]] = [
    ("E0801", lambda m: dsl.grad(m.vector)),
    ("E0801", lambda m: dsl.value_and_grad(m.vector)),
    ("E0801", lambda m: dsl.grad(dsl.grad(m.loss))),
    ("E0801", lambda m: dsl.grad(dsl.vmap(m.loss))),
    ("E0802", lambda m: dsl.grad(m.count)),
    ("E0802", lambda m: dsl.jacfwd(m.count)),
    ("E0801", lambda m: dsl.hvp(m.vector, X, X)),
    ("E0802", lambda m: dsl.hvp(m.count, 1, 1)),
    ("E0802", lambda m: dsl.vjp(m.count, 1)),
    ("E0802", lambda m: dsl.linearize(m.ints, X)),
    ("E0803", lambda m: dsl.jvp(m.up, (1.0, 1.0), (1.0, 1.0))),
    ("E0805", lambda m: dsl.vjp(m.newton, 2.0)),
    ("E0814", lambda m: FACE.jvp(m.vector, X, X)),
    ("E0812", lambda m: FACE.grad(m.loss, argnums=X)),
    ("E0812", lambda m: FACE.jit(m.vector, donate=None)),
    ("E0812", lambda m: FACE.jit(m.vector, donate=[["x"]])),
    ("E0812", lambda m: FACE.jit(m.vector, in_shardings=None)),
    ("E0812", lambda m: FACE.jit(m.vector, in_shardings={"x": "data"})),
    ("E0812", lambda m: FACE.jit(m.vector, in_shardings={1: 2})),
    ("E0812", lambda m: FACE.jit(m.vector, out_shardings=0)),
    ("E1008", lambda m: FACE.shard(m.vector, None, {}, {})),
    ("E1008", lambda m: FACE.shard(m.vector, {"data": 0}, {"data": 0}, {"data": 0})),
    ("E1008", lambda m: FACE.cost(m.vector, {"data": "all"}, n=3)),
    ("E1008", lambda m: FACE.cost(m.vector, 4, n=3)),
    ("E0815", lambda m: dsl.jvp(m.vector, (X,), ())),
    ("E0816", lambda m: dsl.jvp(m.rev, (1.0,), (1.0,))),
    ("E0816", lambda m: dsl.linearize(m.rev, 1.0)),
    ("E0816", lambda m: dsl.jacfwd(m.rev)),
    ("E0817", lambda m: dsl.custom_jvp(m.square, m.bent)),
    ("E0813", lambda m: dsl.custom_jvp(m.square, m.flat)),
    ("E0903", lambda m: dsl.jvp(m.vector, (X,), (X[:2],))),
    ("E0402", lambda m: m.apply(m.vector, 1.0)),
    ("E0812", lambda m: FACE.vmap(m.vector, axis_name=3)),
    ("E0812", lambda m: dsl.vmap(m.vector, in_axes=(1.5,))),
    ("E0812", lambda m: (dsl.vmap(m.vector), FACE.vmap(m.vector, in_axes=0.0))),
    ("E0812", lambda m: (dsl.vmap(m.vector, in_axes=(0,)), dsl.vmap(m.vector, in_axes=(False,)))),
    ("E0812", lambda m: (dsl.grad(m.loss, argnums=1), FACE.grad(m.loss, argnums=1.0))),
    ("E0812", lambda m: (dsl.grad(m.loss, argnums=1), dsl.grad(m.loss, argnums=True))),
    ("E0812", lambda m: FACE.vmap(m.vector, in_axes=object())),
    ("E0812", lambda m: dsl.vmap(m.vector, out_axes=None)),
    ("E0812", lambda m: dsl.checkpoint(m.loss, policy="dot")),
    ("E0805", lambda m: dsl.grad(m.newton)),
    ("E0803", lambda m: dsl.grad(m.up)),
    ("E0803", lambda m: dsl.vmap(dsl.jacfwd(dsl.jit(m.up), argnums=(1, 0)))),
    ("E0805", lambda m: dsl.jacrev(m.newton)),
    ("E0721", lambda m: dsl.vmap(m.loud)),
    ("E0806", lambda m: dsl.vmap(m.vector, in_axes=5)),
    ("E0808", lambda m: dsl.vmap(m.loss, in_axes=(None, None))),
    ("E0809", lambda m: dsl.vmap(m.loss, in_axes=(0,))),
    ("E0811", lambda m: dsl.grad(m.loss, argnums=5)),
    ("E0811", lambda m: dsl.grad(m.loss, argnums=(0, 2))),
    ("E0812", lambda m: dsl.grad(m.vector, has_aux=True)),
    ("E0801", lambda m: dsl.grad(m.squares)(X)),
    ("E0801", lambda m: dsl.grad(m.total)(np.ones((2, 2)), axis=0)),
    ("E0801", lambda m: dsl.grad(m.same)((1.0, 2.0))),
    ("E0801", lambda m: dsl.value_and_grad(m.same)(2j)),
]


@pytest.mark.parametrize(("code", "attempt"), REFUSED)
def test_refused_before_any_call(m: dsl.Program, code: str, attempt: Attempt) -> None:
    with pytest.raises(dsl.DslError) as caught:
        attempt(m)
    found = caught.value.diagnostics[0]
    assert found.code == code
    assert found.primary.span.source.text == PROGRAM


NO_FUNCTIONS: list[Callable[[], Any]] = [
    lambda: FACE.grad(lambda x: x),
    lambda: FACE.vmap(np.sin),
    lambda: FACE.jit(3),
    lambda: FACE.jvp(lambda x: x, (1.0,), (1.0,)),
    lambda: FACE.vjp(abs, 1.0),
    lambda: FACE.eval_shape(len, 1.0),
    lambda: FACE.make_ir(len),
    lambda: FACE.check_grads(len, (1.0,)),
    lambda: FACE.custom_jvp(FACE.program(PROGRAM).square, len),
    lambda: FACE.custom_jvp(FACE.program(PROGRAM).square, FACE.program(PROGRAM).slope),
    lambda: FACE.grad(FACE.vjp(FACE.program(PROGRAM).square, 1.0)[1]),
]


@pytest.mark.parametrize("attempt", NO_FUNCTIONS)
def test_what_is_no_function_of_the_program(attempt: Callable[[], Any]) -> None:
    with pytest.raises(dsl.ArgumentError) as caught:
        attempt()
    assert caught.value.code == "E0916"
    assert "^" in str(caught.value)


ACCEPTED: list[Attempt] = [
    lambda m: dsl.grad(m.loss),
    lambda m: dsl.grad(m.loss, argnums=(0, 1)),
    lambda m: dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0)),
    lambda m: dsl.vmap(dsl.vmap(m.vector), in_axes=2, out_axes=1),
    lambda m: dsl.vmap(m.tree, in_axes=({"a": None, "b": 1}, 0)),
    lambda m: dsl.jacfwd(dsl.jacrev(m.vector)),
    lambda m: dsl.hessian(m.loss, argnums=1),
    lambda m: dsl.jacfwd(m.newton),
    lambda m: dsl.checkpoint(dsl.jit(m.loss)),
    lambda m: dsl.vmap(m.draw),
    lambda m: dsl.grad(m.up, argnums="y"),
    lambda m: dsl.custom_jvp(m.square, dsl.jit(m.slope)),
    lambda m: dsl.grad(m.squares),
    lambda m: dsl.grad(m.total),
    lambda m: dsl.grad(dsl.linalg.det),
    lambda m: dsl.jacrev(dsl.prelude.sort),
]


@pytest.mark.parametrize("attempt", ACCEPTED)
def test_accepted_without_arguments(m: dsl.Program, attempt: Attempt) -> None:
    assert isinstance(attempt(m), dsl.Function)


def test_gradients_of_what_may_be_a_number(m: dsl.Program) -> None:
    assert float(dsl.grad(m.squares)(3.0)) == 6.0
    assert np.asarray(dsl.grad(m.total)(X)).tolist() == [1, 1, 1]
    assert float(dsl.grad(m.same)(2.0)) == 1.0


def test_derivatives_of_what_may_be_floats() -> None:
    cumsum = dsl.jacfwd(dsl.prelude.cumsum)
    assert np.asarray(cumsum(X)).tolist() == np.tri(3).tolist()
    assert np.asarray(dsl.vjp(dsl.prelude.cumsum, X)[1](X)[0]).tolist() == [3, 2, 1]
    ints = X.astype(np.int32)
    for attempt in (cumsum, partial(dsl.vjp, dsl.prelude.cumsum), partial(dsl.linearize, dsl.prelude.cumsum)):
        with pytest.raises(dsl.TransformError) as caught:
            attempt(ints)
        assert caught.value.code == "E0802"


def test_axes_by_leaf(m: dsl.Program) -> None:
    f = dsl.vmap(m.tree, in_axes=({"a": None, "b": 1}, 0))
    p = {"a": np.float32(2), "b": np.ones((3, 4), np.float32)}
    assert np.asarray(f(p, np.arange(4, dtype=np.float32))).tolist() == [0, 6, 12, 18]


def test_a_transformation_of_the_same_kind_is_the_same_function(m: dsl.Program) -> None:
    assert dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0)) is dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0))
    assert dsl.grad(m.loss) is not dsl.grad(m.loss, argnums=1)


def test_rules_from_python(m: dsl.Program) -> None:
    f = dsl.custom_jvp(m.square, dsl.jit(m.slope))
    assert float(f(3.0)) == 9.0
    assert float(dsl.grad(f)(3.0)) == 6.0


def test_shapes_without_elements(m: dsl.Program) -> None:
    for shape in [(-3,), (1.5,), ("n",), 3]:
        with pytest.raises(ValueError, match="a shape is a tuple of sizes of at least 0, not"):
            FACE.ShapeDtypeStruct(shape, "f4")
    large = dsl.ShapeDtypeStruct((10**9, 5), np.float32)
    w = dsl.ShapeDtypeStruct((5,), "f4")
    assert dsl.eval_shape(m.loss, w, large, k=3) == dsl.ShapeDtypeStruct((), "f4")
    assert dsl.eval_shape(dsl.value_and_grad(m.loss), w, large) == (dsl.ShapeDtypeStruct((), "f4"), w)
    found = dsl.eval_shape(dsl.grad(m.tree), {"a": np.float32(1), "b": w}, 2.0)
    assert found == {"a": dsl.ShapeDtypeStruct((), "f4"), "b": w}
    assert (found["b"].ndim, found["b"].size) == (1, 5)
    with pytest.raises(dsl.ArgumentError):
        dsl.eval_shape(m.loss, w, dsl.ShapeDtypeStruct((3, 4), "f4"))


def test_draws_along_a_direction() -> None:
    noisy = dsl.program("import random\ndef f(x: f32) -> f32 ! rand = x * random.normal(fresh_key(), [])").f
    out, along = dsl.jvp(noisy, (2.0,), (1.0,), key=1)
    assert float(out) == 2 * float(along) == float(noisy(2.0, key=1))
    assert float(dsl.hvp(noisy, 2.0, 1.0, key=1)) == 0.0
    assert dsl.eval_shape(noisy, 1.0).shape == ()


def test_linear_functions_say_what_they_are(m: dsl.Program) -> None:
    _, pull = dsl.vjp(m.vector, X)
    assert pull.type == "(f32[3]) -> (f32[3],)"
    assert "scale" in pull.ir
    assert repr(pull) == "<dsl linear (f32[3]) -> (f32[3],)>"

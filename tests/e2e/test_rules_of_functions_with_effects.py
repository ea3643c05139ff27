"""Functions with rules of their own that check and print do so once under every derivative; what is static reaches the
rules, with the values that JAX gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import dsl

PROGRAM = """
def square(x: f32) -> f32 ! {check, io} =
    assert x > 0.0
    print("{}", x)
    x * x
def forward(x: f32) -> f32 ! {check, io} = custom_jvp(square, fn (p, t) -> (square(p.0), 7.0 * p.0 * t.0))(x)
def back(x: f32) -> f32 ! {check, io} = custom_vjp(square, fn x -> (square(x), x), fn (x, ct) -> (7.0 * x * ct,))(x)
def f(x: f32) -> f32 ! {check, io} = DERIVATIVE
"""
FORWARD = {
    "jvp(forward, (x,), (1.0,)).1": 14,
    "jacfwd(forward)(x)": 14,
    "linearize(forward, x).1(1.0)": 14,
    "hvp(forward, x, 1.0)": 7,
}
BACK = {
    "RULED(x)": 4,
    "grad(RULED)(x)": 14,
    "vjp(RULED, x).1(1.0).0": 14,
    "jacrev(RULED)(x)": 14,
    "grad(grad(RULED))(x)": 7,
    "grad(checkpoint(RULED))(x)": 14,
    "jit(grad(RULED))(x)": 14,
}
DERIVATIVES = {
    **FORWARD,
    **{text.replace("RULED", name): value for text, value in BACK.items() for name in ("forward", "back")},
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_what_the_function_checks_and_prints_happens_once(derivative: str, capfd: pytest.CaptureFixture[str]) -> None:
    program = dsl.program(PROGRAM.replace("DERIVATIVE", derivative))
    assert float(program.f(2.0)) == DERIVATIVES[derivative]
    assert [float(line) for line in capfd.readouterr().out.split()] == [2.0]
    with pytest.raises(dsl.DslError, match="E0940"):
        float(program.f(-2.0))


CHECKED = """
def square(x: f32) -> f32 ! check =
    assert x > 0.0
    x * x
def forward(x: f32) -> f32 ! check = custom_jvp(square, fn (p, t) -> (square(p.0), 7.0 * p.0 * t.0))(x)
def back(x: f32) -> f32 ! check = custom_vjp(square, fn x -> (square(x), x), fn (x, ct) -> (7.0 * x * ct,))(x)
def inside(x: f32[n]) -> f32[n] ! check = vmap(grad(RULED))(x)
def outside(x: f32[n]) -> f32[n] ! check = grad(fn x -> sum(vmap(RULED)(x)))(x)
"""


@pytest.mark.parametrize("rule", ["forward", "back"])
def test_one_element_fails_for_all(rule: str) -> None:
    program = dsl.program(CHECKED.replace("RULED", rule))
    for f in (program.inside, program.outside):
        assert np.asarray(f(np.array([1, 2], np.float32))).tolist() == [7, 14]
        with pytest.raises(dsl.DslError, match="E0940"):
            np.asarray(f(np.array([1, -2], np.float32)))


HALVES = """
def careful(x: f32, static much: bool) -> f32 ! check =
    if much then
        assert x > 0.0
        x
    else x
def ruled(x: f32, static much: bool) -> f32 ! check =
    custom_jvp(fn x -> careful(x, much), fn (p, t) -> (careful(p.0, not much), t.0))(x)
def slope(x: f32, static much: bool) -> f32 ! check = grad(ruled)(x, much=much)
"""


@pytest.mark.parametrize("much", [False, True])
def test_a_check_that_one_of_the_two_has_for_these_static_values(much: bool) -> None:
    program = dsl.program(HALVES)
    fails, passes = (program.ruled, program.slope) if much else (program.slope, program.ruled)
    assert float(passes(-1.0, much=much)) in (-1.0, 1.0)
    with pytest.raises(dsl.DslError, match="E0940"):
        float(fails(-1.0, much=much))


STATICS = """
def power(x: f32, static k: int = 4) -> f32 = x ** k
def rule(p: (f32,), t: (f32,), static k: int = 7) -> (f32, f32) = (p.0 ** k, 2.0 * f32(k) * p.0 ** (k - 1) * t.0)
def fwd(x: f32, static k: int) -> (f32, f32) = (x ** k, x)
def bwd(x: f32, ct: f32, static k: int) -> (f32,) = (2.0 * f32(k) * x ** (k - 1) * ct,)
def given(x: f32, static k: int) -> (f32, f32) = value_and_grad(custom_jvp(power, rule))(x, k=k)
def left(x: f32) -> (f32, f32) = value_and_grad(custom_jvp(power, rule))(x)
def by_place(x: f32, static k: int) -> (f32, f32) = value_and_grad(fn x -> custom_vjp(power, fwd, bwd)(x, k))(x)
"""


_power: Any = jax.custom_jvp(lambda x, k: x**k)
_power.defjvp(lambda p, t: (p[0] ** p[1], 2.0 * p[1] * p[0] ** (p[1] - 1) * t[0]))


def _expected(k: int) -> list[float]:
    return [float(v) for v in jax.value_and_grad(lambda x: _power(x, float(k)))(3.0)]


@pytest.mark.parametrize(
    ("call", "k"),
    [
        (lambda m: m.given(3.0, k=3), 3),
        (lambda m: m.left(3.0), 4),
        (lambda m: m.by_place(3.0, k=2), 2),
        (lambda m: dsl.value_and_grad(dsl.custom_jvp(m.power, m.rule))(3.0, k=5), 5),
        (lambda m: dsl.value_and_grad(dsl.custom_jvp(m.power, m.rule))(3.0), 4),
        (lambda m: dsl.value_and_grad(dsl.custom_vjp(m.power, m.fwd, m.bwd))(3.0, k=3), 3),
    ],
)
def test_what_is_static_reaches_the_rules(call: Callable[[Any], Any], k: int) -> None:
    assert [float(v) for v in call(dsl.program(STATICS))] == pytest.approx(_expected(k))


AXES = """
def through(x: f32, w: f32) -> f32 ! axis("i") =
    custom_jvp(fn x -> psum(x * x, "i"), fn (p, t) -> (psum(p.0 * p.0, "i"), psum(3.0 * p.0 * t.0, "i")))(x * w)
def back(x: f32, w: f32) -> f32 ! axis("i") =
    custom_vjp(fn x -> x, fn x -> (x, x), fn (x, ct) -> (psum(x * ct, "i"),))(x * w)
def inside(x: f32[n], w: f32[n]) -> f32[n] where n >= 1 = vmap(grad(back), axis_name="i")(x, w)
def outside(x: f32[n], w: f32[n]) -> f32[n] where n >= 1 = grad(fn x -> sum(vmap(back, axis_name="i")(x, w)))(x)
def pushed(x: f32[n], w: f32[n]) -> f32[n] where n >= 1 =
    vmap(fn (x, w) -> jvp(through, (x, w), (1.0, 2.0)).1, axis_name="i")(x, w)
def pulled(x: f32[n], w: f32[n]) -> f32[n] where n >= 1 = grad(fn x -> sum(vmap(through, axis_name="i")(x, w)))(x)
"""


_through: Any = jax.custom_jvp(lambda x: jax.lax.psum(x * x, "i"))
_through.defjvp(lambda p, t: (jax.lax.psum(p[0] * p[0], "i"), jax.lax.psum(3.0 * p[0] * t[0], "i")))


_back: Any = jax.custom_vjp(lambda x: x)
_back.defvjp(lambda x: (x, x), lambda x, ct: (jax.lax.psum(x * ct, "i"),))


def _mapped(f: Callable[..., Any]) -> Any:
    return jax.vmap(f, axis_name="i")


THERE: dict[str, Callable[[Any, Any], Any]] = {
    "inside": _mapped(jax.grad(lambda x, w: _back(x * w))),
    "outside": jax.grad(lambda x, w: _mapped(lambda x, w: _back(x * w))(x, w).sum()),
    "pushed": _mapped(lambda x, w: jax.jvp(lambda x, w: _through(x * w), (x, w), (1.0, 2.0))[1]),
    "pulled": jax.grad(lambda x, w: _mapped(lambda x, w: _through(x * w))(x, w).sum()),
}


@pytest.mark.parametrize("name", THERE)
def test_named_axes_are_open_to_rules(name: str) -> None:
    x, w = np.array([1, 2, 3], np.float32), np.array([2, 0.5, 1], np.float32)
    assert np.allclose(getattr(dsl.program(AXES), name)(x, w), THERE[name](x, w))

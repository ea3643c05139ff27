"""Rules that Python gives are held against each call, as in a program: conditions, dtypes, static values."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
enum Choice = First | Other
def total(x: f32[n]) -> f32 = sum(x)
def stated(p: (f32[n],), t: (f32[n],)) -> (f32, f32) where n >= 3 = (total(p.0), 5.0 * t.0[2])
def inferred(p: (f32[n],), t: (f32[n],)) -> (f32, f32) = (total(p.0), 5.0 * t.0[2])
def halved(p: (f32[n],), t: (f32[n],)) -> (f32, f32) where n % 2 == 1 and n > 1 =
    (total(p.0), sum(reshape(t.0[1:], [(n - 1) // 2, 2])))
def forward(x: f32[n]) -> (f32, f32[n]) = (total(x), x)
def backward(s: f32[n], ct: f32) -> (f32[n],) = (s * ct,)
def forward_of_three(x: f32[n]) -> (f32, f32[n]) where n >= 3 = (total(x), x)
def backward_of_three(s: f32[n], ct: f32) -> (f32[n],) where n >= 3 = (s.at[2].set(1.0) * ct,)
def generic[a: Float](x: a[n]) -> a = sum(x)
def multiple(x: f32[n], static k: int) -> f32 = f32(k) * sum(x)
def of_two(p: (f32[n],), t: (f32[n],), static k: int) -> (f32, f32) where k >= 2 = (multiple(p.0, k), 5.0 * sum(t.0))
def chosen(x: f32[n], static c: Choice) -> f32 = sum(x)
def of_first(p: (f32[n],), t: (f32[n],), static c: Choice) -> (f32, f32) where c == First = (sum(p.0), sum(t.0))
def some(x: f32[n], static k: int? = none) -> f32 = sum(x)
def of_some(p: (f32[n],), t: (f32[n],), static k: int? = none) -> (f32, f32) where k != none =
    (sum(p.0), f32(k) * sum(t.0))
""")
THREE, TWO = np.ones(3, np.float32), np.ones(2, np.float32)
WIDE = np.ones(3, np.float64)


def jvp(name: str, rule: str) -> dsl.Function:
    return dsl.custom_jvp(getattr(PROGRAM, name), getattr(PROGRAM, rule))


def vjp(name: str, fwd: str, bwd: str) -> dsl.Function:
    return dsl.custom_vjp(*[getattr(PROGRAM, each) for each in (name, fwd, bwd)])


CASES: dict[str, tuple[Callable[[], dsl.Function], tuple[Any, Any], tuple[Any, Any], str]] = {
    "stated": (lambda: jvp("total", "stated"), (THREE, {}), (TWO, {}), "E0407"),
    "inferred": (lambda: jvp("total", "inferred"), (THREE, {}), (TWO, {}), "E0407"),
    "divisible": (lambda: jvp("total", "halved"), (THREE, {}), (TWO, {}), "E0407"),
    "forward": (lambda: vjp("total", "forward_of_three", "backward"), (THREE, {}), (TWO, {}), "E0407"),
    "backward": (lambda: vjp("total", "forward", "backward_of_three"), (THREE, {}), (TWO, {}), "E0407"),
    "dtype": (lambda: jvp("generic", "stated"), (THREE, {}), (WIDE, {}), "E0302"),
    "dtype of both": (lambda: vjp("generic", "forward", "backward"), (THREE, {}), (WIDE, {}), "E0302"),
    "static": (lambda: jvp("multiple", "of_two"), (THREE, {"k": 2}), (THREE, {"k": 1}), "E0407"),
    "variant": (lambda: jvp("chosen", "of_first"), (THREE, {"c": "First"}), (THREE, {"c": "Other"}), "E0407"),
    "optional": (lambda: jvp("some", "of_some"), (THREE, {"k": 2}), (THREE, {}), "E0407"),
}
AROUND: dict[str, Callable[[dsl.Function, Any, Any], Any]] = {
    "call": lambda f, x, named: f(x, **named),
    "grad": lambda f, x, named: dsl.grad(f)(x, **named),
    "vmap": lambda f, x, named: dsl.vmap(dsl.grad(dsl.jit(f)))(np.stack([x] * 4), **named),
    "vjp": lambda f, x, named: dsl.vjp(f, x, **named),
}


@pytest.mark.parametrize(("case", "around"), list(zip(CASES, cycle(AROUND), strict=False)))
def test_calls(case: str, around: str) -> None:
    make, (x, named), (other, others), code = CASES[case]
    function, apply = make(), AROUND[around]
    apply(function, x, named)
    with pytest.raises(dsl.DslError, match=code):
        apply(function, other, others)
    apply(function, x, named)

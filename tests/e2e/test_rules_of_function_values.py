"""The rules of a function are those of the value, wherever it is bound or returned and whatever it is called with."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dsl

RULES = {
    "a lambda": "custom_jvp(fn v -> u * sum(v), fn (p, t) -> (u * sum(p.0), u * dot(full(p.0.shape, 7.0), t.0)))",
    "an overloaded function": "custom_jvp(sum, fn (p, t) -> (sum(p.0), u * dot(full(p.0.shape, 7.0), t.0)))",
    "a definition": "custom_jvp(total, fn (p, t) -> (total(p.0), u * dot(full(p.0.shape, 7.0), t.0)))",
    "a way back": "custom_vjp(total, fn v -> (total(v), zeros(v.shape)), fn (s, ct) -> (ct * u * full(s.shape, 7.0),))",
    "what is saved": "custom_vjp(sum, fn v -> (sum(v), full(v.shape, 7.0)), fn (s, ct) -> (ct * u * s,))",
    "rules of rules": "custom_jvp(custom_jvp(total, fn (p, t) -> (0.0, 0.0)), fn (p, t) -> (0.0, 7.0 * u * sum(t.0)))",
}
HELD = {
    "as it is": ("RULED", "f(u)"),
    "by a name": ("\n    let made = RULED\n    made", "f(u)"),
    "under a transformation": ("jit(RULED)", "f(u)"),
    "in a record": ("{made = RULED, k = u}", "f(u).made"),
    "in a tuple": ("(u, checkpoint(RULED))", "f(u).1"),
    "in a lambda": ("fn w -> RULED(w)", "f(u)"),
    "a choice": ("if t then RULED else fn v -> u * sum(v)", "f(u)"),
    "a choice in a choice": ("if t then (if t then jit(RULED) else sum) else fn v -> sum(v)", "f(u)"),
}
TAKEN = {
    "at once": "(grad(CALL)(xs), grad(CALL)(ys))",
    "by a name": "(fn h -> (grad(h)(xs), grad(h)(ys)))(CALL)",
    "under another": "(fn h -> (grad(jit(h))(xs), grad(jit(h))(ys)))(CALL)",
    "in a loop": "(fold s = xs for _ in range(3) do grad(CALL)(s), fold s = ys for _ in range(3) do grad(CALL)(s))",
    "in a map": "(vmap(grad(CALL))([xs, xs])[1], vmap(grad(CALL))([ys, ys, ys])[1])",
}


@pytest.mark.parametrize("rules, held, taken", list(product(RULES, HELD, TAKEN)))
def test_a_derivative_is_that_of_the_rules(rules: str, held: str, taken: str) -> None:
    body, call = HELD[held]
    both = TAKEN[taken].replace("CALL", call.replace("(u)", "(u, true)"))
    text = f"""
def total(v: f32[n]) -> f32 = sum(v)
def f(u: f32, static t: bool) = {body.replace("RULED", RULES[rules])}
def g(u: f32, xs: f32[n], ys: f32[m]) -> (f32[n], f32[m]) = {both}
"""
    for found, count in zip(
        dsl.program(text).g(np.float32(2), np.ones(3, np.float32), np.ones(5, np.float32)), (3, 5), strict=True
    ):
        np.testing.assert_array_equal(found, np.full(count, 14))

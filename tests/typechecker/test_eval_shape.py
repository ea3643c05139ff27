"""`eval_shape` gives shapes and dtypes as static values: they may stand where sizes do, and nothing is computed."""

from __future__ import annotations

import numpy as np

import dsl
from dsl.diagnostics.source import Source
from typechecker import check_source

PROGRAM = """
def model(x: f32[n, d], w: f32[d, k]) -> {out: f32[n, k], best: idx[k][n]} where k >= 1 =
    let y = x @ w
    {out = y, best = argmax(y, axis=1)}

def room(x: f32[n, d], w: f32[d, k]) -> f32[n, k] where k >= 1 =
    let s = eval_shape(model, x, w)
    ones(s.out.shape, s.out.dtype)

def loud(x: f32[n]) -> f32[n] ! io =
    print("{}", sum(x))
    x

def quiet(x: f32[n]) -> f32[n] = zeros(eval_shape(loud, x).shape)
"""


def test_shapes_are_static_and_no_effect_happens() -> None:
    module = dsl.program(PROGRAM)
    x, w = np.ones((2, 3), "f4"), np.ones((3, 4), "f4")
    assert np.array_equal(module.room(x, w), np.ones((2, 4)))
    assert np.array_equal(module.room.interpret(x, w), np.ones((2, 4)))
    assert np.array_equal(module.quiet(np.ones(3, "f4")), np.zeros(3))


def test_a_wrong_use_of_the_shape_is_refused() -> None:
    wrong = PROGRAM.replace("ones(s.out.shape, s.out.dtype)", "ones(s.best.shape, s.out.dtype)")
    found = check_source(Source("shape.dsl", wrong)).diagnostics
    assert [d.code for d in found] == ["E0402"]


def test_what_is_no_function_is_refused() -> None:
    found = check_source(Source("shape.dsl", "def f(x: f32) -> f32 = x * f32(eval_shape(x).ndim)\n")).diagnostics
    assert [d.code for d in found] == ["E0814"]

"""Shapes of parameters that are computed from others, or told by a later argument: held from Python as in a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
static def reversed(s: shape) -> shape = s[::-1]
type Pair[*s] = {a: f32[*s, *s]}

def turned(x: f32[*s], y: f32[*reversed(s)]) -> f32[*reversed(s)] = y + zeros(reversed(s))
def joined(x: f32[*s], w: f32[*t], y: f32[*broadcasted(s, t)]) -> f32 = sum(y)
def centred(x: f32[*s], y: f32[*reduced(s, axis, true)], static axis: axes = 1) -> f32[*s] = x - y
def dropped(x: f32[*s], y: f32[*reduced(s, axis, false)], static axis: axes) -> f32 = sum(y)
def ordered(x: f32[*s], y: f32[*permuted(s, (1, 0))]) -> f32 = sum(transpose(x, (1, 0)) + y)
def replaced_by_k(x: f32[*s], y: f32[*replaced(s, 0, k)], z: f32[k]) -> f32 = sum(y)
def behind(x: f32[*s], y: f32[n, *reduced(s, 0, false)]) -> f32 = sum(y)
def record(x: f32[*s], y: {w: f32[*reduced(s, 0, false)]}) -> f32 = sum(y.w)
def indices(x: f32[*s], i: idx[extent(s, 0)][*reduced(s, 0, false)]) -> i32 = sum(i)
def twice(x: f32[*s, 3, *s], y: f32[*s]) -> f32[*s, 3, *s] = x + zeros([*s, 3, *s])
def parts(x: f32[*s, *t], y: f32[*t]) -> f32[*s] = zeros(s)
def chain(x: f32[*s, *t], y: f32[*t, *s], w: f32[*s]) -> f32[*s] = zeros(s)
def stacked(x: Pair[*s][k], y: f32[*s]) -> f32[k] = zeros([k])
""")


def zeros(*shape: int) -> np.ndarray[Any, Any]:
    return np.zeros(shape, np.float32)


X = zeros(2, 4)


@pytest.mark.parametrize(
    ("name", "args", "shape"),
    [
        ("turned", (X, zeros(4, 2)), (4, 2)),
        ("joined", (zeros(2, 1), X, X), ()),
        ("centred", (X, zeros(2, 1)), (2, 4)),
        ("centred", (X, zeros(1, 4), 0), (2, 4)),
        ("dropped", (X, zeros(2), 1), ()),
        ("ordered", (X, zeros(4, 2)), ()),
        ("replaced_by_k", (X, zeros(3, 4), zeros(3)), ()),
        ("behind", (X, zeros(3, 4)), ()),
        ("record", (X, {"w": zeros(4)}), ()),
        ("indices", (X, [1, 0, 1, 0]), ()),
        ("twice", (zeros(4, 3, 4), zeros(4)), (4, 3, 4)),
        ("twice", (zeros(3), zeros()), (3,)),
        ("parts", (zeros(4, 3), zeros(3)), (4,)),
        ("parts", (zeros(4, 3), zeros()), (4, 3)),
        ("parts", (zeros(4, 3), zeros(4, 3)), ()),
        ("chain", (zeros(4, 3), zeros(3, 4), zeros(4)), (4,)),
        ("stacked", ({"a": zeros(7, 2, 2)}, zeros(2)), (7,)),
    ],
)
def test_arguments_of_the_shapes_that_others_tell(name: str, args: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    assert np.shape(dsl.functions(PROGRAM)[name](*args)) == shape


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("turned", (X, X)),
        ("turned", (X, zeros(7))),
        ("turned", (X, zeros())),
        ("joined", (zeros(2, 1), X, zeros(2, 1))),
        ("centred", (X, X)),
        ("centred", (X, zeros(1, 4))),
        ("centred", (X, zeros(5, 5), 0)),
        ("dropped", (X, zeros(4), 1)),
        ("ordered", (X, X)),
        ("replaced_by_k", (X, X, zeros(3))),
        ("behind", (X, zeros(3, 5))),
        ("record", (X, {"w": zeros(3)})),
        ("indices", (X, [1, 1, 1])),
        ("twice", (zeros(4, 3, 5), zeros(4))),
        ("twice", (zeros(4, 3, 5), zeros(5))),
        ("parts", (zeros(4, 3), zeros(4))),
        ("parts", (zeros(4, 3), zeros(1, 4, 3))),
        ("chain", (zeros(4, 3), zeros(4, 3), zeros(4))),
        ("stacked", ({"a": zeros(7, 2, 3)}, zeros(2))),
    ],
)
def test_arguments_of_other_shapes_are_refused(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(dsl.ArgumentError, match=r"E090[34]"):
        dsl.functions(PROGRAM)[name](*args)


def test_derivatives_and_maps_hold_them_too() -> None:
    with pytest.raises(dsl.ArgumentError, match=r"E090[34]"):
        dsl.grad(PROGRAM.dropped)(X, zeros(4), axis=1)
    with pytest.raises(dsl.ArgumentError, match=r"E090[34]"):
        dsl.vmap(PROGRAM.turned)(zeros(5, 2, 4), zeros(5, 2, 3))
    with pytest.raises(dsl.ArgumentError, match=r"E090[34]"):
        dsl.jit(PROGRAM.turned)(X, X)

"""What a user does first with an installed wheel: fit a model by gradients, and read an error."""

import sys

import numpy as np

import dsl
from typechecker.declarations.records import open_records

PROGRAM = """
type Params[d] = {w: f32[d], b: f32}

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 =
    mean((predict(p, x) - y) ** 2)

def fit(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> (Params[d], f32[steps]) where n >= 1 =
    scan p = p for _ in range(steps) do
        let (value, g) = value_and_grad(loss)(p, x, y)
        (p - lr * g, value)
"""

model = dsl.program(PROGRAM)
x = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
y = x @ np.float32([1, -2, 3]) + np.float32(0.5)
start = {"w": np.zeros(3, "f4"), "b": np.float32(0)}
fitted, history = model.fit(start, x, y, 0.1, steps=200)
np.testing.assert_allclose(fitted["w"], [1, -2, 3], atol=1e-3)
slope = dsl.grad(model.loss)(start, x, y)
for _ in range(200):
    start = {name: start[name] - np.float32(0.1) * np.asarray(slope[name]) for name in start}
    slope = dsl.grad(model.loss)(start, x, y)
np.testing.assert_allclose(start["w"], fitted["w"], atol=1e-3)
try:
    dsl.program("def f(x: f32[n, d], w: f32[k]) -> f32[n] = x @ w\n")
except dsl.DslError as error:
    assert error.code == "E0401", error
else:
    sys.exit("a wrong program was accepted")
if open_records({"DSL_CACHE": "off"}).packaged is None:
    sys.exit("the wheel brings no records of the library, or those of another release")
smoothed = dsl.program("def f(x: f32[n, 1, 8, 8], w: f32[4, 1, 3, 3]) = conv(x, w)").f
assert smoothed(np.ones((2, 1, 8, 8), "f4"), np.ones((4, 1, 3, 3), "f4")).shape == (2, 4, 8, 8)
print("the wheel runs on Python", sys.version.split()[0])

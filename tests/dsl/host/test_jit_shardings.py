"""`dsl.jit` with shardings: XLA partitions, values are those of one device, and what cannot be cut is said before."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.host.functions.tailoring import TailoredFunction

PROGRAM = """
type Params[d, h] = {w: f32[d, h], v: f32[h, d]}
def forward(p: Params[d, h], x: f32[n, d]) -> f32[n, d] = tanh(x @ p.w) @ p.v
def loss(p: Params[d, h], x: f32[n, d]) -> f32 = mean((forward(p, x) - x) ** 2)
def step(p: Params[d, h], x: f32[n, d]) -> (Params[d, h], f32) =
    let (l, g) = value_and_grad(loss)(p, x)
    ({w = p.w - 0.1 * g.w, v = p.v - 0.1 * g.v}, l)
def summed(x: f32[n], y: f32[n]) -> f32[n] where n % 4 == 0 =
    y + shard(fn v -> v + psum(sum(v), "i"), mesh(i=4), {i = 0}, {i = 0})(x)
def alone(x: f32[n], y: f32[n]) -> f32[n] = y + x + sum(x)
def grid(x: f32[6, 4]) -> f32[6, 4] = shard(fn v -> 2.0 * v, mesh(a=3, b=2), {a = 0, b = 1}, {a = 0, b = 1})(x)
"""


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


@pytest.fixture(scope="module")
def mesh() -> dsl.Mesh:
    return dsl.Mesh(dsl.devices("cpu")[:4], data=2, model=2)


def arguments() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    w, v, x = (rng.normal(size=shape).astype("f4") for shape in ((4, 6), (6, 4), (8, 4)))
    return {"w": w, "v": v}, x


def test_parameters_in_parts_give_the_same_training(m: Any, mesh: dsl.Mesh) -> None:
    parts = {"w": dsl.Sharding(mesh, {"model": 1}), "v": dsl.Sharding(mesh, {"model": 0, "data": 1})}
    rows = dsl.Sharding(mesh, {"data": 0})
    step = dsl.jit(m.step, donate="p", in_shardings={"p": parts, "x": rows}, out_shardings=(parts, None))
    given, x = arguments()
    wanted = given
    for _ in range(3):
        given, loss = step(given, x)
        wanted, same = m.step(wanted, x)
        assert {name: given[name].sharding for name in parts} == parts
        assert np.isclose(float(loss), float(same), rtol=1e-6)
    for name in parts:
        np.testing.assert_allclose(given[name], wanted[name], rtol=1e-5, atol=1e-6)
    again = dsl.jit(m.step, donate="p", in_shardings={"x": rows, "p": parts}, out_shardings=(parts, None))
    assert again is step
    copy = pickle.loads(pickle.dumps(step))
    assert isinstance(step, TailoredFunction) and copy.tailoring == step.tailoring


def test_a_shard_inside_lies_as_the_boundary_says(m: Any, mesh: dsl.Mesh) -> None:
    rows = dsl.Sharding(mesh, {"data": 0, "model": 0})
    x, y = np.arange(8, dtype="f4"), np.ones(8, "f4")
    summed = dsl.jit(m.summed, in_shardings={"y": rows}, out_shardings=rows)
    made = summed(x, y)
    assert made.sharding == rows
    compiled = summed.compile(x, y).raw.hlo_modules()[0].to_string()
    assert summed.lower(x, y).as_text("optimized") == compiled
    np.testing.assert_allclose(made, m.alone(x, y))


def test_what_cannot_be_cut_is_refused(m: Any, mesh: dsl.Mesh) -> None:
    p, x = arguments()
    with pytest.raises(dsl.DeviceError, match=r"E1006.*p\.w, f32\[4, 6\], cannot be cut into 4 equal parts"):
        dsl.jit(m.forward, in_shardings={"p": {"w": dsl.Sharding(mesh, {"data": 1, "model": 1})}})(p, x)
    with pytest.raises(dsl.DeviceError, match=r"E1006.*the result of `loss`, f32, cannot be cut"):
        dsl.jit(m.loss, out_shardings=dsl.Sharding(mesh, {"data": 0}))(p, x)
    three = dsl.Sharding(dsl.devices("cpu")[:3], axis=0)
    with pytest.raises(
        dsl.DeviceError,
        match=r"E1002.*shardings of `forward` are over the same devices: one is .* and another axis 0 on cpu:0",
    ):
        dsl.jit(m.forward, in_shardings={"x": three}, out_shardings=dsl.Sharding(mesh, {"data": 0}))
    with pytest.raises(dsl.DslError, match=r"E1007.*cut in different ways"):
        other = dsl.Mesh(dsl.devices("cpu")[:6], a=2, b=3)
        dsl.jit(m.grid, in_shardings={"x": dsl.Sharding(other, {"a": 1})})(np.ones((6, 4), "f4"))
    with pytest.raises(dsl.DslError, match="the shardings of p do not follow its containers"):
        dsl.jit(m.forward, in_shardings={"p": [three, None]})(p, x)
    with pytest.raises(dsl.DslError, match="`in_shardings` names `q`, and the arrays of `forward` are p, x"):
        dsl.jit(m.forward, in_shardings={"q": three})

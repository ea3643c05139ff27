"""`shard` in programs and from Python: on every number of devices the single-device program, and where results lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
from random import uniform

type Layer[d, h] = {w: f32[d, h], v: f32[h, d]}
def layer(x: f32[b, d], p: Layer[d, h]) -> f32[b, d] ! axis("model") = psum(tanh(x @ p.w) @ p.v, "model")
def whole(x: f32[b, d], p: Layer[d, h]) -> f32[b, d] = tanh(x @ p.w) @ p.v
def error(x: f32[b, d], p: Layer[d, h]) -> f32 = mean((sharded(x, p) - x) ** 2)
def plain_error(x: f32[b, d], p: Layer[d, h]) -> f32 = mean((whole(x, p) - x) ** 2)
def sharded(x: f32[b, d], p: Layer[d, h]) -> f32[b, d] =
    shard(layer, mesh(data=2, model=4), ({data = 0}, {w = {model = 1}, v = {model = 0}}), {data = 0})(x, p)
def scaled(x: f32[n], static power: int) -> f32[n] = x ** power
def noisy(x: f32[n]) -> f32[n] ! rand = x + uniform(fresh_key(), [n])
def root(x: f32[n]) -> f32[n] ! check =
    assert min(x) >= 0.0, "x must not be negative"
    sqrt(x)
def spread(x: f32[n]) -> f32 ! axis("i") = psum(sum(x), "i")
def choice(x: f32[n]) -> f32 = if sum(x) > 0.0 then 1.0 else 2.0
def both(x: f32[8]) -> (f32[8], f32[8]) =
    let y = shard(fn v -> v / psum(sum(v), ("a", "b")), mesh(a=2, b=4), {a = 0, b = 0}, {a = 0, b = 0})(x)
    (y, pmap(fn (v: f32) -> v - pmean(v, "i"), axis_name="i")(y))
"""
COUNTS = (1, 2, 4, 8)
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4, 3)).astype("f4")
P = {"w": RANDOM.normal(size=(3, 8)).astype("f4"), "v": RANDOM.normal(size=(8, 3)).astype("f4")}
VECTOR = np.linspace(0.5, 4.0, 8, dtype="f4")
ROW = {"i": 4}, {"i": 0}, {"i": 0}


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def agree(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-6, atol=1e-6)


def test_it_is_the_single_device_program_on_every_number_of_devices(m: Any) -> None:
    wanted = m.whole(X, P)
    for count in COUNTS:
        y = with_devices(count, m.sharded, X, P)
        agree(y, wanted)
        assert len(y.devices) == count
    assert str(y.sharding).startswith("axis 0 in 2 on cpu:0")
    agree(m.sharded.interpret(X, P), wanted)


@pytest.mark.parametrize("count", [4, 8])
def test_its_gradient_is_that_of_the_single_device_program(m: Any, count: int) -> None:
    slope = dsl.grad(m.plain_error, argnums=1)(X, P)
    found = with_devices(count, dsl.grad(m.error, argnums=1), X, P)
    agree(found["w"], slope["w"])
    agree(found["v"], slope["v"])


def test_from_python_it_is_that_of_a_program(m: Any) -> None:
    specs = ({"data": 0}, {"w": {"model": 1}, "v": {"model": 0}})
    for mesh in ({"data": 2, "model": 4}, dsl.Mesh(dsl.devices(), data=2, model=4)):
        made = dsl.shard(m.layer, mesh, specs, {"data": 0})
        agree(made(X, P), m.whole(X, P))
    agree(dsl.vmap(made, in_axes=(0, None))(np.stack([X, 2 * X]), P)[1], m.whole(2 * X, P))
    agree(dsl.shard(m.scaled, *ROW)(VECTOR, power=3), VECTOR**3)


def test_parameters_stay_where_they_are_wanted(m: Any) -> None:
    mesh = dsl.Mesh(dsl.devices(), data=2, model=4)
    placed = {name: dsl.device_put(P[name], dsl.Sharding(mesh, {"model": axis})) for name, axis in (("w", 1), ("v", 0))}
    agree(m.sharded(X, placed), m.whole(X, P))
    text = m.sharded.lower(X, placed).as_text("optimized")
    assert text.count(" all-reduce(") == 1 and " all-gather(" not in text
    text = dsl.grad(m.error, argnums=1).lower(X, placed).as_text("optimized")
    assert " all-gather(" not in text and ")->(f32[2,3]{1,0}, f32[3,2]{1,0})" in text
    text = m.sharded.lower(X, placed).as_text("optimized")
    assert "f32[3,2]{1,0} parameter" in text and "f32[2,3]{1,0} parameter" in text


def test_parts_draw_and_fail_each_for_itself(m: Any) -> None:
    noisy, root = dsl.shard(m.noisy, *ROW), dsl.shard(m.root, *ROW)
    drawn = np.asarray(noisy(VECTOR, key=3)) - VECTOR
    assert len(set(drawn.tolist())) == 8
    with dsl.default_device("cpu:0"):
        agree(noisy(VECTOR, key=3), drawn + VECTOR)
    agree(root(VECTOR), np.sqrt(VECTOR))
    with pytest.raises(dsl.CheckError, match="x must not be negative"):
        np.asarray(root(VECTOR - 1))


def test_two_meshes_of_one_program_share_the_devices(m: Any) -> None:
    share = VECTOR / VECTOR.sum()
    for count in (2, 4, 8):
        with dsl.default_device(*dsl.devices()[:count]):
            first, second = m.both(VECTOR)
        agree(first, share)
        agree(second, share - share.mean())


def test_a_mesh_is_shared_out_from_its_first_axis_on() -> None:
    body = "shard(fn v -> v - psum(sum(v), {axis}), mesh(a=3, b=2), {{a = 0, b = 0}}, {{a = 0, b = 0}})"
    m = dsl.program(f"""
def f(x: f32[12]) -> f32[12] = {body.format(axis='"a"')}({body.format(axis='"b"')}(x))
def g(x: f32[12]) -> f32[12] = shard(fn v -> 2.0 * v, mesh(a=2, b=3), {{a = 0, b = 0}}, {{a = 0, b = 0}})(f(x))
""")
    x = np.arange(12, dtype="f4")
    wanted = np.asarray(with_devices(1, m.f, x))
    for count in (3, 6):
        agree(with_devices(count, m.f, x), wanted)
    with pytest.raises(dsl.DeviceError, match=r"`mesh\(a=3, b=2\)` has 6 parts, which 2 devices"):
        with_devices(2, m.f, x)
    with pytest.raises(dsl.DeviceError, match=r"`mesh\(a=2, b=3\)` are cut in different ways, which 6 devices"):
        with_devices(6, m.g, x)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "E1007": lambda m: with_devices(3, m.sharded, X, P),
    "E1008": lambda m: dsl.shard(m.scaled, {}, {"i": 0}, {"i": 0}),
    "E1009": lambda m: dsl.shard(m.scaled, {"i": 4}, {"j": 0}, {"i": 0}),
    "E1010": lambda m: dsl.shard(m.scaled, {"i": 4}, {"i": 1}, {"i": 0}),
    "E1011": lambda m: dsl.shard(m.choice, {"i": 4}, {"i": 0}, None)(VECTOR),
    "E1012": lambda m: dsl.shard(m.scaled, *ROW)(VECTOR[:6], power=2),
    "E0911": lambda m: m.sharded(X[:3], P),
}


def with_devices(count: int, f: Any, *args: Any) -> Any:
    with dsl.default_device(*dsl.devices()[:count]):
        return f(*args)


@pytest.mark.parametrize("code", REFUSED)
def test_what_does_not_fit_is_said_before_it_runs(m: Any, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        REFUSED[code](m)
    assert caught.value.code == code


def test_what_a_derivative_makes_differ_is_said_with_what_to_do() -> None:
    with pytest.raises(dsl.DeviceError, match="if each part has a piece of it, cut it") as caught:
        dsl.program("""
def f(x: f32[8]) -> f32 = shard(fn v -> hvp(fn u -> u * u * v[0], 1.0, 1.0), mesh(a=2), {a = 0}, none)(x)
""")
    assert caught.value.code == "E1011"


def test_an_axis_of_size_0_is_cut_like_any_other() -> None:
    m = dsl.program("""
def twice(x: f32[0]) -> f32[0] = shard(fn v -> 2.0 * v, mesh(a=2), {a = 0}, {a = 0})(x)
def both(x: f32[0, 4]) -> f32[0, 4] = shard(fn v -> 2.0 * v, mesh(a=2, b=4), {a = 0, b = 1}, {a = 0, b = 1})(x)
def again(x: f32[0]) -> f32[0] = shard(fn v -> 2.0 * v, mesh(a=2, b=2), {a = 0, b = 0}, {a = 0, b = 0})(x)
def made(x: f32[0]) -> f32[4] = shard(fn v -> ones([2]) + sum(v), mesh(a=2), {a = 0}, {a = 0})(x)
def rest(x: f32[n]) -> f32[0] = shard(fn v -> 2.0 * v, mesh(a=2), {a = 0}, {a = 0})(x[n:])
def beside(x: f32[0], y: f32[n]) -> f32[n] where n % 2 == 0 =
    shard(fn (v, w) -> w + sum(v), mesh(a=2), {a = 0}, {a = 0})(x, y)
def slope(x: f32[0]) -> f32[0] = grad(fn x -> sum(twice(x)))(x)
def total(x: f32[0]) -> f32 = shard(fn v -> psum(sum(v), "a"), mesh(a=2), {a = 0}, none)(x)
""")
    empty = np.zeros(0, "f4")
    for count in (1, 2, 8):
        for function, args, wanted in (
            (m.twice, (empty,), empty),
            (m.both, (np.zeros((0, 4), "f4"),), np.zeros((0, 4), "f4")),
            (m.again, (empty,), empty),
            (m.made, (empty,), np.ones(4, "f4")),
            (m.rest, (VECTOR,), empty),
            (m.beside, (empty, VECTOR), VECTOR),
            (m.slope, (empty,), empty),
            (m.total, (empty,), 0.0),
        ):
            found = with_devices(count, function, *args)
            assert np.shape(found) == np.shape(wanted)
            agree(found, wanted)
            agree(function.interpret(*args), wanted)


def test_a_spec_is_for_every_argument_that_is_not_static(m: Any) -> None:
    with pytest.raises(dsl.DslError, match="`in_specs` has 2 entries for 1 argument"):
        dsl.shard(m.scaled, {"i": 4}, ({"i": 0}, None), {"i": 0})(VECTOR, power=2)

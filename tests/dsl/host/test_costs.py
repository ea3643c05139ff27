"""`dsl.cost`: what a call takes, from the IR alone, beside what XLA says of the compiled program."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.__main__ import execute
from dsl.host.measures.size_polynomials import fit, lattice, polynomials
from dsl.ir.op import Op
from dsl.ops.table import OPS
from tests.support.cases import some

PROGRAM = """
def mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v
def shared(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] =
    let part = fn (x, w, v) -> psum(mlp(x, w, v), "model")
    shard(part, mesh(data=4, model=2), ({data = 0}, {model = 1}, {model = 0}), {data = 0})(x, w, v)
def loss(w: f32[d, h], x: f32[n, d], v: f32[h, d]) -> f32 = mean(mlp(x, w, v) ** 2)
def image(x: f32[b, c, n, n], k: f32[o, c, 3, 3]) -> f32[b, o, n, n] = conv(x, k, padding="SAME")
def covariance(x: f32[n, d]) -> f32[d, d] where n >= 1 =
    let z = x - mean(x, axis=0)
    z.T @ z
def powers(w: f32[d, d], x: f32[d], static steps: int) -> f32[steps, d] where steps >= 0 =
    let (_, seen) = scan x = x for _ in range(steps) do (w @ x, x)
    seen
def larger(x: f32[n, n]) -> f32[n, n] where n >= 1 = if x[0, 0] > 0.0 then x @ x else 2.0 * x
def ordered(x: f32[n]) -> f32[n] = sort(x)
def row(x: f32[n]) -> f32[n] = with_sharding(2.0 * x, mesh(data=8), {data = 0})
let grid = mesh(data=4, model=2)
def cut_mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] =
    let rows = with_sharding(x, grid, {data = 0}) @ with_sharding(w, grid, {model = 1})
    with_sharding(tanh(rows) @ with_sharding(v, grid, {model = 0}), grid, {data = 0})
def turned(x: f32[n, d]) -> f32[n, d] =
    with_sharding(2.0 * with_sharding(x, mesh(data=8), {data = 0}), mesh(data=8), {data = 1})
def steps(x: f32[n, d], static count: int) -> f32[n, d] =
    fold x = x for _ in range(count) do sin(with_sharding(x, mesh(data=8), {data = 0}))
def column(x: f32[n, d]) -> f32[d] = cumsum(sum(with_sharding(x, mesh(data=8), {data = 0}), axis=0))
type Model[d, h] = {first: f32[d, h], second: f32[h]}
def error(p: Model[d, h], x: f32[n, d], y: f32[n]) -> f32 = mean((tanh(x @ p.first) @ p.second - y) ** 2)
def in_shares(p: Model[d, h]) -> Model[d, h] = with_sharding(p, mesh(data=8), {first = {data = 1}, second = {data = 0}})
def in_parts(p: Model[d, h], x: f32[n, d], y: f32[n]) -> Model[d, h] =
    let (x, y) = with_sharding((x, y), mesh(data=8), {data = 0})
    in_shares(p - 0.1 * grad(error)(in_shares(p), x, y))
"""


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def formulas(found: dsl.Estimate) -> dict[str, str]:
    return {name: str(each) for name, each in found.polynomials.items()}


def test_work_is_a_polynomial_in_the_sizes(m: Any) -> None:
    found = dsl.cost(m.mlp, n=64, d=32, h=48)
    assert found.flops == 4 * 64 * 32 * 48 + 64 * 48
    assert formulas(found)["flops"] == "4*n*d*h + n*h"
    assert formulas(found)["bytes"] == "8*n*d + 16*n*h + 8*d*h"
    assert str(found).splitlines()[0] == "396 kflops = 4*n*d*h + n*h"
    assert formulas(dsl.cost(m.powers, d=8, steps=5))["flops"] == "2*d^2*steps"
    assert formulas(dsl.cost(m.larger, n=6))["flops"] == "2*n^3 + 1"


def test_what_is_no_polynomial_is_a_number(m: Any) -> None:
    found = dsl.cost(m.ordered, n=64)
    assert found.flops == 64 * 6 and "flops" not in found.polynomials and formulas(found)["bytes"] == "8*n"


def test_devices_share_work_and_say_what_they_send(m: Any) -> None:
    found = dsl.cost(m.shared, {"data": 4, "model": 2}, n=64, d=32, h=48)
    assert found.sent == {"model": 64 // 4 * 32 * 4}
    assert formulas(found)["sent model"] == "n*d"
    assert formulas(found)["flops"] == "1/2*n*d*h + 1/2*n*d + 1/8*n*h"
    assert found.peak < dsl.cost(m.shared, n=64, d=32, h=48).peak / 2
    assert dsl.cost(m.shared, {"data": 4}, n=64, d=32, h=48).sent == {}
    assert dsl.cost(m.row, {"data": 8}, n=64).peak == 64 * 4 + 2 * 8 * 4  # two parts beside the whole that is given
    huge = dsl.cost(m.shared, {"data": 4, "model": 2}, n=10**9, d=4096, h=16384)
    assert huge.flops > 10**15 and formulas(huge)["sent model"] == "n*d"


def collected(text: str) -> int:
    """The bytes that each of eight devices sends in what XLA compiles: a share at a time, around a ring."""
    found = 0
    for types, op in re.findall(r"= (\(.*?\)|\S+) (all-gather|all-reduce)\(", text):
        sizes = [math.prod(map(int, filter(None, dims.split(",")))) for dims in re.findall(r"f32\[([\d,]*)\]", types)]
        found += (2 if op == "all-reduce" else 1) * 4 * sum(sizes) * 7 // 8
    return found


def test_what_is_partitioned_is_counted_by_its_part(m: Any) -> None:
    sizes, p = {"n": 64, "d": 16, "h": 32}, {"first": np.zeros((16, 32), "f4"), "second": np.zeros(32, "f4")}
    found, args = dsl.cost(m.in_parts, {"data": 8}, **sizes), (p, np.zeros((64, 16), "f4"), np.zeros(64, "f4"))
    assert found.sent == {"data": collected(m.in_parts.hlo(*args))}
    assert math.isclose(found.flops, m.in_parts.cost(*args)["flops"], rel_tol=0.03)
    assert found.flops * 7 < dsl.cost(m.in_parts, **sizes).flops
    assert formulas(dsl.cost(m.in_parts, {"data": 8}, n=4096, d=64, h=256))["sent data"] == "21/2*d*h + 21/2*h"


def test_annotations_spread_along_factors(m: Any) -> None:
    sizes = {"n": 64, "d": 16, "h": 32}
    by_hand, found = (dsl.cost(f, {"data": 4, "model": 2}, **sizes) for f in (m.shared, m.cut_mlp))
    assert (found.flops, found.sent) == (4 * 16 * 16 * 16 + 16 * 16, {"model": 16 * 16 * 4})
    assert found.sent == by_hand.sent
    assert dsl.cost(m.turned, {"data": 8}, n=64, d=16).sent == {"data": 8 * 16 * 4 * 7 // 8}
    assert dsl.cost(m.steps, {"data": 8}, n=64, d=16, count=3).flops == 3 * 8 * 16
    assert dsl.cost(m.column, {"data": 8}, n=64, d=16).sent == {"data": 2 * 16 * 4 * 7 // 8}


def test_what_cannot_be_asked_is_refused(m: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(dsl.DslError, match=r"E0812.*`mlp` has no size or static argument `q`; it has n, d, h"):
        dsl.cost(m.mlp, q=3)
    for size in (-3, 2.5):
        with pytest.raises(dsl.DslError, match=rf"E0909.*n is {size}, not a static size"):
            dsl.cost(m.mlp, n=size, d=8, h=8)
    with pytest.raises(dsl.DslError, match=r"E0905.*`x` is missing"):
        dsl.cost(m.mlp, n=3)
    with pytest.raises(dsl.DslError, match=r"E0911.*n % 4 == 0"):
        dsl.cost(m.shared, n=6, d=2, h=2)
    with pytest.raises(dsl.DslError, match=r"E1007.*8 parts, which 3 devices cannot share"):
        dsl.cost(m.shared, {"data": 3}, n=8, d=2, h=2)
    (tmp_path / "m.dsl").write_text(PROGRAM)
    sizes = ["-n", "n=64", "-n", "d=32", "-n", "h=48", "-m", "data=4", "-m", "model=2"]
    assert execute(["cost", str(tmp_path / "m.dsl"), "shared", *sizes]) == 0
    assert "2.05 kB sent along `model` = n*d" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "sizes", "shapes", "near"),
    [
        ("mlp", {"n": 64, "d": 32, "h": 48}, ((64, 32), (32, 48), (48, 32)), 0.01),
        ("loss", {"n": 64, "d": 32, "h": 48}, ((32, 48), (64, 32), (48, 32)), 0.02),
        ("image", {"b": 2, "c": 4, "n": 16, "o": 8}, ((2, 4, 16, 16), (8, 4, 3, 3)), 0.1),
        ("covariance", {"n": 64, "d": 32}, ((64, 32),), 0.01),
    ],
)
def test_xla_says_the_same(m: Any, name: str, sizes: dict[str, int], shapes: Any, near: float) -> None:
    f = dsl.grad(m.loss) if name == "loss" else getattr(m, name)
    args = [np.zeros(shape, "f4") for shape in shapes]
    found, known, memory = dsl.cost(f, **sizes), f.cost(*args), f.memory(*args)
    assert math.isclose(found.flops, known["flops"] + known.get("transcendentals", 0), rel_tol=near)
    assert 0.3 * known["bytes accessed"] <= found.bytes <= 3 * known["bytes accessed"]
    assert memory.arguments + memory.results <= found.peak <= 2 * memory.peak


def test_each_op_says_what_it_takes() -> None:
    for op in some([op for op in OPS.values() if isinstance(op, Op)]):
        for sample in op.samples:
            outputs = op.type_rule(sample.params, sample.inputs)
            for measure in (op.flops, op.sent):
                assert measure is None or measure(sample.params, sample.inputs, outputs) >= 0, op.name
        assert op.sent is None or "name" in op.params.__struct_fields__, op.name


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_a_polynomial_is_found_from_its_values(data: st.DataObject) -> None:
    names = ("n", "d", "h")[: data.draw(st.integers(1, 2))]
    terms = data.draw(st.dictionaries(st.sampled_from(list(lattice(len(names)))), st.integers(-9, 9), max_size=4))
    units = data.draw(st.tuples(*[st.integers(1, 7)] * len(names)))

    def value(sizes: Any) -> int:
        return sum(c * math.prod(sizes[n] ** e for n, e in zip(names, k, strict=True)) for k, c in terms.items())

    found = polynomials(dict(zip(names, units, strict=True)), lambda sizes: {"it": value(sizes)})["it"]
    assert dict(found.terms) == {k: c for k, c in terms.items() if c}
    assert str(fit(("n",), (2,), {(k,): (2 * k + 2) ** 2 for k in range(5)})) == "n^2"

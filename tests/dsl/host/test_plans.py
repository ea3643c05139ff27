"""`dsl.plan`: layouts that the checker accepts, that compile, and that fit into the memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.__main__ import execute
from dsl.host.plans.byte_counts import byte_count
from dsl.host.plans.compiled import traffic_of
from tests.support.cases import some

PROGRAM = """
type Layer[d, h] = {w: f32[d, h], v: f32[h, d]}
type Table[v, d] = {rows: f32[v, d]}
def mlp(x: f32[n, d], w: f32[d, h], v: f32[h, d]) -> f32[n, d] = tanh(x @ w) @ v
def block(p: Layer[d, h], x: f32[n, d]) -> f32[n, d] = x + tanh(x @ p.w) @ p.v
def loss(layers: Layer[d, h][l], x: f32[n, d]) -> f32 =
    let last = fold y = x for p in layers do block(p, y)
    mean(last ** 2)
def step(layers: Layer[d, h][l], x: f32[n, d]) -> Layer[d, h][l] = layers - 0.1 * grad(loss)(layers, x)
def pair(p: (Layer[d, h], Layer[d, h]), x: f32[n, d]) -> f32[n, d] = block(p.1, block(p.0, x))
def embed(table: Table[v, d], i: idx[v][n]) -> f32[n, d] = table.rows[i]
def noisy(k: key, x: f32[n, 4]) -> f32[n, 4] = x + random.normal(k, [n, 4])
def odd(x: f32[7], y: f32[7]) -> f32[7] = x + y
import random
"""


@pytest.fixture(scope="module")
def m() -> Any:
    lines = PROGRAM.strip().splitlines()
    return dsl.program("\n".join([lines[-1], *lines[:-1]]))


@pytest.fixture(scope="module")
def mesh() -> dsl.Mesh:
    return dsl.Mesh(dsl.devices("cpu")[:4], data=2, model=2)


def test_a_large_layer_is_cut_by_columns_and_rows(m: Any) -> None:
    found = dsl.plan(m.mlp, {"data": 4, "model": 2}, {"n": 4096, "d": 1024, "h": 8192}, memory="80MB", count=2)
    assert found.proven and len(found.layouts) == 2
    assert found.best.in_specs == {"x": {"data": 0}, "w": {"model": 1}, "v": {"model": 0}}
    assert found.best.out_specs == {"data": 0} and found.best.sent == {"model": 4096 // 4 * 1024 * 4}
    assert max(each.peak for each in some(found.layouts)) <= 80e6
    assert "17.2 Gflops" in str(found) and "w: {model = 1}" in str(found)


def test_what_is_printed_checks_and_computes_the_same(m: Any, mesh: dsl.Mesh) -> None:
    sizes = {"n": 8, "d": 4, "h": 6}
    rng = np.random.default_rng(0)
    w, v, x = (rng.normal(size=shape).astype("f4") for shape in ((4, 6), (6, 4), (8, 4)))
    layers = {"w": w, "v": v}
    for name, args in some((("pair", ((layers, layers), x)), ("mlp", (x, w, v)))):
        f = getattr(m, name)
        for layout in some(dsl.plan(f, mesh, sizes, count=3).layouts):
            lines = PROGRAM.strip().splitlines()
            text = dsl.program("\n".join([lines[-1], *lines[:-1], layout.definition]))
            made = getattr(text, f"{name}_planned")(*args)
            same = dsl.jit(f, **layout.shardings(mesh))(*args)
            np.testing.assert_allclose(made, f(*args), rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(same, f(*args), rtol=1e-5, atol=1e-6)


def test_arrays_of_a_list_lie_alike(m: Any) -> None:
    found = dsl.plan(m.pair, {"model": 2}, {"n": 64, "d": 512, "h": 1024}, platform="cpu")
    for layout in some(found.layouts):
        spec = layout.in_specs["p"]
        assert not isinstance(spec, tuple) or spec[0] == spec[1]


def test_little_memory_cuts_the_parameters_and_computes_again(m: Any) -> None:
    sizes = {"n": 256, "d": 32, "h": 64, "l": 8}
    plain = dsl.plan(m.step, {"data": 2}, sizes, count=1)
    assert plain.best.checkpoints == ()
    tight = dsl.plan(m.step, {"data": 2}, sizes, count=1, memory=plain.best.peak // 2)
    assert tight.best.peak <= plain.best.peak // 2
    assert tight.best.checkpoints == ("line 7: block -> checkpoint(block)",)
    with pytest.raises(dsl.DslError, match=r"E1021.*no layout of `step` fits into a memory of 20 kB: the least .*kB"):
        dsl.plan(m.step, {"data": 2}, sizes, memory="20kB")


def test_xla_says_what_a_layout_takes(m: Any, mesh: dsl.Mesh) -> None:
    found = dsl.plan(m.mlp, mesh, {"n": 64, "d": 32, "h": 64}, platform="cpu", count=2, check_compiled=True)
    for layout in some(found.layouts):
        assert layout.compiled is not None and 0 < layout.compiled.peak <= 1.3 * layout.peak
        assert layout.compiled.sent == sum(layout.sent.values())
    least = min(each.compiled.peak for each in found.layouts if each.compiled)
    room = dsl.plan(m.mlp, mesh, {"n": 64, "d": 32, "h": 64}, memory=least, count=2, check_compiled=True)
    assert all(each.compiled and each.compiled.peak <= least for each in some(room.layouts))


def test_keys_and_odd_sizes_stay_whole(m: Any) -> None:
    assert dsl.plan(m.noisy, {"i": 2}, {"n": 8}).best.in_specs["k"] is None
    assert dsl.plan(m.odd, {"i": 2}).best.in_specs == {"x": None, "y": None}
    found = dsl.plan(m.embed, {"i": 2}, {"v": 64, "d": 8, "n": 1024})
    assert set(found.best.in_specs) == {"table", "i"}


def test_what_cannot_be_planned_is_refused(m: Any, mesh: dsl.Mesh) -> None:
    sizes = {"n": 8, "d": 4, "h": 6}
    meshes: tuple[Any, ...] = {"data": 0}, {}, 4
    for wrong in some(meshes):
        with pytest.raises(dsl.DslError, match="E1008"):
            dsl.plan(m.mlp, wrong, sizes)
    with pytest.raises(dsl.DslError, match=r"E0812.*without a transformation"):
        dsl.plan(dsl.grad(m.loss), {"i": 2}, sizes)
    with pytest.raises(dsl.DslError, match=r"E0812.*no size or static argument `q`"):
        dsl.plan(m.mlp, {"i": 2}, {"q": 3})
    settings: tuple[dict[str, Any], ...] = (
        {"memory": "lots"},
        {"memory": 0},
        {"platform": "fpga"},
        {"check_compiled": True},
    )
    for options in some(settings):
        with pytest.raises(dsl.DslError, match="E0919"):
            dsl.plan(m.mlp, {"i": 2}, sizes, **options)


def test_numbers_of_bytes() -> None:
    given = {"16GiB": 16 << 30, "512 MB": 512_000_000, "1.5k": 1500, "7": 7, 12: 12}
    assert {each: byte_count(each, "memory") for each in given} == given
    for wrong in some(("", "GB", "-3MB", "0", "3 PB", True, 2.5, None)):
        with pytest.raises(dsl.DslError, match=r"E0919.*`memory` is a number of bytes"):
            byte_count(wrong, "memory")


HLO = """
%add (a: f32[], b: f32[]) -> f32[] {
  ROOT %s = f32[] add(f32[] %a, f32[] %b)
}
%body (p: (s32[], f32[8])) -> (s32[], f32[8]) {
  %g = f32[8]{0} all-gather(f32[4]{0} %x), replica_groups=[1,2]<=[2], dimensions={0}
}
ENTRY %main (x: f32[16]) -> f32[16] {
  %r = f32[16]{0} all-reduce(f32[16]{0} %x), replica_groups={{0,1,2,3}}, to_apply=%add
  %w = (s32[], f32[8]) while(%t), condition=%c, body=%body, backend_config={"known_trip_count":{"n":"5"}}
}
"""


def test_collectives_of_loops_count_for_each_step() -> None:
    found = traffic_of(HLO)
    assert found.sent == 2 * 3 * 64 // 4 + 5 * 32 // 2 and found.exchanges == 6


def test_the_command_prints_a_table_or_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.dsl"
    path.write_text("def mlp(x: f32[n, d], w: f32[d, d]) -> f32[n, d] = tanh(x @ w)\n")
    asked = ["plan", str(path), "mlp", "-n", "n=64", "-n", "d=32", "--mesh", "data=2,model=2", "--count", "1"]
    assert execute(asked) == 0
    text = capsys.readouterr().out
    assert "x: {data = 0, model = 0}" in text and "def mlp_planned(" in text
    path.write_text(f"{path.read_text()}\n{text[text.index('def mlp_planned') :]}")
    assert dsl.load(path).mlp_planned is not None
    assert execute([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["mesh"] == {"data": 2, "model": 2} and data["layouts"][0]["in_specs"]["w"] is None
    assert execute([*asked, "--memory", "1kB"]) == 1
    assert "E1021" in capsys.readouterr().err
    assert execute([*asked, "--mesh", "data=x"]) == 2

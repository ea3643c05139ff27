"""Devices from Python: where calls run, how arrays get from one device to others, and what is said of those missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from lowering.xla.backends import Processor
from lowering.xla.plugins import Plugin, library_of
from tests.support.cases import some

ROOT = Path(__file__).parents[3]
PROGRAM = """
def scale(x: f32[n], by: f32) -> f32[n] = x * by
def both(x: {w: f32[n], b: f32}, y: f32[n]) -> f32[n] = x.w * y + x.b
def filled(static n: int) -> f32[n] = ones([n])
"""
DTYPES = (np.float32, np.int8, np.bool_, np.complex64, ml_dtypes.bfloat16)


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(PROGRAM)


def test_a_call_runs_where_its_arrays_lie(m: Any) -> None:
    x = dsl.device_put(np.arange(3, dtype="f4"), "cpu:5")
    for _ in range(3):  # the slow way, then the quick ones
        y = m.scale(x, 2.0)
        assert str(y.device) == "cpu:5" and y.tolist() == [0, 2, 4]
    assert str(m.both({"w": x, "b": 1.0}, np.ones(3, "f4")).device) == "cpu:5"
    assert str(dsl.vmap(m.scale, in_axes=(None, 0))(x, np.ones(2, "f4")).device) == "cpu:5"


def test_a_call_without_arrays_runs_on_the_chosen_device(m: Any) -> None:
    def places() -> set[str]:
        made = m.filled(3), m.scale(np.ones(3, "f4"), 1.0), dsl.array([1.0]), dsl.key(0)
        return {str(x.device) for x in made}

    assert places() == places() == {"cpu:0"}
    with dsl.default_device("cpu:2", "cpu:3") as chosen:
        assert list(map(str, chosen)) == ["cpu:2", "cpu:3"]
        assert places() == places() == {"cpu:2"}
        with dsl.default_device():
            assert places() == {"cpu:0"}
        assert places() == {"cpu:2"}
    assert places() == {"cpu:0"}


def test_a_choice_holds_from_a_call_on_in_its_own_thread(m: Any) -> None:
    found = []

    def work() -> None:
        dsl.default_device("cpu:4")
        found.append(str(dsl.array([1.0]).device))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["cpu:4"] and str(dsl.array([1.0]).device) == "cpu:0"


def test_one_program_serves_numpy_arrays_and_arrays_of_a_device(m: Any) -> None:
    f = dsl.jit(m.scale)
    f(np.ones(3, "f4"), 1.0)
    f(dsl.array(np.ones(3, "f4")), 1.0)
    assert f.cache_info().size == 1
    f(dsl.device_put(np.ones(3, "f4"), "cpu:1"), 1.0)
    assert f.cache_info().size == 2


def test_arrays_on_different_devices_are_an_error_that_names_both(m: Any) -> None:
    x, y = dsl.device_put(np.ones(3, "f4"), "cpu:1"), dsl.array(np.ones(3, "f4"))
    with pytest.raises(dsl.DeviceError, match=r"`x` is whole on cpu:1, and `y` is whole on cpu:0") as caught:
        m.both({"w": x, "b": 1.0}, y)
    assert caught.value.code == "E1002"
    m.both({"w": x, "b": 1.0}, x)  # the quick way is known, and does not take the other
    with pytest.raises(dsl.DeviceError, match="cpu:0"):
        m.both({"w": x, "b": 1.0}, y)
    with pytest.raises(dsl.DeviceError, match="cpu:1"):
        dsl.jvp(m.scale, (x, 1.0), (y, 1.0))
    _, pull = dsl.vjp(m.both, {"w": y, "b": 1.0}, y)
    with pytest.raises(dsl.DeviceError, match=r"`both` is made for cpu:0, and argument .* is whole on cpu:1"):
        pull(x)


def test_derivatives_stay_on_the_device(m: Any) -> None:
    x = dsl.device_put(np.ones(3, "f4"), "cpu:6")
    _, pull = dsl.vjp(m.scale, x, 3.0)
    assert {str(g.device) for g in pull(x)} == {"cpu:6"}
    assert str(dsl.jvp(m.scale, (x, 2.0), (x, 0.0))[1].device) == "cpu:6"


@st.composite
def shardings(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], list[dsl.Sharding]]:
    """An array, and ways to lay it over devices."""
    shape = draw(st.sampled_from([(), (8,), (4, 8), (8, 0), (3, 8, 4)]))
    dtype = draw(st.sampled_from(DTYPES))
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    ways = []
    for _ in range(3):
        count, start = draw(st.sampled_from([1, 2, 4])), draw(st.integers(0, 4))
        axes = [None, *[k for k, n in enumerate(shape) if n % count == 0]]
        devices = dsl.devices()[start : start + count]
        if count == 4 and draw(st.booleans()):
            cuts = {name: axis for name in "ab" if (axis := draw(st.sampled_from(axes))) is not None}
            ways.append(dsl.Sharding(dsl.Mesh(devices, a=2, b=2), cuts))
        else:
            ways.append(dsl.Sharding(devices, draw(st.sampled_from(axes))))
    return array, ways


@given(shardings())
def test_an_array_is_the_same_wherever_it_is_put(case: tuple[Any, list[dsl.Sharding]]) -> None:
    array, ways = case
    moved: Any = array
    for sharding in some(ways):
        moved = dsl.device_put(moved, sharding)
        assert moved.sharding == sharding and str(sharding).endswith(", ".join(map(str, sharding.devices)))
        read = np.asarray(moved)
        assert read.dtype == array.dtype and read.shape == array.shape and not read.flags.writeable
        np.testing.assert_array_equal(read, array)
        for shard, device in zip(moved.addressable_shards, sharding.devices, strict=True):
            assert shard.device == device == shard.data.device
            np.testing.assert_array_equal(np.asarray(shard.data), array[shard.index])


def test_what_is_put_is_a_copy_in_the_same_containers() -> None:
    host = np.zeros(4, "f4")
    put = dsl.device_put({"w": host, "rest": (1, [True], None)}, dsl.Sharding(dsl.devices()[:2]))
    host[:] = 1
    assert put["w"].tolist() == [0] * 4 and put["rest"][0].item() == 1
    assert isinstance(put["rest"][1], list) and put["rest"][2] is None


def test_an_array_on_several_devices_has_no_one_device(m: Any) -> None:
    x = dsl.device_put(np.ones(4, "f4"), dsl.Sharding(dsl.devices()[:2], axis=0))
    assert list(map(str, x.devices)) == ["cpu:0", "cpu:1"] and repr(x) == "Array([1., 1., 1., 1.], f32)"
    with pytest.raises(ValueError, match="axis 0 on cpu:0, cpu:1"):
        _ = x.device
    y = m.scale(x, 2.0)
    assert y.tolist() == [2] * 4 and str(y.sharding) == "whole on cpu:0, cpu:1"
    assert (x + 1).sharding == x.sharding


def sharded(axis: Any) -> dsl.Sharding:
    return dsl.Sharding(dsl.Mesh(dsl.devices()[:3], a=1, b=3), axis)


@pytest.mark.parametrize(
    ("code", "words", "act"),
    [
        ("E1003", "is in use", lambda: dsl.set_cpu_devices(2)),
        ("E1003", "is 0, and", lambda: Processor().ask_for(0)),
        ("E1004", "no device `cpu:99`", lambda: dsl.default_device("cpu:99")),
        ("E1004", "no platform `vax`", lambda: dsl.devices("vax")),
        ("E1010", "cut: `{'b': 1}`", lambda: sharded((None, "b"))),
        ("E1010", "cut: `{'b': 0}`", lambda: sharded({0: "b"})),
        ("E1006", "3 equal parts", lambda: dsl.device_put(np.ones(4), dsl.Sharding(dsl.devices()[:3], axis=0))),
        ("E1006", "f32 cannot be cut", lambda: dsl.device_put(1.0, dsl.Sharding(dsl.devices()[:3], axis=0))),
    ],
)
def test_what_cannot_be_had(code: str, words: str, act: Any) -> None:
    with pytest.raises(dsl.DeviceError, match=words) as caught:
        dsl.array([1.0])
        act()
    assert caught.value.code == code


def test_a_mesh_says_which_axis_lies_over_which_of_its_own() -> None:
    mesh = dsl.Mesh(dsl.devices()[:4], data=2, model=2)
    x = dsl.device_put(np.arange(8, dtype="f4").reshape(2, 4), dsl.Sharding(mesh, {"data": 1}))
    assert str(x.sharding) == "axis 1 in 2 on cpu:0, cpu:1, cpu:2, cpu:3"
    assert [shard.data.tolist() for shard in x.addressable_shards[1:3]] == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]
    same = dsl.Sharding(mesh, {"model": 0, "data": 0})
    assert same == dsl.Sharding(dsl.devices()[:4], axis=0) and same.axis == 0
    assert str(dsl.Sharding(mesh, {"data": 1, "model": 0})).startswith("axis 0 in 2 and axis 1 in 2 on")
    with pytest.raises(dsl.DeviceError, match=r"f32\[2, 4\] cannot be cut into 4 equal parts along axis 0"):
        dsl.device_put(x, same)
    with pytest.raises(ValueError, match="has 4 places, not 3"):
        dsl.Mesh(dsl.devices()[:3], data=2, model=2)
    with pytest.raises(ValueError, match=r"data=2, model=2 on .* has no axis 'rows'"):
        dsl.Sharding(mesh, {"rows": 0})


def test_a_sharding_is_over_different_devices() -> None:
    for devices in ([], [dsl.devices()[0]] * 2):
        with pytest.raises(ValueError, match="different devices"):
            dsl.Sharding(devices)


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


SHOW = "import dsl; print(dsl.device_count(), *dsl.devices())"


def test_the_environment_says_how_many_devices_the_processor_is() -> None:
    assert in_a_process(SHOW, DSL_CPU_DEVICES="2", DSL_PLATFORM="cpu").stdout == "2 cpu:0 cpu:1\n"
    set_before = f"import dsl; dsl.set_cpu_devices(3)\n{SHOW}"
    assert in_a_process(set_before, DSL_CPU_DEVICES="2", DSL_PLATFORM="cpu").stdout == "3 cpu:0 cpu:1 cpu:2\n"
    wrong = in_a_process(SHOW, DSL_CPU_DEVICES="none", DSL_PLATFORM="cpu")
    assert "E1003" in wrong.stderr and "DSL_CPU_DEVICES is 'none'" in wrong.stderr


def test_a_platform_that_is_asked_for_is_not_replaced_by_the_processor(tmp_path: Path) -> None:
    missing = in_a_process(SHOW, DSL_PLATFORM="rocm")
    assert "E1005" in missing.stderr and "puredsl[rocm]" in missing.stderr
    broken = tmp_path / "libtpu.so"
    broken.write_bytes(b"")
    unloadable = in_a_process(SHOW, DSL_PLATFORM="tpu", TPU_LIBRARY_PATH=str(broken))
    assert "error[E1005]: `tpu` has no working device: " in unloadable.stderr
    assert in_a_process(SHOW, TPU_LIBRARY_PATH=str(broken), DSL_CPU_DEVICES="1").stdout == "1 cpu:0\n"


def test_a_plugin_is_found_without_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "jax_plugins_of_test" / "xla_some"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    plugin = Plugin(("jax_plugins_of_test.xla_some", "jax_plugins_of_test.xla_other"), "plugin.so", "some")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert library_of(plugin) is None
    (package / "plugin.so").write_bytes(b"")
    assert library_of(plugin) == str(package / "plugin.so")


def test_the_choice_of_a_device_needs_no_jax() -> None:
    code = (
        "import sys, dsl\n"
        "m = dsl.program('def f(x: f32[n]) -> f32[n] = x * 2.0')\n"
        "x = dsl.device_put(dsl.array([1.0, 2.0]), 'cpu:1')\n"
        "print(m.f(x).tolist(), dsl.device_put(x, 'cpu:0').tolist(), 'jax' in sys.modules)"
    )
    assert in_a_process(code, DSL_CPU_DEVICES="2").stdout == "[2.0, 4.0] [1.0, 2.0] False\n"

"""Arrays that are cut over devices are saved in parts, and lie on other meshes when they are loaded."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import dsl
from dsl.host.files import saving
from dsl.host.files.part_files import KEY

SPECS: tuple[dict[str, int], ...] = ({}, {"a": 0}, {"b": 1}, {"a": 1, "b": 0}, {"a": 0, "b": 0}, {"b": 0})


def mesh(a: int, b: int) -> dsl.Mesh:
    return dsl.Mesh(dsl.devices("cpu")[: a * b], a=a, b=b)


def laid(x: Any, a: int, b: int, spec: dict[str, int]) -> dsl.Array:
    made: dsl.Array = dsl.device_put(x, dsl.Sharding(mesh(a, b), spec))
    return made


LAYOUTS = st.tuples(st.sampled_from((1, 2)), st.sampled_from((1, 2, 4)), st.sampled_from(SPECS))


@settings(max_examples=20)
@given(LAYOUTS, LAYOUTS, st.sampled_from(("f4", "i1", ml_dtypes.bfloat16)), st.sampled_from((8, 0)))
def test_what_is_saved_on_one_mesh_is_loaded_on_another(before: Any, after: Any, dtype: Any, rows: int) -> None:
    values = np.arange(rows * 8).reshape(rows, 8).astype(dtype)
    tree = {"layers": [laid(values, *before)], "step": np.int32(3)}
    lies = laid(np.zeros_like(values), *after)
    like = {"layers": [lies], "step": np.int32(0)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.safetensors"
        dsl.save(path, tree)
        loaded, plain = dsl.load_arrays(path, like=like), dsl.load_arrays(path)
    (x,) = loaded["layers"]
    assert x.sharding == lies.sharding and x.dtype == values.dtype
    assert np.array_equal(x, values) and np.array_equal(plain["layers"]["0"], values)
    assert int(loaded["step"]) == 3


def test_a_part_is_saved_once_and_in_its_own_shape(tmp_path: Path) -> None:
    x = np.arange(16, dtype="f4").reshape(4, 4)
    dsl.save(tmp_path / "m", {"x": laid(x, 2, 2, {"a": 0}), "y": x})
    (parts,) = [load_file(file) for file in tmp_path.glob("m.*")]
    assert {name: part.tolist() for name, part in parts.items()} == {"x#0": x[:2].tolist(), "x#1": x[2:].tolist()}
    assert list(load_file(tmp_path / "m")) == ["y"]


@pytest.mark.parametrize("moment", ("before the parts", "before the file"))
def test_a_save_that_is_killed_leaves_the_one_before(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, x = tmp_path / "m", np.arange(8, dtype="f4")
    dsl.save(path, laid(x, 2, 2, {"a": 0}))
    write = saving._write

    def killed(named: Any, to: Path, arrays: Any, notes: Any) -> None:
        if (to == path) == (moment == "before the file"):
            raise KeyboardInterrupt
        write(named, to, arrays, notes)

    with monkeypatch.context() as patch:
        patch.setattr(saving, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            dsl.save(path, laid(2 * x, 2, 2, {"a": 0}))
    assert np.array_equal(dsl.load_arrays(path), x)
    dsl.save(path, laid(3 * x, 2, 2, {"b": 0}))
    assert np.array_equal(dsl.load_arrays(path), 3 * x)
    assert len(list(tmp_path.iterdir())) == 2  # what was left behind is gone
    dsl.save(path, x)
    assert list(tmp_path.iterdir()) == [path]


def test_files_whose_parts_are_not_right_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    dsl.save(path, laid(np.arange(8, dtype="f4"), 2, 1, {"a": 0}))
    with pytest.raises(dsl.DeviceError, match=r"E1006.*cannot be cut into 3 equal parts"):
        dsl.load_arrays(path, like=dsl.device_put(np.zeros(3), dsl.Sharding(dsl.devices("cpu")[:3], axis=0)))
    (parts,) = tmp_path.glob("m.*")
    parts.rename(tmp_path / "away")
    with pytest.raises(dsl.InputError, match="E0960"):
        dsl.load_arrays(path)
    for wrong in (
        "{",
        '{"x": {"shape": [2]}}',
        '{"x": {"shape": [2], "size": [2], "parts": [{"file": "../away", "name": "array#0", "start": [0]}]}}',
        '{"x": {"shape": [9], "size": [4], "parts": [{"file": "away", "name": "array#0", "start": [0]}]}}',
        '{"x": {"shape": [4], "size": [4], "parts": [{"file": "away", "name": "z", "start": [0]}]}}',
    ):
        save_file({}, path, {KEY: wrong})
        with pytest.raises(dsl.InputError, match="E0962"):
            dsl.load_arrays(path)


@pytest.mark.parametrize("name", ["plain.st", "a[1].st", "*.st", "a?b.st", "[!a].st"])
def test_saving_again_leaves_one_file_of_parts(name: str, tmp_path: Path) -> None:
    x = laid(np.arange(8.0, dtype="f4"), 2, 1, {"a": 0})
    other = tmp_path / "a1.st.12345678.0"
    other.write_bytes(b"of another")
    for _ in range(3):
        dsl.save(tmp_path / name, x)
    assert len(list(tmp_path.iterdir())) == 3 and other.exists()
    assert np.array_equal(dsl.load_arrays(tmp_path / name), x)

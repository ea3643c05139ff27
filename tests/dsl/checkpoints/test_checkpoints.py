"""Checkpoints: what is saved is restored, which of them are kept, and what is refused."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import dsl
from dsl.checkpoints import Checkpoints
from dsl.checkpoints.files import NOTE

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@dataclass
class Layer:
    w: Any
    b: Any


def state(x: float = 1.0) -> dict[str, Any]:
    """One leaf of each kind."""
    return {
        "layers": [Layer(dsl.array(x * X), np.float64(x)), Layer(x * X[0], None)],
        "key": dsl.key(7),
        "half": dsl.array(X, "bf16"),
        "count": 3_000_000_000,
        "rate": 0.1,
        "on": True,
    }


def same(found: Any, wanted: Any) -> None:
    assert dsl.tree.paths(found) == dsl.tree.paths(wanted)
    for got, want in zip(dsl.tree.leaves(found), dsl.tree.leaves(wanted), strict=True):
        assert type(got) is type(want)
        if want is not None:
            assert np.asarray(got).dtype == np.asarray(want).dtype
            assert np.asarray(got).tobytes() == np.asarray(want).tobytes()


def saved(folder: Path, count: int, **options: Any) -> Checkpoints:
    kept = Checkpoints(folder, **options)
    for step in range(1, count + 1):
        kept.save(step, {"x": float(step) * X}, metrics={"loss": abs(step - 3)})
    kept.wait()
    return kept


def refused(code: str, call: Any) -> str:
    with pytest.raises(dsl.InputError) as caught:
        call()
    assert caught.value.code == code
    assert len(caught.value.diagnostics) == 1
    return str(caught.value)


@pytest.mark.parametrize("asynchronous", (True, False))
def test_leaves_of_every_kind_come_back_as_they_were(tmp_path: Path, asynchronous: bool) -> None:
    with Checkpoints(tmp_path / "a" / "b", asynchronous=asynchronous) as kept:
        assert kept.restore() is None and kept.steps() == []
        kept.save(5, state(), metrics={"loss": 0.1, "bad": np.nan}, position={"batch": 4, "key": [1, 2]})
    found = Checkpoints(tmp_path / "a" / "b").restore(state(0.0))
    assert found is not None
    same(found.state, state())
    assert found.step == 5 and found.position == {"batch": 4, "key": [1, 2]}
    assert found.metrics["loss"] == 0.1 and np.isnan(found.metrics["bad"])
    assert repr(found.state["key"]).endswith("key)")


def test_a_checkpoint_is_a_file_that_others_read(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    (path,) = tmp_path.iterdir()
    assert path.name == "step-000000001.safetensors"
    assert np.array_equal(load_file(path)["x"], X) and np.array_equal(dsl.load_arrays(path)["x"], X)


def test_shapes_without_elements_say_what_is_restored(tmp_path: Path) -> None:
    init = dsl.program("def init(k: key, static n: size) -> {w: f32[n], k: key} = {w = zeros([n]), k = k}").init
    with Checkpoints(tmp_path) as kept:
        kept.save(0, init(dsl.key(3), n=4))
    found = kept.restore(init.eval_shape(dsl.key(0), n=4))
    assert found is not None and np.array_equal(found.state["w"], np.zeros(4, "f4"))
    bare = kept.restore()
    assert bare is not None and sorted(bare.state) == ["k", "w"]


def test_the_newest_and_the_best_are_kept(tmp_path: Path) -> None:
    assert saved(tmp_path / "a", 7, keep=2).steps() == [6, 7]
    assert saved(tmp_path / "b", 7, keep=2, best="loss").steps() == [3, 6, 7]
    largest = saved(tmp_path / "c", 7, keep=2, best="loss", mode="max")
    assert (largest.steps(), largest.best_step()) == ([6, 7], 7)
    assert saved(tmp_path / "d", 7, keep=None).steps() == [1, 2, 3, 4, 5, 6, 7]
    best = saved(tmp_path / "e", 7, keep=1, best="loss")
    found = best.restore({"x": X}, step=best.best_step())
    assert found is not None and np.array_equal(found.state["x"], 3 * X)


def test_a_metric_that_is_not_finite_is_never_the_best(tmp_path: Path) -> None:
    with Checkpoints(tmp_path, keep=1, best="loss") as kept:
        for step, loss in enumerate((np.nan, 2.0, -np.inf, np.nan)):
            kept.save(step, {"x": X}, metrics={"loss": loss})
    assert kept.best_step() == 1 and kept.steps() == [1, 3]
    with Checkpoints(tmp_path / "none", keep=1, best="loss") as none:
        for step in range(3):
            none.save(step, {"x": X}, metrics={"loss": np.nan})
    assert none.best_step() is None and none.steps() == [2]


def test_arrays_that_change_after_a_save_are_saved_as_they_were(tmp_path: Path) -> None:
    with Checkpoints(tmp_path) as kept:
        x = X.copy()
        kept.save(1, {"x": x})
        x[:] = 9
    found = kept.restore({"x": X})
    assert found is not None and np.array_equal(found.state["x"], X)


def test_a_step_is_replaced(tmp_path: Path) -> None:
    saved(tmp_path, 2)
    with Checkpoints(tmp_path) as kept:
        kept.save(2, {"x": 9 * X})
    found = kept.restore({"x": X})
    assert found is not None and np.array_equal(found.state["x"], 9 * X)


# ---------------------------------------------------------------- damage


def test_no_byte_can_change_unseen(tmp_path: Path) -> None:
    kept = saved(tmp_path, 2, keep=None)
    path = tmp_path / "step-000000002.safetensors"
    whole = path.read_bytes()
    places = [*range(0, len(whole), 7), *range(len(whole) - 24, len(whole))]
    for at in places:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert "restore(like, step=1)" in refused("E0971", lambda: kept.restore({"x": X}))
    for length in (0, 4, 8, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused("E0971", lambda: kept.restore())
    before = kept.restore({"x": X}, step=1)
    assert before is not None and np.array_equal(before.state["x"], X)


def test_files_of_others_are_refused_and_left_alone(tmp_path: Path) -> None:
    kept = saved(tmp_path, 1)
    foreign = tmp_path / "step-000000000.safetensors"
    for notes in (None, {NOTE: "{"}, {NOTE: '{"version": 2}'}, {NOTE: '{"version": 1}'}, {NOTE: "[]"}):
        save_file({"x": X}, foreign, notes)
        refused("E0971", lambda: kept.restore(step=0))
    (tmp_path / "step-1.safetensors.txt").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    saved(tmp_path, 6, keep=1)
    assert foreign.exists() and (tmp_path / "notes.txt").exists()
    assert kept.steps() == [0, 6]


def test_records_that_differ_are_refused_with_all_differences(tmp_path: Path) -> None:
    with Checkpoints(tmp_path) as kept:
        kept.save(1, {"w": X, "b": np.zeros(3, "f4"), "old": 1, "n": 4})
    report = refused("E0972", lambda: kept.restore({"w": X.T, "b": np.zeros(3), "new": X, "n": 0.5}))
    for words in (
        "the file has no `new`",
        "the record has no `old`",
        "`w` is f32[2, 3] in the file and f32[3, 2] here",
        "`b` is f32[3] in the file and f64[3] here",
        "`n` is i64 in the file and a Python float here",
    ):
        assert words in report
    report = refused("E0972", lambda: kept.restore({f"x{k}": X for k in range(9)}))
    assert "7 more leaves differ" in report
    assert "str is not an array" in refused("E0972", lambda: kept.restore({"w": "w", "b": X, "old": 1, "n": 4}))
    changed = kept.restore()  # a record of another version is made from the old one
    assert changed is not None
    kept.save(2, {"w": changed.state["w"], "new": X})
    kept.wait()
    found = kept.restore({"w": X, "new": X})
    assert found is not None and found.step == 2


def test_steps_that_are_not_there_are_refused(tmp_path: Path) -> None:
    assert "its steps are 1, 2" in refused("E0973", lambda: saved(tmp_path, 2).restore(step=9))
    assert "has no checkpoints" in refused("E0973", lambda: Checkpoints(tmp_path / "none").restore(step=9))


def test_leaves_that_no_file_holds_are_refused(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path)
    for wrong in ({"a": {"b": 1}, "a.b": 2}, {"__metadata__": X}, {"name": "text"}, {"x": np.array([None])}):
        refused("E0966", lambda wrong=wrong: kept.save(1, wrong))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda folder: Checkpoints(folder, keep=0),
        lambda folder: Checkpoints(folder, mode=cast("Any", "most")),
        lambda folder: Checkpoints(folder).save(-1, X),
        lambda folder: Checkpoints(folder, best="loss").save(1, X, metrics={"los": 1.0}),
        lambda folder: Checkpoints(folder).best_step(),
    ],
)
def test_calls_without_a_meaning_are_refused(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(ValueError):
        wrong(tmp_path)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- saves that fail

MOMENTS = ("mkstemp", "fsync", "chmod", "replace")


@pytest.mark.parametrize("asynchronous", (True, False))
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_full_disk_leaves_the_checkpoint_before(
    tmp_path: Path, moment: str, asynchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = saved(tmp_path, 2, keep=1, asynchronous=asynchronous)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def save() -> None:
        kept.save(3, {"x": X})
        kept.wait()

    with monkeypatch.context() as patch:
        patch.setattr(f"tempfile.{moment}" if moment == "mkstemp" else f"os.{moment}", full)
        assert "no space left on device" in refused("E0966", save)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000002.safetensors"]
    found = kept.restore({"x": X})
    assert found is not None and np.array_equal(found.state["x"], 2 * X)
    save()
    assert kept.steps() == [3]


def test_an_error_of_the_thread_comes_with_the_next_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Checkpoints(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EDQUOT, "Disk quota exceeded")))
        kept.save(1, {"x": X})
        refused("E0966", lambda: kept.save(2, {"x": X}))
    kept.save(2, {"x": X})
    kept.wait()
    assert kept.steps() == [2]


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = Checkpoints(tmp_path / "file")
    refused("E0966", lambda: kept.save(1, {"x": X}))
    refused("E0960", lambda: kept.restore())


KILLED = """
import os, sys, time
import numpy as np
from dsl.checkpoints import Checkpoints

kept, x = Checkpoints(sys.argv[1], keep=1), np.arange(6, dtype=np.float32)
kept.save(1, {"x": x})
kept.wait()
synced = os.fsync

def fsync(handle):
    synced(handle)
    print("writing", flush=True)
    time.sleep(60)

os.fsync = fsync
kept.save(2, {"x": 2 * x})
kept.wait()
"""


def test_a_process_that_is_killed_while_it_saves_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "writing\n"
        process.kill()
    kept = Checkpoints(tmp_path, keep=1)
    found = kept.restore({"x": np.zeros(6, "f4")})
    assert found is not None and (found.step, found.state["x"][5]) == (1, 5)
    (left,) = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    kept.save(2, found.state)
    kept.wait()
    assert left.exists(), "it could be of a process that is still writing"
    os.utime(left, (0, 0))
    kept.save(3, found.state)
    kept.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000003.safetensors"]


# ---------------------------------------------------------------- over devices


def laid(x: Any, count: int, axis: int) -> dsl.Array:
    made: dsl.Array = dsl.device_put(x, dsl.Sharding(dsl.devices("cpu")[:count], axis=axis))
    return made


def test_arrays_over_devices_are_restored_on_others(tmp_path: Path) -> None:
    x = np.arange(32, dtype="f4").reshape(4, 8)
    with Checkpoints(tmp_path, keep=1) as kept:
        for step in (1, 2):
            kept.save(step, {"x": laid(step * x, 4, 0), "n": step})
    assert len(list(tmp_path.iterdir())) == 2, "the parts of the step before are gone"
    like: dict[str, Any] = {"x": laid(0 * x, 2, 1), "n": 0}
    found = kept.restore(like)
    assert found is not None and found.state["n"] == 2
    assert np.array_equal(found.state["x"], 2 * x) and found.state["x"].sharding == like["x"].sharding
    assert "f32[4, 8]" in refused("E0972", lambda: kept.restore({"x": laid(x.T, 2, 1), "n": 0}))


def test_damaged_and_lost_parts_are_found(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path, asynchronous=False)
    kept.save(1, laid(np.arange(8, dtype="f4"), 2, 0))
    like = laid(np.zeros(8, "f4"), 4, 0)
    (parts,) = [path for path in tmp_path.iterdir() if path.suffix != ".safetensors"]
    whole = parts.read_bytes()
    parts.write_bytes(whole[:-1] + b"x")
    refused("E0971", lambda: kept.restore(like))
    parts.unlink()
    assert parts.name in refused("E0971", lambda: kept.restore(like))
    os.utime(tmp_path / "step-000000001.safetensors")
    parts.write_bytes(whole)
    os.utime(parts, (0, 0))
    kept.save(2, laid(np.arange(8, dtype="f4"), 2, 0))
    assert kept.restore(like, step=1) is not None, "old parts of a checkpoint that is there stay"

"""Results printed and saved, and files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import dsl
from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.diagnostic import InputError
from dsl.tools.results import leaves, save, show

FITTED = ({"b": np.float32(1.5), "w": np.array([1, 2], np.float32)}, np.linspace(1, 0, 50, dtype=np.float32))


def test_a_result_is_printed_leaf_by_leaf() -> None:
    assert show(FITTED).splitlines()[:2] == ["0.b : f32     = 1.5", "0.w : f32[2]  = [1., 2.]"]
    assert show(FITTED).splitlines()[2].startswith("1   : f32[50] = [1.      , 0.979592, 0.959184, ...")
    assert show(np.int32(3)) == "result : i32 = 3"
    assert show(()) == ""


def test_the_rows_of_a_matrix_stand_below_each_other() -> None:
    assert show({"m": np.eye(2, dtype=np.float32)}).splitlines() == [
        "m : f32[2, 2] = [[1., 0.],",
        "                 [0., 1.]]",
    ]


def test_a_result_is_saved_under_dotted_names(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    save((*FITTED, np.array([1.5], ml_dtypes.bfloat16)), path)
    with np.load(path) as saved:
        assert sorted(saved.files) == ["0.b", "0.w", "1", "2"]
        np.testing.assert_array_equal(saved["0.w"], FITTED[0]["w"])
        assert saved["2"].dtype == np.float32
        assert saved["2"].tolist() == [1.5]
    save(np.float32(2), path)
    with np.load(path) as saved:
        assert saved["result"] == 2


def test_keys_are_shown_as_keys() -> None:
    m = dsl.program("""
        import random
        def f(k: key) -> (key, {rest: key[2], n: i32}) =
            let (a, b) = random.split(k)
            (a, {rest = random.split(b, 2), n = 3})
    """)
    shown = show(m.f(0), m.f.signature.result)
    assert [line.split(" = ")[0].split() for line in shown.splitlines() if " : " in line] == [
        ["0", ":", "key"],
        ["1.rest", ":", "key[2]"],
        ["1.n", ":", "i32"],
    ]


def test_names_of_leaves() -> None:
    nested = {"a": (1, {"b": 2}), "c": [3]}
    assert [name for name, _ in leaves(nested)] == ["a.0", "a.1.b", "c.0"]


def test_a_file_is_replaced_with_its_permissions_and_through_links(tmp_path: Path) -> None:
    target, link = tmp_path / "a", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert target.read_text() == "new"
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["a", "link"]


def test_what_cannot_be_written_says_why_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory") as caught:
        write_atomically(tmp_path / "nix" / "a", b"new")
    assert caught.value.code == "E0966"
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="E0966"):
        write_atomically(tmp_path / "folder", b"new")
    assert os.listdir(tmp_path) == ["folder"]

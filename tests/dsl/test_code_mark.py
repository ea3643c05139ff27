"""Marks of the code: what makes what is kept on disk stale, and what does not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dsl.code_mark import RECORDS, files_in, mark_of


def test_a_changed_file_is_other_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    before = files_in(str(tmp_path))
    (tmp_path / "a.py").write_text("x = 10\n")
    assert files_in(str(tmp_path)) != before


def test_the_mark_of_a_release_is_that_of_a_copy_elsewhere(tmp_path: Path) -> None:
    package = tmp_path / "here" / "package"
    (package / "inner").mkdir(parents=True)
    (package / "inner" / "a.dsl").write_text("def f(x: f32) = x\n")
    copied = shutil.copytree(package, tmp_path / "there" / "package")
    os.utime(copied / "inner" / "a.dsl", (1, 1))
    assert mark_of([str(package)]) == mark_of([str(copied)])
    (copied / "inner" / "b.dsl").write_text("")
    assert mark_of([str(package)]) != mark_of([str(copied)])


def test_records_and_compiled_modules_are_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")
    (tmp_path / f"library{RECORDS}").write_text("x")
    assert files_in(str(tmp_path)) == []


def test_links_to_nothing_are_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.dsl").write_text("def f(x: f32) = x\n")
    before = files_in(str(tmp_path))
    (tmp_path / ".#a.dsl").symlink_to("user@machine.1234")
    (tmp_path / "round").symlink_to("round")
    assert files_in(str(tmp_path)) == before

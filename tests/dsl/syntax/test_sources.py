"""Where imports are found: beside the program and in the folders of `DSLPATH`, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.syntax.sources import resolver
from typechecker import check_file

SECRET = "root:x:0:0:root:/root:/bin/bash\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder beside another one that does not belong to it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "passwd").write_text(SECRET)
    (tmp_path / "elsewhere" / "shapes.dsl").write_text("def twice(x: f32) -> f32 = x * 2.0\n")
    folder = tmp_path / "project"
    (folder / "parts").mkdir(parents=True)
    return folder


def test_a_link_out_of_the_folder_is_not_followed(project: Path) -> None:
    (project / "link.dsl").symlink_to(project.parent / "elsewhere" / "passwd")
    (project / "away").symlink_to(project.parent / "elsewhere")
    find = resolver({}, project)
    assert find("link") is None
    assert find("away.shapes") is None
    (project / "main.dsl").write_text("import link\n\ndef f(x: f32) -> f32 = x\n")
    (found,) = check_file(project / "main.dsl").diagnostics
    assert found.code == "E0203"
    assert "/bin/bash" not in repr(found)


def test_links_within_the_folder_are_followed(project: Path) -> None:
    (project / "parts" / "real.dsl").write_text("def f(x: f32) -> f32 = x\n")
    (project / "alias.dsl").symlink_to(project / "parts" / "real.dsl")
    found = resolver({}, project)("alias")
    assert found is not None and found.name == str(project / "alias.dsl")


def test_a_folder_that_is_a_link_itself_is_one_of_its_own_files(project: Path, tmp_path: Path) -> None:
    (project / "real.dsl").write_text("def f(x: f32) -> f32 = x\n")
    (tmp_path / "alias").symlink_to(project)
    assert resolver({}, tmp_path / "alias")("real") is not None


def test_a_link_into_a_folder_of_dslpath_is_followed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "away").symlink_to(project.parent / "elsewhere")
    monkeypatch.setenv("DSLPATH", str(project.parent / "elsewhere"))
    assert resolver({}, project)("away.shapes") is not None

"""A module of the user that has the name of a package of puredsl is told so when `dsl` is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dsl.siblings import HOME, SIBLINGS, check_siblings


def test_each_package_that_is_installed_beside_it_is_known() -> None:
    beside = {path.parent.name for path in HOME.glob("*/__init__.py")} & {"lowering", "stdlib", "typechecker"}
    assert beside == set(SIBLINGS)
    check_siblings()


@pytest.mark.parametrize("hidden", ["typechecker.py", "lowering/__init__.py"])
def test_a_module_that_hides_one_is_named(tmp_path: Path, hidden: str) -> None:
    (tmp_path / hidden).parent.mkdir(exist_ok=True)
    (tmp_path / hidden).touch()
    (tmp_path / "script.py").write_text("import dsl\n")
    environment = {**os.environ, "PYTHONPATH": str(HOME)}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    name = hidden.removesuffix(".py").removesuffix("/__init__")
    wanted = f"ImportError: {tmp_path / hidden} hides the package `{name}` of puredsl: give it another name"
    assert done.stderr.splitlines()[-1] == wanted


def test_a_folder_without_python_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stdlib").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    check_siblings()

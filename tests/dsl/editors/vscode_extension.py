"""The extension for VS Code as it is packaged: its files, and what it shows of a program. `make vscode` builds it and
runs this; Node.js stands in for VS Code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[3]
STAND_IN = Path(__file__).parent / "vscode_stand_in.js"


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which VS Code would unpack it."""
    folder = tmp_path_factory.mktemp("vsix")
    with ZipFile(ROOT / "out" / "puredsl.vsix") as archive:
        archive.extractall(folder)
    return folder / "extension"


def paths(node: Any) -> Iterator[str]:
    """The files that a manifest names."""
    match node:
        case dict():
            for part in node.values():
                yield from paths(part)
        case list():
            for part in node:
                yield from paths(part)
        case str() if node.startswith("./"):
            yield node


def test_all_files_that_the_manifest_names_are_packaged(extension: Path) -> None:
    named = [*paths(json.loads((extension / "package.json").read_text(encoding="utf-8")))]
    assert len(named) == 4 and all((extension / name).is_file() for name in named)
    assert not (extension / "node_modules").exists()


def test_it_starts_the_server_and_shows_what_is_wrong(extension: Path) -> None:
    text = "def f(x: f32[n]) = summ(x)\n"
    command = ["node", str(STAND_IN), str(extension / "out" / "extension.js"), sys.executable, "/nowhere/a.dsl", text]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (shown,) = json.loads(done.stdout)
    assert shown["code"] == "E0201" and shown["source"] == "dsl" and "did you mean `sum`?" in shown["message"]
    assert shown["range"] == {"start": {"line": 0, "character": 19}, "end": {"line": 0, "character": 23}}

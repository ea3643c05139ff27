"""The layers of ARCHITECTURE.md, as contracts in pyproject.toml, hold; and the contracts can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = {
    contract["name"]: (contract["containers"][0], [layer.split(" | ")[0] for layer in contract["layers"]])
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    if contract["name"].startswith("Rooms of")
}
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """The packages of the project with their modules empty, and the same contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("")
    return tmp_path


def module_path(root: Path, name: str) -> Path:
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_the_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


def test_an_empty_skeleton_keeps_the_contracts(skeleton: Path) -> None:
    result = lint(skeleton)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("dsl.types.type", "import dsl.ir.function", "Layers BROKEN"),
        ("dsl.diagnostics.render", "import dsl.types.type", "Layers BROKEN"),
        ("dsl.ir.function", "import dsl.core.core", "Layers BROKEN"),
        ("typechecker", "import lowering", "Layers BROKEN"),
        ("dsl.tools.report", "import dsl.__main__", "Layers BROKEN"),
        ("lowering.stablehlo", "import jaxlib.mlir", "Only lowering.xla imports jaxlib BROKEN"),
        ("lowering.xla", "import jax", "Nothing imports jax BROKEN"),
        ("typechecker", "import lark", "Only dsl.syntax.parse imports lark BROKEN"),
        ("stdlib", "import dsl.types", "The standard library is text BROKEN"),
        *[
            (f"{package}.{below}", f"import {package}.{above}", f"{name} BROKEN")
            for name, (package, rooms) in ROOMS.items()
            for above, below in pairwise(rooms)
        ],
    ],
)
def test_each_contract_can_fail(skeleton: Path, module: str, line: str, contract: str) -> None:
    module_path(skeleton, module).write_text(f"{line}\n")
    result = lint(skeleton)
    assert result.returncode == 1
    assert contract in result.stdout

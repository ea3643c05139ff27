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


def module_path(root: Path, name: str) -> Path:
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def write_skeleton(folder: Path) -> None:
    """The packages of the project with their modules empty, and the same contracts."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("")


VIOLATIONS = [
    ("Layers", "dsl.types.type", "dsl.ir.function"),
    ("Layers", "dsl.diagnostics.render", "dsl.types.type"),
    ("Layers", "dsl.ir.function", "dsl.core.core"),
    ("Layers", "typechecker", "lowering"),
    ("Layers", "dsl.tools.report", "dsl.__main__"),
    ("Only lowering.xla imports jaxlib", "lowering.stablehlo", "jaxlib"),
    ("Nothing imports jax", "lowering.xla", "jax"),
    ("Only dsl.syntax.make_tables imports lark", "typechecker", "lark"),
    ("The standard library is text", "stdlib", "dsl.types"),
    *[
        (name, f"{package}.{below}", f"{package}.{above}")
        for name, (package, rooms) in ROOMS.items()
        for above, below in pairwise(rooms)
    ],
]


def test_the_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


def test_an_empty_skeleton_keeps_the_contracts(tmp_path: Path) -> None:
    write_skeleton(tmp_path)
    result = lint(tmp_path)
    assert result.returncode == 0, result.stdout


def test_every_contract_is_seen_to_fail() -> None:
    text = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert {c["name"] for c in text["tool"]["importlinter"]["contracts"]} == {name for name, _, _ in VIOLATIONS}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a skeleton with every violation in it."""
    folder = tmp_path_factory.mktemp("skeleton")
    write_skeleton(folder)
    for _, module, imported in VIOLATIONS:
        with module_path(folder, module).open("a") as file:
            file.write(f"import {imported}\n")
    result = lint(folder)
    assert result.returncode == 1
    return result.stdout


@pytest.mark.parametrize(("contract", "module", "imported"), VIOLATIONS)
def test_each_violation_is_reported(broken: str, contract: str, module: str, imported: str) -> None:
    assert f"{contract} BROKEN" in broken
    section = broken.split(f"\n{contract}\n{'-' * len(contract)}\n")[1].split("\n---")[0]
    assert f"{module} -> {imported} (l." in section

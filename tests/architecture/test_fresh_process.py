"""What a fresh process loads: every module imports alone, and checking a program starts no backend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")

# Imports each module named on standard input in a child of its own: none profits from what another imports.
# NumPy, which most of them need, is loaded beforehand to save its time in every child.
EACH_ALONE = """
import importlib, json, os, sys, traceback
import numpy
failed = []
for name in json.load(sys.stdin):
    sys.stdout.flush(), sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        failed.append(name)
print(json.dumps(failed))
"""

BACKENDS = ("jax", "jaxlib", "lowering.xla")


def python(
    code: str, cwd: Path, *arguments: str, input: str | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(cwd)}
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        input=input,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def names(root: Path) -> list[str]:
    found = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def not_importable(root: Path) -> tuple[list[str], str]:
    """The modules that fail when they are the first import of a process, and why."""
    result = python(EACH_ALONE, root, input=json.dumps(names(root)))
    return json.loads(result.stdout), result.stderr


def loaded(root: Path, code: str, *arguments: str) -> set[str]:
    """Which backends a process has loaded after running `code`."""
    report = f"\nimport sys; print('LOADED', *[m for m in {BACKENDS!r} if m in sys.modules])"
    result = python(code + report, root, *arguments)
    assert "LOADED" in result.stdout, result.stderr
    return set(result.stdout.rsplit("LOADED", 1)[1].split())


def test_every_module_imports_alone() -> None:
    assert not_importable(ROOT) == ([], "")


def test_importing_the_face_and_the_checker_starts_no_backend() -> None:
    assert loaded(ROOT, "import dsl, typechecker") == set()


@pytest.mark.parametrize(
    "arguments", [("--help",), ("explain",), ("check", "example.dsl"), ("fmt", "example.dsl")]
)
def test_the_command_line_starts_no_backend_unless_it_runs(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    program = tmp_path / "example.dsl"
    program.write_text("def f(x: f32) -> f32 = x + 1\n")
    arguments = tuple(str(program) if a == "example.dsl" else a for a in arguments)
    code = f"from dsl.__main__ import execute\nassert execute({arguments!r}) == 0"
    assert loaded(ROOT, code) == set()


def test_the_guards_see_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "__init__.py").write_text("")
    (tmp_path / "dsl" / "one.py").write_text("import dsl.two\nx = 1\n")
    (tmp_path / "dsl" / "two.py").write_text("from dsl.one import x\n")  # only works if `two` comes first
    (tmp_path / "dsl" / "face.py").write_text("import jaxlib\n")
    failed, why = not_importable(tmp_path)
    assert failed == ["dsl.one"]
    assert "circular import" in why
    assert loaded(tmp_path, "import dsl.face") == {"jaxlib"}

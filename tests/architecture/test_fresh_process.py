"""What a fresh process loads: every module imports alone, and checking a program starts no backend."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
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


def python(code: str, cwd: Path, *arguments: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
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


def modules(root: Path) -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when a module is imported: no bodies of functions, nothing under `if TYPE_CHECKING`."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from statements([*node.body, *node.orelse, *node.finalbody])


def imported(path: Path) -> Iterator[str]:
    """Every module an import names or may name, with the packages around it, which are imported first."""
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: n + 1]) for n in range(len(parts)))


def order_dependent(root: Path) -> list[str]:
    """The modules whose import may go well or fail by what was imported before: those on an import cycle.

    Where a package is on the cycle with its own modules, importing any of these imports the package first, so
    the package stands for them.
    """
    known = modules(root)
    edges = {name: {n for n in imported(path) if n in known and n != name} for name, path in known.items()}
    cycles: dict[str, set[str]] = {}
    for name in known:
        reached: set[str] = set()
        todo = [name]
        while todo:
            new = edges[todo.pop()] - reached
            reached |= new
            todo += new
        cycles[name] = reached
    cyclic = [name for name in known if name in cycles[name]]
    packages = [name for name in cyclic if known[name].name == "__init__.py"]
    return [
        name
        for name in cyclic
        if not any(name.startswith(f"{package}.") and package in cycles[name] for package in packages)
    ]


def not_importable(root: Path, names: Sequence[str]) -> tuple[list[str], str]:
    """Which of the modules fail when they are the first import of a process, and why."""
    result = python(EACH_ALONE, root, input=json.dumps(names))
    return json.loads(result.stdout), result.stderr


def loaded(root: Path, code: str, *arguments: str) -> set[str]:
    """Which backends a process has loaded after running `code`."""
    report = f"\nimport sys; print('LOADED', *[m for m in {BACKENDS!r} if m in sys.modules])"
    result = python(code + report, root, *arguments)
    assert "LOADED" in result.stdout, result.stderr
    return set(result.stdout.rsplit("LOADED", 1)[1].split())


def test_every_module_imports_alone() -> None:
    assert not_importable(ROOT, order_dependent(ROOT)) == ([], "")


def test_every_module_imports_at_all() -> None:
    every = ", ".join(modules(ROOT))
    assert python(f"import {every}", ROOT).stderr == ""


def test_importing_the_face_and_the_checker_starts_no_backend() -> None:
    assert loaded(ROOT, "import dsl, typechecker") == set()


@pytest.mark.parametrize("arguments", [("--help",), ("explain",), ("check", "example.dsl"), ("fmt", "example.dsl")])
def test_the_command_line_starts_no_backend_unless_it_runs(arguments: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "example.dsl"
    program.write_text("def f(x: f32) -> f32 = x + 1\n")
    arguments = tuple(str(program) if a == "example.dsl" else a for a in arguments)
    code = f"from dsl.__main__ import execute\nassert execute({arguments!r}) == 0"
    assert loaded(ROOT, code) == set()


def test_a_package_stands_for_its_modules_on_a_cycle(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "__init__.py").write_text("from dsl.one import x\n")
    (tmp_path / "dsl" / "one.py").write_text("import dsl\nif TYPE_CHECKING:\n    import dsl.two\nx = 1\n")
    (tmp_path / "dsl" / "two.py").write_text("def f():\n    import dsl.two\n")
    assert order_dependent(tmp_path) == ["dsl"]


def test_the_guards_see_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "__init__.py").write_text("")
    (tmp_path / "dsl" / "one.py").write_text("import dsl.two\nx = 1\n")
    (tmp_path / "dsl" / "two.py").write_text("from dsl.one import x\n")  # only works if `two` comes first
    (tmp_path / "dsl" / "face.py").write_text("import jaxlib\n")
    assert order_dependent(tmp_path) == ["dsl.one", "dsl.two"]
    failed, why = not_importable(tmp_path, ["dsl.one", "dsl.two"])
    assert failed == ["dsl.one"]
    assert "circular import" in why
    assert loaded(tmp_path, "import dsl.face") == {"jaxlib"}

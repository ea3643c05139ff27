"""Who may import what, read from the source; each guard is shown to fail on a small tree that breaks it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")

# A library from outside, and the modules that alone may import it.
OWNERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "jax": ("dsl.interop.jax",),
        "torch": ("dsl.interop.torch",),
        "jaxlib": ("lowering.xla",),
        "lark": ("dsl.syntax.make_tables",),
        "click": ("dsl.__main__", "dsl.tools"),
        "rich": ("dsl.diagnostics.terminal", "dsl.tools", "dsl.training"),
        "matplotlib": (),
        "IPython": ("dsl.notebook",),
        "prompt_toolkit": ("dsl.interactive",),
        "pygments": ("dsl.editors", "dsl.interactive"),
        "pytest": ("dsl.interactive",),
        "pygls": ("dsl.lsp", "dsl.notebook"),
        "lsprotocol": ("dsl.lsp", "dsl.notebook"),
        "pickle": (),
    }
)
# Modules whose functions may import: the command line, so that a command loads no more than it needs.
MAY_IMPORT_LATE = ("dsl.__main__",)


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every module of the packages by name, parsed."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Import:
    """What a line of a module imports, and the function it stands in."""

    module: str
    line: int
    targets: tuple[str, ...]
    relative: bool
    function: str | None


@cache
def imports(root: Path) -> tuple[Import, ...]:
    return tuple(found for name, tree in modules(root) for found in imports_within(tree, name, None))


def imports_within(node: ast.AST, module: str, function: str | None) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names):
                yield Import(module, child.lineno, tuple(alias.name for alias in names), False, function)
            case ast.ImportFrom(target, _, level):
                yield Import(module, child.lineno, (target or "",) if level == 0 else (), level != 0, function)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                yield from imports_within(child, module, name)
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                yield from imports_within(child, module, function)


def within(name: str, owners: tuple[str, ...]) -> bool:
    return any(name == owner or name.startswith(f"{owner}.") for owner in owners)


def foreign_imports(root: Path) -> list[str]:
    """Imports of a library by a module that does not own it."""
    return [
        f"{found.module} imports {target}"
        for found in imports(root)
        for target in found.targets
        if (library := target.split(".")[0]) in OWNERS and not within(found.module, OWNERS[library])
    ]


def hidden_imports(root: Path) -> list[str]:
    """Imports inside functions. Such an import hides an edge of the graph, often a cycle."""
    return [
        f"{found.module}: {found.function} imports"
        for found in imports(root)
        if found.function is not None and found.module not in MAY_IMPORT_LATE
    ]


def relative_imports(root: Path) -> list[str]:
    return [f"{found.module}: line {found.line}" for found in imports(root) if found.relative]


def test_libraries_are_imported_by_their_owners_alone() -> None:
    assert foreign_imports(ROOT) == []


def test_no_import_is_hidden_in_a_function() -> None:
    assert hidden_imports(ROOT) == []


def test_imports_are_absolute() -> None:
    assert relative_imports(ROOT) == []


def test_tests_have_no_packages() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


@pytest.fixture
def bad_tree(tmp_path: Path) -> Path:
    (tmp_path / "dsl").mkdir()
    (tmp_path / "lowering" / "xla").mkdir(parents=True)
    (tmp_path / "lowering" / "xla" / "device.py").write_text("import jaxlib.xla_client\n")
    (tmp_path / "dsl" / "a.py").write_text("import os\nimport jax.numpy as jnp\nfrom jaxlib import xla_client\n")
    (tmp_path / "dsl" / "b.py").write_text("class C:\n    def f(self):\n        if self:\n            import re\n")
    (tmp_path / "dsl" / "c.py").write_text("from . import a\nfrom lark.lexer import Token\n")
    (tmp_path / "dsl" / "__main__.py").write_text("def run():\n    import re\n")
    return tmp_path


def test_the_guards_see_what_is_wrong(bad_tree: Path) -> None:
    assert foreign_imports(bad_tree) == [
        "dsl.a imports jax.numpy",
        "dsl.a imports jaxlib",
        "dsl.c imports lark.lexer",
    ]
    assert hidden_imports(bad_tree) == ["dsl.b: f imports"]
    assert relative_imports(bad_tree) == ["dsl.c: line 1"]

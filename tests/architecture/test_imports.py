"""Who may import what, read from the source; each guard is shown to fail on a small tree that breaks it."""

from __future__ import annotations

import ast
import tomllib
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
        "rich": ("dsl.diagnostics.terminal", "dsl.host.compiling.compile_log", "dsl.tools", "dsl.training"),
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

START_UP = "what most programs do without, so that the first call comes sooner"
OPTIONAL = "a library that need not be installed"
BACKEND = "a part of jaxlib that few programs need, or that differs between its versions"
NAME_IN_DATA = "the name comes from a table or a file"
LOAD_LATE: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (
            "dsl",
            "dsl.host.checking.checked_program",
            "dsl.host.checking.signature_text",
            "dsl.host.compiling.compile_log",
            "dsl.host.functions.compiler",
            "dsl.host.functions.function",
            "dsl.host.functions.program_binder",
            "dsl.host.programs.program",
            "dsl.host.results.containers",
            "dsl.interactive.debugger.prompt",
            "dsl.mypy",
            "dsl.playground.answers",
            "dsl.syntax.parse",
            "dsl.syntax.sources",
            "dsl.syntax.tables",
            "dsl.tools.explaining",
            "dsl.types.dtype",
            "dsl.witnesses.check",
            "typechecker.declarations.modules",
            "typechecker.errors.repairs",
        ),
        START_UP,
    )
    | dict.fromkeys(
        (
            "dsl.data.sources",
            "dsl.host.arguments.pytree",
            "dsl.interop.scipy",
            "dsl.interop.torch",
            "dsl.tools.inputs",
            "lowering.xla.arrow",
        ),
        OPTIONAL,
    )
    | {"lowering.xla.adapter": BACKEND}
    | dict.fromkeys(
        ("dsl.core.codec.decode", "dsl.late_names", "dsl.offers", "lowering.xla.routines", "typechecker.errors"),
        NAME_IN_DATA,
    )
)
"""Modules that load others by name when these are used, and why."""


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


LOADERS = {"import_module", "LateModule", "__import__"}


@dataclass(frozen=True, slots=True)
class Late:
    """A module that is loaded by a call: by name where the call says it, else nothing."""

    module: str
    line: int
    target: str | None


@cache
def late_imports(root: Path) -> tuple[Late, ...]:
    return tuple(
        Late(name, node.lineno, literal(node.args[0]))
        for name, tree in modules(root)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in LOADERS and node.args
    )


def literal(name: ast.expr) -> str | None:
    """The text, or how it begins."""
    match name:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr([ast.Constant(str(text)), *_]):
            return text.rstrip(".")
    return None


def layers_of(root: Path) -> list[list[list[str]]]:
    """The layers of each contract, top to bottom, by the full names of their packages."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [
        [
            [f"{container}.{name}" if container else name for name in layer.split(" | ")]
            for container in contract.get("containers", [""])
            for layer in contract["layers"]
        ]
        for contract in settings["contracts"]
        if contract["type"] == "layers"
    ]


def level(name: str, layers: list[list[str]]) -> tuple[int, str] | None:
    """Which layer a module is in, counted from the top, and its package there."""
    found = [(k, package) for k, row in enumerate(layers) for package in row if within(name, (package,))]
    return max(found, key=lambda each: len(each[1]), default=None)


def upward_loads(root: Path, contracts: list[list[list[str]]]) -> list[str]:
    """Modules that are loaded by name from a layer above, or from another package beside."""
    found: list[str] = []
    for late in late_imports(root):
        for layers in contracts:
            here, there = level(late.module, layers), level(late.target or "", layers)
            if here is not None and there is not None and there[1] != here[1] and there[0] <= here[0]:
                found.append(f"{late.module} loads {late.target}")
    return found


def within(name: str, owners: tuple[str, ...]) -> bool:
    return any(name == owner or name.startswith(f"{owner}.") for owner in owners)


def foreign_imports(root: Path) -> list[str]:
    """Imports of a library by a module that does not own it."""
    taken = [(found.module, target) for found in imports(root) for target in found.targets]
    taken += [(late.module, late.target) for late in late_imports(root) if late.target is not None]
    return [
        f"{module} imports {target}"
        for module, target in taken
        if (library := target.split(".")[0]) in OWNERS and not within(module, OWNERS[library])
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


def test_what_is_loaded_late_has_a_reason() -> None:
    assert {late.module for late in late_imports(ROOT)} == LOAD_LATE.keys()


def test_nothing_above_is_loaded() -> None:
    assert upward_loads(ROOT, layers_of(ROOT)) == []


def test_only_names_that_are_data_are_not_written_out() -> None:
    unknown = {late.module for late in late_imports(ROOT) if late.target is None}
    assert unknown == {name for name, reason in LOAD_LATE.items() if reason is NAME_IN_DATA}


def test_a_load_from_above_is_seen(tmp_path: Path) -> None:
    (tmp_path / "lowering").mkdir()
    (tmp_path / "lowering" / "a.py").write_text("def f():\n    return import_module('dsl.array_api').sum\n")
    (tmp_path / "dsl").mkdir()
    (tmp_path / "dsl" / "array_api.py").write_text("LOW = LateModule('lowering.a')\nTORCH = import_module('torch')\n")
    layers = [[["dsl.array_api"], ["lowering"]]]
    assert upward_loads(tmp_path, layers) == ["lowering.a loads dsl.array_api"]
    assert foreign_imports(tmp_path) == ["dsl.array_api imports torch"]


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

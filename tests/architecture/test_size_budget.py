"""The size budget: short functions, modules to be read at a sitting; and the guard itself, shown to fail."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")
LONGEST_FUNCTION, MEDIAN, PERCENTILE_90, LONGEST_MODULE = 60, 10, 25, 500

# Modules that may be longer, each with the reason why cutting it would make it worse.
LONG_MODULES: Mapping[str, str] = MappingProxyType(
    {
        "dsl/syntax/ast.py": "one union of the node types of the tree: pure data that is read as a list",
        "dsl/core/core.py": "one union of the node types of Core: pure data that is read as a list",
        "tests/typechecker/test_keys.py": "tables of short programs, one per line",
    }
)


def modules(root: Path, folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


@cache
def functions(path: Path) -> tuple[tuple[str, int], ...]:
    """Every function of a module with its place and its length in lines."""
    return tuple(
        (f"{path.name}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1)
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    )


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All of them, however deep; there are none in expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from statements(child)


def too_long(root: Path, folders: tuple[str, ...], allowed: Mapping[str, str]) -> list[str]:
    """What is over the budget: functions, and modules that are not on the list."""
    found = []
    for path in modules(root, folders):
        name = path.relative_to(root).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_MODULE and name not in allowed:
            found.append(f"{name}: {lines} lines")
        found += [f"{name}: {place} {length} lines" for place, length in functions(path) if length > LONGEST_FUNCTION]
    return found


def test_nothing_is_over_the_budget() -> None:
    assert too_long(ROOT, (*PACKAGES, "tests", "examples", "benchmarks"), LONG_MODULES) == []


def test_functions_are_short_as_a_rule() -> None:
    lengths = [length for path in modules(ROOT, PACKAGES) for _, length in functions(path)]
    assert statistics.median(lengths) < MEDIAN
    assert statistics.quantiles(lengths, n=10)[-1] <= PERCENTILE_90


def test_the_list_of_long_modules_is_fresh() -> None:
    for name in LONG_MODULES:
        path = ROOT / name
        assert path.exists(), f"{name} is gone: take it off the list"
        assert len(path.read_text().splitlines()) > LONGEST_MODULE, f"{name} is short now: take it off the list"


def test_the_guard_sees_a_long_function_and_a_long_module(tmp_path: Path) -> None:
    (tmp_path / "dsl").mkdir()
    body = "".join(f"    x{i} = {i}\n" for i in range(LONGEST_FUNCTION))
    (tmp_path / "dsl" / "a.py").write_text(f"def f():\n{body}")
    (tmp_path / "dsl" / "b.py").write_text("x = 1\n" * (LONGEST_MODULE + 1))
    (tmp_path / "dsl" / "c.py").write_text(f"def f():\n{body}".rsplit("\n", 2)[0] + "\n" + "x = 1\n" * 400)
    assert too_long(tmp_path, ("dsl",), {}) == ["dsl/a.py: a.py:1 f 61 lines", "dsl/b.py: 501 lines"]
    assert too_long(tmp_path, ("dsl",), {"dsl/b.py": "a reason"}) == ["dsl/a.py: a.py:1 f 61 lines"]

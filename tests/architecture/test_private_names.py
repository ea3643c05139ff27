"""Names that begin with `_` are used in their own room alone; the guard is shown to fail.

A room is a package of the layers, or one of the packages in it. What a class gives to those that are derived from it,
they reach by `self`, wherever they are.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")
OWN = ("self", "cls", "super()")
OF_LIBRARIES = {"lowering/xla/adapter.py": {"_arrays"}}
"""Names of other projects that are spelled like one of ours."""


def room_of(path: Path) -> tuple[str, ...]:
    """`dsl.types`, `dsl.host.calls`, `typechecker.env`, `lowering.xla`."""
    folders = path.parent.parts
    return folders[:3] if folders[0] == "dsl" else folders[:2]


def trees(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield path.relative_to(root), ast.parse(path.read_text(encoding="utf-8"))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def names_of(tree: ast.Module) -> tuple[set[str], list[tuple[int, str]]]:
    """The private names that a module gives to functions, classes, fields and attributes; and those that it takes from
    something else than `self`, `cls` or `super()`."""
    defined: set[str] = set()
    used: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if isinstance(node.ctx, ast.Store):
                defined.add(node.attr)
            if ast.unparse(node.value) not in OWN:
                used.append((node.lineno, node.attr))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            used += [(node.lineno, alias.name) for alias in node.names if is_private(alias.name)]
    return set(filter(is_private, defined)), used


def strangers(root: Path) -> list[str]:
    """Uses of private names that are defined in other rooms, and in none of the same name."""
    rooms: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    found = {path: names_of(tree) for path, tree in trees(root)}
    for path, (defined, _) in found.items():
        for name in defined:
            rooms[name].add(room_of(path))
    return [
        f"{path.as_posix()}:{line} {name}"
        for path, (_, used) in found.items()
        for line, name in used
        if rooms[name] and room_of(path) not in rooms[name]
        if name not in OF_LIBRARIES.get(path.as_posix(), ())
    ]


def test_private_names_stay_in_their_room() -> None:
    assert strangers(ROOT) == []


def test_the_guard_can_fail(tmp_path: Path) -> None:
    files = {
        "dsl/host/calls/a.py": "class A:\n    def _hidden(self): ...\n    def open(self): ...\n_ONE = 1\n",
        "dsl/host/functions/b.py": "from dsl.host.calls.a import _ONE\ndef f(a):\n    return a._hidden(), a.open()\n",
        "dsl/host/functions/c.py": "class C(A):\n    def g(self):\n        return self._hidden()\n",
        "dsl/host/calls/d.py": "def h(a):\n    return a._hidden()\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert strangers(tmp_path) == ["dsl/host/functions/b.py:1 _ONE", "dsl/host/functions/b.py:3 _hidden"]

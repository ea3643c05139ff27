"""Transformations are algorithms: what an op is for them stands with the op."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import dsl.transforms
from dsl.ir.op import Op, RegionOp
from dsl.ops.table import OPS

FOLDER = Path(dsl.transforms.__file__).parent
PATHS = {path.stem: path for path in sorted(FOLDER.rglob("*.py")) if path.stem != "__init__"}
SUBJECTS = {
    "in_turn": {"scan"},
    "inline": {"call"},
    "roll": {"scan"},
    "shard": {"shard", "with_sharding"},
    "tile": {"scan"},
}
"""The ops that an algorithm is about: calls are what is inlined, elements in turn, copies and tiles are steps of a
scan, and parts of arrays know nothing of what is said of the whole."""


def named(source: str) -> set[str]:
    """The names of ops among the strings of a module."""
    strings = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return {value for value in strings if isinstance(value, str) and value in OPS}


@pytest.mark.parametrize("module", PATHS)
def test_no_string_is_the_name_of_an_op(module: str) -> None:
    """But for its own name, by which a `Memo` remembers what it made."""
    assert named(PATHS[module].read_text()) <= {module}


@pytest.mark.parametrize("module", PATHS)
def test_no_op_is_imported_but_the_subject_of_the_algorithm(module: str) -> None:
    name = ".".join(["dsl.transforms", *PATHS[module].relative_to(FOLDER).with_suffix("").parts])
    found = vars(importlib.import_module(name)).values()
    assert {v.name for v in found if isinstance(v, Op | RegionOp)} == SUBJECTS.get(module, set())


def test_a_list_of_names_is_caught() -> None:
    assert named('COMMUTATIVE = frozenset({"add", "mul"})') == {"add", "mul"}

"""Walks of Core: every class of expressions shows all that it holds, and gives it back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from dsl.core import core
from dsl.core.walk import bound_names, children, map_children, patterns, subexpressions
from dsl.records import replace
from tests.support.cases import some
from tests.support.core_nodes import SPAN, Nodes, every_node

ROOT = Path(__file__).parents[3]
NODES = every_node()
NAMES = [type(node).__name__ for node, _ in NODES]


def test_every_class_is_there() -> None:
    assert {type(node) for node, _ in NODES} == set(get_args(core.Expr))


def test_every_class_is_made_by_the_checker() -> None:
    files = [*(ROOT / "typechecker").rglob("*.py"), ROOT / "dsl" / "core" / "core.py"]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    calls = [line for line in lines if not re.match(" *(case|class) ", line)]
    made = {name for line in calls for name in re.findall(r"(?<!ast\.)\b(\w+)\(", line)}
    assert set(NAMES) <= made


@pytest.mark.parametrize(("node", "nodes"), NODES, ids=NAMES)
def test_children_are_all_expressions_inside(node: core.Expr, nodes: Nodes) -> None:
    assert children(node) == nodes.leaves
    assert set(map(id, subexpressions(node))) == {id(node), *map(id, nodes.leaves)}


@pytest.mark.parametrize(("node", "nodes"), NODES, ids=NAMES)
def test_patterns_are_all_patterns_inside(node: core.Expr, nodes: Nodes) -> None:
    assert [name for pattern in patterns(node) for name in bound_names(pattern)] == nodes.names


@pytest.mark.parametrize("node", [node for node, _ in NODES], ids=NAMES)
def test_the_identity_changes_nothing(node: core.Expr) -> None:
    assert map_children(node, lambda child: child) is node


@pytest.mark.parametrize("node", [node for node, _ in NODES], ids=NAMES)
def test_children_of_a_changed_node_are_the_changed_children(node: core.Expr) -> None:
    def changed(child: core.Expr) -> core.Expr:
        return core.Unary(SPAN, child.type, "-", child)

    found = map_children(node, changed)
    assert type(found) is type(node)
    assert children(found) == [changed(child) for child in children(node)]


def test_map_children_composes() -> None:
    def renamed(child: core.Expr) -> core.Expr:
        return replace(child, name=f"{child.name}'") if isinstance(child, core.Local) else child

    for node, _ in some(NODES):
        once = map_children(map_children(node, renamed), renamed)
        assert once == map_children(node, lambda child: renamed(renamed(child)))


def test_parts_of_expressions_have_children_too() -> None:
    a, b, c = _locals()
    assert children(core.Range(a, None, b)) == [a, b]
    assert children(core.Zipped((core.Counting(a, b), core.Enumerated(core.Elements(c))))) == [a, b, c]
    assert children(core.NewAxis()) == []


def _locals() -> list[core.Local]:
    nodes = [node for node, _ in NODES if isinstance(node, core.Local)]
    return [replace(nodes[0], id=i) for i in range(3)]


def test_names_of_nested_patterns_from_left_to_right() -> None:
    a, b, c = (core.Bind(i, "x") for i in range(3))
    assert list(bound_names(core.Split((a, core.Ignore(), core.Split((b,), True), c), False))) == [a, b, c]

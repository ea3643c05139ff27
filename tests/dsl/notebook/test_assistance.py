"""Completion and hover in cells of the language."""

from __future__ import annotations

import pytest

from dsl.notebook.assistance import Assistance
from dsl.notebook.cells import Cells


@pytest.fixture(scope="module")
def assistance() -> Assistance:
    cells = Cells()
    cells.run(
        "## Twice as much.\ndef double(x: f32[n]) -> f32[n] = x * 2.0\ntype Pair = {left: f32, right: f32}\n", "cell 1"
    )
    cells.run_named("shapes", "## The area.\ndef area(a: f32, b: f32) -> f32 = a * b\n")
    return Assistance(cells)


def completed(assistance: Assistance, cell: str) -> list[str]:
    """The completions at the bar in a cell."""
    offset = cell.index("|")
    return [found.text for found in assistance.complete(cell.replace("|", ""), offset)]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%dsl\ndef f(x: f32[n]) = dou|", ["double"]),
        ("%%dsl\ndef f(p: Pair) = p.le|", ["left"]),
        ("%%dsl\nimport shapes\ndef f(a: f32) = shapes.|", ["area"]),
        ("%%dsl\ndef double(x: f32[n]) = expm|", ["expm1"]),
        ("%%dsl other\nimport shapes\ndef f(a: f32) = shapes.ar|", ["area"]),
        ("%%dsl other\ndef f(x: f32[n]) = doubl|", []),
        ("%%dsl other|", []),
        ("dou|", []),
    ],
    ids=["cell", "field", "module", "redefined", "named", "apart", "magic", "python"],
)
def test_completions(assistance: Assistance, cell: str, expected: list[str]) -> None:
    assert completed(assistance, cell)[: len(expected) or 1] == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%dsl\ndef f(x: f32[n]) = dou|ble(x)", "def double(x: f32[n]) -> f32[n]\n```\n\nTwice as much."),
        ("%%dsl\ndef f(x: f32[n]) = sum(|x)", "x: f32[n]"),
        ("%%dsl\nfrom shapes import area\ndef f(a: f32) = ar|ea(a, a)", "The area."),
        ("%%dsl m\ndef f(x: f32[n]) = expm|1(x)", "def expm1"),
    ],
    ids=["cell", "local", "module", "library"],
)
def test_hover(assistance: Assistance, cell: str, expected: str) -> None:
    offset = cell.index("|")
    assert expected in (assistance.describe(cell.replace("|", ""), offset) or "")


def test_nothing_is_said_of_python(assistance: Assistance) -> None:
    assert assistance.describe("double", 3) is None

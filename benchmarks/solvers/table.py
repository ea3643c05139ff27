"""Tables of measured rows, and the page that shows them.

A row is measured when it is asked for; what was found is kept as JSON, of which the page is made. Read next: `tables`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Cell = str | int | float
HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "results" / "solvers.json"
PAGE = HERE.parent / "docs" / "solver-tests.md"


@dataclass(frozen=True, slots=True)
class Found:
    """The cells of a row, and whether it keeps what its table promises."""

    cells: tuple[Cell, ...]
    fine: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The solver, what else names the row, and its measurement."""

    names: tuple[str, ...]
    measured: Callable[[], Found]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below one head. `promise` says when a row is fine."""

    name: str
    title: str
    about: str
    promise: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]


def shown(cell: Cell) -> str:
    """Return a cell as the page has it: two or three digits of a float, thousands apart."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell == 0 or 0.1 <= abs(cell) < 1000:
        return f"{cell:.2g}" if abs(cell) < 10 else f"{cell:.0f}"
    return f"{cell:.1e}".replace("e-0", "e-").replace("e+0", "e")


def kept(row: Row, found: Found) -> dict[str, Any]:
    """Return a measured row as it is recorded."""
    return {"names": list(row.names), "cells": [shown(cell) for cell in found.cells], "fine": found.fine}


def marked(name: str) -> str:
    """Return a name as code, and what follows its comma."""
    head, comma, rest = name.partition(",")
    return f"`{head}`{comma}{rest}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def text(table: Table, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table as Markdown, with a mark on rows that do not keep the promise."""
    lines = [
        _line([*row["names"][:-1], row["names"][-1] + ("" if row["fine"] else " ✗"), *row["cells"]]) for row in rows
    ]
    rule = _line(["---"] * len(table.head))
    return "\n".join([f"## {table.title}", "", table.about, "", table.promise, "", _line(table.head), rule, *lines])


HEAD = """# Solvers on their test sets

Every solver of `ode` and `solve`, and what else approximates, on problems with known answers, as
`python -m benchmarks.solvers` measures it (`make bench ONLY=solvers`); the page is written by that command. A sample of
the rows is measured again by the tests. A row with ✗ does not keep what is written above its table.
"""


def page(tables: Sequence[Table], data: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the page."""
    rows = [row for table in tables for row in data[table.name]]
    count = f"\n{sum(row['fine'] for row in rows)} of {len(rows)} rows keep it.\n"
    return HEAD + count + "".join(f"\n{text(table, data[table.name])}\n" for table in tables)


def recorded() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return what is on record."""
    found: Mapping[str, Sequence[Mapping[str, Any]]] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found

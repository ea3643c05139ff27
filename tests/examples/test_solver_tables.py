"""The tables of solvers: the page is made of what is on record, every solver has a row, a sample is measured again."""

from __future__ import annotations

import re
from functools import cache

import pytest

from benchmarks.solvers.__main__ import main
from benchmarks.solvers.initial_values import DETEST, STIFF
from benchmarks.solvers.table import PAGE, Row, page, recorded, shown
from benchmarks.solvers.tables import TABLES
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from tests.support.cases import some
from tests.support.library import tree

SAMPLE = (
    ("systems", ("`cg`", "Poisson", "`jacobi`")),
    ("systems", ("`tridiagonal`", "tridiagonal", "–")),
    ("orders", ("`interpolate.linear`",)),
    ("orders", ("`differences.fourier_derivative`",)),
    ("derivatives", ("`solve.brent`",)),
)
SOLVES = re.compile(r"\b(?:Solution|Minimum|Integral|Tableau|Implicit|Splitting|converged)\b")


@cache
def rows() -> dict[tuple[str, tuple[str, ...]], Row]:
    return {(table.name, row.names): row for table in TABLES for row in table.rows}


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(TABLES, recorded())


def test_rows_on_record_are_those_of_the_tables() -> None:
    kept = [(name, tuple(row["names"])) for name, each in recorded().items() for row in each]
    assert kept == list(rows())
    for table in TABLES:
        assert all(len(row["names"]) + len(row["cells"]) == len(table.head) for row in some(recorded()[table.name]))


@pytest.mark.parametrize("module", ["ode", "solve"])
def test_every_solver_has_a_row(module: str) -> None:
    """A solver returns a solution; a method is the table of its coefficients."""
    public = [each for each in nodes(tree(module)) if isinstance(each, ast.Def) and each.name.name[0] != "_"]
    names = [each.name.name for each in public if each.result is not None and SOLVES.search(each.result.span.text)]
    text = " ".join(name for _, row in rows() for name in row)
    assert [name for name in some(dict.fromkeys(names)) if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(("table", "names"), SAMPLE)
def test_a_sample_is_as_on_record(table: str, names: tuple[str, ...]) -> None:
    found = rows()[table, names].measured()
    assert found.fine
    known = next(row for row in recorded()[table] if tuple(row["names"]) == names)
    assert [shown(cell) for cell in found.cells if isinstance(cell, int)] == [
        text for text, cell in zip(known["cells"], found.cells, strict=True) if isinstance(cell, int)
    ]


def test_solutions_begin_at_their_starts() -> None:
    """Each closed form and each published end has as many numbers as the start, and the forms give it at time 0."""
    for problem in some((*DETEST.values(), *STIFF.values())):
        closed = problem.solution
        at_start = problem.answer(0.0) if closed is not None and "_published" not in closed.__qualname__ else None
        assert at_start is None or abs(at_start - problem.start).max() < 1e-9


def test_a_table_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("weather") == 2
    assert "there is no table weather" in capsys.readouterr().out

"""All rows of the table, and the functions of the library that have none. Read next: `row`, `library`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.control import DERIVED, LOOPS
from benchmarks.asymptotics.distributions import distributions
from benchmarks.asymptotics.draws import draws
from benchmarks.asymptotics.equations import equations
from benchmarks.asymptotics.layers import layers
from benchmarks.asymptotics.library import library
from benchmarks.asymptotics.lists import lists
from benchmarks.asymptotics.optimizers import optimizers
from benchmarks.asymptotics.row import Row, heads, images, one, picked, rectangle, short, table
from benchmarks.asymptotics.signals import signals
from benchmarks.asymptotics.solvers import solvers
from benchmarks.asymptotics.sparsity import sparsity
from benchmarks.asymptotics.written import HEADS, IMAGES, INDEXED, RECTANGLES, SHORT, STATIC

WITHOUT: Mapping[str, str] = MappingProxyType(
    {
        "prelude.fold_in": "is random.fold_in",
    }
)
"""Functions of the library that have no row, and why."""


def rows() -> Iterator[Row]:
    """Those of the library first; a name that is written out hides the one made from its signature."""
    others = [
        *table(one, STATIC),
        *table(rectangle, RECTANGLES),
        *table(picked, INDEXED),
        *table(short, SHORT),
        *table(images, IMAGES),
        *table(heads, HEADS, "nn"),
        *layers(),
        *optimizers(),
        *draws(),
        *distributions(),
        *sparsity(),
        *signals(),
        *lists(),
        *equations(),
        *solvers(),
        *table(one, LOOPS),
        *table(one, DERIVED),
    ]
    written = {covered(row) for row in others}
    yield from (row for row in library() if row.name not in written)
    yield from others


def covered(row: Row) -> str:
    """The function of the library that a row is named after."""
    return row.name if "." in row.name else f"prelude.{row.name}"

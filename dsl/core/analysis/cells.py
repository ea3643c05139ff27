"""Abstract values in cells: what ways that begin alike write, and what a check leaves in the status of its handler.

Read next: `interpret`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from dsl.core.analysis.abstract_values import Items, Value, combine_values

Ways: TypeAlias = "Sequence[Callable[[], Value]]"
"""What may happen instead of each other: each gives its value."""

STATUS = "<checks>"
"""The cell of what the checks depend on that a handler around them collects; no cell of a program has such a name."""


class Cells(ABC):
    """The cells that are open, and which of them were written since one way, or one round of a loop, began."""

    def __init__(self) -> None:
        self.cells: Mapping[str, Value] = {}
        self.written: frozenset[str] = frozenset()

    @abstractmethod
    def joined(self, values: Sequence[Value]) -> int:
        """The mark of a leaf that is made of several values, or is one of them at run time."""

    def merged(self, ways: Ways, merge: Callable[[Sequence[Value]], Value]) -> Value:
        """The values of several ways that begin in one state, as one; and what they write likewise."""
        before, values, after, written = self.cells, [], [], self.written
        for way in ways:
            self.cells, self.written = before, frozenset()
            values.append(way())
            after.append(self.cells)
            written |= self.written
        self.cells = {n: merge([cells[n] for cells in after]) if n in written else v for n, v in before.items()}
        self.written = written
        return merge(values)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Prevent writes: what runs here may run later, or not at all."""
        before = self.cells, self.written
        try:
            yield
        finally:
            self.cells, self.written = before

    def join(self, values: Sequence[Value]) -> Value:
        return combine_values(values, self.joined)

    def write(self, cell: str, value: Value, anew: bool) -> None:
        if cell in self.cells:
            self.cells = {**self.cells, cell: value if anew else self.join([self.cells[cell], value])}
            self.written |= {cell}

    def check(self, value: Value) -> Value:
        """Return the value on which the status of a check depends."""
        self.write(STATUS, value, False)
        return value

    def with_cell(self, cell: str, first: Value, body: Callable[[], Value]) -> Value:
        """The value of a body, and that of a cell after it."""
        outer, written = self.cells, self.written
        self.cells = {**outer, cell: first}
        value = body()
        last = self.cells[cell]
        self.cells = {name: outer[name] if name == cell else self.cells[name] for name in outer}
        self.written = written | self.written - {cell}
        return Items((value, last))

"""The lines of a marked program, and the names at each of them with their types, before it runs.

Read next: `expressions`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dsl.diagnostics.source import Source
from dsl.interactive.debugger.frames import ROOT, Leaf, Leaves, Owner, Owners
from dsl.ir.function import Equation, Function, Tensor
from dsl.ir.sizes import is_traced
from dsl.ir.walk import functions
from dsl.ops.marks import STATIC, VALUE, NamedParams, StepParams


class Scopes:
    """The lines of a program that are evaluated, and what names are bound up to them."""

    def __init__(self, function: Function, owners: Owners) -> None:
        self._owners = owners
        self.rows: dict[Source, set[int]] = {}
        """The rows of each text on which something is evaluated."""
        self._named: list[tuple[Owner, int, str, str, Leaf | None]] = []
        for equation in _equations(function):
            self._add(equation)

    def _add(self, equation: Equation) -> None:
        params, span = equation.params, equation.span
        if span is None or span.source.in_library:
            return
        row = span.source.row(span.start)
        if isinstance(params, NamedParams):
            if params.what == VALUE:
                leaf = _example(equation.inputs[0].type, params.axes)
                self._named.append((self._owners.of(span), row, params.name, params.path, leaf))
        elif isinstance(params, StepParams) and params.what == STATIC:
            self._named.append((self._owners.of(span), row, params.name, params.path, Leaf(params.text)))
        elif self._owners.of(span).head != span.start:
            self.rows.setdefault(span.source, set()).add(row)

    def first_row(self, owner: Owner) -> int | None:
        """The first row of a definition on which something is evaluated."""
        rows = [row for row in self.rows.get(owner.source, ()) if self._owners.at(owner.source, row) == owner]
        return min(rows, default=None)

    def nearest(self, source: Source, row: int) -> int | None:
        """The evaluated row that is nearest to one."""
        return min(self.rows.get(source, ()), key=lambda each: abs(each - row), default=None)

    def names(self, source: Source, row: int) -> dict[str, Leaves] | None:
        """Examples of the values that names have on a row; None where only a run knows the size of one."""
        owner, frame = self._owners.at(source, row), ROOT
        for each, bound, name, path, leaf in self._named:
            if each == owner and bound <= row:
                if leaf is None:
                    return None
                frame = frame.with_leaf((name, VALUE), path, leaf)
        return dict(frame.values())


def _equations(function: Function) -> Iterator[Equation]:
    for part in functions(function):
        yield from part.equations


def _example(type: Tensor, axes: int) -> Leaf | None:
    return None if any(map(is_traced, type.shape)) else Leaf(np.zeros(type.shape, type.dtype.numpy), axes)

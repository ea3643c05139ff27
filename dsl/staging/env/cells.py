"""Cells of `state` and `accum` around a body: which of them it wrote, and how they leave it.

Around a loop the cells are parameters of its body; those that come back unchanged are plain captures
after all. A transformed function gives what it wrote as further results. Read next: `loops`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Var
from dsl.ops.rule_helpers import zeros
from dsl.staging.values import ATOMS, Value, atoms, fill, map_leaves, skeleton


class Cell(Struct, frozen=True):
    """The current value of a cell; `kind` is `state`, `accum`, or `check` for the code of a failure."""

    kind: str
    value: Value

    def at(self, value: Value) -> Cell:
        return Cell(self.kind, value)


def same(left: Value, right: Value) -> bool:
    """Return whether nothing was written: the very same atoms."""
    return skeleton(left) == skeleton(right) and all(x is y for x, y in zip(atoms(left), atoms(right), strict=True))


def as_params(b: Builder, cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """The cells with a parameter of `b` for every leaf."""
    return {
        name: cell.at(fill(skeleton(cell.value), (b.param(x.type) for x in atoms(cell.value))))
        for name, cell in cells.items()
    }


def fresh(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """The cells as one of many elements finds them: what is collected starts from zero, a `state` is only read."""
    return {name: cell if cell.kind == "state" else cell.at(_zero(cell.value)) for name, cell in cells.items()}


def _zero(value: Value) -> Value:
    return map_leaves(lambda leaf: zeros(leaf.type) if isinstance(leaf, ATOMS) else leaf, value)


def written_cells(before: Mapping[str, Cell], after: Mapping[str, Cell]) -> list[str]:
    """Names of the cells whose value has changed, in order."""
    return [name for name, cell in before.items() if not same(cell.value, after[name].value)]


def leaves_of(cells: Mapping[str, Cell], names: list[str]) -> list[Atom]:
    return [x for name in names for x in atoms(cells[name].value)]


def unwritten_cells(outer: Mapping[str, Cell], inner: Mapping[str, Cell], names: list[str]) -> dict[Var, Atom]:
    """Parameters of cells that are not in `names`, with the outer atoms that they are."""
    return {
        param: x
        for name, cell in inner.items()
        if name not in names
        for param, x in zip(atoms(cell.value), atoms(outer[name].value), strict=True)
        if isinstance(param, Var)
    }

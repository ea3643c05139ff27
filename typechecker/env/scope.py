"""Names in scope: chains of bindings, innermost first; and lists of names that may stand but once. Knows nothing of
types' meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Literal

from msgspec import Struct, field

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types.effect import Cell
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.values import Term

BindingKind = Literal["let", "param", "static", "size", "generic", "type", "effect", "alias", "loop", "global"]
"""What binds a name: what stands in a block, a signature, a type declaration, a loop, an import."""


class Binding(Struct, frozen=True, eq=False):
    """A name, what it stands for, and where it was bound. `depth` counts the enclosing bodies that run many times at
    the place of the binding."""

    name: str
    term: Term
    span: Span | None
    kind: BindingKind
    depth: int = 0


class CellBinding(Struct, frozen=True, eq=False):
    """A `state` or `accum` cell, from a handler or from the signature's row."""

    name: str
    kind: str
    type: Type
    span: Span | None
    depth: int


class Scope(Struct, eq=False):
    """One level of names, in a module. `on_unknown` may bind a name that no level knows (size variables of a
    signature)."""

    parent: Scope | None
    names: MutableMapping[str, Binding] = field(default_factory=dict)
    cells: dict[str, CellBinding] = field(default_factory=dict)
    on_unknown: Callable[[str, Span], Binding | None] | None = None
    on_unknown_shape: Callable[[str, Span], Binding | None] | None = None
    module: str = ""

    def levels(self) -> Iterator[Scope]:
        """This one and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    # The next three are asked of every name: no generators.

    def lookup(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return None if scope is None else scope.names[name]

    def cell(self, name: str) -> CellBinding | None:
        """The cell of that name, unless a nearer binding of the name hides it."""
        scope: Scope | None = self
        while scope is not None and name not in scope.cells and name not in scope.names:
            scope = scope.parent
        return None if scope is None else scope.cells.get(name)

    def handling(self, cell: Cell) -> CellBinding | None:
        """The cell that an effect reaches, whatever else is called so."""
        held = (level.cells.get(cell.name) for level in self.levels())
        return next((found for found in held if found is not None and found.kind == cell.kind), None)

    @property
    def makes_sizes(self) -> bool:
        """Return whether unknown names become size variables here: in a signature."""
        scope: Scope | None = self
        while scope is not None and scope.on_unknown is None:
            scope = scope.parent
        return scope is not None

    def open_cells(self) -> Iterator[str]:
        for level in self.levels():
            yield from level.cells

    def unknown(self, name: str, span: Span) -> Binding | None:
        made = next((level.on_unknown for level in self.levels() if level.on_unknown is not None), None)
        return None if made is None else made(name, span)

    def unknown_shape(self, name: str, span: Span) -> Binding | None:
        made = next((level.on_unknown_shape for level in self.levels() if level.on_unknown_shape is not None), None)
        return None if made is None else made(name, span)

    def snapshot(self) -> Scope:
        """The scope as it is now: what is bound later is not seen. The module's own level is shared."""
        if self.parent is None:
            return self
        return replace(self, parent=self.parent.snapshot(), names=dict(self.names), cells=dict(self.cells))

    def child(self) -> Scope:
        return Scope(self, module=self.module)

    def bind(self, name: str, term: Term, span: Span | None, kind: BindingKind, depth: int = 0) -> None:
        self.names[name] = Binding(name, term, span, kind, depth)

    def visible(self) -> Iterator[str]:
        for level in self.levels():
            yield from level.names
            yield from level.cells


# ---------------------------------------------------------------- names that may stand but once


class DistinctNames:
    """The names met so far, each with its place; `what` they are is for the message."""

    def __init__(self, what: str, report: Callable[[Diagnostic], None]) -> None:
        self._what = what
        self._report = report
        self._first: dict[str, Span] = {}

    def add(self, named: ast.Ident | ast.NamePattern) -> bool:
        """Return whether a name is new; one that is not is reported."""
        return self.add_at(named.name, named.span)

    def add_at(self, name: str, span: Span) -> bool:
        first = self._first.setdefault(name, span)
        if first is not span:
            self._report(errors.names.duplicate_name(self._what, name, span, first))
        return first is span

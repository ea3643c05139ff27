"""Names in scope: chains of bindings, innermost first. Knows nothing of types' meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field

from dsl.diagnostics.source import Span
from dsl.types.type import Type
from typechecker.env.values import Term


class Binding(Struct, frozen=True, eq=False):
    """A name, what it stands for, and where it was bound. `depth` counts the enclosing bodies that run many
    times at the place of the binding. `kind` is "let", "param", "size", "generic", "type", "loop", "cell", "global"."""

    name: str
    term: Term
    span: Span | None
    kind: str
    depth: int = 0


class CellBinding(Struct, frozen=True, eq=False):
    """A `state` or `accum` cell, from a handler or from the signature's row."""

    name: str
    kind: str
    type: Type
    span: Span | None
    depth: int


class Scope(Struct, eq=False):
    """One level of names; the outermost of a module says which. `on_unknown` may bind a name that no level knows (size
    variables of a signature)."""

    parent: Scope | None
    names: dict[str, Binding] = field(default_factory=dict)
    cells: dict[str, CellBinding] = field(default_factory=dict)
    on_unknown: Callable[[str, Span], Binding | None] | None = None
    on_unknown_shape: Callable[[str, Span], Binding | None] | None = None
    module: str | None = None

    @property
    def module_name(self) -> str:
        """The module this scope lies in."""
        scope: Scope | None = self
        while scope is not None:
            if scope.module is not None:
                return scope.module
            scope = scope.parent
        return ""

    def lookup(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def cell(self, name: str) -> CellBinding | None:
        """The cell of that name, unless a nearer binding of the name hides it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells:
                return scope.cells[name]
            if name in scope.names:
                return None
            scope = scope.parent
        return None

    def open_cells(self) -> Iterator[str]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.cells
            scope = scope.parent

    def unknown(self, name: str, span: Span) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.on_unknown is not None:
                return scope.on_unknown(name, span)
            scope = scope.parent
        return None

    def unknown_shape(self, name: str, span: Span) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.on_unknown_shape is not None:
                return scope.on_unknown_shape(name, span)
            scope = scope.parent
        return None

    @property
    def makes_sizes(self) -> bool:
        """Whether unknown names become size variables here: in a signature."""
        scope: Scope | None = self
        while scope is not None:
            if scope.on_unknown is not None:
                return True
            scope = scope.parent
        return False

    def snapshot(self) -> Scope:
        """The scope as it is now: what is bound later is not seen. The module's own level is shared."""
        if self.parent is None or self.module is not None:
            return self
        copy = Scope(self.parent.snapshot(), dict(self.names), dict(self.cells))
        copy.on_unknown, copy.on_unknown_shape = self.on_unknown, self.on_unknown_shape
        return copy

    def child(self) -> Scope:
        return Scope(self)

    def bind(self, name: str, term: Term, span: Span | None, kind: str, depth: int = 0) -> None:
        self.names[name] = Binding(name, term, span, kind, depth)

    def visible(self) -> Iterator[str]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            yield from scope.cells
            scope = scope.parent

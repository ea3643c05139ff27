"""Which handler an effect reaches, decided where the text of the effect stands and not where it is run.

A `Scope` names the handlers around a place: cells by their name, clauses of a user's effects, the source of fresh
keys, and what hears of a failed check. A function value that is passed on keeps the scope it was made in, so a handler
between it and its caller never sees effects that belong to somebody further out, whatever their names. Only labels
that stand in the type a function value is mentioned or called with are bound anew, there. A lambda whose type is not
stated is checked where it is called, and its effects belong there. Read next: `perform`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core import core
from dsl.ir.build import Builder
from dsl.records import replace
from dsl.staging.env.environment import Frame
from dsl.staging.env.keys import Keys
from dsl.staging.values import FUNCTIONS, Closure, Partial, Transformed, Value, map_leaves
from dsl.types.effect import CHECK, RAND, Axis, Cell, Row, Site, UserEffect, kind_of

Operation: TypeAlias = tuple[str, str]


class Clause(Struct, frozen=True):
    """A tail-resumptive clause, with the frame of its handler, the handlers around that, and the number of calls around
    it on the path of keys."""

    node: core.HandlerClause
    frame: Frame
    scope: Scope
    place: int
    source: Value | None = None
    store: Store | None = None

    @property
    def depth(self) -> int:
        """The number of scopes around the handler."""
        return len(self.scope.front)


class Store(Struct, frozen=True, eq=False):
    """The values that operations by name gave, by their names, and the body that the handler stands in."""

    builder: Builder
    keys: Keys | None
    values: dict[tuple[str, ...], Value] = field(default_factory=dict)


class Scope(Struct, frozen=True):
    """`cells` gives the cell that an effect such as `state(s)` reaches, `axes` the axis of a name; `rng` counts the
    sources of keys, `check` the handlers of checks, each from the outermost."""

    cells: Mapping[str, str]
    clauses: Mapping[Operation, Clause]
    axes: Mapping[str, str]
    rng: int = 0
    check: int = 0
    front: tuple[str, ...] = ()

    def with_cell(self, name: str, cell: str) -> Scope:
        return replace(self, cells={**self.cells, name: cell})

    def with_clauses(self, clauses: Mapping[Operation, Clause]) -> Scope:
        return replace(self, clauses={**self.clauses, **clauses})

    def with_axis(self, name: str, axis: str) -> Scope:
        return replace(self, axes={**self.axes, name: axis})

    def taking(self, row: Row, here: Scope) -> Scope:
        """This scope with the labels of `row` as they are in `here`."""
        cells, clauses, axes = dict(self.cells), dict(self.clauses), dict(self.axes)
        rng, check, front = self.rng, self.check, self.front
        for effect in row.effects:
            match effect:
                case Cell() if str(effect) in here.cells:
                    cells[str(effect)] = here.cells[str(effect)]
                case UserEffect(module, name) if (module, name) in here.clauses:
                    clauses[module, name] = here.clauses[module, name]
                case Site(module, name) if (module, name) in here.clauses:
                    clauses[module, name], front = here.clauses[module, name], here.front
                case Axis(name) if name in here.axes:
                    axes[name] = here.axes[name]
                case _:
                    rng = here.rng if effect == RAND else rng
                    check = here.check if effect == CHECK else check
        return Scope(cells, clauses, axes, rng, check, front)


OUTERMOST = Scope({}, {}, {})


def performs(row: Row) -> bool:
    """Return whether it matters where a function with these effects was made."""
    return any(kind is None or kind.in_program for kind in map(kind_of, row.effects))


def rebind_effects(value: Value, row: Row, here: Scope) -> Value:
    """A function value mentioned with the effects `row` in its type."""
    return _within(value, lambda scope: scope.taking(row, here))


def bind_axis(value: Value, name: str, axis: str) -> Value:
    """A function value that is mapped over an axis it knows by this name, or that one which is mapped is given."""
    return map_leaves(lambda leaf: _within(leaf, lambda scope: scope.with_axis(name, axis)), value)


def _within(value: Value, change: Callable[[Scope], Scope]) -> Value:
    match value:
        case Closure(node, frame, scope, instance):
            return Closure(node, frame, change(scope), instance)
        case Transformed(_, function, options):
            inner = _within(function, change)
            assert isinstance(inner, FUNCTIONS)
            return replace(value, function=inner, options=tuple([(n, _within(v, change)) for n, v in options]))
        case Partial(function, args, places, names):
            inner = _within(function, change)
            assert isinstance(inner, FUNCTIONS)
            return Partial(inner, args, places, names)
        case _:
            return value

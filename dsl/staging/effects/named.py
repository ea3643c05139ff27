"""Operations by name: the clause that performs one, the field of a record for it, and the record of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.staging.env.environment import Frame
from dsl.staging.env.scope import Clause, Operation, Scope, Store
from dsl.staging.errors import staging_error
from dsl.staging.values import RecordValue, Value
from dsl.types import type as ty
from dsl.types.type import Type

Path = tuple[str, ...]


def find_clause(scope: Scope, operation: Operation, args: Sequence[Value]) -> tuple[Clause, Path, Sequence[Value]]:
    """The innermost clause for an operation whose record, if it reads one, has a field for it; the name of the
    operation there, and the value of this field."""
    front, clause = scope.front, scope.clauses[operation]
    while True:
        path = (*front[clause.depth :], *_name(clause.node, args))
        if clause.source is None:
            return clause, path, ()
        found = _field(clause.source, path)
        if found is not None:
            return clause, path, (found,)
        clause = clause.scope.clauses[operation]


def _name(clause: core.HandlerClause, args: Sequence[Value]) -> Path:
    """The text that tells an operation from others, if it has one."""
    named = (arg for param, arg in zip(clause.signature.params, args, strict=True) if param.type == ty.STRING)
    return tuple([str(arg) for arg in named][:1])


def _field(value: Value, path: Path) -> Value | None:
    for name in path:
        if not isinstance(value, RecordValue):
            return None
        value = dict(value.fields).get(name)
    return value


def collected(store: Store, record: Type, frame: Frame, span: Span) -> Value:
    """The record of all values that were given."""
    return _filled(frame.variables.skeleton(record), (), store, span)


def _filled(structure: Value, path: Path, store: Store, span: Span) -> Value:
    found = store.values.get(path)
    if found is not None:
        return found
    if not isinstance(structure, RecordValue):
        name = ".".join(path)
        message = f"nothing is performed by the name `{name}` for these sizes: a function that does is never called"
        raise staging_error("E0723", message, span)
    return RecordValue(tuple([(name, _filled(part, (*path, name), store, span)) for name, part in structure.fields]))

"""Operations by name: the clause that performs one, the field of a record for it, and the record of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.ops import builders
from dsl.staging.env.environment import Frame
from dsl.staging.env.scope import Clause, Operation, Scope, Store
from dsl.staging.values import RecordValue, Slot, Value, map_leaves
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


def collected(store: Store, record: Type, frame: Frame) -> Value:
    """The record of all values that were given; zeros where a loop of no steps performed nothing."""
    return _filled(frame.variables.skeleton(record), (), store)


def _filled(structure: Value, path: Path, store: Store) -> Value:
    found = store.values.get(path)
    if found is not None:
        return found
    if isinstance(structure, RecordValue):
        return RecordValue(tuple([(name, _filled(part, (*path, name), store)) for name, part in structure.fields]))
    return map_leaves(lambda leaf: builders.zeros(leaf.type) if isinstance(leaf, Slot) else leaf, structure)

"""Fields of records where they are named. Records with the same names of fields are one, for types are structural.

Read next: `navigate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.lsp.index import Index
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types.type import RecordType, StackedType, Type


class FieldMention(Struct, frozen=True):
    """A place where a field is named, and the names of all fields of its record. Those of a type are declarations."""

    span: Span
    record: frozenset[str]
    declared: bool = False

    def same(self, other: FieldMention) -> bool:
        """Return whether both name one field."""
        return self.span.text == other.span.text and self.record == other.record


def fields_named(index: Index) -> Iterator[FieldMention]:
    """Yield every field that a module names, but for those of records whose type is not known."""
    for node in nodes(index.module.tree.declarations):
        match node:
            case ast.RecordTypeExpr(fields=fields) | ast.RecordLit(fields=fields):
                record = frozenset([name.name for name, _ in fields])
                declared = isinstance(node, ast.RecordTypeExpr)
                yield from (FieldMention(name.span.placed, record, declared) for name, _ in fields)
            case ast.Field(base=base, name=name):
                yield from _along(_type_of(index, base), (name,))
            case ast.RecordUpdate(base=base, updates=updates):
                for path, _ in updates:
                    yield from _along(_type_of(index, base), path)
            case _:
                continue


def field_at(index: Index, offset: int) -> FieldMention | None:
    """Return the field that is named at an offset, or right before it."""
    return next((field for field in fields_named(index) if field.span.start <= offset <= field.span.end), None)


def _type_of(index: Index, node: ast.Expr) -> Type | None:
    span = node.span.placed
    return index.types.get(span) or index.type_ending_at(span.end)


def _along(type_: Type | None, path: tuple[ast.Ident, ...]) -> Iterator[FieldMention]:
    """The fields of a path, each of the type of the one before."""
    for name in path:
        record = type_.element if isinstance(type_, StackedType) else type_
        fields = dict(record.fields) if isinstance(record, RecordType) else {}
        if name.name not in fields:
            return
        yield FieldMention(name.span.placed, frozenset(fields))
        type_ = fields[name.name]

"""Through the nodes of a tree: all that lie in one, and those that lie around a place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from dsl.diagnostics.source import Span
from dsl.syntax import ast


class Spanned(Protocol):
    """A node of a tree."""

    @property
    def span(self) -> Span: ...


N = TypeVar("N", bound=Spanned)


def nodes(node: object, outside: type | None = None) -> Iterator[object]:
    """A node and all that lies in it; what lies inside of nodes of the class `outside` is left out."""
    todo = [node]
    while todo:
        found = todo.pop()
        match found:
            case Span() | str() | None:
                pass
            case tuple() | list():
                todo.extend(found)
            case _ if outside is None or not isinstance(found, outside):
                yield found
                todo.extend(parts(found))


def parts(node: object) -> list[object]:
    """Return the field values of a node, which are also its positional pattern. Names of fields mention nothing."""
    if isinstance(node, ast.RecordTypeExpr):
        return [kind for _, kind in node.fields]
    return [getattr(node, name) for name in getattr(type(node), "__match_args__", ())]


def around(node: object, kind: type[N], place: Span) -> list[N]:
    """The nodes of a class in a tree that a place lies in, the innermost first."""
    found = [each for each in nodes(node) if isinstance(each, kind) and each.span.covers(place)]
    return sorted(found, key=lambda each: each.span.end - each.span.start)


def conjuncts(node: ast.Expr) -> Iterator[ast.Expr]:
    """The conditions that `and` joins, from left to right."""
    if isinstance(node, ast.Binary) and node.op == "and":
        yield from conjuncts(node.left)
        yield from conjuncts(node.right)
    else:
        yield node


def pattern_names(pattern: ast.Pattern) -> Iterator[ast.NamePattern]:
    """All names a pattern binds."""
    match pattern:
        case ast.NamePattern():
            yield pattern
        case ast.TuplePattern(parts) | ast.VariantPattern(_, parts):
            for part in parts:
                yield from pattern_names(part)
        case _:
            return


def declared_names(declaration: ast.Declaration) -> tuple[str, ...]:
    """Return the top-level names that a declaration binds."""
    match declaration:
        case ast.Let(pattern=pattern):
            return tuple([bound.name for bound in pattern_names(pattern)])
        case ast.EnumDecl(name=name, variants=variants):
            return (name.name, *[variant.name.name for variant in variants])
        case ast.Import(path=path, alias=alias):
            return ((alias or path[-1]).name,)
        case ast.FromImport(names=names):
            return tuple([(alias or name).name for name, alias in names])
        case _:
            return (declaration.name.name,)

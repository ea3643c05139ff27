"""The declarations of programs: as an outline, by name in a whole workspace, and as parts of a text that fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import assert_never

from lsprotocol import types as lsp

from dsl.diagnostics.source import Source, Span
from dsl.lsp.analysis import Checked
from dsl.lsp.describe import head
from dsl.lsp.names import Kind, declared_names
from dsl.lsp.places import Places
from dsl.syntax import ast
from dsl.syntax.walk import nodes, pattern_names

KINDS: Mapping[Kind, lsp.SymbolKind] = MappingProxyType(
    {
        Kind.FUNCTION: lsp.SymbolKind.Function,
        Kind.PARAMETER: lsp.SymbolKind.Variable,
        Kind.VARIABLE: lsp.SymbolKind.Variable,
        Kind.SIZE: lsp.SymbolKind.TypeParameter,
        Kind.TYPE: lsp.SymbolKind.Struct,
        Kind.ENUM: lsp.SymbolKind.Enum,
        Kind.VARIANT: lsp.SymbolKind.EnumMember,
        Kind.EFFECT: lsp.SymbolKind.Event,
        Kind.CELL: lsp.SymbolKind.Variable,
        Kind.CONSTANT: lsp.SymbolKind.Constant,
        Kind.MODULE: lsp.SymbolKind.Module,
    }
)


def outline(checked: Checked, places: Places) -> Iterator[lsp.DocumentSymbol]:
    """Yield the declarations of a program: variants are inside of their enum, fields inside of their record."""
    for declaration in checked.main.tree.declarations:
        for kind, name, children in _declared(declaration):
            inside = [_entry(checked, *child, declaration.span, (), places) for child in children]
            yield _entry(checked, kind, name, declaration.span, inside, places)


Entry = tuple[Kind, ast.Ident | ast.NamePattern]


def _declared(declaration: ast.Declaration) -> Iterator[tuple[Kind, ast.Ident | ast.NamePattern, list[Entry]]]:
    match declaration:
        case ast.Def(name=name):
            yield Kind.FUNCTION, name, []
        case ast.TypeAliasDecl(name=name, value=ast.RecordTypeExpr(fields=fields)):
            yield Kind.TYPE, name, [(Kind.VARIABLE, field) for field, _ in fields]
        case ast.TypeAliasDecl(name=name):
            yield Kind.TYPE, name, []
        case ast.EffectDecl(name=name):
            yield Kind.EFFECT, name, []
        case ast.EnumDecl(name=name, variants=variants):
            yield Kind.ENUM, name, [(Kind.VARIANT, variant.name) for variant in variants]
        case ast.Let(pattern=pattern):
            yield from ((Kind.CONSTANT, name, []) for name in pattern_names(pattern))
        case ast.Import() | ast.FromImport():
            return
        case _:
            assert_never(declaration)


def _entry(
    checked: Checked,
    kind: Kind,
    name: ast.Ident | ast.NamePattern,
    whole: Span,
    children: Iterable[lsp.DocumentSymbol],
    places: Places,
) -> lsp.DocumentSymbol:
    symbol = declared_names(checked.main).get(name.name) if kind is not Kind.VARIABLE else None
    detail = head(checked.index, symbol) if symbol is not None and kind in (Kind.FUNCTION, Kind.CONSTANT) else None
    own = name.span if kind in (Kind.VARIABLE, Kind.VARIANT) else whole
    shown = lsp.SymbolKind.Field if kind is Kind.VARIABLE else KINDS[kind]
    where = places.range(name.span)
    return lsp.DocumentSymbol(name.name, shown, places.exact_range(own), where, detail, children=list(children))


def find_symbols(programs: Iterable[Checked], query: str, places: Places) -> Iterator[lsp.WorkspaceSymbol]:
    """Yield the declarations whose names have the letters of a query in its order, each once."""
    seen: set[tuple[str, int, int]] = set()
    for checked in programs:
        for symbol in declared_names(checked.main).values():
            place = symbol.span.source.name, symbol.span.source.line_offset, symbol.span.start
            if place not in seen and symbol.kind is not Kind.MODULE and _has(symbol.name, query):
                seen.add(place)
                location = places.location(symbol.span)
                yield lsp.WorkspaceSymbol(location, symbol.name, KINDS[symbol.kind], container_name=symbol.module)


def _has(name: str, query: str) -> bool:
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())


def folds(checked: Checked) -> Iterator[lsp.FoldingRange]:
    """Yield what folds in a program: declarations and blocks of several lines, runs of comments and of imports."""
    source = checked.part.source
    spans = {node.span.placed for node in nodes(checked.main.tree.declarations) if isinstance(node, FOLDED)}
    rows = {(source.row(span.start), source.row(_last(span))) for span in spans}
    ends = {first: max(last for start, last in rows if start == first) for first, _ in rows}
    yield from (_fold(source, first, last, None) for first, last in sorted(ends.items()) if last > first)
    for prefix, kind in (("#", lsp.FoldingRangeKind.Comment), (IMPORTS, lsp.FoldingRangeKind.Imports)):
        yield from (_fold(source, *run, kind) for run in _runs(source, prefix))


FOLDED = (ast.Def, ast.TypeAliasDecl, ast.EnumDecl, ast.EffectDecl, ast.Block, ast.Loop, ast.Iterate, ast.Match)
IMPORTS = ("import ", "from ")


def _last(span: Span) -> int:
    """The last character of a span that is not white space."""
    return span.start + max(len(span.text.rstrip()) - 1, 0)


def _fold(source: Source, first: int, last: int, kind: lsp.FoldingRangeKind | None) -> lsp.FoldingRange:
    return lsp.FoldingRange(first + source.line_offset, last + source.line_offset, kind=kind)


def _runs(source: Source, prefix: str | tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the first and last rows of at least two lines that begin with a prefix."""
    first: int | None = None
    for row in range(len(source.line_starts) + 1):
        inside = row < len(source.line_starts) and source.line(row).lstrip().startswith(prefix)
        if inside and first is None:
            first = row
        elif not inside and first is not None:
            if row - 1 > first:
                yield first, row - 1
            first = None

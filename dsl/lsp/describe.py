"""Descriptions of names and expressions: type, origin of sizes, doc comment."""

from __future__ import annotations

import re
from typing import assert_never

from lsprotocol import types as lsp

from dsl.diagnostics.source import Span
from dsl.host.checking.signature_text import show_function
from dsl.lsp.analysis import Checked
from dsl.lsp.index import Index, is_static
from dsl.lsp.names import Kind, Symbol
from dsl.lsp.places import Places
from dsl.staging.values import DefValue
from dsl.syntax import ast
from dsl.types.show import show_type
from dsl.types.type import Type
from typechecker.declarations.entities import Definition, Module


def hover(checked: Checked, offset: int, places: Places) -> lsp.Hover | None:
    """The name at an offset, or the smallest expression around it."""
    index = checked.index
    mention = index.mention_at(offset)
    if mention is not None:
        return _shown(describe(index, mention.symbol), mention.span, places)
    found = index.expression_at(offset)
    if found is None:
        return None
    (start, end), type_ = found
    return _shown(format_parameter(index, "", type_), Span(index.module.source, start, end), places)


def _shown(text: str, span: Span, places: Places) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), places.range(span))


def describe(index: Index, symbol: Symbol) -> str:
    """A symbol in Markdown: what it is, and what its comment says."""
    doc = _doc(index.modules[symbol.module], symbol)
    return _code(head(index, symbol)) + (f"\n\n{doc}" if doc else "")


def head(index: Index, symbol: Symbol) -> str:
    """Describe a symbol in one line."""
    module = index.modules[symbol.module]
    match symbol.kind:
        case Kind.FUNCTION:
            info = module.definitions.get(symbol.name)
            return symbol.name if info is None else signature(info)
        case Kind.SIZE:
            return f"size {symbol.name}"
        case Kind.MODULE:
            return f"module {module.imports.get(symbol.name, symbol.name)}"
        case Kind.TYPE | Kind.ENUM | Kind.EFFECT | Kind.VARIANT:
            return _written(module, symbol)
        case Kind.PARAMETER | Kind.VARIABLE | Kind.CELL | Kind.CONSTANT:
            type_ = index.type_of(symbol)
            return symbol.name if type_ is None else _bare(index, symbol.name, type_)
        case _:
            assert_never(symbol.kind)


def format_parameter(index: Index, name: str, type_: Type) -> str:
    """`x: f32[n]`, as code."""
    return _code(_bare(index, name, type_))


def _bare(index: Index, name: str, type_: Type) -> str:
    static, shown = "static " if is_static(type_) else "", show_type(type_, index.module.written)
    return f"{static}{name}: {shown}" if name else f"{static}{shown}"


def _code(text: str) -> str:
    return f"```dsl\n{text}\n```"


def signature(info: Definition) -> str:
    """The head of a definition with what was inferred; of the library, as it is written."""
    if info.in_library or info.checked is None:
        written = info.node.span.source.text[info.node.name.span.start : info.node.body.span.start]
        line = " ".join(f"def {written}".split()).removesuffix("=").rstrip()
        return re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", line)
    return show_function(info.checked, DefValue(info.checked))


def _written(module: Module, symbol: Symbol) -> str:
    """The declaration that a symbol is, or is a part of, as it is written."""
    around = (d for d in module.tree.declarations if d.span.placed.covers(symbol.span))
    return next((declaration.span.text for declaration in around), symbol.name)


def _doc(module: Module, symbol: Symbol) -> str | None:
    if symbol.kind is Kind.FUNCTION:
        info = module.definitions.get(symbol.name)
        return None if info is None else info.node.doc
    if symbol.kind is Kind.MODULE:
        return None
    return next((_doc_of(d) for d in module.tree.declarations if d.span.placed.covers(symbol.span)), None)


def _doc_of(declaration: ast.Declaration) -> str | None:
    match declaration:
        case ast.Import() | ast.FromImport() | ast.Def():
            return None
        case _:
            return declaration.doc

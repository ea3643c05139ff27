"""Completions: visible names, fields and methods after a dot, members of modules, keywords.

After a dot, the text is checked without it and the word that is being typed, so that what stands before it has a type.
If brackets are still open at the end of the line, it is checked with these closed, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from lsprotocol import types as lsp

from dsl.lsp.analysis import Analysis, Checked
from dsl.lsp.brackets import close_brackets
from dsl.lsp.describe import head
from dsl.lsp.index import Index
from dsl.lsp.names import Kind, Symbol, declared_names
from dsl.syntax.words import keywords
from dsl.types.show import show_type
from dsl.types.type import ArrayType, IndexType, RecordType, StackedType, Type
from typechecker.declarations.entities import PRELUDE
from typechecker.errors.indices import ARRAY_FIELDS

_REST = re.compile(r"^\w*")
_TYPED = re.compile(r"(\.?)(\w*)$")
KINDS: Mapping[Kind, lsp.CompletionItemKind] = MappingProxyType(
    {
        Kind.FUNCTION: lsp.CompletionItemKind.Function,
        Kind.PARAMETER: lsp.CompletionItemKind.Variable,
        Kind.VARIABLE: lsp.CompletionItemKind.Variable,
        Kind.SIZE: lsp.CompletionItemKind.TypeParameter,
        Kind.TYPE: lsp.CompletionItemKind.Struct,
        Kind.ENUM: lsp.CompletionItemKind.Enum,
        Kind.VARIANT: lsp.CompletionItemKind.EnumMember,
        Kind.EFFECT: lsp.CompletionItemKind.Event,
        Kind.CELL: lsp.CompletionItemKind.Variable,
        Kind.CONSTANT: lsp.CompletionItemKind.Constant,
        Kind.MODULE: lsp.CompletionItemKind.Module,
    }
)


def complete(analysis: Analysis, checked: Checked, offset: int) -> list[lsp.CompletionItem]:
    """Return the completions of the word that ends at an offset."""
    source = checked.part.source
    typed = _TYPED.search(source.text[:offset])
    assert typed is not None
    rest = _REST.sub("", source.text[offset:], count=1)
    at, without = typed.start(), source.text[: typed.start()] + rest
    if typed[1]:
        texts = dict.fromkeys((without, close_brackets(without, at)))
        items = next(filter(None, (_members(analysis, checked, text, at) for text in texts)), [])
    else:
        items = list(_visible(checked.index, at))
    return [item for item in items if item.label.startswith(typed[2])]


def _members(analysis: Analysis, checked: Checked, text: str, offset: int) -> list[lsp.CompletionItem]:
    """Return what may follow a dot at an offset of a text that is tried instead of a program's."""
    with analysis.instead(checked, text, offset) as tried:
        return list(_behind_dot(tried, offset))


def _visible(index: Index, offset: int) -> Iterator[lsp.CompletionItem]:
    visible = index.visible_at(offset)
    yield from (_item(index, symbol) for name, symbol in visible.items() if not _hidden(symbol, name, index))
    yield from (lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword) for word in keywords())


def _hidden(symbol: Symbol, name: str, index: Index) -> bool:
    return name.startswith("_") and symbol.module != index.module.name


def _item(index: Index, symbol: Symbol) -> lsp.CompletionItem:
    """A name; what it is follows when the editor shows it, if it is declared at the top level of a module."""
    declared = symbol.kind not in LOCAL
    return lsp.CompletionItem(
        symbol.name,
        kind=KINDS[symbol.kind],
        detail=None if declared else head(index, symbol),
        sort_text=f"{1 + int(symbol.module != index.module.name)}{symbol.name}",
        data=[index.module.source.name, symbol.module, symbol.name] if declared else None,
    )


LOCAL = (Kind.PARAMETER, Kind.VARIABLE, Kind.SIZE, Kind.CELL)


def resolve(analysis: Analysis, item: lsp.CompletionItem) -> lsp.CompletionItem:
    """Add what a name is to a completion, if that was put off."""
    match item.data:
        case [str(file), str(module), str(name)]:
            for checked in analysis.programs(Path(file)):
                target = checked.index.modules.get(module)
                symbol = None if target is None else declared_names(target).get(name)
                if symbol is not None:
                    item.detail = head(checked.index, symbol)
    return item


def _behind_dot(index: Index, offset: int) -> Iterator[lsp.CompletionItem]:
    mention = index.mention_at(offset)
    if mention is not None and mention.symbol.kind is Kind.MODULE:
        target = index.modules.get(index.module.imports.get(mention.symbol.name, ""))
        members = {} if target is None else declared_names(target)
        yield from (_item(index, symbol) for name, symbol in members.items() if not name.startswith("_"))
        return
    type_ = index.type_ending_at(offset)
    if type_ is None and mention is not None:
        type_ = index.type_of(mention.symbol)
    if type_ is not None:
        yield from _fields(index, type_)
        yield from _methods(index)


def _fields(index: Index, type_: Type) -> Iterator[lsp.CompletionItem]:
    field = lsp.CompletionItemKind.Field
    match type_:
        case RecordType(fields=fields):
            shown = ((name, show_type(t, index.module.written)) for name, t in fields)
            yield from (lsp.CompletionItem(n, kind=field, detail=detail, sort_text=f"0{n}") for n, detail in shown)
        case StackedType(element=element):
            yield from _fields(index, element)
        case ArrayType() | IndexType():
            yield from (lsp.CompletionItem(name, kind=field, sort_text=f"0{name}") for name in ARRAY_FIELDS)
        case _:
            return


def _methods(index: Index) -> Iterator[lsp.CompletionItem]:
    """Functions that take a first argument, which may stand before the dot."""
    for module in (index.modules[PRELUDE], index.module):
        symbols = declared_names(module)
        for name, info in module.definitions.items():
            if name in symbols and not name.startswith("_") and (info.in_library or info.node.params):
                yield _item(index, symbols[name])

"""Completions: visible names, fields and methods after a dot, members of modules, keywords.

The text is checked without the word that is being typed, so that what stands before it has a type. If brackets are
still open at the end of the line, it is checked with these closed, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lsprotocol import types as lsp

from dsl.lsp.analysis import Analysis, Checked
from dsl.lsp.brackets import close_brackets
from dsl.lsp.describe import head
from dsl.lsp.documents import Part
from dsl.lsp.index import Index
from dsl.lsp.names import Kind, Symbol, declared_names
from dsl.records import replace
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
    texts = dict.fromkeys((without, close_brackets(without, at))) if typed[1] else (without,)
    parts = (Part(replace(source, text=text), checked.part.folder) for text in texts)
    indices = (analysis.check(part).index for part in parts)
    items = (list(_behind_dot(index, at) if typed[1] else _visible(index, at)) for index in indices)
    return [item for item in next(filter(None, items), []) if item.label.startswith(typed[2])]


def _visible(index: Index, offset: int) -> Iterator[lsp.CompletionItem]:
    visible = index.visible_at(offset)
    yield from (_item(index, symbol) for name, symbol in visible.items() if not _hidden(symbol, name, index))
    yield from (lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword) for word in keywords())


def _hidden(symbol: Symbol, name: str, index: Index) -> bool:
    return name.startswith("_") and symbol.module != index.module.name


def _item(index: Index, symbol: Symbol) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        symbol.name,
        kind=KINDS[symbol.kind],
        detail=None if symbol.module == PRELUDE else head(index, symbol),
        sort_text=f"{1 + int(symbol.module != index.module.name)}{symbol.name}",
    )


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
        for info in module.definitions.values():
            symbol = declared_names(module).get(info.name)
            if symbol is not None and not info.name.startswith("_") and _takes_argument(info.name, index, symbol):
                yield _item(index, symbol)


def _takes_argument(name: str, index: Index, symbol: Symbol) -> bool:
    return symbol.module == PRELUDE or bool(index.modules[symbol.module].definitions[name].node.params)

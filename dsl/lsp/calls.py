"""Calls: the parameters of the function whose call is being typed, and which functions call which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager

from lsprotocol import types as lsp

from dsl.lsp.analysis import Analysis, Checked, same
from dsl.lsp.brackets import Bracket, close_brackets, open_brackets
from dsl.lsp.describe import head
from dsl.lsp.index import Index
from dsl.lsp.names import Kind, Mention, Symbol, declared_names
from dsl.lsp.places import Places, path_of, uri_of
from dsl.syntax import ast
from typechecker.declarations.entities import PRELUDE

_CALLEE = re.compile(r"(\.?)\b([^\W\d]\w*)$")
_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)")

# ---------------------------------------------------------------- the call that is being typed


def signature_help(analysis: Analysis, checked: Checked, offset: int) -> lsp.SignatureHelp | None:
    """Return the signature of the function around whose arguments an offset is, and the parameter that is next."""
    text = checked.part.source.text
    brackets = [b for b in open_brackets(text, offset) if b.sign == "(" and _CALLEE.search(text[: b.start])]
    if not brackets:
        return None
    with _without_arguments(analysis, checked, brackets[-1], offset) as tried:
        return _help(tried, text, brackets[-1], offset)


def _help(index: Index, text: str, bracket: Bracket, offset: int) -> lsp.SignatureHelp | None:
    symbol = _callee(index, text, bracket.start)
    node = None if symbol is None else _declaration(index, symbol)
    if symbol is None or node is None:
        return None
    called = _CALLEE.search(text[: bracket.start])
    method = called is not None and bool(called[1]) and not _of_module(index, called.start())
    label = head(index, symbol)
    names = [param.name.name for param in node.params]
    params = [lsp.ParameterInformation(_place_in(label, name)) for name in names]
    doc = None if node.doc is None else lsp.MarkupContent(lsp.MarkupKind.Markdown, node.doc)
    active = _active(text, bracket, offset, names, int(method))
    return lsp.SignatureHelp([lsp.SignatureInformation(label, doc, params)], 0, active)


def _without_arguments(
    analysis: Analysis, checked: Checked, bracket: Bracket, offset: int
) -> AbstractContextManager[Index]:
    """The program with no argument in the call: those that are being typed may not be read yet."""
    source = checked.part.source
    end = (source.text + "\n").index("\n", offset)
    text = close_brackets(source.text[: bracket.start] + "()" + source.text[end:], bracket.start)
    return analysis.instead(checked, text, bracket.start)


def _callee(index: Index, text: str, end: int) -> Symbol | None:
    """The function or operation whose name ends at a place. A method without arguments has no type yet, so its name
    decides."""
    mention = index.mention_at(end)
    if mention is not None and mention.span.end == end:
        return mention.symbol
    found = _CALLEE.search(text[:end])
    assert found is not None
    tables = (declared_names(index.module), declared_names(index.modules[PRELUDE])) if found[1] else ()
    return next((table[found[2]] for table in tables if found[2] in table), None)


def _of_module(index: Index, dot: int) -> bool:
    """Return whether the name before a dot is that of a module."""
    mention = index.mention_at(dot)
    return mention is not None and mention.span.end == dot and mention.symbol.kind is Kind.MODULE


def _declaration(index: Index, symbol: Symbol) -> ast.Def | ast.EffectDecl | None:
    module = index.modules[symbol.module]
    if symbol.kind is Kind.FUNCTION:
        info = module.definitions.get(symbol.name)
        return None if info is None else info.node
    effects = (d for d in module.tree.declarations if isinstance(d, ast.EffectDecl))
    return next((d for d in effects if symbol.kind is Kind.EFFECT and d.name.name == symbol.name), None)


def _place_in(label: str, name: str) -> tuple[int, int] | str:
    found = re.search(rf"\b{re.escape(name)}(?=:)", label)
    return (len(label[: found.start()]), len(label[: found.end()])) if found is not None else name


def _active(text: str, bracket: Bracket, offset: int, names: Sequence[str], before: int) -> int:
    """The number of the parameter of the argument at an offset: by its name if it has one."""
    start = (bracket.commas or (bracket.start,))[-1] + 1
    named = _NAMED.match(text[start:offset])
    if named is not None and named[1] in names:
        return names.index(named[1])
    return len(bracket.commas) + before


# ---------------------------------------------------------------- who calls whom


def prepare(checked: Checked, offset: int, places: Places) -> list[lsp.CallHierarchyItem]:
    """Return the function at an offset, as the protocol has it."""
    mention = checked.index.mention_at(offset)
    if mention is None or mention.symbol.kind is not Kind.FUNCTION:
        return []
    return [_item(checked.index, mention.symbol, places)]


def _item(index: Index, symbol: Symbol, places: Places) -> lsp.CallHierarchyItem:
    info = index.modules[symbol.module].definitions.get(symbol.name)
    name, whole = places.range(symbol.span), symbol.span if info is None else info.node.span.placed
    at = places.exact_range(whole if whole.covers(symbol.span) else symbol.span)
    return lsp.CallHierarchyItem(
        symbol.name, lsp.SymbolKind.Function, uri_of(symbol.span.source), at, name, detail=symbol.module
    )


def incoming(analysis: Analysis, item: lsp.CallHierarchyItem, places: Places) -> list[lsp.CallHierarchyIncomingCall]:
    """Return the functions near by that name a function, each with the places where it does."""
    path = path_of(item.uri)
    found = places.program_at(analysis, path, item.selection_range.start)
    mention = None if found is None else found[0].index.mention_at(found[1])
    if mention is None:
        return []
    calls: dict[tuple[str, str], tuple[lsp.CallHierarchyItem, list[lsp.Range]]] = {}
    for index, other in analysis.indexed_mentions(path, mention.symbol):
        caller = _caller(index, other)
        if caller is not None and not same(mention.symbol, Symbol(Kind.FUNCTION, other.span.text, "", other.span)):
            caller_item = _item(index, caller, places)
            calls.setdefault((caller_item.uri, caller.name), (caller_item, []))[1].append(places.range(other.span))
    return [lsp.CallHierarchyIncomingCall(caller, ranges) for caller, ranges in calls.values()]


def outgoing(analysis: Analysis, item: lsp.CallHierarchyItem, places: Places) -> list[lsp.CallHierarchyOutgoingCall]:
    """Return the functions that a function names, each with the places where it does."""
    found = places.program_at(analysis, path_of(item.uri), item.selection_range.start)
    if found is None:
        return []
    index, offset = found[0].index, found[1]
    calls: dict[Symbol, list[lsp.Range]] = {}
    for mention in index.names.mentions:
        caller = _caller(index, mention)
        if caller is not None and caller.span.start <= offset <= caller.span.end and _is_call(mention):
            calls.setdefault(mention.symbol, []).append(places.range(mention.span))
    return [lsp.CallHierarchyOutgoingCall(_item(index, symbol, places), ranges) for symbol, ranges in calls.items()]


def _is_call(mention: Mention) -> bool:
    return mention.symbol.kind is Kind.FUNCTION and mention.span != mention.symbol.span


def _caller(index: Index, mention: Mention) -> Symbol | None:
    """The function of a module inside which a name is mentioned."""
    if mention.span.source is not index.module.source.placed:
        return None
    definitions = (d for d in index.module.tree.declarations if isinstance(d, ast.Def))
    around = (d for d in definitions if d.span.placed.covers(mention.span))
    return next((declared_names(index.module)[d.name.name] for d in around), None)

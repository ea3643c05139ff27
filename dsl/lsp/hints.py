"""Inlay hints of inferred facts: types of names, results, effects and conditions of definitions."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from dsl.diagnostics.source import Span
from dsl.lsp.analysis import Checked
from dsl.lsp.index import Index, is_static
from dsl.lsp.places import Places
from dsl.syntax import ast
from dsl.types.show import Naming, show_row, show_type
from dsl.types.type import ERROR
from typechecker.declarations.entities import Definition

LONGEST = 60
"""Characters of a hint; longer types are cut."""


def hints(checked: Checked, places: Places) -> Iterator[lsp.InlayHint]:
    """All of a program, in order of place."""
    index, module = checked.index, checked.index.module
    found = [*_names(index), *(hint for info in module.definitions.values() for hint in _head(info, module.written))]
    for offset, text in sorted(found):
        short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        yield lsp.InlayHint(places.position(module.source, offset), short, lsp.InlayHintKind.Type, tooltip=text)


def _names(index: Index) -> Iterator[tuple[int, str]]:
    """The types of names that are bound without one."""
    annotated = {p.name.span.placed for d in _definitions(index) for p in d.params if p.type}
    for place, type_ in index.bindings.items():
        behind = place.source.text[place.end : place.end + 1]
        if type_ != ERROR and place not in annotated and behind != ":":
            yield place.end, f": {'static ' if is_static(type_) else ''}{show_type(type_, index.module.written)}"


def _definitions(index: Index) -> Iterator[ast.Def]:
    yield from (info.node for info in index.module.definitions.values())


def _head(info: Definition, write: Naming) -> Iterator[tuple[int, str]]:
    """The result, effects and conditions that a head does not state."""
    node, found = info.node, info.signature
    if found is None or found.result == ERROR or info.checked is None:
        return
    parts = [f" -> {show_type(found.result, write)}{show_row(found.effects, write)}"] if node.result is None else []
    if found.where and not node.where:
        parts.append(f" where {' and '.join(map(str, found.where))}")
    if parts:
        end = _end_of_head(node)
        yield Span(node.span.source, end, end).placed.start, "".join(parts)


def _end_of_head(node: ast.Def) -> int:
    """Behind the result of a definition, or behind its parameters."""
    if node.result is not None:
        return node.span.start + len(node.span.text[: node.result.span.end - node.span.start])
    after = max([node.name.span.end, *(p.span.end for p in node.params), *(g.span.end for g in node.generics)])
    return node.span.source.text.index(")", after) + 1

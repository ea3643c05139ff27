"""Semantic highlighting: keywords by their terminals, names by the symbols they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lsprotocol import types as lsp

from dsl.diagnostics.source import Span
from dsl.lsp.analysis import Checked
from dsl.lsp.names import Kind
from dsl.lsp.places import Places
from dsl.syntax.parse import parse_with_tokens
from dsl.syntax.words import words_of
from dsl.types.dtype import BY_NAME

Type = lsp.SemanticTokenTypes

LEGEND = lsp.SemanticTokensLegend([kind.value for kind in Type], [])
_LITERALS: Mapping[str, Type] = MappingProxyType(
    {"NUMBER": Type.Number, "POSITION": Type.Number, "STRING": Type.String}
)
_NAMES: Mapping[Kind, Type] = MappingProxyType(
    {
        Kind.FUNCTION: Type.Function,
        Kind.PARAMETER: Type.Parameter,
        Kind.VARIABLE: Type.Variable,
        Kind.SIZE: Type.TypeParameter,
        Kind.TYPE: Type.Struct,
        Kind.ENUM: Type.Enum,
        Kind.VARIANT: Type.EnumMember,
        Kind.EFFECT: Type.Event,
        Kind.CELL: Type.Variable,
        Kind.CONSTANT: Type.Variable,
        Kind.MODULE: Type.Namespace,
    }
)


def words(checked: Checked) -> Iterator[tuple[Span, Type]]:
    """Every word of a program that has a colour, in order of place."""
    source, named = checked.part.source, {m.span[1:]: m.symbol for m in checked.index.names.mentions}
    for _, tokens in parse_with_tokens(source).tokens:
        for token in tokens:
            symbol = named.get((token.start, token.end))
            kind = _LITERALS.get(token.kind)
            if token.text in words_of().get(token.kind, ()):
                kind = Type.Keyword
            elif symbol is not None:
                kind = _NAMES[symbol.kind]
            elif token.text in BY_NAME:
                kind = Type.Type
            if kind is not None:
                yield Span(source, token.start, token.end), kind


def encode(found: Iterator[tuple[Span, Type]], places: Places) -> list[int]:
    """Five numbers a word, each place from the one before, as the protocol has them."""
    data: list[int] = []
    line = column = 0
    for span, kind in found:
        at = places.exact_range(span)
        row, first = at.start.line, at.start.character
        start = first - column if row == line else first
        data += [row - line, start, at.end.character - first, LEGEND.token_types.index(kind.value), 0]
        line, column = row, first
    return data

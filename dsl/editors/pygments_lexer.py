"""The language for Pygments, and with it for Sphinx, mkdocs, IPython and terminals: `pygmentize -l dsl model.dsl`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, _TokenType

from dsl.syntax.highlighting import Piece, pieces

TOKENS: Mapping[Piece, _TokenType] = MappingProxyType(
    {
        Piece.DOC: String.Doc,
        Piece.COMMENT: Comment.Single,
        Piece.STRING: String.Double,
        Piece.NUMBER: Number,
        Piece.ATTRIBUTE: Name.Decorator,
        Piece.FUNCTION: Name.Function,
        Piece.TYPE: Name.Class,
        Piece.KEYWORD: Keyword,
        Piece.CONSTANT: Keyword.Constant,
        Piece.DTYPE: Keyword.Type,
        Piece.CALL: Name.Function,
        Piece.NAME: Name,
        Piece.SIGN: Operator,
    }
)


class DslLexer(RegexLexer):
    """Tokens of a program."""

    name = "puredsl"
    aliases: ClassVar = ["dsl", "puredsl"]
    filenames: ClassVar = ["*.dsl"]
    flags = re.MULTILINE
    tokens: ClassVar = {"root": [(r"\s+", Text), *((pattern, TOKENS[piece]) for piece, pattern in pieces())]}

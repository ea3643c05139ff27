"""Regular expressions for highlighters without a parser.

Everything is read off the terminals of the grammar, so that a new word or sign has its colour. Read next:
`dsl.editors.pygments_lexer`, `dsl.editors.textmate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from dsl.syntax.tables import tables
from dsl.syntax.words import handler_words, hard_keywords, keywords
from dsl.types.dtype import BY_NAME


class Piece(Enum):
    """A coloured piece of the source."""

    DOC = "documentation comment"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    ATTRIBUTE = "attribute"
    FUNCTION = "name of a definition"
    TYPE = "name of a type or variant"
    KEYWORD = "word of the language"
    CONSTANT = "word for a value"
    DTYPE = "element type"
    CALL = "name that is called"
    NAME = "other name"
    SIGN = "operator or bracket"


_VALUES = ("TRUE", "FALSE", "NONE")
_LITERALS = ("NUMBER", "POSITION", "STRING", "NAME", "COMMENT", "BLANK", "INDENT", "NEWLINE")
_FOLLOWING = ("do", "not", "if", "fn")
"""Hard keywords that may stand behind a soft one."""


def pieces() -> Iterator[tuple[Piece, str]]:
    """Regular expressions in the order in which they are tried."""
    found = tables().terminals
    name = found["NAME"]
    values = [word for word in hard_keywords() if any(re.fullmatch(found[kind], word) for kind in _VALUES)]
    hard = [word for word in hard_keywords() if word not in values]
    handlers = handler_words()
    clauses = [word for word in keywords() if word not in hard_keywords() and word not in handlers]
    signs = sorted(pattern for kind, pattern in found.items() if kind not in _LITERALS and not _is_word(pattern))
    yield Piece.DOC, r"\#\#[^\n]*"
    yield Piece.COMMENT, found["COMMENT"]
    yield Piece.STRING, found["STRING"]
    yield Piece.NUMBER, found["NUMBER"]
    yield Piece.ATTRIBUTE, rf"^@{name}"
    yield Piece.FUNCTION, rf"(?<=\bdef ){name}"
    yield Piece.TYPE, rf"(?<=\btype ){name}|(?<=\benum ){name}|(?<=\beffect ){name}|(?<!\w)[A-Z]\w*"
    yield Piece.CONSTANT, _any(values)
    yield Piece.KEYWORD, _any(hard)
    yield Piece.KEYWORD, rf"(?<=\bwith ){_any(handlers)}|{_any(handlers)}(?=\s+\w+\s*[=:])"
    names = "".join([rf"(?<!\b{word} )" for word in clauses])  # the second word of `limit limit` is a name
    yield (
        Piece.KEYWORD,
        rf"(?<!\.){names}{_any(clauses)}(?=\s+[\w(?])(?!\s+{_any([w for w in hard if w not in _FOLLOWING])})",
    )
    yield Piece.DTYPE, _any(sorted(BY_NAME))
    yield Piece.CALL, rf"{name}(?=\()"
    yield Piece.NAME, name
    yield Piece.SIGN, "|".join(signs)


def _is_word(pattern: str) -> bool:
    return pattern.startswith(tuple("abcdefghijklmnopqrstuvwxyz"))


def _any(words: list[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(words)})(?!\w)"

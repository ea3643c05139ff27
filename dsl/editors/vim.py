"""The language for Vim: `python -m dsl.editors.vim` writes the syntax file of the plugin in `editors/vim`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from dsl.syntax.highlighting import Piece, pieces

GROUPS: Mapping[Piece, str] = MappingProxyType(
    {
        Piece.DOC: "SpecialComment",
        Piece.COMMENT: "Comment",
        Piece.STRING: "String",
        Piece.NUMBER: "Number",
        Piece.ATTRIBUTE: "PreProc",
        Piece.FUNCTION: "Function",
        Piece.TYPE: "Type",
        Piece.KEYWORD: "Keyword",
        Piece.CONSTANT: "Constant",
        Piece.DTYPE: "Type",
        Piece.CALL: "Function",
        Piece.NAME: "Identifier",
        Piece.SIGN: "Operator",
    }
)
PLUGIN = Path(__file__).parents[2] / "editors" / "vim"
HEAD = """\" Vim syntax file of puredsl, written by `python -m dsl.editors.vim` from the grammar of the language.

if exists("b:current_syntax")
  finish
endif
syntax case match
syntax sync fromstart

"""

_TOKEN = re.compile(r"\(\?<?[:=!]|\(|\)|\[\^?(?:\\.|[^\]\\])*\]|\\.|[*+?^$.|]|.", re.DOTALL)
_AFTER: Mapping[str, str] = MappingProxyType(
    {"(?:": "", "(": "", "(?=": "@=", "(?!": "@!", "(?<=": "@<=", "(?<!": "@<!"}
)
"""The sign of Vim behind a group, by how Python opens it."""

_ESCAPES: Mapping[str, str] = MappingProxyType(
    {r"\w": r"\w", r"\W": r"\W", r"\s": r"\s", r"\n": r"\n", r"\b": r"%(<|>)"}
)


def syntax() -> str:
    """The text of the syntax file. Of several matches at a place Vim takes the one that is defined last."""
    found = list(pieces())
    matches = [f"syntax match {_name(piece)} ;\\v{pattern_of(regex)};" for piece, regex in reversed(found)]
    links = [f"highlight default link {_name(piece)} {group}" for piece, group in GROUPS.items()]
    return "\n".join([HEAD.rstrip(), "", *matches, "", *links, "", 'let b:current_syntax = "puredsl"', ""])


def pattern_of(regex: str) -> str:
    """A regular expression of Python as one of Vim that is "very magic", where all signs have a meaning."""
    return "".join(_translated(regex))


def _translated(regex: str) -> Iterator[str]:
    opened: list[str] = []
    for token in _TOKEN.findall(regex):
        if token in _AFTER:
            opened.append(token)
            yield "%("
        elif token == ")":
            yield f"){_AFTER[opened.pop()]}"
        elif token.startswith("[") and len(token) > 1:
            yield _class(token)
        elif len(token) > 1:
            yield _ESCAPES.get(token) or _literal(token[1])
        else:
            yield token if token in "*+?^$.|" else _literal(token)


def _class(token: str) -> str:
    """A set of characters; a word may begin with those that are in no set of Vim."""
    if token == r"[^\W0-9]":
        return r"\h"
    inside = token.replace(r"\w", "0-9A-Za-z_")
    if not inside.startswith("[^"):
        return inside
    rest = inside[2:-1].replace(r"\n", "").replace("\n", "")  # a set that is negated ends with the line
    return f"[^{rest}]" if rest else "."


def _literal(sign: str) -> str:
    return "\\n" if sign == "\n" else sign if sign.isalnum() or sign in "_ " else f"\\{sign}"


def _name(piece: Piece) -> str:
    return f"dsl{piece.name.title()}"


def main() -> None:
    """Write the syntax file into the plugin."""
    (PLUGIN / "syntax" / "puredsl.vim").write_text(syntax(), encoding="utf-8")


if __name__ == "__main__":
    main()

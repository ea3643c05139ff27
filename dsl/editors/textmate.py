"""The language for editors that read TextMate grammars: `python -m dsl.editors.textmate` writes it to the extension."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dsl.syntax.highlighting import Piece, pieces

SCOPES: Mapping[Piece, str] = MappingProxyType(
    {
        Piece.DOC: "comment.line.documentation",
        Piece.COMMENT: "comment.line.number-sign",
        Piece.STRING: "string.quoted.double",
        Piece.NUMBER: "constant.numeric",
        Piece.ATTRIBUTE: "entity.name.function.decorator",
        Piece.FUNCTION: "entity.name.function",
        Piece.TYPE: "entity.name.type",
        Piece.KEYWORD: "keyword.control",
        Piece.CONSTANT: "constant.language",
        Piece.DTYPE: "support.type",
        Piece.CALL: "entity.name.function.call",
        Piece.NAME: "variable.other",
        Piece.SIGN: "keyword.operator",
    }
)
EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


def grammars() -> Mapping[str, dict[str, Any]]:
    """By file, the grammar of programs, and the one that is put into that of Python for programs in strings."""
    patterns = [{"match": pattern, "name": f"{SCOPES[piece]}.dsl"} for piece, pattern in pieces()]
    return {
        "dsl.tmLanguage.json": {"name": "puredsl", "scopeName": "source.dsl", "patterns": patterns},
        "dsl-in-python.tmLanguage.json": {
            "scopeName": "source.dsl.in-python",
            "injectionSelector": "L:source.python -string -comment",
            "patterns": [
                {
                    "begin": r"(?<=\bdsl\.program\()(\"\"\"|''')",
                    "end": r"\1",
                    "beginCaptures": {"0": {"name": "string.quoted.docstring.multi.python"}},
                    "endCaptures": {"0": {"name": "string.quoted.docstring.multi.python"}},
                    "contentName": "meta.embedded.block.dsl",
                    "patterns": [{"include": "source.dsl"}],
                }
            ],
        },
    }


def main() -> None:
    """Write the grammars into the extension for VS Code."""
    for name, grammar in grammars().items():
        target = EXTENSION / "syntaxes" / name
        target.write_text(json.dumps(grammar, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Highlighters see what the parser sees, on all texts of the library and the examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String

from dsl.diagnostics.source import Source
from dsl.editors.pygments_lexer import DslLexer
from dsl.editors.textmate import EXTENSION, grammars
from dsl.syntax.parse import parse_with_tokens
from dsl.syntax.words import words_of
from tests.support.cases import some

ROOT = Path(__file__).parents[3]
TEXTS = sorted([*(ROOT / "examples").rglob("*.dsl"), *(ROOT / "stdlib").rglob("*.dsl")])
LITERALS = {"NUMBER": Number, "STRING": String}


def coloured(text: str) -> dict[int, Any]:
    """By character, the token of Pygments that it is in."""
    found: dict[int, Any] = {}
    for at, kind, part in DslLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text):
        found |= dict.fromkeys(range(at, at + len(part)), kind)
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_words_numbers_and_texts_are_those_of_the_parser(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    colours = coloured(text)
    assert Error not in colours.values()
    for _, tokens in parse_with_tokens(Source(str(path), text)).tokens:
        for token in tokens:
            colour = colours.get(token.start, Error)
            if token.text in words_of().get(token.kind, ()):
                assert colour in Keyword, f"{path.name}: {token}"
            if token.kind in LITERALS:
                assert colour in LITERALS[token.kind], f"{path.name}: {token}"
            if token.kind == "NAME":
                assert colour in Name or colour is Keyword.Type, f"{path.name}: {token}"


def test_definitions_comments_and_types_have_colours_of_their_own() -> None:
    text = "## Doc.\n# note\ndef f(x: Params[d]) -> f32 where d >= 1 = g(x).limit\n"
    assert coloured(text)[0] is String.Doc and coloured(text)[8] is Comment.Single
    assert coloured(text)[text.index("f(")] is Name.Function
    assert coloured(text)[text.index("Params")] is Name.Class
    assert coloured(text)[text.index("where")] is Keyword
    assert coloured(text)[text.index("limit")] is Name


def test_the_extension_has_the_grammars_that_are_made_now() -> None:
    for name, grammar in some(grammars().items()):
        kept = (EXTENSION / "syntaxes" / name).read_text(encoding="utf-8")
        assert json.loads(kept) == grammar, "run python -m dsl.editors.textmate"
        for pattern in grammar["patterns"]:
            re.compile(pattern.get("match", ""))


def test_the_extension_names_files_that_exist() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    named = [grammar["path"] for grammar in manifest["contributes"]["grammars"]]
    named += [language["configuration"] for language in manifest["contributes"]["languages"]]
    source, bundled = re.findall(r"[\w/]+\.js", manifest["scripts"]["bundle"])
    assert manifest["main"] == f"./{bundled}"
    assert all((EXTENSION / path).is_file() for path in [*named, source])

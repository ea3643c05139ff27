"""The scanner gives the tokens that lark's lexer gives, for good texts and for any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.source import Source
from dsl.syntax import parse
from dsl.syntax.parse import Grammar, read

ROOT = Path(__file__).parents[3]
TEXTS = [ROOT / "stdlib" / "nn.dsl", *sorted((ROOT / "examples").glob("*.dsl"))]
PIECES = st.sampled_from(
    [
        *("def", "static", "let", "if", "then", "else", "where", "limit", "rng", "with", "do", "and", "or", "not"),
        *("x", "é", "none", "nonesuch", "1", "1.5", "0x1f", "1.0.2", "2j", "1_0", '"a"', '"\\""', '"', "# c", "٣"),
        *("**", "**=", "*", "-", "->", "-=", "|>", "|", "|=", "...", "..", ".", ":=", ":", "==", "=", "=>", "!", "!="),
        *(
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\n",
            "\n    ",
            "\n        ",
            " ",
            "\t",
            "\r\n",
            "~",
            "@",
            "$",
            "?",
            "<<=",
        ),
    ]
)


@pytest.fixture(scope="module")
def by_lark() -> Grammar:
    """The grammar with the lexer that the scanner stands for."""
    made = parse.grammar()
    return made._replace(lexer=made.lexer.lexer)


def agree(text: str, by_lark: Grammar) -> bool:
    source = Source("a.dsl", text)
    found = read(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "grammar", lambda: by_lark)
        return read(source) == found


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_tokens_of_good_texts_are_the_same(file: Path, by_lark: Grammar) -> None:
    assert agree(file.read_text(encoding="utf-8"), by_lark)


@settings(max_examples=80)
@given(text=st.lists(PIECES, max_size=25).map("".join))
def test_tokens_of_any_texts_are_the_same(text: str, by_lark: Grammar) -> None:
    assert agree(f"def f(x: f32) -> f32 =\n    {text}\n", by_lark)
    assert agree(text, by_lark)

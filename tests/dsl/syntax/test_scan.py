"""The scanner gives the tokens that lark's lexer gives, for good texts and for any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import LexerState
from lark.utils import TextSlice

from dsl.diagnostics.source import Source
from dsl.syntax import parse
from dsl.syntax.make_tables import build_grammar, number_states
from dsl.syntax.parse import parse_with_tokens
from dsl.syntax.scan import Place, Stack
from dsl.syntax.tables import FILE
from dsl.syntax.tokens import Token, Unexpected

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


class LarkLexer:
    """The lexer that the scanner stands for."""

    def __init__(self) -> None:
        made = build_grammar(FILE.with_suffix(".lark").read_text(encoding="utf-8"))
        self._lexer: Any = made.parser.lexer.lexer
        self._state_of = {ours: theirs for theirs, ours in number_states(made).items()}

    def lex(self, place: Place, stack: Stack) -> Iterator[Token]:
        state = LexerState(TextSlice(place.text, 0, place.end))
        state.line_ctr.char_pos = place.at
        position = type("Position", (), {"position": property(lambda _: self._state_of[stack.states[-1]])})()
        try:
            for token in self._lexer.lex(state, position):
                place.at = token.end_pos
                yield Token(token.type, str(token), token.start_pos, token.end_pos)
        except UnexpectedToken as problem:
            raise Unexpected(problem.token.type, problem.token.start_pos, problem.token.end_pos) from None
        except UnexpectedCharacters as problem:
            raise Unexpected("", problem.pos_in_stream, problem.pos_in_stream + 1) from None


@pytest.fixture(scope="module")
def by_lark() -> LarkLexer:
    return LarkLexer()


def agree(text: str, by_lark: LarkLexer) -> bool:
    source = Source("a.dsl", text)
    found = parse_with_tokens(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "scanner", lambda: by_lark)
        return parse_with_tokens(source) == found


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_tokens_of_good_texts_are_the_same(file: Path, by_lark: LarkLexer) -> None:
    assert agree(file.read_text(encoding="utf-8"), by_lark)


@settings(max_examples=80)
@given(text=st.lists(PIECES, max_size=25).map("".join))
def test_tokens_of_any_texts_are_the_same(text: str, by_lark: LarkLexer) -> None:
    assert agree(f"def f(x: f32) -> f32 =\n    {text}\n", by_lark)
    assert agree(text, by_lark)

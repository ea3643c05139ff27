"""Terminals of the grammar, found by what the parser's state accepts: the first of them that matches.

A text is cut by one pattern into words, rows of signs, layout and the rest, without knowing the terminals. Which
terminal a word or a row of signs is, depends on these alone and on what is accepted; it is asked once and remembered.
What no terminal matches is for lark's own lexer to report. Read next: `layout`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

_PIECE = re.compile(
    r"""((?:[ \t\f\r]*(?:\#[^\n]*)?\n)+[ \t]*)   # 1: ends of lines, and the beginning of the next
    |([ \t\f\r]+|\#[^\n]*)                       # 2: what is skipped
    |([^\W0-9]\w*)                               # 3: a word
    |([^\w\s"\#]{1,4})                           # 4: signs, as far as one of them may look ahead
    |([0-9]|")                                   # 5: the beginning of a number or text
    """,
    re.VERBOSE,
)
_LAYOUT, _SKIPPED, _WORD, _SIGNS = 1, 2, 3, 4

Found: TypeAlias = "tuple[str, int] | None"
"""A terminal and its length."""


class _Accepted:
    """The terminals that some states accept, the one that is preferred first."""

    def __init__(self, terminals: Mapping[str, re.Pattern[str]]) -> None:
        self.layout = "INDENT" if "INDENT" in terminals else "NEWLINE"
        self.known: dict[str, Found] = {}
        self._terminals = terminals

    def first(self, text: str, at: int, end: int) -> Found:
        """The terminal at a place, if there is one."""
        for name, pattern in self._terminals.items():
            match = pattern.match(text, at, end)
            if match is not None:
                return name, match.end() - at
        return None


class Scanner:
    """The lexer of a grammar; `lexer` is lark's own for it, `make` builds a token from its terminal, text and place."""

    def __init__(self, lexer: Any, make: Callable[[str, str, int, int], Any]) -> None:
        patterns = {t.name: re.compile(t.pattern.to_regexp()) for t in lexer.root_lexer.terminals}
        alike: dict[int, _Accepted] = {
            id(each): _Accepted({t.name: patterns[t.name] for t in each.terminals}) for each in lexer.lexers.values()
        }
        self._accepted = {state: alike[id(each)] for state, each in lexer.lexers.items()}
        self.lexer = lexer
        self._make = make

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:
        """The tokens from where the state of the lexer stands."""
        text, end, place = lexer_state.text.text, lexer_state.text.end, lexer_state.line_ctr
        make, accepted, piece_at = self._make, self._accepted, _PIECE.match
        while place.char_pos < end:
            at = place.char_pos
            piece = piece_at(text, at, end)
            kind = piece.lastindex if piece is not None else None
            if piece is not None and kind == _SKIPPED:
                place.char_pos = piece.end()
                continue
            here = accepted[parser_state.position]
            found = _found(here, piece, text, at, end)
            if found is None:
                yield from self.lexer.lex(lexer_state, parser_state)
                return
            name, length = found
            place.char_pos = at + length
            token = lexer_state.last_token = make(name, text[at : at + length], at, at + length)
            yield token


def _found(here: _Accepted, piece: re.Match[str] | None, text: str, at: int, end: int) -> Found:
    kind = None if piece is None else piece.lastindex
    if piece is None or kind is None or kind > _SIGNS:
        return here.first(text, at, end)
    if kind == _LAYOUT:
        return here.layout, piece.end() - at
    key = piece[kind]
    if key not in here.known:
        here.known[key] = here.first(text, at, end)
    return here.known[key]

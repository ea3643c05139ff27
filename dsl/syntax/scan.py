"""Terminals of the grammar, found by what the parser's state accepts: the first of them that matches.

A text is cut by one pattern into words, rows of signs, layout and the rest, without knowing the terminals. Which
terminal a word or a row of signs is, depends on these alone and on what is accepted; it is asked once and remembered.
What no terminal that is accepted matches is an error, at the terminal that it would be elsewhere. Read next: `layout`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Protocol, TypeAlias

from dsl.syntax.tables import Tables
from dsl.syntax.tokens import Token, Unexpected

_PIECE = re.compile(
    r"""((?:[ \t\f\r]*(?:\#[^\n]*)?\n)+[ \t]*)   # 1: ends of lines, and the beginning of the next
    |[ \t\f\r]*(?:
        ([^\W0-9]\w*)                           # 2: a word
        |([^\w\s"\#]{1,4})                      # 3: signs, as far as one of them may look ahead
        |([0-9]|"))                             # 4: the beginning of a number or text
    |([ \t\f\r]+|\#[^\n]*)                     # 5: what is skipped
    |(.)                                        # 6: what begins nothing
    """,
    re.VERBOSE | re.DOTALL,
)
_LAYOUT, _WORD, _SIGNS, _SKIPPED = 1, 2, 3, 5
_WORD_END = r"(?!\w)"

Found: TypeAlias = "tuple[str, int] | None"
"""A terminal and its length."""


class Place(Protocol):
    """Where a run stands: in `text` at `at`, which ends at `end`."""

    text: str
    at: int
    end: int


class Stack(Protocol):
    """The stack of a run of the parser."""

    states: list[int]


class _Accepted:
    """The terminals that some states accept, the one that is preferred first."""

    def __init__(self, terminals: Mapping[str, str]) -> None:
        self.layout = "INDENT" if "INDENT" in terminals else "NEWLINE"
        self.of: Callable[[str], Found] = cache(lambda piece: self.first(piece, 0, len(piece)))
        """The terminal that a word or a row of signs begins with."""
        self._terminals = terminals

    def first(self, text: str, at: int, end: int) -> Found:
        """The terminal at a place, if there is one."""
        for name, pattern in self._terminals.items():
            word = pattern.removesuffix(_WORD_END)
            if word.isalpha() and not text.startswith(word, at):
                continue
            match = _compiled(pattern).match(text, at, end)
            if match is not None:
                return name, match.end() - at
        return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Scanner:
    """The lexer of a grammar."""

    def __init__(self, tables: Tables) -> None:
        alike = [_Accepted({name: tables.terminals[name] for name in names}) for names in tables.accepted]
        self._accepted = [alike[number] for number in tables.sets]
        self._any = _Accepted(tables.terminals)

    def lex(self, place: Place, stack: Stack) -> Iterator[Token]:
        """The tokens from a place on; it stands behind each that is given. Raises `Unexpected`."""
        text, end, states = place.text, place.end, stack.states
        accepted, piece_at = self._accepted, _PIECE.match
        while place.at < end:
            piece = piece_at(text, place.at, end)
            assert piece is not None and piece.lastindex is not None
            kind = piece.lastindex
            if kind == _SKIPPED:
                place.at = piece.end()
                continue
            at = place.at = piece.start(kind)
            here = accepted[states[-1]]
            if kind == _LAYOUT:
                found: Found = here.layout, piece.end() - at
            elif kind in (_WORD, _SIGNS):
                found = here.of(piece[kind])
            else:
                found = here.first(text, at, end)
            if found is None:
                unexpected, length = self._any.first(text, at, end) or ("", 1)
                raise Unexpected(unexpected, at, at + length)
            name, length = found
            place.at = at + length
            yield Token(name, text[at : at + length], at, at + length)

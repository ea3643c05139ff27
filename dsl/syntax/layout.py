"""The layout rule: indentation becomes INDENT, NEWLINE and DEDENT tokens, also inside brackets.

A `Layout` stands between the lexer and the parser for one run of the parser. It keeps one stack of open
blocks (by column) and open brackets. It knows the spelling of continuation lines and nothing of the
grammar: where a block may open is decided by the parser, whose state makes the lexer offer INDENT instead
of NEWLINE. Its state survives an error, so recovery can put it back to the start of a statement. Read next:
`grammar.lark`, `parse`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from dsl.syntax.scan import Place, Stack
from dsl.syntax.tokens import Token

MAX_NESTING = 200
"""How many brackets and blocks may be open at once."""

TAB_WIDTH = 4
"""A tab is an error; its width only keeps that error from causing others."""

ALWAYS_LEXED = ("NEWLINE", "COMMA", "RPAR", "RSQB", "RBRACE")
"""Terminals the layout must see in every state: each can end a block before the parser expects it."""

_STATEMENT_ENDS = frozenset(["INDENT", "NEWLINE", "DEDENT"])
"""Behind these a statement begins, or goes on."""

CONTINUES = re.compile(r"(?:then|else|do|for|while|and|or)(?!\w)|elif(?=[ \t]+[\w(\[\"~-])|[.*/%@|^&<>=!,]|->")
CONTINUES_IF_DEEPER = re.compile(r"(?:where|limit)(?!\w)")
BEGINS_BLOCK = re.compile(r"(?:let|assert)(?!\w)")
"""The words that begin a block behind `[`, where a line break is else only a break in a list."""
_CLOSER_OF: Mapping[str, str] = MappingProxyType({"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"})


class Lexer(Protocol):
    """The part of the scanner's interface that is used here."""

    def lex(self, place: Place, stack: Stack, /) -> Iterator[Token]: ...


class Level(NamedTuple):
    """An open block (its column, `closer` empty) or an open bracket (`column` is -1)."""

    column: int
    start: int
    closer: str


def _at(kind: str, token: Token) -> Token:
    """A token of a kind at the place of another one."""
    return Token(kind, "", token.start_pos, token.end_pos)


class NestedTooDeeply(Exception):
    """More than `MAX_NESTING` brackets and blocks are open at `start`."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def column_of(text: str, line_start: int, end: int) -> int:
    """The column of `end` on its line, for a line that is blank up to there."""
    width = end - line_start
    tabs = text.count("\t", line_start, end)
    return width + tabs * (TAB_WIDTH - 1)


def first_column(text: str, at: int) -> int:
    """The column of the first sign of the line that begins at `at`."""
    end = at
    while end < len(text) and text[end] in " \t":
        end += 1
    return column_of(text, at, end)


def longest_path(tokens: Iterable[str]) -> int:
    """The most tokens, of these kinds, that stand in one statement and those around it: the tree has no more levels."""
    kinds = list(tokens)
    open_blocks: list[int] = []
    here, around, longest, at = 0, 0, 0, 0
    for end in [*(i for i, kind in enumerate(kinds) if kind in _STATEMENT_ENDS), len(kinds)]:
        here += end - at
        at = end + 1
        longest = max(longest, around + here)
        match kinds[end : end + 1]:
            case ["INDENT"]:
                open_blocks.append(here)
                around, here = around + here, 0
            case ["NEWLINE"]:
                here = 0
            case ["DEDENT"] if open_blocks:
                here = open_blocks.pop()
                around -= here
    return longest


class Layout:
    """The token stream of one run: `lexer.lex(place, stack)` with layout tokens put in.

    `history` is every token the parser was given; `snapshots` gives the stack as it was behind an INDENT or a
    NEWLINE, by the token's start.
    """

    def __init__(self, lexer: Lexer, text: str, column: int = 0) -> None:
        self.history: list[Token] = []
        self.stack: list[Level] = [Level(column, -1, "")]
        self.snapshots: dict[int, tuple[Level, ...]] = {}
        self._lexer = lexer
        self._text = text
        self._resumed = 0
        self._queue: deque[Token] = deque()
        self._asserts: set[int] = set()
        self._fors: set[int] = set()
        self._loops: dict[int, int] = {}
        self._handlers: dict[str, Callable[[Token], None]] = {
            "INDENT": self._indent,
            "NEWLINE": self._newline,
            "COMMA": self._comma,
            "ASSERT": self._assert,
            "FOLD": self._loop,
            "SCAN": self._loop,
            "FOR": self._for,
            "IN": self._in,
            **dict.fromkeys(_CLOSER_OF, self._open),
            **dict.fromkeys(_CLOSER_OF.values(), self._close),
        }

    def lex(self, place: Place, stack: Stack) -> Iterator[Token]:
        """The tokens from here to the end; called again after an error, it goes on where it stood."""
        queue, handlers, record = self._queue, self._handlers, self.history.append
        for token in self._lexer.lex(place, stack):
            handler = handlers.get(token.type)
            if handler is None:
                record(token)
                yield token
                continue
            handler(token)
            while queue:
                record(queue[0])
                yield queue.popleft()
        while self._ends_block():
            self.stack.pop()
            yield _at("DEDENT", self.history[-1])

    def resume(self) -> None:
        """Forget the last token: the parser was given another one in its place."""
        self._resumed = len(self.history)

    def restore(self, levels: tuple[Level, ...]) -> None:
        """Put the stack back to a snapshot and forget what was about to be said."""
        self.stack[:] = levels
        self.resume()
        self._queue.clear()
        self._asserts.clear()
        self._fors.clear()
        self._loops.clear()

    @property
    def bracket(self) -> Level | None:
        """The innermost bracket that is still open, if any."""
        return next((level for level in reversed(self.stack) if level.closer), None)

    @property
    def is_listed(self) -> bool:
        """Return whether the innermost block stands in brackets: a `for` may end it."""
        return self._ends_block() and self.stack[-2].closer == "RSQB"

    def _ends_block(self) -> bool:
        return len(self.stack) > 1 and not self.stack[-1].closer

    def _push(self, level: Level) -> None:
        self.stack.append(level)
        depth = len(self.stack)
        self._begin_statement(depth)
        if depth > MAX_NESTING:
            raise NestedTooDeeply(level.start)

    def _begin_statement(self, depth: int) -> None:
        self._asserts.discard(depth)
        self._fors.discard(depth)
        self._loops.pop(depth, None)

    def _column_after(self, token: Token) -> int:
        line_start = token.start_pos + token.value.rindex("\n") + 1
        return column_of(self._text, line_start, token.end_pos)

    def _indent(self, token: Token) -> None:
        if self.history[-1].type == "LSQB" and not BEGINS_BLOCK.match(self._text, token.end_pos):
            return
        column = self._column_after(token)
        outer = next(level.column for level in reversed(self.stack) if not level.closer)
        if column <= outer:
            self._queue.append(_at("BAD_INDENT", token))
            return
        self._push(Level(column, token.end_pos, ""))
        self.snapshots[token.start_pos] = tuple(self.stack)
        self._queue.append(token)

    def _newline(self, token: Token) -> None:
        if self.stack[-1].closer:
            return
        column = self._column_after(token)
        dedents = 0
        while column < self.stack[-1].column and len(self.stack) > 1:
            self.stack.pop()
            dedents += 1
            self._queue.append(_at("DEDENT", token))
            if self.stack[-1].closer:
                return
        block = self.stack[-1].column
        if not dedents and len(self.history) > self._resumed and self.history[-1].type == "COMMA":
            return
        if self._continues(token.end_pos, column > block):
            return
        if column != block:
            self._queue.append(_at("BAD_INDENT", token))
            return
        self._begin_statement(len(self.stack))
        self.snapshots[token.start_pos] = tuple(self.stack)
        self._queue.append(token)

    def _continues(self, at: int, deeper: bool) -> bool:
        if CONTINUES.match(self._text, at):
            return True
        return deeper and CONTINUES_IF_DEEPER.match(self._text, at) is not None

    def _assert(self, token: Token) -> None:
        self._asserts.add(len(self.stack))
        self._queue.append(token)

    def _loop(self, token: Token) -> None:
        depth = len(self.stack)
        self._loops[depth] = self._loops.get(depth, 0) + 1
        self._queue.append(token)

    def _for(self, token: Token) -> None:
        """The `for` of a `fold` or `scan`, else that of the comprehension, which ends the blocks in its brackets."""
        bracket = self.bracket
        listed = bracket is not None and bracket.closer == "RSQB"
        while listed and not self.stack[-1].closer and not self._loops.get(len(self.stack)):
            self.stack.pop()
            self._queue.append(_at("DEDENT", token))
        depth = len(self.stack)
        if self._loops.get(depth):
            self._loops[depth] -= 1
        self._fors.add(depth)
        self._queue.append(token)

    def _in(self, token: Token) -> None:
        self._fors.discard(len(self.stack))
        self._queue.append(token)

    def _comma(self, token: Token) -> None:
        depth = len(self.stack)
        if not self.stack[-1].closer and depth not in self._fors:
            if depth in self._asserts:
                self._asserts.discard(depth)
            else:
                self._end_blocks(token)
        self._queue.append(token)

    def _open(self, token: Token) -> None:
        self._push(Level(-1, token.start_pos, _CLOSER_OF[token.type]))
        self._queue.append(token)

    def _close(self, token: Token) -> None:
        self._end_blocks(token)
        if self.stack[-1].closer == token.type:
            self.stack.pop()
        self._queue.append(token)

    def _end_blocks(self, token: Token) -> None:
        """End the blocks that stand inside the innermost bracket, if there is one."""
        if self.bracket is None:
            return
        while not self.stack[-1].closer:
            self.stack.pop()
            self._queue.append(_at("DEDENT", token))

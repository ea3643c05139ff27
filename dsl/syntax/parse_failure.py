"""Where the parser stopped, as plain data, and what is to be said about it.

`explanations` explains the mistakes of the language itself, `foreign` the habits of other languages.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Source, Span
from dsl.syntax import errors

LAYOUT = frozenset(["NEWLINE", "INDENT", "DEDENT", "BAD_INDENT", "$END"])
OPERAND_ENDS = frozenset(["NAME", "NUMBER", "STRING", "TRUE", "FALSE", "NONE", "RPAR", "RSQB", "RBRACE", "POSITION"])
DECLARES = frozenset(["DEF", "STATIC", "TYPE", "ENUM", "EFFECT", "IMPORT", "FROM"])


class Seen(Struct, frozen=True):
    """A token: the name of its terminal, its text, its place."""

    kind: str
    text: str
    start: int
    end: int


class Problem(Struct, frozen=True):
    """Where the parser stopped: on `found` (kind "" for a character that begins no token, "$END" at the end).

    `before` are the tokens of this declaration up to there, `expected` the terminals that would have been
    right, `opener` the place of the innermost open bracket.
    """

    source: Source
    found: Seen
    before: tuple[Seen, ...]
    expected: frozenset[str]
    opener: int | None

    @property
    def previous(self) -> Seen:
        """The token before; an empty one at the start."""
        return self.before[-1] if self.before else Seen("", "", self.found.start, self.found.start)

    @property
    def span(self) -> Span:
        return self.place(self.found.start, self.found.end)

    @property
    def behind(self) -> Span:
        """The empty place right behind the token before."""
        return self.place(self.previous.end, self.previous.end)

    @property
    def bracket(self) -> str:
        """The innermost open bracket, or nothing."""
        return "" if self.opener is None else self.source.text[self.opener]

    def place(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def follows(self, length: int) -> str:
        """The text from the token on."""
        return self.source.text[self.found.start : self.found.start + length]

    def touches(self, *texts: str) -> bool:
        """Return whether the token before has one of these texts and ends where `found` begins."""
        return self.previous.text in texts and self.previous.end == self.found.start

    def begins_line(self, token: Seen | None = None) -> bool:
        """Return whether only blanks stand before the token on its line."""
        text, start = self.source.text, (token or self.found).start
        return not text[text.rfind("\n", 0, start) + 1 : start].strip()

    def begins_statement(self) -> bool:
        return self.begins_line() or self.previous.kind in ("NEWLINE", "INDENT", "")

    @property
    def first_of_line(self) -> Seen:
        """The first token of the line, or the first behind the `=` of a definition on it."""
        seen = [token for token in self.before if self.begins_line(token) or self._begins_body(token)]
        return seen[-1] if seen else Seen("", "", self.found.start, self.found.start)

    def _begins_body(self, token: Seen) -> bool:
        return self.source.text[: token.start].rstrip(" ").endswith(("=", "then", "else", "do"))

    def in_head(self) -> bool:
        """Return whether this is the part of a `def` or an `effect` before its body."""
        kinds = [seen.kind for seen in self.before]
        return bool({"DEF", "EFFECT"} & set(kinds[:2])) and "RPAR" not in kinds

    def in_body(self) -> bool:
        """Return whether an expression may stand here: behind the first `=` of a declaration of values."""
        kinds = [seen.kind for seen in self.before]
        return "TYPE" not in kinds[:1] and "ENUM" not in kinds[:1] and "EQ" in kinds

    def explain(
        self,
        code: str,
        message: str,
        *advice: Help,
        at: Span | None = None,
        instead: tuple[str, ...] | None = None,
        end: int | None = None,
    ) -> Explanation:
        """A diagnostic at the token, or another place, and how to go on behind it."""
        return Explanation(errors.error(code, message, at or self.span, help=advice), instead, end)

    def replaced(
        self, code: str, message: str, text: str, advice: str, instead: tuple[str, ...] | None = None
    ) -> Explanation:
        """A diagnostic at the token with a replacement for it, and how to go on."""
        return self.explain(code, message, errors.replace(self.span, text, advice), instead=instead)

    def since(self, *kinds: str) -> tuple[str, ...]:
        """The kinds of the tokens after the last one of these kinds; all of them, if there is none."""
        seen = [token.kind for token in self.before]
        last = max((at for at, kind in enumerate(seen) if kind in kinds), default=-1)
        return tuple(seen[last + 1 :])

    def opener_label(self) -> Sequence[Label]:
        if self.opener is None:
            return ()
        return (Label(self.place(self.opener, self.opener + 1), "inside this bracket"),)


class Explanation(Struct, frozen=True):
    """The diagnostic, and how to go on: with terminals instead of `found`, or (None) from the next line.

    What is replaced reaches to `end`, if that is farther than the end of `found`.
    """

    diagnostic: Diagnostic
    instead: tuple[str, ...] | None = None
    end: int | None = None

"""Where a blank stands between two tokens of one line. `format` asks; nothing here knows of lines."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.syntax.parse_failure import OPERAND_ENDS, Seen

_OPENERS = frozenset(["LPAR", "LSQB", "LBRACE"])
_CLOSERS = frozenset(["RPAR", "RSQB", "RBRACE"])
_NO_BLANK_BEFORE = frozenset(["COMMA", "DOT", "QUESTION", *_CLOSERS])
_NO_BLANK_AFTER = frozenset(["DOT", "PREFIX", "STAR", *_OPENERS])
_CALLED = frozenset([*OPERAND_ENDS, "RNG", "SCOPE", "QUESTION"])


class Spacing:
    """The blanks of one declaration's tokens (without layout tokens)."""

    def __init__(self, tokens: Sequence[Seen]) -> None:
        self._tokens = tokens
        self.partner: dict[int, int] = {}
        """The closing bracket of each opening one, by their positions in `tokens`."""
        self.opened_by: dict[int, int] = {}
        """The opening bracket of each closing one."""
        self._inside: list[int] = []
        open_: list[int] = []
        for at, token in enumerate(tokens):
            if token.kind in _CLOSERS and open_:
                self.opened_by[at] = open_[-1]
                self.partner[open_.pop()] = at
            self._inside.append(open_[-1] if open_ else -1)
            if token.kind in _OPENERS:
                open_.append(at)
        self._generics = self._find_generics()

    def opener(self, at: int) -> int:
        """The position of the bracket directly around a token, or -1."""
        return self._inside[at]

    def blank(self, at: int) -> bool:
        """Return whether a blank stands before token `at`, if it does not begin a line."""
        before, token = self._tokens[at - 1], self._tokens[at]
        if token.kind == "COLON" or before.kind == "COLON":
            return self._around_colon(at)
        if self._is_argument(at) or self._is_argument(at - 1):
            return False
        if self._is_mark(at - 1) or before.kind in _NO_BLANK_AFTER:
            return False
        if token.kind in _NO_BLANK_BEFORE and not self._is_mark(at):
            return False
        return not (token.kind in ("LPAR", "LSQB") and before.kind in _CALLED)

    def _is_mark(self, at: int) -> bool:
        """Return whether this is the `?` of a size that data decide, which stands before its name."""
        return self._tokens[at].kind == "QUESTION" and (at == 0 or self._tokens[at - 1].kind not in OPERAND_ENDS)

    def _find_generics(self) -> int:
        kinds = [token.kind for token in self._tokens[:4]]
        for at, kind in enumerate(kinds):
            if kind == "LSQB" and kinds[0] in ("DEF", "STATIC", "TYPE", "EFFECT"):
                return at
        return -1

    def _is_argument(self, at: int) -> bool:
        """Return whether this is the `=` of a keyword argument."""
        if self._tokens[at].kind != "EQ" or at < 2 or self._inside[at] < 0:
            return False
        opener = self._inside[at]
        called = opener > 0 and self._tokens[opener - 1].kind in _CALLED
        head = self._tokens[0].kind in ("DEF", "STATIC", "EFFECT") and self._first_paren() == opener
        starts = self._tokens[at - 2].kind in ("LPAR", "COMMA")
        return called and starts and not head and self._tokens[opener].kind == "LPAR"

    def _first_paren(self) -> int:
        return next((at for at, token in enumerate(self._tokens) if token.kind == "LPAR"), -1)

    def _around_colon(self, at: int) -> bool:
        colon = at if self._tokens[at].kind == "COLON" else at - 1
        opener = self._inside[colon]
        sliced = opener >= 0 and self._tokens[opener].kind == "LSQB" and opener != self._generics
        if not sliced:
            return colon != at
        before, token = self._tokens[at - 1], self._tokens[at]
        edges = ("COLON", "COMMA", *_OPENERS, *_CLOSERS)
        if before.kind == "COMMA":
            return True
        if (colon == at and before.kind in ("COLON", "LSQB")) or (
            colon != at and token.kind in edges and token.kind not in _OPENERS
        ):
            return False
        return self._is_wide(colon, opener)

    def _is_wide(self, colon: int, opener: int) -> bool:
        """Return whether the bounds of a slice are more than names and numbers."""
        first = colon
        while first - 1 > opener and not (
            self._tokens[first - 1].kind == "COMMA" and self._inside[first - 1] == opener
        ):
            first -= 1
        last = colon
        closer = self.partner.get(opener, len(self._tokens))
        while last + 1 < closer and not (self._tokens[last + 1].kind == "COMMA" and self._inside[last + 1] == opener):
            last += 1
        simple = OPERAND_ENDS | {"COLON", "PREFIX", "DOT", "LPAR", "LSQB", "COMMA"}
        return any(token.kind not in simple for token in self._tokens[first : last + 1])

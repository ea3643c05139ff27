"""Tokens between scanner, layout and parser, and the end of input."""

from __future__ import annotations

from msgspec import Struct


class Token(Struct, frozen=True):
    """A terminal, its text and its place. One that the layout makes has no text."""

    type: str
    value: str
    start_pos: int
    end_pos: int


class Unexpected(Exception):
    """A terminal stands where none of its kind may; `kind` is "" for a character that begins none, "$END" for the
    end."""

    def __init__(self, kind: str, start: int, end: int) -> None:
        super().__init__(kind, start, end)
        self.kind = kind
        self.start = start
        self.end = end

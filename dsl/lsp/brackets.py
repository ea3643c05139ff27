"""Open brackets around a place of a text. The text may be half typed, so brackets are found without the parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

_TOP = re.compile(r"^(?=[^\s#])", re.MULTILINE)
_SIGN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\#[^\n]*|([()\[\]{},])')
_CLOSERS: Mapping[str, str] = MappingProxyType({"(": ")", "[": "]", "{": "}"})


class Bracket(Struct, frozen=True):
    """A bracket that is still open: its place, and the places of the commas directly inside it."""

    sign: str
    start: int
    commas: tuple[int, ...] = ()

    @property
    def closer(self) -> str:
        """The sign that closes it."""
        return _CLOSERS[self.sign]


def open_brackets(text: str, offset: int) -> list[Bracket]:
    """Return the brackets of the declaration around an offset that are open there, the outermost first."""
    found: list[Bracket] = []
    for start, sign in _signs(text, _declaration_start(text, offset), offset):
        if sign in _CLOSERS:
            found.append(Bracket(sign, start))
        elif found and sign == ",":
            found[-1] = Bracket(found[-1].sign, found[-1].start, (*found[-1].commas, start))
        elif found and sign == found[-1].closer:
            found.pop()
    return found


def close_brackets(text: str, offset: int) -> str:
    """Return the text with the brackets closed that are open at the end of the line of an offset."""
    end = (text + "\n").index("\n", offset)
    missing = "".join(bracket.closer for bracket in reversed(open_brackets(text, end)))
    return text[:end] + missing + text[end:]


def _declaration_start(text: str, offset: int) -> int:
    line = text.rfind("\n", 0, offset) + 1
    return max((found.start() for found in _TOP.finditer(text, 0, line + 1)), default=0)


def _signs(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    yield from ((found.start(1), found[1]) for found in _SIGN.finditer(text, start, end) if found[1])

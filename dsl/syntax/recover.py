"""Where reading goes on after a syntax error: which part of the parser's stack is kept, and at which line.

It works on the values of the stack (tokens and nodes) and on the text; it knows no state of the parser. The
innermost statement is given up; if it is a `let`, its pattern is kept and its value alone becomes a
stand-in, so that no name is lost; likewise the head of a `def`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dsl.syntax.build_types import DefHead
from dsl.syntax.layout import CONTINUES, column_of
from dsl.syntax.tokens import Token
from dsl.syntax.top_level_split import Piece

_LINE = re.compile(r"\n([ \t]*)(?=[^ \t\r\n#])")
_NAMED = re.compile(r"(?:static[ ]+def|def|type|enum|effect|let|class|struct)[ ]+([^\W0-9]\w*)")
_PYTHON_LOOP = re.compile(r"(?:for|while)(?!\w)[^\n]*:[ ]*(?:#[^\n]*)?$", re.MULTILINE)
_FOR = re.compile(r"for(?!\w)")
_VARIANT = re.compile(r"[=|]\s*([^\W0-9]\w*)")
_IMPORTED = re.compile(r"(?:import|from)[ ]+([\w.]+)(?:[ ]+as[ ]+([^\W0-9]\w*))?")


class Target(NamedTuple):
    """Keep so many values of the stack; the layout is the snapshot behind the token at `snapshot`."""

    keep: int
    snapshot: int


def unwind(values: Sequence[object], accepts: Callable[[int], bool]) -> Target | None:
    """The innermost place of the stack where a stand-in for what follows is accepted."""
    for at in range(len(values) - 1, -2, -1):
        if at >= 0 and _kind(values[at]) not in ("INDENT", "NEWLINE"):
            continue
        start = -1 if at < 0 else _start(values[at])
        equals = _value_of_let(values, at + 1)
        if equals is not None and accepts(equals + 1):
            return Target(equals + 1, start)
        if accepts(at + 1):
            return Target(at + 1, start)
    return None


def _kind(value: object) -> str:
    return value.type if isinstance(value, Token) else ""


def _start(value: object) -> int:
    return value.start_pos if isinstance(value, Token) else -1


def _value_of_let(values: Sequence[object], at: int) -> int | None:
    """Where the `=` of the `let` or `def` that begins at `at` stands, if it was read."""
    if at >= len(values) or not (_kind(values[at]) == "LET" or isinstance(values[at], DefHead)):
        return None
    return next((i for i in range(at, len(values)) if _kind(values[i]) == "EQ"), None)


def resume_line(text: str, at: int, end: int, column: int, *, listed: bool = False) -> int:
    """The line break before the next line that starts a statement at `column` or ends the block, as `for` ends the
    block of a comprehension (`listed`)."""
    for match in _LINE.finditer(text, at, end):
        here = column_of(text, match.start(1), match.end(1))
        if here < column:
            return match.start()
        if here == column and (not _belongs_above(text, match.end()) or (listed and _FOR.match(text, match.end()))):
            return match.start()
    return end


def _belongs_above(text: str, at: int) -> bool:
    if text[at] in ")]}":
        return True
    return CONTINUES.match(text, at) is not None and _PYTHON_LOOP.match(text, at) is None


def declared_name(text: str, piece: Piece) -> tuple[str, ...]:
    """The names which a declaration that could not be read would have declared, as far as can be seen."""
    match = _NAMED.match(text, piece.start, piece.end)
    if match and text.startswith("enum", piece.start):
        return (match.group(1), *_VARIANT.findall(text, match.end(), piece.end))
    if match:
        return (match.group(1),)
    match = _IMPORTED.match(text, piece.start, piece.end)
    if match:
        return (match.group(2) or match.group(1).split(".")[0],)
    return ()

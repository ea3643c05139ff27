"""The holes of a template: where they are, and what they want."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENS = re.compile(r"<(?=[~=:]?(?:[A-Za-z]|\*\w))")


@dataclass(frozen=True, slots=True)
class Entry:
    """A text that may stand in a hole as a value; it may have holes of its own."""

    text: str
    type: str
    ordered: bool


@dataclass(frozen=True, slots=True)
class Hole:
    """`text` is the whole of it, `mark` what stands in front: nothing, `~`, `=` or `:`."""

    text: str
    mark: str
    wanted: str
    entries: tuple[Entry, ...]


def holes(template: str) -> Iterator[Hole]:
    """Those of a template, without those inside of holes; each once."""
    seen: set[str] = set()
    at = 0
    while opens := _OPENS.search(template, at):
        at = _end(template, opens.start())
        text = template[opens.start() : at]
        if text not in seen:
            seen.add(text)
            yield _hole(text)


def _end(template: str, start: int) -> int:
    """Behind the `>` of the hole that begins at `start`; the one of an arrow does not count."""
    depth = 0
    for found in re.compile(rf"{_OPENS.pattern}|(?<!-)>").finditer(template, start):
        depth += 1 if found[0] == "<" else -1
        if depth == 0:
            return found.end()
    raise ValueError(f"a hole is not closed: {template[start:]}")


def _hole(text: str) -> Hole:
    mark, inner = (text[1], text[2:-1]) if text[1] in "~=:" else ("", text[1:-1])
    wanted, _, entries = inner.partition(" | ")
    return Hole(text, mark, wanted.partition("#")[0], tuple(map(_entry, entries.split("; ") if entries else ())))


def _entry(text: str) -> Entry:
    name, _, type_ = text.rpartition(": ")
    return Entry(name.removeprefix("!"), type_, name.startswith("!"))

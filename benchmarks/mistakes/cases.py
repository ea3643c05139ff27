"""Mistakes in layers, optimizers and models: the texts beside this module, each in the language and in Python.

A text begins with what all its programs share. Behind `=== title` stand the program in the language, with `#! CODE` on
the line of its error if the checker finds one, and the same mistake with Equinox, Optax and NumPyro. Read next: `run`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
TOPICS = ("layers", "optimizers", "models")
_MARK = re.compile(r" *#! (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in both forms; `code` is that of the error, which is on the line `line` of `before` and `ours`."""

    topic: str
    title: str
    before: str
    ours: str
    before_theirs: str
    theirs: str
    code: str | None
    line: int | None

    @property
    def program(self) -> str:
        return self.before + self.ours

    @property
    def script(self) -> str:
        return self.before_theirs + self.theirs


def _halves(text: str) -> tuple[str, str]:
    ours, _, theirs = text.partition("--- theirs\n")
    return ours.removeprefix("--- ours\n"), theirs if theirs.endswith("\n") else theirs + "\n"


def _mistake(topic: str, shared: tuple[str, str], text: str) -> Mistake:
    title, _, both = text.partition("\n")
    ours, theirs = _halves(both)
    marked = _MARK.search(shared[0] + ours)
    line = None if marked is None else (shared[0] + ours).count("\n", 0, marked.start()) + 1
    code = None if marked is None else marked[1]
    return Mistake(topic, title, shared[0], _MARK.sub("", ours), shared[1], theirs, code, line)


def mistakes() -> list[Mistake]:
    """All of them, in the order of the texts."""
    found: list[Mistake] = []
    for topic in TOPICS:
        head, *texts = (FOLDER / f"{topic}.txt").read_text(encoding="utf-8").split("=== ")
        found += [_mistake(topic, _halves(head), text) for text in texts]
    return found

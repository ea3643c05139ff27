"""Which declarations of a module the check of each declaration has looked at.

What a module declares is kept in tables that note who looks, so that no rule can forget to say what it depends on.
Read next: `typechecker.program.rechecking`, which checks again what an edit concerns.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import TypeVar

V = TypeVar("V")

Read = tuple[str, str | None]
"""A table of a module, and the name that was looked up there; None for the names of all that it holds."""

WHOLE = "whole"
"""Instead of a table: more of a declaration was looked at than others see of it, its body or a place in it."""


class Reads:
    """The record of lookups: `now` is that of the declaration that is being checked."""

    def __init__(self) -> None:
        self.now: set[Read] = set()

    @contextmanager
    def noted_in(self, record: set[Read]) -> Iterator[None]:
        """Note in a record what is looked at."""
        before, self.now = self.now, record
        try:
            yield
        finally:
            self.now = before


class Table(MutableMapping[str, V]):
    """The declarations of a module of one kind, by name. Lookups are noted."""

    def __init__(self, kind: str, reads: Reads) -> None:
        self._found: dict[str, V] = {}
        self._kind = kind
        self._reads = reads

    def __getitem__(self, name: str) -> V:
        self._reads.now.add((self._kind, name))
        return self._found[name]

    def __setitem__(self, name: str, value: V) -> None:
        self._found[name] = value

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        self._reads.now.add((self._kind, None))
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

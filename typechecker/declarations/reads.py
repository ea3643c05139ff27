"""Which declarations of a module the check of each declaration has looked at.

What a module declares is kept in tables that note who looks, so that no rule can forget to say what it depends on.
Read next: `typechecker.program.rechecking`, which checks again what an edit concerns.
"""

from __future__ import annotations

from _collections_abc import dict_items, dict_keys, dict_values
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

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


class Table(dict[str, V]):
    """The declarations of a module of one kind, by name. Lookups are noted."""

    def __init__(self, kind: str, reads: Reads) -> None:
        super().__init__()
        self._kind = kind
        self._reads = reads

    def _note(self, name: str | None) -> None:
        self._reads.now.add((self._kind, name))

    def __getitem__(self, name: str) -> V:
        self._note(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._note(name if isinstance(name, str) else None)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[str]:
        self._note(None)
        return super().__iter__()

    def keys(self) -> dict_keys[str, V]:
        self._note(None)
        return super().keys()

    def values(self) -> dict_values[str, V]:
        self._note(None)
        return super().values()

    def items(self) -> dict_items[str, V]:
        self._note(None)
        return super().items()

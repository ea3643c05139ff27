"""The memo of one run of transformations: each shared function is transformed once per transformation.

A `Memo` is made where a transformation starts (one per specialisation, say), passed down, and dropped with
it; nothing is global. Functions are compared by identity, so that shared ones stay shared. Knows no
transformation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from dsl.ir.function import Function

T = TypeVar("T")


class Memo:
    """A table from (transformation, function, flags …) to what came out.

    `effects` says which functions have effects, `ordered` which have one that has an order; `pure` holds functions of
    which, for these unknown params, every equation is unknown.
    """

    __slots__ = ("effects", "ordered", "pure", "table")

    def __init__(self) -> None:
        self.table: dict[Hashable, Any] = {}
        self.effects: dict[Function, bool] = {}
        self.ordered: dict[Function, bool] = {}
        self.pure: set[tuple[Function, tuple[bool, ...]]] = set()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        found: T | None = self.table.get(key)
        if found is None:
            found = self.table[key] = make()
        return found

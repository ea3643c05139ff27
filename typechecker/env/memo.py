"""What is evaluated again while a program is checked: calls of static functions, lambdas, turns of unrolled loops.

All else takes time in proportion to the text. These are counted for each outermost expression of the text, and the
innermost of that which exceeds the budget is where it is reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dsl.types.limits import DEPTH, STEPS, Exceeded, Growth
from dsl.types.type import Type
from typechecker.env.values import Fields, Known, Parts, VariantValue


@dataclass(slots=True, eq=False)
class Memo:
    """What has been evaluated while one module is checked: results of static functions for arguments that are known
    (over their Core, and where that does not do by a check of the body), of calls that stayed calls for other
    arguments, types of aliases without parameters, and the definitions and aliases that are known to exceed a budget.
    """

    evaluated: dict[Hashable, Any] = field(default_factory=dict)
    unfolded: dict[Hashable, Known | None] = field(default_factory=dict)
    computed: dict[Hashable, Known | None] = field(default_factory=dict)
    expanded: dict[Hashable, Type] = field(default_factory=dict)
    exploding: set[Hashable] = field(default_factory=set)


def memo_key(known: Known | None) -> Hashable:
    """A settled value as a key: numbers by what they print, which tells -0.0 from 0.0 and 1.0 from 1."""
    match known:
        case float() | complex():
            return repr(known)
        case Parts(items):
            return (Parts, *map(memo_key, items))
        case Fields(items):
            return (Fields, *((name, memo_key(value)) for name, value in items))
        case VariantValue(enum, name, args):
            return (enum, name, *map(memo_key, args))
        case str():
            return (str, known)
        case _:
            return known


class Replay:
    """The calls that are being evaluated, how many expressions have been evaluated in them, and what is known to
    exceed its budget in this declaration."""

    __slots__ = ("calls", "limit", "reported", "steps")

    def __init__(self, limit: int = STEPS) -> None:
        self.calls: list[str] = []
        self.steps = 0
        self.limit = limit
        self.reported: set[Growth] = set()

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Inside of a call, or of something else that is evaluated once more."""
        if len(self.calls) >= DEPTH:
            raise Exceeded(Growth.DEPTH, self.calls)
        self.calls.append(name)
        try:
            yield
        except Exceeded as found:
            raise Exceeded(found.growth, found.calls or self.calls) from None
        finally:
            self.calls.pop()
            if not self.calls:
                self.steps = 0

    def step(self, count: int = 1) -> None:
        """One more expression, or as many as were evaluated when the same was evaluated before."""
        self.steps += count
        if self.steps > self.limit:
            raise Exceeded(Growth.STEPS, self.calls)

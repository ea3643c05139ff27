"""The effects of a definition while it is checked, and what is kept of them for its callers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.types.effect import Answer, Cell, Effect, EffectVar, UserEffect

Later: TypeAlias = tuple[EffectVar | UserEffect, Kind | None]
"""An effect that is judged when it is known what it stands for: performed for all elements at once, or in a function
that this transformation differentiates backwards."""


class Conduct(Struct, frozen=True):
    """The behaviour of a definition beside its row: the cells that it writes, what is judged at its calls, what its
    handlers answer with, and the effects of functions that it is given and may call another number of times than
    once."""

    writes: frozenset[str] = frozenset()
    deferred: Mapping[Later, Span] = MappingProxyType({})
    answers: Mapping[UserEffect, Answer] = MappingProxyType({})
    again: frozenset[EffectVar] = frozenset()


class EffectBook(Struct, eq=False):
    """Effects, each with the place where it is first, and of it the places that write. `performed` counts."""

    effects: dict[Effect, Span] = field(default_factory=dict)
    writes: set[Span] = field(default_factory=set)
    deferred: dict[Later, Span] = field(default_factory=dict)
    answers: dict[UserEffect, Answer] = field(default_factory=dict)
    again: set[EffectVar] = field(default_factory=set)
    performed: int = 0

    def add(self, effect: Effect, span: Span) -> None:
        """Perform an effect. A write of a cell counts before a read, since that is what parallel bodies may not do."""
        self.performed += 1
        if isinstance(effect, EffectVar) and effect in self.effects:
            self.again.add(effect)
        known = self.effects.get(effect)
        if known is None or (span in self.writes and known not in self.writes):
            self.effects[effect] = span

    def defer(self, found: Mapping[Later, Span]) -> None:
        """Keep effects that are judged later, each with its first place."""
        for later, span in found.items():
            self.deferred.setdefault(later, span)

    def answer(self, answers: Mapping[UserEffect, Answer]) -> None:
        """Handlers answer operations with these effects, beside what others do."""
        self.answers.update({each: does.joined(self.answers.get(each)) for each, does in answers.items()})

    def written(self, effects: Mapping[Effect, Span]) -> frozenset[str]:
        """Return the cells that are written, of those among effects that are performed."""
        cells = [(e.name, span) for e, span in effects.items() if isinstance(e, Cell) and e.kind == "state"]
        return frozenset(name for name, span in cells if span in self.writes)

    def conduct(self, *, functions: bool) -> Conduct:
        """Return what callers need to know, of a definition that is given `functions` or not."""
        answers = self.answers if functions else {}
        return Conduct(self.written(self.effects), self.deferred, answers, frozenset(self.again))

    @contextmanager
    def inner(self, found: dict[Effect, Span] | None = None) -> Iterator[dict[Effect, Span]]:
        """Gather apart the effects that are performed inside."""
        before, self.effects = self.effects, {} if found is None else found
        try:
            yield self.effects
        finally:
            self.effects = before

    @contextmanager
    def deferring(self) -> Iterator[dict[Later, Span]]:
        """Gather apart what is judged later of all that is checked inside."""
        before, self.deferred = self.deferred, {}
        try:
            yield self.deferred
        finally:
            self.deferred = before

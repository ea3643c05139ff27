"""The parser: a stack of states and values that follows the tables, token by token.

Knows neither the language nor its layout. Read next: `parse`, which makes a run of it for each declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from dsl.syntax.tables import Tables
from dsl.syntax.tokens import Token, Unexpected

Maker: TypeAlias = "Callable[[list[Any]], Any] | None"
"""Makes the value of a rule from those of its parts; none where the value is that of the only part."""


class Parser:
    """One run. `makers` are those of the rules, in order; `states` has one state more than `values` has values."""

    def __init__(self, tables: Tables, makers: Sequence[Maker], start: str) -> None:
        self.states = [tables.starts[start]]
        self.values: list[Any] = []
        self._tables = tables
        self._makers = makers

    def parse(self, tokens: Iterable[Token]) -> Any:
        """The value of the start rule for these tokens and all before. Raises `Unexpected`."""
        self.feed(tokens)
        self.feed((Token("$END", "", 0, 0),))
        return self.values[-2]

    def feed(self, tokens: Iterable[Token]) -> None:
        """More tokens. Raises `Unexpected`; the stack is then that of the rules that end before it."""
        rows, rules, makers = self._tables.states, self._tables.rules, self._makers
        states, values = self.states, self.values
        for token in tokens:
            kind = token.type
            action = rows[states[-1]].get(kind)
            while action is not None and action < 0:
                symbol, size, _ = rules[~action]
                make = makers[~action]
                if make is None:
                    states.pop()
                elif size:
                    parts = values[-size:]
                    del values[-size:], states[-size:]
                    values.append(make(parts))
                else:
                    values.append(make([]))
                state = rows[states[-1]][symbol]
                states.append(state)
                action = rows[state].get(kind)
            if action is None:
                raise Unexpected(kind, token.start_pos, token.end_pos)
            states.append(action)
            values.append(token)

    def accepted(self) -> frozenset[str]:
        """The terminals that may follow."""
        return frozenset(kind for kind in self._tables.states[self.states[-1]] if self._accepts(kind))

    def _accepts(self, kind: str) -> bool:
        rows, states = self._tables.states, self.states[:]
        while (action := rows[states[-1]].get(kind, 0)) < 0:
            symbol, size, _ = self._tables.rules[~action]
            del states[len(states) - size :]
            states.append(rows[states[-1]][symbol])
        return kind.isupper() and kind in rows[states[-1]]

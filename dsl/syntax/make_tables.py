"""Makes the tables of `grammar.lark`: `python -m dsl.syntax.make_tables`. The only importer of lark.

A process loads this only where the tables in the package are not those of the grammar; a test holds them against it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import lark
import msgspec
from lark.grammar import Rule as LarkRule
from lark.parsers.lalr_analysis import Shift

from dsl.syntax.layout import ALWAYS_LEXED
from dsl.syntax.tables import FILE, GRAMMAR, Rule, Tables, digest_of

STARTS = ("declaration", "script")

Numbers: TypeAlias = Mapping[int, int]
"""Our numbers of lark's states."""


class Production(NamedTuple):
    """A rule as it is written: a symbol, its parts, and the method that makes its node."""

    symbol: str
    parts: tuple[str, ...]
    method: str


def productions(grammar: bytes) -> list[Production]:
    """The rules of a grammar, in the order in which they are written; each list has rules of its own."""
    rules = build_grammar(grammar.decode()).rules
    return [Production(r.origin.name, tuple([p.name for p in r.expansion]), str(r.alias or "")) for r in rules]


class _Nothing:
    """The layout stands between lexer and parser run by run; lark is told only which terminals it needs."""

    always_accept = ALWAYS_LEXED

    def process(self, stream: Any) -> Any:
        return stream


def build_grammar(text: str) -> lark.Lark:
    """Lark's parser of a grammar's text, which has neither conflicts nor terminals that are alike."""
    return lark.Lark(
        text,
        parser="lalr",
        lexer="contextual",
        start=list(STARTS),
        postlex=_Nothing(),
        maybe_placeholders=False,
        strict=True,
    )


def number_states(made: lark.Lark) -> Numbers:
    """The states as they are reached from the start rules, so that equal grammars have equal numbers; from 1."""
    table = made.parser.parser.parser.parse_table
    todo = deque(table.start_states[start] for start in STARTS)
    numbers: dict[int, int] = {}
    while todo:
        state = todo.popleft()
        if state not in numbers:
            numbers[state] = len(numbers) + 1
            row = table.states[state]
            todo.extend(target for _, (action, target) in sorted(row.items()) if action is Shift)
    return numbers


def tables_of(grammar: bytes) -> Tables:
    """Extract the tables that the parser and the scanner use from Lark's."""
    made = build_grammar(grammar.decode())
    table, lexer, numbers = made.parser.parser.parser.parse_table, made.parser.lexer.lexer, number_states(made)
    rules = sorted(made.rules, key=_key)
    rows: list[dict[str, int]] = [{} for _ in range(len(numbers) + 1)]
    sets: dict[tuple[str, ...], int] = {}
    accepted = [0] * len(rows)
    number_of = {rule: ~number for number, rule in enumerate(rules)}
    for state, number in sorted(numbers.items(), key=lambda item: item[1]):
        for symbol, (action, target) in sorted(table.states[state].items()):
            rows[number][symbol] = numbers[target] if action is Shift else number_of[target]
        names = tuple([terminal.name for terminal in lexer.lexers[state].terminals])
        accepted[number] = sets.setdefault(names, len(sets))
    for end in table.end_states.values():
        rows[numbers[end]]["$END"] = 0
    return Tables(
        digest_of(grammar),
        {start: numbers[table.start_states[start]] for start in STARTS},
        tuple([Rule(str(rule.origin.name), len(rule.expansion), str(rule.alias or "")) for rule in rules]),
        tuple(rows),
        {terminal.name: terminal.pattern.to_regexp() for terminal in lexer.root_lexer.terminals},
        tuple(sets),
        tuple(accepted),
    )


def _key(rule: LarkRule) -> tuple[str, ...]:
    return str(rule.origin.name), str(rule.alias), *[str(part.name) for part in rule.expansion]


def format_tables(grammar: bytes) -> bytes:
    """The tables of a grammar as they stand in their file."""
    return msgspec.json.encode(tables_of(grammar)) + b"\n"


if __name__ == "__main__":
    FILE.write_bytes(format_tables(GRAMMAR.read_bytes()))

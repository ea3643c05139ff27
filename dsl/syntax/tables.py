"""The tables of `grammar.lark`: what the parser does in each of its states, and which terminals each accepts.

They come with the package. Read next: `make_tables`, which makes them, `lalr` and `scan`, which follow them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

FILE = Path(__file__).with_name("grammar.json")


class Rule(NamedTuple):
    """A rule of so many parts: the symbol it makes, and the method that makes its node; the only part is the node
    where there is none."""

    symbol: str
    parts: int
    method: str


class Tables(msgspec.Struct, frozen=True):
    """`starts` gives the first state of each start rule. A state has for each symbol the state that follows it, or
    `~r` where rule `r` is complete; behind a start rule `$END` leads to the state 0, to which nothing else does.

    `terminals` are regular expressions, the one that is preferred first. `accepted` are sets of them, in the same
    order, and `sets` says which of these a state accepts.
    """

    starts: Mapping[str, int]
    rules: tuple[Rule, ...]
    states: tuple[dict[str, int], ...]
    terminals: Mapping[str, str]
    accepted: tuple[tuple[str, ...], ...]
    sets: tuple[int, ...]


@cache
def tables() -> Tables:
    """The tables of the language, once per process."""
    return msgspec.json.decode(FILE.read_bytes(), type=Tables)

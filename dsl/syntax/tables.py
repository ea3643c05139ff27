"""The tables of `grammar.lark`: what the parser does in each of its states, and which terminals each accepts.

They come with the package, made by Lark; those of a grammar that was edited since are made when they are asked for.
Read next: `make_tables`, which makes them, `lalr` and `scan`, which follow them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import msgspec

FILE = Path(__file__).with_name("grammar.json")
GRAMMAR = FILE.with_suffix(".lark")


class Rule(NamedTuple):
    """A rule of so many parts: the symbol it makes, and the method that makes its node; the only part is the node
    where there is none."""

    symbol: str
    parts: int
    method: str


class Tables(msgspec.Struct, frozen=True):
    """`grammar` is the digest of the grammar. `starts` gives the first state of each start rule. A state has for each
    symbol the state that follows it, or `~r` where rule `r` is complete; behind a start rule `$END` leads to the state
    0, to which nothing else does.

    `terminals` are regular expressions, the one that is preferred first. `accepted` are sets of them, in the same
    order, and `sets` says which of these a state accepts.
    """

    grammar: str
    starts: Mapping[str, int]
    rules: tuple[Rule, ...]
    states: tuple[dict[str, int], ...]
    terminals: Mapping[str, str]
    accepted: tuple[tuple[str, ...], ...]
    sets: tuple[int, ...]


def digest_of(grammar: bytes) -> str:
    """Return a digest that identifies a grammar."""
    return blake2b(grammar, digest_size=16).hexdigest()


def read_tables(file: Path, grammar: bytes) -> Tables:
    """The tables in a file; made anew by Lark where it does not hold those of this grammar."""
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.json.decode(file.read_bytes(), type=Tables)
        if found.grammar == digest_of(grammar):
            return found
    made: Tables = import_module("dsl.syntax.make_tables").tables_of(grammar)
    return made


@cache
def tables() -> Tables:
    """The tables of the language, once per process."""
    return read_tables(FILE, GRAMMAR.read_bytes())

"""The grammar of random programs: files `families/*.rules`, one for each family of constructs.

A line `pattern <- template` is a rule: what has this type may be written so. Indented lines below it are a definition
that comes with each use. In both,

- `$name` is a name of its own at each use;
- `<T>` is a hole, for an expression of that pattern; `<T#2>` is another one;
- `<T | $u: U; f($u): V>` is a hole where further texts may stand as values. In a definition only these may. A text
  behind a `!` has an effect with an order: it does not stand in holes `<~T>`, whose values are computed at once;
- `<=T>` is a value that was given, not computed, so that no rounding decides what follows from it;
- `<:T>` is the text of the type, `<:*s>` of a shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.well_typed.patterns import Pattern, pattern

FOLDER = Path(__file__).parent / "families"


@dataclass(frozen=True, slots=True)
class Rule:
    """`definition` is empty, or the text of one or more definitions."""

    family: str
    result: Pattern
    template: str
    definition: str


@cache
def grammar() -> tuple[tuple[Rule, ...], ...]:
    """The rules, family by family."""
    return tuple([tuple(_rules(file)) for file in sorted(FOLDER.glob("*.rules"))])


def _rules(file: Path) -> Iterator[Rule]:
    for entry in re.split(r"\n(?=[^\s])", file.read_text(encoding="utf-8")):
        if not entry.strip() or entry.startswith("#"):
            continue
        head, _, definition = entry.rstrip().partition("\n")
        result, _, template = head.partition(" <- ")
        yield Rule(file.stem, pattern(result), template, "\n".join(line[4:] for line in definition.splitlines()))

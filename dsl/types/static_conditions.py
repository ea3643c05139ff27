"""Conditions on static values that are not sizes: flags, and what equals something that is written down.

They stay calls (`OpaqueProp`) until the value is known, and are shown as a user would write them.
"""

from __future__ import annotations

from dsl.types.facts import EQUALS, OpaqueProp
from dsl.types.shape import PRESENT, Computed, StaticArg, StaticName, StaticVariant, show_argument
from dsl.types.size import Size


def flag(name: StaticName) -> OpaqueProp:
    """The truth of a static `bool`."""
    return OpaqueProp(name.name, (name,), _truth)


def _truth(value: StaticArg) -> bool | OpaqueProp | None:
    return bool(value) if isinstance(value, int) else flag(value) if isinstance(value, StaticName) else None


def equals(value: StaticName | Computed, text: str) -> OpaqueProp:
    """That a static value is the one with this text (`written`), or the variant of this name."""
    return OpaqueProp(EQUALS, (value, text), _same)


def _same(value: StaticArg, text: str) -> bool | None:
    if isinstance(value, StaticName | Computed | Size):
        return None
    if isinstance(value, StaticVariant) and value.name == PRESENT:
        return False if text == "none" else None
    given = show_argument(value)
    return text in (given, given.partition("(")[0])

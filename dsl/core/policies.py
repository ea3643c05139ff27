"""The policies of `checkpoint` that are written as text: words, and budgets such as `"budget:64MiB"`.

Checker and staging read them here; numbers of bytes are read here for all. Knows no op: which results a word stands for
is in `dsl.ops.control.call`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from dsl.types.conditional import choose_prop
from dsl.types.facts import Known, OpaqueProp, Prop
from dsl.types.shape import StaticArg, StaticChoice

POLICY_NAMES = ("nothing", "dots", "everything")
"""What `checkpoint` may be told to keep by a word."""
BUDGET = "budget"
EXAMPLE = f"{BUDGET}:64MiB"
"""How a budget is written."""

_UNITS: Mapping[str, int] = MappingProxyType(
    {
        **{prefix: 1000**k for k, prefix in enumerate(("", "k", "m", "g", "t"))},
        **{f"{prefix}i": 1024**k for k, prefix in enumerate(("k", "m", "g", "t"), 1)},
    }
)
_COUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?", re.IGNORECASE)


class Policy(Struct, frozen=True):
    """A policy by its word; of a budget, the bytes that may be kept."""

    word: str
    budget: int | None = None


def bytes_of(text: str) -> int | None:
    """Return a number of bytes that is written as `16GiB` or `512 MB`; None for what is none, or not above zero."""
    found = _COUNT.fullmatch(text.strip())
    count = round(float(found[1]) * _UNITS[(found[2] or "").lower()]) if found else 0
    return count if count > 0 else None


def policy_of(text: str) -> Policy | None:
    """Return the policy that a text stands for; None if there is none."""
    if text in POLICY_NAMES:
        return Policy(text)
    word, colon, amount = text.partition(":")
    has_unit = amount.strip()[-1:].isalpha()
    budget = bytes_of(amount) if word == BUDGET and colon and has_unit else None
    return None if budget is None else Policy(BUDGET, budget)


def is_budget(value: StaticArg) -> Prop:
    """Return the condition that a text is a budget; a call while the text is unknown."""
    match value:
        case StaticChoice(condition, then, orelse):
            return choose_prop(condition, is_budget(then), is_budget(orelse))
        case str():
            found = policy_of(value)
            return Known(found is not None and found.budget is not None)
        case None:
            return Known(False)
        case _:
            return OpaqueProp(f'{{}} to be a budget, as "{EXAMPLE}" is', (value,), _known_budget)


def _known_budget(value: StaticArg) -> Prop | None:
    return is_budget(value) if isinstance(value, str) or value is None else None

"""Functions of static lists, which are tuples here: `LISTS` maps the name of an intrinsic to its meaning. An integer
alone is a list of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

Items = Sequence[Any]


def items_of(value: Any) -> Items:
    """A list as a tuple. Raises `ValueError` for `none`, which stands for all axes of what is not known here."""
    if value is None:
        raise ValueError("none is no list")
    return value if isinstance(value, tuple) else (value,)


def pairs_of(value: Any) -> Items:
    """Pairs of integers; one pair alone is a list of one, an integer the pair of it twice."""
    if isinstance(value, int):
        return ((value, value),)
    return (value,) if len(value) == 2 and isinstance(value[0], int) else value


def _item(items: Any, place: int) -> Any:
    return items_of(items)[place]


def _part(items: Any, *, start: int | None = None, stop: int | None = None, step: int | None = None) -> Items:
    return items_of(items)[slice(start, stop, step)]


def _joined(left: Any, right: Any) -> Items:
    return (*items_of(left), *items_of(right))


def _contains(items: Any, item: Any) -> bool:
    return item in items_of(items)


def _letters(text: str) -> Items:
    return tuple(map(ord, text))


def _reduced(function: Callable[[Items], Any]) -> Callable[[Any], Any]:
    return lambda items: function(items_of(items))


LISTS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "item": _item,
        "part": _part,
        "joined": _joined,
        "contains": _contains,
        "letters": _letters,
        "len": _reduced(len),
        "list_sum": _reduced(sum),
        "list_prod": _reduced(math.prod),
        "list_max": _reduced(max),
        "list_min": _reduced(min),
    }
)

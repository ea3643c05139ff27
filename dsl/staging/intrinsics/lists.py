"""Functions of static lists: integers alone are a Python tuple, pairs and conditions a `TupleValue`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.values import TupleValue, Value, as_int, as_ints


def _items(value: Value) -> Sequence[Value]:
    return value.parts if isinstance(value, TupleValue) else as_ints(value)


def length(b: Builder, items: Value) -> Value:
    return len(_items(items))


def joined(b: Builder, left: Value, right: Value) -> Value:
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return TupleValue((*_items(left), *_items(right)))
    return (*as_ints(left), *as_ints(right))


def item(b: Builder, items: Value, place: Value) -> Value:
    return _items(items)[as_int(place)]


def part(b: Builder, items: Value, *, start: Value = None, stop: Value = None, step: Value = None) -> Value:
    ends = [None if end is None else as_int(end) for end in (start, stop, step)]
    found = _items(items)[slice(*ends)]
    return TupleValue(tuple(found)) if isinstance(items, TupleValue) else as_ints(TupleValue(tuple(found)))


def contains(b: Builder, items: Value, item: Value) -> Value:
    return item in as_ints(items)


def _of_ints(function: Callable[[Sequence[int]], int]) -> Pure:
    return lambda b, items: function(as_ints(items))


def _of_flags(function: Callable[[Sequence[Value]], bool]) -> Pure:
    return lambda b, items: function(_items(items))


LISTS: Mapping[str, Pure] = MappingProxyType(
    {
        "len": length,
        "item": item,
        "part": part,
        "joined": joined,
        "contains": contains,
        "list_sum": _of_ints(sum),
        "list_prod": _of_ints(math.prod),
        "list_max": _of_ints(max),
        "list_min": _of_ints(min),
        "list_all": _of_flags(all),
        "list_any": _of_flags(any),
    }
)

"""Whether a call is made like an earlier one, found out with as little work as possible.

A `Reader` is made from the arguments of one call. It gives the leaves of every later call whose arguments have the
same structure and the same static values, and None for all others, of which nothing is said here. Where the
program itself compares the types of its arguments, they are not compared here a second time. Read next:
`dsl.host.calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.host.arguments.pytree import NUMBERS, is_constant, parts_of, static_key
from lowering.xla.array import Array

Read = Callable[[Any, list[Any]], bool]
"""Appends the leaves of a value; False where it has another structure."""

ARRAYS = (Array, np.ndarray)
SIMPLE = (int, bool, str, type(None))


class Unreadable(Exception):
    """Calls with such an argument are bound anew every time."""


class Reader(Struct, frozen=True):
    """`steps` say which values of a call are read, in the order of the parameters; first the positional ones are
    counted, then those by name. `direct`: every value is an array and so a leaf."""

    positional: int
    names: tuple[str, ...]
    steps: tuple[tuple[int, Read], ...]
    direct: bool

    def leaves(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any] | None:
        if len(args) != self.positional or tuple(kwargs) != self.names:
            return None
        if self.direct:
            return args
        values = (*args, *kwargs.values()) if kwargs else args
        found: list[Any] = []
        for place, read in self.steps:
            if not read(values[place], found):
                return None
        return found


def traced_reader(value: Any, compared: bool) -> Read:
    """The reader of a traced argument; with `compared` the program compares the types of its arrays."""
    kind = type(value)
    if kind in ARRAYS:
        return _append if compared else _exact(value)
    if isinstance(value, NUMBERS):
        return _number(kind)
    if isinstance(value, np.generic):
        return _scalar(kind)
    parts = parts_of(value)
    if parts is None:
        raise Unreadable
    names, items = parts
    inner = [traced_reader(item, compared) for item in items]
    if kind is dict:
        return _dict(tuple(value), list(zip(names or (), inner, strict=True)))
    if names is None:
        return _sequence(kind, inner)
    return _fields(kind, list(zip(names, inner, strict=True)))


def _append(value: Any, found: list[Any]) -> bool:
    found.append(value)
    return True


def _exact(given: Any) -> Read:
    """Arrays of our own mostly share what says their type."""
    dtype, shape, known = given.dtype, given.shape, given.type if type(given) is Array else None

    def read(value: Any, found: list[Any]) -> bool:
        found.append(value)
        if type(value) is Array and value.type is known:
            return True
        return type(value) in ARRAYS and value.dtype == dtype and value.shape == shape

    return read


def _number(kind: type) -> Read:
    def read(value: Any, found: list[Any]) -> bool:
        found.append(value)
        return type(value) is kind

    return read


def _scalar(kind: type) -> Read:
    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not kind:
            return False
        found.append(np.asarray(value))
        return True

    return read


def _dict(names: tuple[Any, ...], parts: Sequence[tuple[str, Read]]) -> Read:
    if any(type(name) is not str for name in names):
        raise Unreadable
    count = len(names)
    if _is_flat(parts):
        return _flat_dict(count, itemgetter(*[name for name, _ in parts]))

    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not dict or len(value) != count:
            return False
        try:
            for name, read in parts:
                if not read(value[name], found):
                    return False
        except KeyError:
            return False
        return True

    return read


def _is_flat(parts: Sequence[tuple[str, Read]]) -> bool:
    """Whether the parts are leaves that nobody compares here, and can be taken out at once."""
    return len(parts) > 1 and all(read is _append for _, read in parts)


def _flat_dict(count: int, items: Callable[[Any], tuple[Any, ...]]) -> Read:
    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not dict or len(value) != count:
            return False
        try:
            found += items(value)
        except KeyError:
            return False
        return True

    return read


def _sequence(kind: Any, parts: Sequence[Read]) -> Read:
    count = len(parts)

    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not kind or len(value) != count:
            return False
        return all(read(item, found) for read, item in zip(parts, value, strict=True))

    return read


def _fields(kind: Any, parts: Sequence[tuple[str, Read]]) -> Read:
    if issubclass(kind, Mapping):
        raise Unreadable
    if _is_flat(parts):
        return _flat_fields(kind, attrgetter(*[name for name, _ in parts]))

    def read(value: Any, found: list[Any]) -> bool:
        return type(value) is kind and all(read(getattr(value, name), found) for name, read in parts)

    return read


def _flat_fields(kind: Any, fields: Callable[[Any], tuple[Any, ...]]) -> Read:
    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not kind:
            return False
        found += fields(value)
        return True

    return read


def static(given: Any) -> Read:
    """The reader of a static argument: nothing is read, it must only be the same."""
    if type(given) not in SIMPLE:
        known, constant = static_key(given), is_constant(given)
        return lambda value, found: (constant and value is given) or static_key(value) == known
    kind = type(given)
    return lambda value, found: value is given or (type(value) is kind and value == given)


def reader_of(
    params: Sequence[core.Parameter],
    positional: Sequence[core.Parameter],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    plain: bool,
    key: Read | None,
) -> Reader | None:
    """The reader of calls made like this one, where arguments by position are those of `positional`. `plain`: the
    leaves are the inputs of the program; `key` reads the keyword `key` where it is not a parameter. None where
    something cannot be told apart cheaply."""
    places = {name: len(args) + k for k, name in enumerate(kwargs)}
    places |= {p.name: k for k, p in enumerate(positional[: len(args)])}
    values = (*args, *kwargs.values())
    steps: list[tuple[int, Read]] = []
    try:
        for name in set(places) - {p.name for p in params}:
            if key is None or name != "key":
                steps.append((places[name], static(values[places[name]])))
        for p in params:
            if p.name in places:
                value = values[places[p.name]]
                steps.append((places[p.name], traced_reader(value, plain) if p.counts else static(value)))
    except Unreadable:
        return None
    if key is not None:
        steps.append((places["key"], key))
    direct = plain and not kwargs and all(read is _append for _, read in steps)
    return Reader(len(args), tuple(kwargs), tuple(steps), direct)

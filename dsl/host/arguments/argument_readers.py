"""The leaves of a call that is made like an earlier one, found with as little work as possible.

A `Reader` is made from the arguments of one call. It gives the leaves of every later call whose arguments have the
same structure, and None for all others, of which nothing is said here. It compares no types: `types_of` tells calls
of one structure apart, whatever kinds of arrays they mix. Read next: `dsl.host.calls.known_calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.host.arguments.pytree import NUMBERS, is_constant, parts_of, static_key
from dsl.host.arguments.static_arguments import lacks_fields
from lowering.xla.array import Array

Read = Callable[[Any, list[Any]], bool]
"""Appends the leaves of a value; False where it has another structure."""

SIMPLE = (int, bool, str, type(None))


class Unreadable(Exception):
    """Calls with such an argument are bound anew every time."""


class Reader(Struct, frozen=True):
    """`steps` say which values of a call are read, in the order of the parameters; first the positional ones are
    counted, then those by name. `direct`: every value is a leaf. `fixed`: the values that are static and simple, which
    are part of the signature of a call. `traced`: those that hold leaves. `draws`: the last step reads a key."""

    positional: int
    names: tuple[str, ...]
    steps: tuple[tuple[int, Read], ...]
    fixed: tuple[int, ...]
    traced: tuple[int, ...]
    direct: bool
    draws: bool

    def leaves(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any] | None:
        """The leaves of a call of the same structure, by position alone or not; None of another."""
        if len(args) != self.positional or ((kwargs or self.names) and tuple(kwargs) != self.names):
            return None
        if self.direct:
            return args
        values = (*args, *kwargs.values()) if kwargs else args
        found: list[Any] = []
        for place, read in self.steps:
            if not read(values[place], found):
                return None
        return found

    def statics(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Hashable:
        """The simple static values of a call of this structure."""
        if not self.fixed:
            return None
        values = (*args, *kwargs.values()) if kwargs else args
        return tuple([(type(values[k]), values[k]) for k in self.fixed])


def is_typed(leaf: Any) -> bool:
    """Return whether `types_of` says the type of a leaf."""
    return type(leaf) in (Array, np.ndarray) or leaf is None or isinstance(leaf, (*NUMBERS, np.generic))


def traced_reader(value: Any) -> Read:
    """The reader of a traced argument."""
    if is_typed(value):
        return _append
    parts = parts_of(value)
    if parts is None or lacks_fields(value):
        raise Unreadable
    if isinstance(value, SimpleNamespace):
        return _namespace(type(value), traced_reader(vars(value)))
    kind, (names, items) = type(value), parts
    inner = [traced_reader(item) for item in items]
    if kind is dict:
        return _dict(tuple(value), list(zip(names or (), inner, strict=True)))
    if names is None:
        return _sequence(kind, inner)
    return _fields(kind, list(zip(names, inner, strict=True)))


def _append(value: Any, found: list[Any]) -> bool:
    found.append(value)
    return True


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
    """Return whether the parts are leaves, and can be taken out at once."""
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
        if type(value) is not kind:
            return False
        try:
            return all(read(getattr(value, name), found) for name, read in parts)
        except AttributeError:  # a field was deleted
            return False

    return read


def _flat_fields(kind: Any, fields: Callable[[Any], tuple[Any, ...]]) -> Read:
    def read(value: Any, found: list[Any]) -> bool:
        if type(value) is not kind:
            return False
        try:
            found += fields(value)
        except AttributeError:
            return False
        return True

    return read


def _namespace(kind: type, inner: Read) -> Read:
    """The reader of an object whose fields are those that it has at the moment."""
    return lambda value, found: type(value) is kind and inner(vars(value), found)


def _is_simple(value: Any, found: list[Any]) -> bool:
    return type(value) in SIMPLE


def static(given: Any) -> Read:
    """The reader of a static argument that is not simple: nothing is read, it must only be the same."""
    known, constant = static_key(given), is_constant(given)
    return lambda value, found: (constant and value is given) or static_key(value) == known


def reader_of(
    params: Sequence[core.Parameter],
    positional: Sequence[core.Parameter],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    key: Read | None,
) -> Reader | None:
    """The reader of calls made like this one, where arguments by position are those of `positional`. `key` reads the
    keyword `key` where it is not a parameter. None where something cannot be told apart cheaply."""
    places = {name: len(args) + k for k, name in enumerate(kwargs)}
    places |= {p.name: k for k, p in enumerate(positional[: len(args)])}
    values = (*args, *kwargs.values())
    traced = [(p.name, places[p.name]) for p in params if p.counts and p.name in places]
    draws = key is not None
    others = [place for name, place in places.items() if (name, place) not in traced and not (draws and name == "key")]
    fixed = [place for place in others if type(values[place]) in SIMPLE]
    try:
        steps = [(place, _is_simple if place in fixed else static(values[place])) for place in others]
        steps += [(place, traced_reader(values[place])) for _, place in traced]
    except Unreadable:
        return None
    if key is not None:
        steps.append((places["key"], key))
    direct = not kwargs and not others and all(read is _append for _, read in steps)
    within = tuple([place for _, place in traced])
    return Reader(len(args), tuple(kwargs), tuple(steps), tuple(fixed), within, direct, draws)

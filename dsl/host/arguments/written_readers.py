"""The text of what finds the leaves of a call that is made like an earlier one.

Every function that a call runs costs more than what it does, so what takes arguments apart is written out. It says the
same as a `Reader`. Read next: `lowering.xla.hot_calls`, which puts it into a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from dsl.host.arguments.argument_readers import Reader, is_typed
from dsl.host.arguments.pytree import parts_of
from lowering.xla.array import Array
from lowering.xla.hot_calls import Finding


def written(reader: Reader, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Finding:
    """Return the text that finds the leaves of calls with the structure and the simple static values of this one. The
    words of a key are an array like others."""
    writer = _Writer()
    writer.counted(args, kwargs)
    if reader.direct:
        return writer.finding("args", tuple([(k, k) for k in range(len(args))]))
    places = [*[f"args[{k}]" for k in range(len(args))], *[f"kwargs[{name!r}]" for name in kwargs]]
    values = (*args, *kwargs.values())
    key = reader.steps[-1][0] if reader.draws else None
    tops: list[tuple[int, int]] = []
    for place, read in reader.steps:
        if place in reader.fixed:
            writer.same(places[place], values[place])
        elif place in reader.traced or (place == key and type(values[place]) in (Array, np.ndarray)):
            if place < len(args) and is_typed(values[place]):
                tops.append((place, len(writer.leaves)))
            writer.take_apart(places[place], values[place])
        else:
            writer.read(places[place], read)
            writer.leaves += ["found[0]"] * (place == key)
    return writer.finding("".join([f"{leaf}, " for leaf in writer.leaves]), tuple(tops))


class _Writer:
    """`conditions` hold for calls of the structure; `leaves` are expressions, `known` what both name."""

    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.leaves: list[str] = []
        self.known: list[Any] = []

    def finding(self, leaves: str, tops: tuple[tuple[int, int], ...]) -> Finding:
        """The whole. A seed of the key that draws are from has been read into `found`, after all else."""
        return Finding(" and ".join(self.conditions), leaves, tuple(self.known), tops)

    def counted(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Require as many arguments by position, and these by name."""
        by_name = f"kwargs.keys() == {self._name(frozenset(kwargs))}" if kwargs else "not kwargs"
        self.conditions += [f"len(args) == {len(args)}", by_name]

    def same(self, expression: str, value: Any) -> None:
        """Require a simple static value: an equal one may be of another type, as `True` is 1."""
        known, kind = self._name(value), self._name(type(value))
        self.conditions.append(f"((s := {expression}) is {known} or type(s) is {kind} and s == {known})")

    def read(self, expression: str, read: Any) -> None:
        """Read an argument by a function."""
        self.conditions.append(f"{self._name(read)}({expression}, (found := []))")

    def take_apart(self, expression: str, value: Any) -> None:
        """Read the leaves of a value. As many keys as it has in a dict, all of which are then found, are the same."""
        if is_typed(value):
            self.leaves.append(expression)
            return
        if isinstance(value, SimpleNamespace):  # its fields are those that it has at the moment
            self.conditions.append(f"type({expression}) is {self._name(type(value))}")
            self.take_apart(f"vars({expression})", vars(value))
            return
        parts, kind = parts_of(value), type(value)
        assert parts is not None
        names, items = parts
        name = f"v{len(self.conditions)}"
        self.conditions.append(f"type({name} := {expression}) is {self._name(kind)}")
        if kind is dict or names is None:
            self.conditions.append(f"len({name}) == {len(items)}")
        for k, item in enumerate(items):
            self.take_apart(_part(name, kind, names, k), item)

    def _name(self, value: Any) -> str:
        self.known.append(value)
        return f"k{len(self.known) - 1}"


def _part(whole: str, kind: type, names: Sequence[str] | None, k: int) -> str:
    """A part of a container. A field that an object has lost is None, which is no array."""
    if names is None:
        return f"{whole}[{k}]"
    return f"{whole}[{names[k]!r}]" if kind is dict else f"getattr({whole}, {names[k]!r}, None)"

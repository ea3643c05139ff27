"""Where a run is, and what the names there stand for. Data only.

A derivative has no calls of its own: what it computes belongs to lines of the functions that it derives. Where a line
is outside of the function that runs, it is shown in a frame of the derivative, which knows the values of the call that
is derived where there was just one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Source, Span
from dsl.ops.marks import COTANGENT, TANGENT, VALUE, NamedParams, StepParams
from dsl.records import replace

Array: TypeAlias = "np.ndarray[Any, Any]"


class Owner(Struct, frozen=True):
    """A definition of a text, by its name and the row where it begins; of a function also the place of the name."""

    name: str
    source: Source
    row: int
    head: int | None = None


class Owners:
    """The definitions of a program by place."""

    def __init__(self, program: core.Program) -> None:
        self._found: dict[Source, list[Owner]] = {}
        for module in program.modules.values():
            for each in module.functions.values():
                self._add(each.span, each.written_name, each.span.start)
            for name, constant in module.constants.items():
                self._add(constant.value.span, name)
        for found in self._found.values():
            found.sort(key=lambda owner: owner.row)

    def _add(self, span: Span, name: str, head: int | None = None) -> None:
        self._found.setdefault(span.source, []).append(Owner(name, span.source, span.source.row(span.start), head))

    def of(self, span: Span) -> Owner:
        """The definition that a place is in."""
        return self.at(span.source, span.source.row(span.start))

    def at(self, source: Source, row: int) -> Owner:
        """The definition that a row is in."""
        found = self._found.get(source, [])
        at = bisect_right(found, row, key=lambda owner: owner.row)
        return found[at - 1] if at else Owner("", source, 0)

    def named(self, name: str) -> Owner | None:
        """A definition of this name."""
        return next((owner for found in self._found.values() for owner in found if owner.name == name), None)


class Leaf(Struct, frozen=True, eq=False):
    """A part of a value: an array with `axes` more in front than it has in the text, or the text of what is static."""

    value: Array | str
    axes: int = 0


Leaves: TypeAlias = Mapping[str, Leaf]
"""The parts of a value by their path: `""` for one that has none, `.w`, `.0.b`."""

Key: TypeAlias = tuple[str, str]
"""A name, and whether it is about its value, its tangent or its cotangent."""

Names: TypeAlias = Mapping[Key, Leaves]
_NONE: Names = MappingProxyType({})
_ORDER = (VALUE, TANGENT, COTANGENT)


class Frame(Struct, frozen=True, eq=False):
    """A call that runs, or a derivative of one. `call` is where it was called; `owner` is the definition of its text,
    once a place in it is known. `left` has the last names of calls that are over, None where there were several of a
    definition, and `derived` the names of its derivative."""

    name: str
    call: Span | None
    caller: Frame | None
    owner: Owner | None = None
    line: tuple[Source, int] | None = None
    names: Names = _NONE
    is_derivative: bool = False
    left: Mapping[Owner, Names | None] = MappingProxyType({})
    derived: Mapping[Owner, Names] = MappingProxyType({})

    @property
    def depth(self) -> int:
        """How many calls are open."""
        return 0 if self.caller is None else self.caller.depth + 1

    @property
    def primal(self) -> Frame:
        """The call that runs: of a derivative the one that asked for it."""
        if not self.is_derivative:
            return self
        assert self.caller is not None and self.owner is not None
        return replace(self.caller, derived={**self.caller.derived, self.owner: self.names})

    def entering(self, name: str, call: Span | None) -> Frame:
        """A call from here. One that comes after a derivative is derived anew."""
        caller = replace(self, left={}, derived={}) if self.derived else self
        return Frame(name, call, caller)

    def leaving(self) -> Frame:
        """The caller, after this call."""
        caller = self.caller
        if caller is None:
            return self
        left = {**caller.left, **{owner: None if owner in caller.left else names for owner, names in self.left.items()}}
        if self.owner is not None:
            left[self.owner] = None if self.owner in left else self.names
        return replace(caller, left=left)

    def at(self, owner: Owner) -> Frame:
        """The frame that a definition is evaluated in."""
        if self.owner == owner:
            return self
        base = self.primal
        if base.owner == owner:
            return base
        if base.owner is None and base.caller is not None:
            return replace(base, owner=owner)
        known = base.derived.get(owner) or base.left.get(owner) or _NONE
        return Frame(owner.name, base.call, base, owner, names=known, is_derivative=True)

    def on(self, line: tuple[Source, int]) -> Frame:
        """On a line."""
        return replace(self, line=line)

    def with_leaf(self, key: Key, path: str, leaf: Leaf) -> Frame:
        """With one part of the value of a name; parts that it cannot have beside this one are gone."""
        before = self.names.get(key, {})
        kept = {p: x for p, x in before.items() if p != path and not _within(p, path) and not _within(path, p)}
        others = {k: v for k, v in self.names.items() if k != key}
        return replace(self, names={**others, key: {**kept, path: leaf}})

    def with_array(self, params: NamedParams, array: Array) -> Frame:
        """With what a name stands for in the run."""
        return self.with_leaf((params.name, params.what), params.path, Leaf(array, params.axes))

    def with_static(self, params: StepParams) -> Frame:
        """With what a name stands for at every run."""
        return self.with_leaf((params.name, VALUE), params.path, Leaf(params.text))

    def values(self) -> Mapping[str, Leaves]:
        """The values of all names."""
        return {name: leaves for (name, what), leaves in self.names.items() if what == VALUE}


def _within(path: str, other: str) -> bool:
    """Return whether a path leads into what stands at the other one."""
    return not other or path.startswith(f"{other}.")


ROOT = Frame("", None, None)
"""Around all calls."""


def in_order(names: Names) -> list[tuple[Key, Leaves]]:
    """The names in the order in which they were bound, each value before its derivatives."""
    order = {name: place for place, (name, _) in reversed(list(enumerate(names)))}
    return sorted(names.items(), key=lambda item: (order[item[0][0]], _ORDER.index(item[0][1])))


class Happening(Enum):
    """An event that may happen on a line."""

    PRINTED = "printed"
    NOT_FINITE = "not finite"
    FAILED = "failed"


class Event(Struct, frozen=True, eq=False):
    """Something that happened, with what is said of it."""

    what: Happening
    text: str
    span: Span | None


class Stop(Struct, frozen=True, eq=False):
    """A line is about to run, in a frame; `events` are what happens before the next stop. `bytes` is the memory of what
    has got a name since the one before. The last stop `is_end`."""

    number: int
    span: Span
    frame: Frame
    events: tuple[Event, ...]
    bytes: int
    is_end: bool = False

    def is_on(self, source: Source, row: int) -> bool:
        """Return whether it is on a line."""
        return self.span.source is source and source.row(self.span.start) == row

    def has(self, what: Happening) -> bool:
        """Return whether this happens on its line."""
        return any(event.what is what for event in self.events)

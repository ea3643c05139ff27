"""Arguments bound to parameters by place and by name: the one rule for calls in programs and from Python.

What is wrong is data; the callee reports it. Arguments are known here by their names alone (None: by position).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

from msgspec import Struct


class Slot(Struct, frozen=True):
    """A parameter; `listed` if its items may be meant as one argument each."""

    name: str
    keyword_only: bool = False
    required: bool = True
    listed: bool = False


class Parameter(Protocol):
    """A parameter of a definition; `counts` if it is neither static nor a function."""

    @property
    def name(self) -> str: ...
    @property
    def keyword_only(self) -> bool: ...
    @property
    def counts(self) -> bool: ...


P = TypeVar("P", bound=Parameter)


class TooMany(Struct, frozen=True):
    """More arguments by position than there are places; `place` is the first argument of them."""

    places: int
    given: int
    place: int


class ByPosition(Struct, frozen=True):
    """The argument at `place` is given by position, where the next parameter is given by name only."""

    name: str
    place: int


class Unknown(Struct, frozen=True):
    name: str
    place: int


class Twice(Struct, frozen=True):
    name: str
    place: int
    first: int


class Missing(Struct, frozen=True):
    names: tuple[str, ...]


Mistake: TypeAlias = TooMany | ByPosition | Unknown | Twice | Missing


class Bound(Struct, frozen=True):
    """The number of the argument of each parameter that has one, and what is wrong."""

    places: Mapping[str, int]
    mistakes: tuple[Mistake, ...] = ()


def bind(slots: Sequence[Slot], names: Sequence[str | None]) -> Bound:
    """Arguments by parameter. Parameters are called missing only where every argument has found its own."""
    positional = [slot for slot in slots if not slot.keyword_only]
    given = [place for place, name in enumerate(names) if name is None]
    places = {slot.name: place for slot, place in zip(positional, given, strict=False)}
    mistakes: list[Mistake] = []
    if len(given) > len(positional):
        mistakes.append(_surplus(slots, len(positional), given))
    known = {slot.name for slot in slots}
    for place, name in enumerate(names):
        if name is None:
            continue
        if name not in known:
            mistakes.append(Unknown(name, place))
        elif name in places:
            mistakes.append(Twice(name, place, places[name]))
        else:
            places[name] = place
    missing = tuple(slot.name for slot in slots if slot.required and slot.name not in places)
    if missing and not mistakes:
        mistakes.append(Missing(missing))
    return Bound(places, tuple(mistakes))


def by_position(params: Sequence[P], passed_over: Container[str | None] = ()) -> list[P]:
    """The parameters that arguments by position take in turn, without the static ones in `passed_over`."""
    return [p for p in params if not p.keyword_only and (p.counts or p.name not in passed_over)]


def name_arguments(params: Sequence[Parameter], names: Sequence[str | None]) -> list[str | None]:
    """The names of the arguments of a transformed function: where a static parameter is given by name, those by
    position pass it over, and so have the names of the others. Too many of them stay as they are."""
    taken = by_position(params, names)
    if len(taken) == len(by_position(params)) or names.count(None) > len(taken):
        return list(names)
    free = iter(taken)
    return [next(free).name if name is None else name for name in names]


def _surplus(slots: Sequence[Slot], places: int, given: Sequence[int]) -> Mistake:
    keyword = next((slot.name for slot in slots if slot.keyword_only), None)
    first = given[places]
    return TooMany(places, len(given), first) if keyword is None else ByPosition(keyword, first)

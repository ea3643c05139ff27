"""Checked programs written as text, to be read by another process: the table that `decode` explains.

What is equal is written once. What has no name has no written form: a function that was made while a program was
checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from contextlib import suppress
from enum import Enum
from functools import partial
from types import FunctionType, MappingProxyType
from typing import Any

from dsl.core.codec.decode import ROOTS, resolve_name
from dsl.diagnostics.source import Source
from dsl.types import dtype
from dsl.types.dtype import DType
from dsl.types.process_settings import deep_recursion

RECURSION = 20_000


class Unwritable(Exception):
    """A value that has no written form."""


def encode(value: object, name_of: Callable[[Source], str | None], roots: tuple[str, ...] = ROOTS) -> str:
    """The value as text; `name_of` names the texts with places in it, `roots` the packages of the classes that it may
    have. Raises `Unwritable`."""
    writer = _Writer(name_of, roots)
    with deep_recursion(RECURSION):
        writer.row_of(value)
    return json.dumps([list(writer.makers), writer.rows], separators=(",", ":"))


class _Writer:
    """Rows of what has been written, each once. A value is known again by its identity: while the whole is being
    written, everything in it is alive."""

    def __init__(self, name_of: Callable[[Source], str | None], roots: tuple[str, ...]) -> None:
        self.rows: list[Any] = []
        self.makers: dict[str, int] = {}
        self._name_of = name_of
        self._roots = roots
        self._of_value: dict[int, int] = {}
        self._of_row: dict[Hashable, int] = {}

    def row_of(self, value: Any) -> int:
        """The number of the row of a value."""
        found = self._of_value.get(id(value))
        if found is None:
            found = self._of_value[id(value)] = self._written(value)
        return found

    def _written(self, value: Any) -> int:
        match value:
            case Enum():
                return self._named(self._name(type(value), f".{value.name}"))
            case None | bool() | int() | float() | str():
                return self._put((type(value), repr(value)), value)
            case complex():
                return self._made("complex", self._atom(value.real), self._atom(value.imag))
            case Source():
                return self._made("source", self._atom(self._source(value)))
            case DType():
                return self._named(f"{dtype.__name__}:{value.name.upper()}")
            case FunctionType():
                return self._named(self._name(value))
            case partial():
                return self._partial(value)
            case dict() | MappingProxyType():
                return self._made("mapping", *[self.row_of(part) for item in value.items() for part in item])
            case frozenset() | list():
                return self._made(type(value).__name__, *map(self.row_of, value))
            case tuple() if type(value) is tuple:
                return self._made("tuple", *map(self.row_of, value))
            case _:
                return self._node(value)

    def _node(self, value: Any) -> int:
        """A value made by its class from the fields that a pattern may take by position."""
        fields = getattr(type(value), "__match_args__", None)
        if fields is None:
            raise Unwritable(type(value).__name__)
        return self._made(self._name(type(value)), *[self.row_of(getattr(value, name)) for name in fields])

    def _partial(self, value: partial[Any]) -> int:
        if value.keywords:
            raise Unwritable("a function with some arguments given by name")
        return self._made("partial", self.row_of(value.func), *map(self.row_of, value.args))

    def _named(self, name: str) -> int:
        return self._made("named", self._atom(name))

    def _atom(self, value: float | str) -> int:
        """An atom that no part of the whole holds, so that its identity tells nothing."""
        return self._put((type(value), repr(value)), value)

    def _made(self, maker: str, *parts: int) -> int:
        row = [self.makers.setdefault(maker, len(self.makers)), *parts]
        return self._put(tuple(row), row)

    def _put(self, key: Hashable, row: Any) -> int:
        number = self._of_row.setdefault(key, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number

    def _source(self, source: Source) -> str:
        name = self._name_of(source)
        if name is None:
            raise Unwritable(f"a place in {source.name}")
        return name

    def _name(self, value: Any, member: str = "") -> str:
        """The name by which another process finds a class or function of ours."""
        name = f"{value.__module__}:{value.__qualname__}"
        with suppress(LookupError, AttributeError):
            if resolve_name(name, self._roots) is value:
                return name + member
        raise Unwritable(name)

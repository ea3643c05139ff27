"""Arguments of calls that stay calls: which mention sizes, and how each is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, TypeGuard

if TYPE_CHECKING:
    from dsl.types.size import Atom, Size, SizeVar


class SizeDependent(Protocol):
    """An argument of a stuck call that mentions sizes: a `Size`, or a shape."""

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Hashable: ...
    def atoms(self) -> tuple[Atom, ...]: ...
    def vars(self) -> frozenset[SizeVar]: ...
    def as_argument(self) -> str: ...
    @property
    def weight(self) -> int: ...


def mentions_sizes(arg: object) -> TypeGuard[SizeDependent]:
    """Check if an argument is a size or a shape. A runtime-checkable protocol would dominate the cost."""
    return hasattr(arg, "as_argument")


def count_items(value: Hashable) -> int | None:
    """How many items a static list has; None for what is none."""
    return len(value) if isinstance(value, tuple) else None


_CALLED = re.compile(r"(?:.*\.)?(?P<name>[^\W\d]\w*|)(?P<places>(?:\.\d+)*)")
"""The names of functions, behind those of their modules, with places in the tuple that a call gives."""


def is_called(function: str) -> bool:
    """Return whether a function is written in front of its arguments: an operator is not."""
    return _CALLED.fullmatch(function) is not None


def call_text(function: str, args: tuple[Hashable, ...]) -> str:
    """A call as it is written. Without a name it is what it is called with: `k.0` for `.0` of `k`."""
    found = _CALLED.fullmatch(function)
    assert found is not None, function
    inside = ", ".join(map(argument_text, args))
    return f"{found['name']}({inside}){found['places']}" if found["name"] else f"{inside}{found['places']}"


def argument_text(arg: Hashable) -> str:
    """An argument of a call as it is written."""
    if mentions_sizes(arg):
        return arg.as_argument()
    match arg:
        case None:
            return "none"
        case str():
            return f'"{arg}"'
        case bool():
            return "true" if arg else "false"
        case tuple():
            return f"({', '.join(map(argument_text, arg))}{',' if len(arg) == 1 else ''})"
        case _:
            return str(arg)


def operand_text(arg: Hashable) -> str:
    """An argument beside an operator: in parentheses, where it is made by an operator that has none."""
    text = argument_text(arg)
    depths = [*accumulate((letter == "(") - (letter == ")") for letter in text)]
    outside = [letter for letter, depth in zip(text, [0, *depths], strict=False) if depth == 0]
    return f"({text})" if " " in outside else text

"""Arguments of calls that stay calls: which mention sizes, and how each is written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from dsl.types.size import Atom, Size, SizeVar


@runtime_checkable
class SizeDependent(Protocol):
    """An argument of a stuck call that mentions sizes: a `Size`, or a shape."""

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Hashable: ...
    def atoms(self) -> Iterator[Atom]: ...
    def vars(self) -> frozenset[SizeVar]: ...
    def as_argument(self) -> str: ...
    @property
    def weight(self) -> int: ...


def argument_text(arg: Hashable) -> str:
    """An argument of a call as it is written."""
    match arg:
        case SizeDependent():
            return arg.as_argument()
        case None:
            return "none"
        case bool():
            return "true" if arg else "false"
        case tuple():
            return f"({', '.join(map(argument_text, arg))}{',' if len(arg) == 1 else ''})"
        case _:
            return str(arg)

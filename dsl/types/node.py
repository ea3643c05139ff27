"""The common interface of sizes, shapes and propositions: trees of immutable nodes over atoms of sizes.

A node says what it is directly made of; the one traversal here works out which atoms lie inside, once for each node.
What is found is kept in the `__dict__` of a node, which takes no part in equality.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar

from dsl.records import OwnEquality

if TYPE_CHECKING:
    from dsl.types.size import Atom, SizeVar


T = TypeVar("T")


class once(Generic[T]):
    """A property that is computed once for each node: `functools.cached_property` without its lock."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, node: Any, owner: object = None) -> T:
        value = node.__dict__[self._compute.__name__] = self._compute(node)
        return value


def is_variable(atom: Atom) -> TypeGuard[SizeVar]:
    return not isinstance(atom, Node)


class Node:
    """A node with a `__dict__` beside its fields."""

    __slots__ = ()

    def parts(self) -> Iterable[object]:
        """Return the direct parts that may mention sizes."""
        raise TypeError(f"{type(self).__name__} has no parts")

    @once
    def inside(self) -> tuple[Atom, ...]:
        """All atoms in it, those inside other atoms too, each once, in order of first appearance."""
        found: dict[Atom, None] = {}
        for part in self.parts():
            if isinstance(part, Node):
                found.update(dict.fromkeys(part.inside))
        return tuple(found)

    @once
    def variables(self) -> tuple[SizeVar, ...]:
        """The size variables in it, each once, in order of first appearance."""
        return tuple([atom for atom in self.inside if is_variable(atom)])

    @once
    def naturals(self) -> tuple[bool, ...]:
        """Which of the variables are never negative; equality does not say so."""
        return tuple([var.natural for var in self.variables])

    @once
    def _variables(self) -> frozenset[SizeVar]:
        return frozenset(self.variables)

    def atoms(self) -> tuple[Atom, ...]:
        """`inside`, as of any argument of a call that mentions sizes."""
        return self.inside

    def vars(self) -> frozenset[SizeVar]:
        """All size variables in it."""
        return self._variables


class Keyed(OwnEquality, Node):
    """A node with fields that do not count: it is equal to those of its class that have the same `identity`."""

    __slots__ = ()

    @property
    def identity(self) -> Hashable:
        """The fields that count."""
        raise TypeError(f"{type(self).__name__} has no identity")

    @once
    def _hash(self) -> int:
        return hash(self.identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and other.__class__ is self.__class__ and other.identity == self.identity

    def __hash__(self) -> int:
        return self._hash

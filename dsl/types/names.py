"""Names in sizes, shapes and arguments: variables, which are the same if their numbers are, and texts."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from dsl.records import OwnEquality
from dsl.types.polynomial import Key


class _Numbered(OwnEquality, Struct, frozen=True, eq=False):
    """An object that equals another of its class with the same number."""

    id: int

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and other.id == self.id

    def __hash__(self) -> int:
        return self.id


class SizeVar(_Numbered, frozen=True, eq=False):
    """A size variable (`natural`, so >= 0) or an integer variable of any sign. Its identity is `id` alone. One that is
    `poison` stands for what was reported: nothing more is said of it."""

    name: str
    natural: bool = True
    poison: bool = False
    compound: ClassVar[bool] = False
    weight: ClassVar[int] = 1

    @property
    def key(self) -> Key:
        return (0, self.id)

    def __str__(self) -> str:
        return self.name


class ShapeVar(_Numbered, frozen=True, eq=False):
    """A shape variable, `*s`. Its identity is `id` alone. One that is `poison` stands for what was reported; one that
    is `signed` for integers that may be negative."""

    name: str
    poison: bool = False
    signed: bool = False
    weight: ClassVar[int] = 1

    def __str__(self) -> str:
        return self.name


class StaticName(_Numbered, frozen=True, eq=False):
    """A static value that is not a size and not known yet, such as a parameter `axis`. Its identity is
    `id`."""

    name: str

    def __str__(self) -> str:
        return self.name


class Written(Struct, frozen=True):
    """A static value that shapes do not speak of, such as a float: what is written for it."""

    text: str

    def __str__(self) -> str:
        return self.text

"""Names in sizes, shapes and arguments: variables, which are the same if their numbers are, and texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from msgspec import Struct

from dsl.types.polynomial import Key


@dataclass(frozen=True, slots=True)
class SizeVar:
    """A size variable (`natural`, so >= 0) or an integer variable of any sign. Its identity is `id` alone. One that is
    `poison` stands for what was reported: nothing more is said of it."""

    id: int
    name: str = field(compare=False)
    natural: bool = field(default=True, compare=False)
    poison: bool = field(default=False, compare=False)
    compound: ClassVar[bool] = False
    weight: ClassVar[int] = 1

    @property
    def key(self) -> Key:
        return (0, self.id)

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ShapeVar:
    """A shape variable, `*s`. Its identity is `id` alone. One that is `poison` stands for what was reported; one that
    is `signed` for integers that may be negative."""

    id: int
    name: str = field(compare=False)
    poison: bool = field(default=False, compare=False)
    signed: bool = field(default=False, compare=False)
    weight: ClassVar[int] = 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class StaticName:
    """A static value that is not a size and not known yet, such as a parameter `axis`. Its identity is
    `id`."""

    id: int
    name: str = field(compare=False)

    def __str__(self) -> str:
        return self.name


class Written(Struct, frozen=True):
    """A static value that shapes do not speak of, such as a float: what is written for it."""

    text: str

    def __str__(self) -> str:
        return self.text

"""Effects as types: labels and rows. Knows nothing of how they are performed or handled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from dsl.types.size import Size

if TYPE_CHECKING:
    from dsl.types.type import Type


@dataclass(frozen=True, slots=True)
class Builtin:
    """`rand`, `check`, `io`, `div`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Cell:
    """`state(s: T)` or `accum(a: T)`; the handler that opens the cell is found by name."""

    kind: str
    name: str
    type: Type = field(compare=False)

    def __str__(self) -> str:
        return f"{self.kind}({self.name})"


@dataclass(frozen=True, slots=True)
class Axis:
    """`axis("i": n)`: collectives over a named axis."""

    name: str
    size: Size | None = field(compare=False)

    def __str__(self) -> str:
        return f'axis("{self.name}")'


@dataclass(frozen=True, slots=True)
class UserEffect:
    """A user's own effect, by module and name."""

    module: str
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class EffectVar:
    """A variable that stands for a whole row."""

    id: int
    name: str = field(compare=False)

    def __str__(self) -> str:
        return self.name


Effect: TypeAlias = Builtin | Cell | Axis | UserEffect | EffectVar

RAND, CHECK, IO, DIV = Builtin("rand"), Builtin("check"), Builtin("io"), Builtin("div")


@dataclass(frozen=True, slots=True)
class Row:
    """A set of effects."""

    effects: frozenset[Effect] = frozenset()

    def __or__(self, other: Row) -> Row:
        return Row(self.effects | other.effects)

    def __sub__(self, other: Row) -> Row:
        return Row(self.effects - other.effects)

    def __contains__(self, effect: object) -> bool:
        return effect in self.effects

    def __le__(self, other: Row) -> bool:
        return self.effects <= other.effects

    def __bool__(self) -> bool:
        return bool(self.effects)

    def __str__(self) -> str:
        names = sorted(map(str, self.effects))
        return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


PURE = Row()


def row(*effects: Effect) -> Row:
    return Row(frozenset(effects))

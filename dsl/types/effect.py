"""Effects as types: labels and rows, and one entry per kind of effect, from which the checker, staging, Python and the
pages read who handles it and where it is refused. Knows nothing of how effects are performed or handled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, assert_never

from msgspec import Struct

from dsl.records import OwnEquality
from dsl.types.size import Size

if TYPE_CHECKING:
    from dsl.types.shape import StaticArg
    from dsl.types.type import Type


class Builtin(Struct, frozen=True):
    """`rand`, `check`, `io`, `debug`, `div`."""

    name: str

    def __str__(self) -> str:
        return self.name


class Cell(OwnEquality, Struct, frozen=True, eq=False):
    """`state(s: T)` or `accum(a: T)`; the handler that opens the cell is found by name."""

    kind: str
    name: str
    type: Type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and (other.kind, other.name) == (self.kind, self.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __str__(self) -> str:
        return f"{self.kind}({self.name})"


class Axis(OwnEquality, Struct, frozen=True, eq=False):
    """`axis("i": n)`: collectives over a named axis."""

    name: str
    size: Size | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and other.name == self.name

    def __hash__(self) -> int:
        return hash((self.name,))

    def __str__(self) -> str:
        return f'axis("{self.name}")'


class UserEffect(Struct, frozen=True):
    """A user's own effect, by module and name."""

    module: str
    name: str

    def __str__(self) -> str:
        return self.name


SHARED = "shared"
"""The form of operations by name that give the same value wherever they are performed again."""


class Site(OwnEquality, Struct, frozen=True, eq=False):
    """The value of an operation that is known by name, at `path` in the record of all of them; an empty path is the
    whole record. One that is `shared` is the same value wherever the operation is performed again."""

    module: str
    name: str
    path: tuple[StaticArg, ...]
    type: Type
    shared: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and other._known_by == self._known_by

    def __hash__(self) -> int:
        return hash(self._known_by)

    @property
    def _known_by(self) -> tuple[str, str, tuple[StaticArg, ...]]:
        return self.module, self.name, self.path

    @property
    def operation(self) -> UserEffect:
        """The operation that is performed."""
        return UserEffect(self.module, self.name)

    def __str__(self) -> str:
        return f"{self.name}({'.'.join(map(str, self.path))})"


class EffectVar(OwnEquality, Struct, frozen=True, eq=False):
    """A variable that stands for a whole row."""

    id: int
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EffectVar) and other.id == self.id

    def __hash__(self) -> int:
        return hash((self.id,))

    def __str__(self) -> str:
        return self.name


Effect: TypeAlias = Builtin | Cell | Axis | UserEffect | Site | EffectVar


class Answer(Struct, frozen=True):
    """The effects of an operation's clause, and the cells it writes."""

    effects: frozenset[Effect]
    written: frozenset[str]

    def joined(self, other: Answer | None) -> Answer:
        """Return the union of the effects of two clauses."""
        return self if other is None else Answer(self.effects | other.effects, self.written | other.written)


RAND, CHECK, IO, DIV = Builtin("rand"), Builtin("check"), Builtin("io"), Builtin("div")
DEBUG = Builtin("debug")


class Parallel(Enum):
    """The rule for an effect in a body that runs for all elements in parallel."""

    ANY_ORDER = auto()
    """All of it: no element notices the others."""
    READS = auto()
    """To read; a write (E0720) has an order."""
    NOTHING = auto()
    """It has an order (E0721)."""


class Ruled(Enum):
    """The rule for an effect in a function with its own derivative rule (`custom_jvp`, `custom_vjp`)."""

    NOTHING = auto()
    """A value comes from the handler or goes to it, of which a rule knows nothing."""
    ALIKE = auto()
    """It happens in the function and in the rule that takes its place in a derivative, or in neither."""
    FREELY = auto()
    """Nothing happens that could be lost."""


class EffectKind(Struct, frozen=True, kw_only=True):
    """An effect of the language. `performed_by` and `handled_by` are what the pages say. `in_program`: it has a handler
    in the language, so it matters where a function with it was made. `in_python`: a call from Python handles it.
    `in_reverse`: a function with it can be differentiated backwards. `ruled`: what one with rules of its own may do."""

    name: str
    performed_by: str
    handled_by: str
    in_program: bool
    in_python: bool
    parallel: Parallel = Parallel.ANY_ORDER
    in_reverse: bool = True
    ruled: Ruled = Ruled.NOTHING


_KINDS = (
    EffectKind(
        name="rand",
        performed_by="`fresh_key()`",
        handled_by="`with rng(key) do`, or `key=` from Python",
        in_program=True,
        in_python=True,
    ),
    EffectKind(
        name="state",
        performed_by="reading `s`, `s := e`",
        handled_by="`with state s = init do`, gives `(value, final)`",
        in_program=True,
        in_python=False,
        parallel=Parallel.READS,
    ),
    EffectKind(
        name="accum",
        performed_by="`a += e`",
        handled_by="`with accum a: T do`, gives `(value, total)`",
        in_program=True,
        in_python=False,
    ),
    EffectKind(
        name="check",
        performed_by="`assert`, an index not proved, `checked(x)`",
        handled_by="`with checks do`, or Python, which raises",
        in_program=True,
        in_python=True,
        ruled=Ruled.ALIKE,
    ),
    EffectKind(
        name="io",
        performed_by="`print`, `emit`, functions that Python passes",
        handled_by="Python",
        in_program=False,
        in_python=True,
        parallel=Parallel.NOTHING,
        ruled=Ruled.ALIKE,
    ),
    EffectKind(
        name="debug",
        performed_by="`print(…, ordered=false)`",
        handled_by="Python",
        in_program=False,
        in_python=True,
        ruled=Ruled.ALIKE,
    ),
    EffectKind(
        name="div",
        performed_by="`iterate … while` without a `limit`",
        handled_by="Python",
        in_program=False,
        in_python=True,
        in_reverse=False,
        ruled=Ruled.FREELY,
    ),
    EffectKind(
        name="axis",
        performed_by="`psum`, `axis_index` and the like",
        handled_by="`vmap` with that `axis_name`",
        in_program=True,
        in_python=False,
        ruled=Ruled.FREELY,
    ),
)
KINDS: Mapping[str, EffectKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
BUILTINS: Mapping[str, Builtin] = MappingProxyType({effect.name: effect for effect in (RAND, CHECK, IO, DEBUG, DIV)})


def kind_of(effect: Effect) -> EffectKind | None:
    """The entry of an effect; none of what a program declares, and of variables."""
    match effect:
        case Builtin(name):
            return KINDS[name]
        case Cell(kind):
            return KINDS[kind]
        case Axis():
            return KINDS["axis"]
        case UserEffect() | Site() | EffectVar():
            return None
        case _:
            assert_never(effect)


class Row(Struct, frozen=True):
    """A set of effects."""

    effects: frozenset[Effect] = frozenset()

    def __or__(self, other: Row) -> Row:
        return Row(self.effects | other.effects)

    def __sub__(self, other: Row) -> Row:
        return Row(self.effects - other.effects)

    def __iter__(self) -> Iterator[Effect]:
        """Yield the effects in an order that is the same in every run, for what is told of them."""
        return iter(sorted(self.effects, key=str))

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

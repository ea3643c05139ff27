"""The data collected while one definition is checked. Read next: `context`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Flag, auto
from typing import TYPE_CHECKING

from msgspec import Struct, field

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types.effect import Effect, Row
from dsl.types.facts import Prop
from dsl.types.shape import ShapeCall
from dsl.types.size import Size, SizeVar
from dsl.types.static_examples import Statics
from dsl.types.type import Type
from typechecker.env.effect_book import EffectBook, Later
from typechecker.env.solver import Solver
from typechecker.env.values import Closure, Known

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.outcomes import Outcome
    from typechecker.types.instance import Instance


class LambdaResult(Struct, frozen=True, eq=False):
    """A lambda that was checked for arguments of some types: the number of its body, what a call of it gives, and how
    many expressions were evaluated for it."""

    node: core.Lambda
    number: int
    type: Type
    known: Known | None
    effects: Mapping[Effect, Span]
    deferred: Mapping[Later, Span]
    steps: int


class Checked(Struct, frozen=True):
    """An `index`, of a `type`, or `slice` of an axis, or a `value` of `idx[bound]`, that is checked at run time."""

    what: str
    bound: Size
    type: Type | None = None


class Home(Struct, frozen=True):
    """Where each expression is evaluated once: at this depth of loops, in this branch of choices of sizes."""

    depth: int = 0
    branch: tuple[Prop, ...] = ()


class Mode(Flag):
    """How a definition is checked."""

    PLAIN = 0
    STATIC = auto()
    """Its value is computed."""
    DECIDING = auto()
    """It calls itself, and goes on only where its conditions are decided."""
    RANGING = auto()
    """It is computed without the facts about its arguments: an equation is one condition of many."""
    CONSTANT = auto()
    """It is a top-level constant."""

    @staticmethod
    def of(*, static: bool, deciding: bool = False) -> Mode:
        return (Mode.STATIC if static else Mode.PLAIN) | (Mode.DECIDING if deciding else Mode.PLAIN)


class Body(Struct, eq=False):
    """The data collected while one definition is checked: its effects, how it is checked, and what is found of its
    sizes and dtypes. It is `stuck` where some list is not known enough to compute with, and `partial` where an
    expression has no type, so that nobody knows what it performs."""

    module: str
    owner: str
    solver: Solver
    book: EffectBook = field(default_factory=EffectBook)
    mode: Mode = Mode.PLAIN
    stuck: bool = False
    partial: bool = False
    constraints: list[tuple[Prop, Span]] = field(default_factory=list)
    reasons: dict[Prop, tuple[Span, ...]] = field(default_factory=dict)
    wrapping: set[Span] = field(default_factory=set)
    ranges: dict[SizeVar, tuple[Size | None, Size | None]] = field(default_factory=dict)
    meanings: dict[SizeVar, Prop] = field(default_factory=dict)
    permitted: Row | None = None
    range_atoms: dict[SizeVar, frozenset[SizeVar]] = field(default_factory=dict)
    """The numbers of ranges and what is computed of them and sizes alone, with those that it is computed of."""
    guards: dict[Span, Checked] = field(default_factory=dict)
    axes: dict[str, Size] = field(default_factory=dict)
    closures: list[tuple[Context, Closure]] = field(default_factory=list)
    lambda_results: dict[Hashable, LambdaResult] = field(default_factory=dict)
    outcomes: dict[Hashable, Outcome] = field(default_factory=dict)
    declared: frozenset[ShapeCall] = frozenset()
    statics: Statics = field(default_factory=dict)
    instance: Instance | None = None
    """What the variables of a definition stand for whose Core is evaluated."""
    opened: int = 0
    """How many sizes are left to data."""
    masks: dict[int, SizeVar] = field(default_factory=dict)
    """How many elements a local mask selects."""
    numbers: list[Callable[[], None]] = field(default_factory=list)
    """What is still to be said of numbers when their dtypes are decided."""

    @property
    def static(self) -> bool:
        return Mode.STATIC in self.mode

    def settle(self) -> None:
        """Decide all dtypes that are open."""
        self.solver.settle()
        for check in self.numbers:
            check()
        self.numbers.clear()

    def forget_lambdas(self, nodes: Sequence[core.Lambda]) -> None:
        """The next call of one of these has a body of its own."""
        kept = {key: r for key, r in self.lambda_results.items() if not any(r.node is node for node in nodes)}
        self.lambda_results = kept

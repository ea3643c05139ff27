"""The state of staging one function: where equations go, and what the effects have become.

`eval` dispatches on the class of a Core expression to the handler of it; the handlers stand in their
own modules (`arithmetic`, `structure`, `calls`, …) and `stage` puts the table together. Effects are
data flow: `code` is the error code so far (None while nothing could have failed) for the handler of checks
that is `listening`, `cells` the current values of `state` and `accum`, `keys` where fresh keys come from,
`axes` the sizes of the named axes that are mapped around, `shares` how many times at once there is what is
computed here, `scope` which of all these the text here means.
Read next: `stage`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function
from dsl.ops.elementwise import compare, select
from dsl.staging.env.affine_index import Affine, Owned
from dsl.staging.env.cells import Cell
from dsl.staging.env.environment import Frame
from dsl.staging.env.keys import Keys, Places
from dsl.staging.env.marks import UserPlaces, mark_failure
from dsl.staging.env.scope import OUTERMOST
from dsl.staging.errors import staging_error
from dsl.staging.values import Argument, Site, Value, as_atom, literal
from dsl.transforms.memo import Memo
from dsl.types.dtype import I32
from dsl.types.limits import CALLS, EQUATIONS, NESTED_CALLS

Handler: TypeAlias = "Callable[[Stager, Any, Frame], Value]"
Intrinsic: TypeAlias = "Callable[[Stager, tuple[Value, ...], Mapping[str, Value]], Value]"

Apply: TypeAlias = "Callable[[Stager, Value, Sequence[Any], Span, int | None], Value]"

KEPT = 4_000
"""What a session remembers of each kind."""


class Specialised(Struct, frozen=True):
    """A definition staged once for given types and static values. `output` is a skeleton; with `checks`
    the last result of `function` is the error code. `steps` counts the calls in it: compiled code has them in the
    place of every call.
    """

    function: Function
    output: Value
    checks: bool
    steps: int = 0


@dataclass(slots=True)
class Session:
    """The state shared by all stagings of one program: constants, specialisations, sites, and transformed functions.
    Stagings that share a session run one at a time. What is made for a debugger is `marked`. `refuse` makes the error
    of a transformation that the program does not have."""

    program: core.Program
    handlers: Mapping[type, Handler]
    intrinsics: Mapping[str, Intrinsic]
    apply: Apply
    refuse: Callable[[Any], Exception]
    constants: dict[tuple[str, str], tuple[Function, Value]] = field(default_factory=dict)
    computed: dict[Any, Value] = field(default_factory=dict)
    specialised: dict[Any, Specialised | None] = field(default_factory=dict)
    plans: dict[int, Any] = field(default_factory=dict)
    memo: Memo = field(default_factory=Memo)
    sites: list[Site] = field(default_factory=list)
    numbers: dict[Site, int] = field(default_factory=dict)
    places: Places = field(init=False)
    turn: RLock = field(default_factory=RLock)
    sizes: Iterator[int] = field(default_factory=lambda: count(1 << 40))
    """The numbers of sizes that a run decides."""
    marked: bool = False
    divides: bool = False
    """Whether something was staged that depends on how many times it is there at once."""

    def __post_init__(self) -> None:
        self.places = Places(self.program)

    def hear_rule(self, s: Stager, rule: Function, values: int, tangents: int, written: core.Transform | None) -> None:
        """Hear of the rule of a function that is called, before it is a derivative: what it takes last are `tangents`,
        what it gives are `values`, then tangents. It is an option of what is `written`."""

    def builder(self) -> Builder:
        """A builder for a body."""
        return UserPlaces() if self.marked else Builder()

    def forget(self) -> None:
        """Between stagings: drops what earlier ones may be asked for again, where that has become much."""
        for kept in (self.computed, self.specialised):
            if len(kept) > KEPT:
                kept.clear()
        if len(self.memo.table) > KEPT:
            self.memo = Memo()

    def number(self, site: Site) -> int:
        found = self.numbers.get(site)
        if found is None:
            self.sites.append(site)
            found = self.numbers[site] = len(self.sites)
        return found


class Stager:
    """Evaluates Core and emits IR into one builder after another."""

    __slots__ = (
        "axes",
        "b",
        "cells",
        "chain",
        "code",
        "counted",
        "handlers",
        "keys",
        "listening",
        "marking",
        "open",
        "owned",
        "path",
        "places",
        "scope",
        "session",
        "shares",
        "steps",
    )

    def __init__(self, session: Session) -> None:
        self.session = session
        self.handlers = session.handlers
        self.b = session.builder()
        self.code: Atom | None = None
        self.cells: dict[str, Cell] = {}
        self.keys: Keys | None = None
        self.axes: dict[str, int] = {}
        self.counted: dict[Atom, Affine] = {}
        self.open: list[Builder] = [self.b]
        self.owned: dict[Builder, Owned] = {}
        self.places: dict[tuple[Builder, Atom], Atom] = {}
        self.scope = OUTERMOST
        self.listening = OUTERMOST.check
        self.chain: list[tuple[str, Span]] = []
        self.path: list[Span | str] = []
        self.steps = 0
        self.shares = 1
        self.marking = session.marked
        """Whether the text that is staged has marks."""

    def eval(self, node: core.Expr, frame: Frame) -> Value:
        return self.handlers[type(node)](self, node, frame)

    def apply(self, function: Value, args: Sequence[Argument], span: Span, instance: int | None = None) -> Value:
        """Calls a function value."""
        return self.session.apply(self, function, args, span, instance)

    def enter(self, name: str, span: Span) -> None:
        """Counts a call against the budget; `leave` ends it."""
        self.chain.append((name, span))
        self.path.append(span)
        self.steps += 1
        if len(self.chain) > NESTED_CALLS or self.steps > CALLS or len(self.b.equations) > EQUATIONS:
            self._exceeded(span)

    def count(self, steps: int, name: str, span: Span) -> None:
        """Counts the calls of a definition that was staged before."""
        self.steps += steps
        if self.steps > CALLS:
            self.chain.append((name, span))
            self._exceeded(span)

    def _exceeded(self, span: Span) -> NoReturn:
        what = f"more than {CALLS:,} calls" if self.steps > CALLS else f"more than {EQUATIONS:,} operations"
        if len(self.chain) > NESTED_CALLS:
            what = f"{len(self.chain)} calls deep"
        message = f"evaluation at compile time does not end within its budget ({what})"
        raise staging_error("E0503", message, span, chain=self.chain)

    def share(self, budget: int) -> int:
        """The part of a budget that each element of all maps around may use."""
        self.session.divides = True
        return budget // self.shares

    def leave(self) -> None:
        self.chain.pop()
        self.path.pop()

    @contextmanager
    def inside(self) -> Iterator[Builder]:
        """A new builder for a body, with no failure so far; the old state comes back after."""
        builder, code, span = self.b, self.code, self.b.span
        self.b, self.code = self.session.builder(), None
        self.b.span = span
        self.open.append(self.b)
        try:
            yield self.b
        finally:
            self.open.pop()
            self.b, self.code = builder, code

    @contextmanager
    def sharing(self, shares: int) -> Iterator[None]:
        """Where what is computed is there so many times at once."""
        before = self.shares
        self.shares = before * max(shares, 1)
        try:
            yield
        finally:
            self.shares = before

    @contextmanager
    def outside(self, builder: Builder, source: Keys | None) -> Iterator[None]:
        """Back in a body around this one, with the keys that are there."""
        before = self.b, self.keys, self.open, self.code
        self.b, self.keys, self.open, self.code = builder, source, self.open[: self.open.index(builder) + 1], None
        try:
            yield
        finally:
            self.b, self.keys, self.open, self.code = before

    @contextmanager
    def mapping(self, name: str | None, size: int) -> Iterator[str | None]:
        """Inside of a map over an axis of this name, if it has one: gives the axis, which no other one around has."""
        before, scope = self.axes, self.scope
        axis = None if name is None else next(a for a in _numbered(name) if a not in before)
        if name is not None and axis is not None:
            self.axes, self.scope = {**before, axis: size}, scope.with_axis(name, axis)
        try:
            yield axis
        finally:
            self.axes, self.scope = before, scope

    def axis(self, name: str) -> tuple[str, int]:
        """The axis that the text here means by a name, and its size."""
        axis = self.scope.axes[name]
        return axis, self.axes[axis]

    def is_inside(self, x: Atom, b: Builder) -> bool:
        """Return whether x is computed in the body `b` or in one that is open inside of it."""
        bodies = self.open[self.open.index(b) :]
        return any(self.owned.setdefault(body, Owned(body)).has(x) for body in bodies)

    def fail_where(self, failed: Atom, span: Span, message: str) -> None:
        """Records a failure of this place where `failed` (a scalar bool), unless something failed before."""
        mark_failure(self, failed, message)
        number = literal(self.session.number(Site(span, message)), I32)
        self.fail(select(self.b, failed, number, literal(0, I32)))

    def fail(self, code: Atom) -> None:
        """A code for the handler that this place reports to: the innermost, or one further out."""
        if self.scope.check == self.listening:
            self.record(code)
        else:
            name = heard(self.scope.check)
            cell = self.cells[name]
            self.cells[name] = cell.at(self.first(as_atom(cell.value), code))

    def record(self, code: Atom) -> None:
        """A code of what runs now, for the innermost handler: the first that is not 0 stays."""
        self.code = code if self.code is None else self.first(self.code, code)

    def first(self, earlier: Atom, later: Atom) -> Atom:
        """The earlier code, unless it is 0."""
        failed = compare(self.b, "ne", earlier, literal(0, I32))
        return select(self.b, failed, earlier, later)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} {k}" for k in count(1))


def heard(handler: int) -> str:
    """The cell of what a handler of checks hears while one inside of it is listening."""
    return f"check {handler}"

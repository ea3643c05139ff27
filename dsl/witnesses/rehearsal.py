"""Rehearsals: a definition staged for one instance, to hear which transformations are refused.

The stager is that of calls. Around it stand what a definition performs without a handler of its own, and a way on
behind each refusal: the value of the call that is refused is a stand-in. Read next: `dsl.staging.stage`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.held_types import may_hold_function
from dsl.core.transformation import Kind, Mode, mode_of
from dsl.core.walk import subexpressions
from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Equation, Function, Tensor
from dsl.ir.region import Problem
from dsl.ir.walk import bodies
from dsl.ops.control.custom import CUSTOM_LINEAR
from dsl.records import replace
from dsl.staging.calls import call
from dsl.staging.effects import perform
from dsl.staging.effects.named import find_clause
from dsl.staging.env.cells import Cell, leaves_of
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.keys import KeySource, Places
from dsl.staging.env.marks import UserPlaces
from dsl.staging.env.stager import Handler, Session, Stager
from dsl.staging.expressions.structure import bind
from dsl.staging.stage import HANDLERS, INTRINSICS, RECURSION, outputs_of
from dsl.staging.transforms import apply
from dsl.staging.transforms.refusals import Refusal, diagnostic
from dsl.staging.values import ATOMS, LinearMap, Missing, Value, fill, leaves, skeleton, slot_types
from dsl.transforms.dce import live
from dsl.types.dtype import U32
from dsl.types.effect import Axis
from dsl.types.effect import Cell as CellEffect
from dsl.types.limits import Exceeded
from dsl.types.process_settings import deep_recursion
from dsl.types.size import SizeVar
from dsl.witnesses.call_paths import call_path, captured_name
from dsl.witnesses.instances import Instance
from dsl.witnesses.rules import fault_of
from dsl.witnesses.stand_ins import NoStandIn, is_data, stand_in

Branch: TypeAlias = core.If | core.Match
_KEPT = ("axes", "b", "cells", "code", "keys", "listening", "marking", "scope")


class Refused(Exception):
    """A refusal on its way to the call that is refused."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class Ways(Struct, frozen=True):
    """The ways of a static branch that have been taken, and the sizes there at the first time."""

    node: Branch
    taken: set[int]
    sizes: Mapping[SizeVar, int]

    @property
    def missed(self) -> list[int]:
        """The ways that have not been taken."""
        count = 2 if isinstance(self.node, core.If) else len(self.node.arms)
        return [way for way in range(count) if way not in self.taken]


class CallPlaces(UserPlaces):
    """A builder that keeps the place of the call in functions of the library that are staged once."""

    __slots__ = ()

    @property
    def span(self) -> Span | None:
        """The place given to what is emitted."""
        return self._span

    @span.setter
    def span(self, span: Span | None) -> None:
        if span is not None and not span.source.in_library:
            self._span = span


class Anywhere(Places):
    """Places of draws, which make no difference to what is refused."""

    __slots__ = ()

    def number(self, path: Sequence[Span | str]) -> int:
        return 0


@dataclass(slots=True)
class Rehearsal(Session):
    """`found` is what is refused, `ended` whether the definition was staged to its end, `ways` which ways of each
    static branch have been taken, `passing` the calls around that pass functions, `forward` the derivatives that push
    tangents through a rule in reverse mode, by its place."""

    found: list[Diagnostic] = field(default_factory=list)
    ways: dict[int, Ways] = field(default_factory=dict)
    passing: list[Span] = field(default_factory=list)
    unfit: bool = False
    ended: bool = False
    forward: dict[Span | None, Refusal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = Anywhere(self.program)

    def builder(self) -> Builder:
        return CallPlaces()

    def rehearse(self, function: core.Function, instance: Instance) -> list[Diagnostic]:
        """Return the refusals in a definition for one instance."""
        self.found, self.unfit, self.ended = [], False, False
        self.passing.clear()
        self.forward.clear()
        s = Stager(self)
        s.b.span = function.span
        args = [
            arg if isinstance(arg, Missing) else fill(arg, map(s.b.param, slot_types(arg))) for arg in instance.args
        ]
        s.keys = (KeySource(s.b.param(Tensor(U32, (2,))), depth=1),)
        _perform_freely(s, function, instance)
        with self.turn, deep_recursion(RECURSION):
            try:
                value = call.enter(s, function, args, function.span, instance.variables)
                results = [*outputs_of(value), *leaves_of(s.cells, [*s.cells]), *([] if s.code is None else [s.code])]
                self.tell_forward([*live(s.b.equations, results), *_kept_in(value)])
                self.ended = True
            except Refused as refused:
                self.tell(refused.refusal, function.body)
            except (DslError, Exceeded, RecursionError, NoStandIn):
                pass  # what a call would be told of, too
            except MemoryError:
                raise
            except Exception as fault:
                if self._is_own(function):
                    log_fault(function, fault)
                else:  # what Python makes of a definition need not fit the example: a rank, a size, `none`
                    self.unfit = True
        if self.found:
            self.specialised.clear()
        return self.found

    def _is_own(self, function: core.Function) -> bool:
        """Return whether a definition is one of the program, and not what Python makes of one."""
        return self.program.modules[function.module].functions.get(function.name) is function

    def tell(self, refusal: Refusal, at: core.Expr) -> None:
        """Note the refusal of an expression, with what is known here of its place."""
        place = refusal.place
        if place is not None and refusal.problem in (Problem.NOT_DIFFERENTIABLE, Problem.CAPTURED):
            refusal = replace(refusal, path=call_path(self.program, at, place, refusal.op))
        if place is not None and refusal.problem is Problem.CAPTURED:
            refusal = replace(refusal, detail=captured_name(self.program, place))
        self.found.append(diagnostic(replace(refusal, passed=self.passing[0] if self.passing else None)))

    def hear_rule(self, s: Stager, rule: Function, values: int, tangents: int, written: core.Transform | None) -> None:
        """Hold a rule against what a derivative is."""
        if written is None or written.span.source.in_library:
            return
        fault = fault_of(rule, values, tangents, s.axes)
        if fault is not None:
            at, kind = written.span, Kind.CUSTOM_JVP
            raise Refused(Refusal(Problem.NOT_LINEAR, "rule", "", fault.place, kind, at, written, None, fault.text))

    # ------------------------------------------------------------ forward mode

    def note_forward(self, kind: str, at: Span, equations: Iterable[Equation]) -> None:
        """Note which derivative pushes tangents through a rule in reverse mode."""
        for equation in equations:
            for place in _reversed_in(equation):
                passed = self.passing[0] if self.passing else None
                refusal = Refusal(Problem.FORWARD_CUSTOM, "custom_vjp", "", place, kind, at, passed=passed)
                self.forward.setdefault(place, refusal)

    def tell_forward(self, equations: Iterable[Equation]) -> None:
        """Tell of rules in reverse mode whose forward derivative is left in what is to be run."""
        for place in dict.fromkeys([place for equation in equations for place in _reversed_in(equation)]):
            if place in self.forward:
                self.found.append(diagnostic(self.forward[place]))


def log_fault(function: core.Function, fault: Exception) -> None:
    """Note what should not happen to a checked program. A check reports what it knows all the same: whoever calls the
    definition is told of the fault."""
    logging.getLogger("dsl").info("the check of `%s` is not complete", function.name, exc_info=fault)


def _kept_in(value: Value) -> Iterator[Equation]:
    """The equations of linear functions in a value."""
    for leaf in leaves(value):
        if isinstance(leaf, LinearMap):
            yield from leaf.function.equations


def _reversed_in(equation: Equation) -> Iterator[Span | None]:
    if equation.op is CUSTOM_LINEAR:
        yield equation.span
    for body in bodies(equation):
        for inner in body.equations:
            yield from _reversed_in(inner)


def rehearsal(program: core.Program) -> Rehearsal:
    """A session of rehearsals of one program."""

    return Rehearsal(program, _HANDLERS, INTRINSICS, call.apply_value, Refused)


def _perform_freely(s: Stager, function: core.Function, instance: Instance) -> None:
    """Give a definition the cells and the axes that it performs."""
    variables = Variables(function.solution)
    variables.bind(instance.variables)
    for effect in function.signature.effects.effects:
        match effect:
            case CellEffect(kind, _, type_) if is_data(type_):
                value = skeleton(variables.skeleton(type_))
                s.cells[str(effect)] = Cell(kind, fill(value, map(s.b.param, slot_types(value))))
                s.scope = s.scope.with_cell(str(effect), str(effect))
            case Axis(name, size):
                s.axes = {**s.axes, name: 2 if size is None else variables.size(size)}
                s.scope = s.scope.with_axis(name, name)
            case _:
                pass


# ---------------------------------------------------------------- expressions


def _recovering(handler: Handler) -> Handler:
    """Goes on behind a call that is refused, with a stand-in for its value."""

    def evaluate(s: Stager, node: core.Apply | core.TransformCall, frame: Frame) -> Value:
        session = s.session
        assert isinstance(session, Rehearsal)
        with _passing(session, node):
            state = [getattr(s, name) for name in _KEPT]
            lists: tuple[list[Any], ...] = (s.chain, s.path, s.open)
            lengths, cells = [*map(len, lists)], dict(s.cells)
            kind, builder, begun = _kind_of(node), s.b, len(s.b.equations)
            try:
                value = handler(s, node, frame)
                if kind is not None and mode_of(kind) is Mode.FORWARD:
                    session.note_forward(kind, node.span, [*builder.equations[begun:], *_kept_in(value)])
                return value
            except Refused as refused:
                session.tell(refused.refusal, node)
            except DslError as error:
                if not error.code.startswith(("E08", "E10")):
                    raise
                session.found.extend(error.diagnostics)
            for name, value in zip(_KEPT, state, strict=True):
                setattr(s, name, value)
            s.cells = cells
            for kept, length in zip(lists, lengths, strict=True):
                del kept[length:]
            return stand_in(node.type, frame.variables)

    return evaluate


@contextmanager
def _passing(session: Rehearsal, node: core.Apply | core.TransformCall) -> Iterator[None]:
    """In a call; functions among its arguments lead from it to where they are called."""
    passes = isinstance(node, core.Apply) and any(
        _may_be_function(session, arg) for arg in node.args if arg is not None
    )
    if not passes or node.span.source.in_library:
        yield
        return
    session.passing.append(node.span)
    try:
        yield
    finally:
        session.passing.pop()


def _kind_of(node: core.Apply | core.TransformCall) -> Kind | None:
    """The transformation whose result is called."""
    transformed = node if isinstance(node, core.TransformCall) else node.function
    return transformed.kind if isinstance(transformed, core.Transform | core.TransformCall) else None


def _may_be_function(session: Rehearsal, arg: core.Expr) -> bool:
    """Return whether functions are passed: the type of one that is written in place is not stated."""
    modules = session.program.modules
    nodes = (arg, *subexpressions(arg)) if isinstance(arg, core.Tuple | core.Record | core.EnumValue) else (arg,)
    written = any(isinstance(node, core.Lambda | core.Transform | core.Specialise | core.Global) for node in nodes)
    return written or may_hold_function(arg.type, lambda module, name: modules[module].enums[name])


def _if(s: Stager, node: core.If, frame: Frame) -> Value:
    condition = s.eval(node.condition, frame)
    if isinstance(condition, ATOMS):
        return HANDLERS[core.If](s, node, frame)
    _note_way(s, node, 0 if condition else 1, frame)
    return s.eval(node.then if condition else node.orelse, frame)


def _match(s: Stager, node: core.Match, frame: Frame) -> Value:
    subject = s.eval(node.subject, frame)
    for number, (pattern, body) in enumerate(node.arms):
        if bind(s, pattern, subject, frame):
            _note_way(s, node, number, frame)
            return s.eval(body, frame)
    raise AssertionError(f"no arm matches {subject!r}")


def _note_way(s: Stager, node: Branch, way: int, frame: Frame) -> None:
    session = s.session
    assert isinstance(session, Rehearsal)
    if node.span.source.in_library:
        return
    if id(node) not in session.ways:
        session.ways[id(node)] = Ways(node, set(), dict(frame.variables.solved().sizes))
    session.ways[id(node)].taken.add(way)


def _operation(s: Stager, node: core.Operation, frame: Frame) -> Value:
    """An operation without a handler gives a stand-in; one by name may reach none, though there is one around it."""
    try:
        find_clause(s.scope, (node.module, node.name), [s.eval(arg, frame) for arg in node.args])
    except KeyError:
        return stand_in(node.type, frame.variables)
    return perform.operation(s, node, frame)


_HANDLERS: Mapping[type, Handler] = MappingProxyType(
    {
        **HANDLERS,
        core.If: _if,
        core.Match: _match,
        core.Apply: _recovering(call.apply),
        core.TransformCall: _recovering(apply.transform_call),
        core.Operation: _operation,
    }
)

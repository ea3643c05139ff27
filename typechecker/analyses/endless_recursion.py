"""Calls that start a recursion without an end (E0503), where their static arguments and sizes tell.

Recursion is unrolled when a program is staged. What a call of a recursive definition leads to is followed here,
too, from one instance of a definition to the next: an instance is a definition with what is known of its arguments, and
only calls that are certain to be made in it count. One that leads back to itself does not end, nor does one that
exceeds the budget of staging. Values are followed by `dsl.core.analysis.interpret`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import Function, Known, Scope, Value, functions
from dsl.core.analysis.cells import Ways
from dsl.core.analysis.interpret import Interpreter
from dsl.core.analysis.known_sizes import with_sizes
from dsl.core.statics.evaluate import Frame, static_argument
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types.limits import CALLS, NESTED_CALLS, SEARCHED
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import SizeVar
from dsl.types.static_argument import argument_text
from typechecker import errors
from typechecker.declarations.entities import Topic
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.errors.causes import Endless

_Key: TypeAlias = "tuple[Hashable, ...]"


class EndlessRecursion:
    """The calls of recursive definitions in a program; what they lead to is followed once."""

    def __init__(self, program: ProgramChecker) -> None:
        self._program = program
        self._ended: dict[_Key, _Extent] = {}

    def found(self, function: core.Function) -> Iterator[Diagnostic]:
        """The calls in a definition that do not end, whatever its arguments are."""
        for call in _calls(self._program, function.body, Scope({}, function.solution)):
            try:
                self._follow(call, {})
            except _NoEnd as found:
                yield errors.stages.endless_recursion([(c.name, c.known, c.place) for c in found.way], found.reason)

    def _follow(self, call: _Call, way: dict[_Key, _Call]) -> _Extent:
        """How far a call leads, which those on the way to it lead to. Raises `_NoEnd` for one that does not end."""
        extent = _Extent()
        way[call.key] = call
        for made in _calls(self._program, call.callee.body, call.scope):
            if made.certain and len(self._ended) < SEARCHED:
                ended = self._ended.get(made.key)
                reason = _endlessness(way, extent, made, ended or _Extent())
                if reason is not None:
                    raise _NoEnd([*way.values(), made], reason)
                extent = extent.around(self._follow(made, way) if ended is None else ended)
        del way[call.key]
        self._ended[call.key] = extent
        return extent


class _NoEnd(Exception):
    """A call that does not end, behind those that lead to it, and why."""

    def __init__(self, way: Sequence[_Call], reason: Endless) -> None:
        self.way = way
        self.reason = reason


class _Extent(Struct, frozen=True):
    """How many calls one is, with those that it leads to, and how many of them are within one another."""

    calls: int = 1
    depth: int = 1

    def around(self, inner: _Extent) -> _Extent:
        return _Extent(self.calls + inner.calls, max(self.depth, inner.depth + 1))


def _endlessness(way: Mapping[_Key, _Call], before: _Extent, call: _Call, ended: _Extent) -> Endless | None:
    """Why a call at the end of a way does not end."""
    if call.key in way:
        return Endless.CYCLE
    if len(way) + ended.depth > NESTED_CALLS:
        return Endless.NESTED
    return Endless.CALLS if before.calls + ended.calls > CALLS else None


class _Call(Struct, frozen=True, eq=False):
    """A call of a recursive definition, with what its variables and parameters stand for. `place` is where it is made,
    or the call that leads to it."""

    callee: core.Function
    args: Sequence[Value]
    scope: Scope
    place: Span
    certain: bool

    @property
    def name(self) -> str:
        return self.callee.written_name

    @property
    def key(self) -> _Key:
        return (self.callee.module, self.callee.name), *self.args, *self._variables

    @property
    def _variables(self) -> list[tuple[SizeVar | ShapeVar, int | Shape]]:
        return [*self.scope.variables.sizes.items(), *self.scope.variables.shapes.items()]

    @property
    def known(self) -> Mapping[str, str]:
        """The sizes and the static arguments that are known, by name and as they are written."""
        params = self.callee.signature.params
        own = {variable for p in params for each in p.binders() for variable in (each.size, each.shape)}
        sizes = {str(variable): argument_text(value) for variable, value in self._variables if variable not in own}
        given = {p.name: a.value for p, a in zip(params, self.args, strict=True) if isinstance(a, Known)}
        return sizes | {name: argument_text(static_argument(value)) for name, value in given.items()}


def _calls(program: ProgramChecker, body: core.Expr, scope: Scope) -> Sequence[_Call]:
    """The calls of recursive definitions in a body."""
    walk = _Walk(program)
    walk.of(body, scope)
    return list(walk.calls_made.values())


class _Walk(Interpreter):
    """Values have no marks; definitions that are not recursive are followed in place."""

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__()
        self.program = program
        self.calls_made: dict[Hashable, _Call] = {}
        self.certain = True
        self.place: Span | None = None

    def joined(self, values: Sequence[Value]) -> int:
        return 0

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        return 0

    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value:
        return self._passed(args)

    def clause(self, body: core.Expr, scope: Scope) -> None:
        with self._maybe():
            super().clause(body, scope)

    # ------------------------------------------------------------ what is not certain

    def one_of(self, ways: Ways) -> Value:
        with self._maybe():
            return super().one_of(ways)

    def _passed(self, args: Sequence[Value]) -> Value:
        """Functions that go into what is not followed may be called there."""
        with self._maybe():
            for function in [each for arg in args for each in functions(arg)]:
                for instance in function.node.instances if isinstance(function.node, core.Lambda) else ():
                    self.in_lambda(function, instance, [])
        return 0

    @contextmanager
    def _maybe(self) -> Iterator[None]:
        before, self.certain = self.certain, False
        try:
            yield
        finally:
            self.certain = before

    # ------------------------------------------------------------ calls

    def context(self) -> Hashable:
        return self.certain

    def definition(self, module: str, name: str) -> core.Function | None:
        """One that may recur, or that is evaluated; nothing depends on the bodies of others."""
        owner = self.program.modules[module]
        info = owner.definitions.get(name)
        asked = info is not None and (Topic.RECURSION in owner.topics or info.in_library or info.head.static)
        return self.program.checked(module, name) if asked else None

    def constant(self, module: str, name: str) -> core.Constant | None:
        return self.program.checked_constant(module, name)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        info = self.program.modules[node.module].definitions.get(node.name)
        callee = self.definition(node.module, node.name)
        if info is None or callee is None or callee.static or info.faulty or info.in_library:
            return self._passed(args)
        before, self.place = self.place, self.place or at.span
        noted = info.recursive
        value = self._noted(callee, args, function.sizes, at) if noted else super().called(function, node, args, at)
        self.place = before
        return value

    def _noted(self, callee: core.Function, args: Sequence[Value], sizes: Frame | None, at: core.Expr) -> Value:
        scope, given = self.statics.bound(callee, args, sizes, self.argument)
        call = _Call(callee, given, scope, self.place or at.span, self.certain)
        before = self.calls_made.setdefault((id(at), call.key), call)
        if self.certain and not before.certain:
            self.calls_made[id(at), call.key] = call
        return 0

    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        return self.apply(self.within(function, node), args, at, instance)

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        function = with_sizes(self.of(node.function, scope), node, scope, self.definition)
        return self.apply(function, [self.argument(each, scope) for each in node.args], node, node.instance)

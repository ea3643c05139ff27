"""Sums over a named axis of what is the same for all its elements (E0820).

Such a sum is the value times the size of the axis, which is hardly ever meant: the value was summed before, or does
not depend on what is mapped. The gradient of a value that all elements agree on is refused likewise: the way back
through the collective that made them agree has added it up for all of them.

A pass over checked programs. A definition is followed once for each axis that it speaks over, with nothing known of
its parameters; and each map is followed into its function, where what comes from outside is the same for all. A flag
is set only where it is certain, so nothing is known of what is not followed. Values are followed by
`dsl.core.analysis.interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import and_

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import (
    Function,
    Items,
    Known,
    Named,
    Scope,
    Value,
    combine_values,
    holds_function,
    map_marks,
    marks,
    part,
)
from dsl.core.analysis.interpret import Interpreter, Static
from dsl.core.analysis.known_sizes import with_sizes
from dsl.core.held_types import may_hold_function
from dsl.core.transformation import TRANSFORMATIONS, Kind, Mode, mode_of, takes_parts
from dsl.core.walk import bound_names, subexpressions
from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.effect import Axis, Effect, EffectVar
from dsl.types.walk import is_product
from typechecker import errors
from typechecker.analyses.transformed_calls import (
    ALIKE,
    axis_name,
    chosen_arguments,
    cut_along,
    has_aux,
    marks_of_arguments,
    mesh_names,
    with_axis,
)
from typechecker.declarations.entities import Attribute
from typechecker.declarations.program_checker import ProgramChecker

SAME = 1
"""The same for all elements along the axis that is followed."""
CONSTANT = 2
"""Made of no argument: `psum(1.0, "i")` counts the elements."""
PLAIN = 4
"""Made without a rule of its own for a derivative, since the derivative that is taken began."""
SILENT = 8
"""Made without a collective, too."""
REPEATED = 16
"""The gradient of what all elements agree on: each of its parts was added up as often as there are elements."""
STILL = SAME | CONSTANT | PLAIN | SILENT

SUMMING = frozenset({"psum", "reduce_scatter"})


def check_reductions(program: ProgramChecker, function: core.Function) -> Iterable[Diagnostic]:
    """The sums in a definition, and where it leads, of what is the same along their axis."""
    walk = _Walk(program, function.body)
    walk.in_definition(function, [0] * len(function.signature.params), None)
    found = walk.alone(function)
    return [*walk.found.values(), *(each for place, each in found.items() if place not in walk.found)]


def check_reductions_of_call(program: ProgramChecker, node: core.Expr) -> Iterable[Diagnostic]:
    """Check one call, such as that of a function that Python has transformed."""
    walk = _Walk(program, node)
    walk.of(node, Scope({}, {}))
    return walk.found.values()


class _Along(Struct, frozen=True):
    """The axis that is followed, and the map that has it; none where a definition is followed by itself."""

    name: str
    span: Span | None = None


class _Walk(Interpreter):
    """Marks are sets of the flags above. `hidden` are axes of maps inside of the one that is followed; `callees` the
    definitions that are followed from there, of which the first was called at `place`."""

    zero = STILL
    never = STILL | REPEATED

    def __init__(self, program: ProgramChecker, body: core.Expr) -> None:
        super().__init__()
        self.program = program
        self.body = body
        self.found: dict[Span, Diagnostic] = {}
        self.along: _Along | None = None
        self.hidden: tuple[str, ...] = ()
        self.callees: tuple[core.Function, ...] = ()
        self.place: Span | None = None

    def alone(self, function: core.Function) -> Mapping[Span, Diagnostic]:
        """Return the errors of a definition under the sole assumption that all elements call it."""
        found: dict[Span, Diagnostic] = {}
        for name in sorted(_axes_of(function)):
            walk = _Walk(self.program, function.body)
            walk.along = _Along(name)
            walk.in_definition(function, [0] * len(function.signature.params), None)
            found |= walk.found
        return found

    # ------------------------------------------------------------ marks

    def joined(self, values: Sequence[Value]) -> int:
        return reduce(and_, map(_common, values), STILL)

    def static(self, node: Static) -> Value:
        return STILL

    def selected(self, by: Sequence[Value], value: Value) -> Value:
        """Elements that select differently have different values, or functions of which nothing is known."""
        decided = self.joined(by)
        if decided & SAME == 0 and holds_function(value):
            return 0
        return map_marks(value, lambda mark: mark & (decided | REPEATED))

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        adds = node.op in ("+", "-")
        if not is_product(node.type):
            return _operation([left, right], adds)
        left, right = (value if isinstance(value, Items | Named) else _common(value) for value in (left, right))
        left, right = _spread(left, right), _spread(right, left)
        return combine_values([left, right], lambda each: _operation(each, adds))

    # ------------------------------------------------------------ calls

    def definition(self, module: str, name: str) -> core.Function | None:
        return self.program.checked(module, name)

    def constant(self, module: str, name: str) -> core.Constant | None:
        return self.program.checked_constant(module, name)

    def context(self) -> Hashable:
        return self.along, self.hidden, self.place

    def undo(self) -> Callable[[], None]:
        found = dict(self.found)

        def take_back() -> None:
            self.found = found

        return take_back

    def function_value(self, node: core.Lambda, scope: Scope) -> Value:
        """Where no map is followed it is looked into here, once, with nothing known of its parameters."""
        if self.along is None or self.along.span is None:
            with self.aside():
                for instance in node.instances:
                    self.of(instance.body, scope.bindings(instance.params, [0] * len(instance.params)))
        return Function(node, scope)

    def _passive(self, args: Sequence[Value]) -> bool:
        """Return whether a call need not be followed: it is outside of maps, and no function goes into it."""
        return self.along is None and not self.handlers.clauses and not any(map(holds_function, args))

    def in_lambda(self, function: Function, body: core.LambdaBody, args: Sequence[Value]) -> Value:
        return 0 if self._passive(args) else super().in_lambda(function, body, args)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        callee = self.definition(node.module, node.name)
        if callee is None:
            return 0
        if self._passive(args) and not may_hold_function(callee.signature.result, self.program.enum_info):
            return 0
        before = self.callees, self.place
        self.callees, self.place = (*self.callees, callee), self.place or at.span
        value = self.in_definition(callee, args, function.sizes)
        self.callees, self.place = before
        return value

    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value:
        functions = [a for a in args if isinstance(a, Function)]
        for function in functions:
            self.apply(function, [0] * len(args), node)
        if functions:
            return 0
        if Attribute.CONSTANT in self.program.attributes(node.name):
            return STILL
        common = _operation(args, False)
        if not self._speaks(node):
            return common
        if node.name in SUMMING:
            self._summed(node, args[0])
        return SAME | common & (PLAIN | CONSTANT) if node.name in ALIKE else common & PLAIN

    def _speaks(self, node: core.Intrinsic) -> bool:
        """Return whether this is said over the axis that is followed."""
        name = axis_name(node.statics)
        return self.along is not None and name not in (None, *self.hidden) and name == self.along.name

    def _summed(self, node: core.Intrinsic, value: Value) -> None:
        leaves = marks(value)
        same = any(mark & SAME and not mark & CONSTANT for mark in leaves)
        repeated = any(mark & REPEATED and not mark & CONSTANT for mark in leaves)
        if not (same or repeated) or any(node.span in self.alone(callee) for callee in self.callees):
            return
        assert self.along is not None
        places = list(self._reasons(node, self.along, same))
        error = errors.effects.sum_of_the_same if same else errors.effects.sum_of_the_repeated
        self.found.setdefault(node.span, error(node, self.along.name, places, self.place))

    def _reasons(self, node: core.Intrinsic, along: _Along, same: bool) -> Iterator[Label]:
        """Yield the causes that made the summed value invariant, or the map along which it is."""
        within = self.callees[-1].body if self.callees else self.body
        sources = list(_sources(node.args[0], within))
        if not same:
            yield from (Label(each.span, "its way back sums, too") for each in sources if _goes_back(each))
            return
        agreed = [each.span for each in sources if isinstance(each, core.Intrinsic) and each.name in ALIKE]
        spans = [span for span in agreed if span != node.span]
        if spans:
            yield Label(spans[0], f"already the same for all along `{along.name}`")
        elif along.span is not None:
            yield Label(along.span, f"mapped along `{along.name}` here")

    # ------------------------------------------------------------ transformations

    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        inner = self.within(function, node)
        if mode_of(node.kind) is not None:
            return self._derivative(node, inner, args, at, instance)
        if node.kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
            return map_marks(self.apply(inner, args, at, instance), lambda mark: mark & (SAME | CONSTANT))
        if not takes_parts(node.kind):
            return self.apply(inner, args, at, instance)
        own, is_open = self._axes_of_map(node)
        for name in () if is_open else own:
            self._mapped(node, name, inner, args, instance)
        if self.along is None and own and not is_open:
            return 0
        before, self.hidden = self.hidden, (*self.hidden, *own)
        value = self.apply(inner, args, at, instance)
        self.hidden = before
        return value

    def _axes_of_map(self, node: core.Transform) -> tuple[list[str], bool]:
        """The axes of a map that its function may speak over: all for what is written there, else those of its type.
        And whether functions with effects in a variable are called, which may speak over others of such a name."""
        own = axis_name(node.options)
        names = mesh_names(node) if own is None else [own]
        function = node.function
        while isinstance(function, core.Specialise | core.Transform):
            function = function.function
        if isinstance(function, core.Lambda):
            inside = (effect for node in subexpressions(function) for effect in _effects(node))
            return names, any(isinstance(effect, EffectVar) for effect in inside)
        callee = self.definition(function.module, function.name) if isinstance(function, core.Global) else None
        effects = _effects(function) if callee is None else callee.signature.effects.effects
        spoken = {effect.name for effect in effects if isinstance(effect, Axis)}
        return [name for name in names if name in spoken], any(isinstance(effect, EffectVar) for effect in effects)

    def _mapped(
        self, node: core.Transform, name: str, function: Value, args: Sequence[Value], instance: int | None
    ) -> None:
        """The function of a map, along one of its axes."""
        options = dict(node.options)
        if node.kind is Kind.SHARD:
            cut = marks_of_arguments(
                self.program, node, options["in_specs"], len(args), lambda spec: cut_along(spec, name)
            )
        else:
            cut = marks_of_arguments(self.program, node, options.get("in_axes"), len(args), with_axis)
        inner = [_of_one(arg, differs) for arg, differs in zip(args, cut, strict=True)]
        with self._following(_Along(name, node.span)):
            self.apply(_outside(function), inner, node, instance)

    @contextmanager
    def _following(self, along: _Along) -> Iterator[None]:
        state = self.along, self.hidden, self.callees, self.place
        self.along, self.hidden, self.callees, self.place = along, (), (), None
        with self.aside(), self._handling(replace(self.handlers, fresh=0)):
            self.cells = {name: _outside(value) for name, value in self.cells.items()}
            yield
        self.along, self.hidden, self.callees, self.place = state

    def _derivative(
        self, node: core.Transform, function: Value, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        value = self.apply(_begun(function), list(map(_begun, args)), at, instance)
        differentiated = part(value, 0) if has_aux(node) else value
        points = [args[place] for place in chosen_arguments(self.program, node, len(args))]
        slope = _slope(mode_of(node.kind), _common(differentiated), self.joined(points) if points else 0)
        value = map_marks(value, lambda mark: mark & SAME)
        if node.kind is Kind.HESSIAN:
            return 0
        if TRANSFORMATIONS[node.kind].with_value:
            return Items((value, slope))
        return Items((slope, part(value, 1))) if has_aux(node) else slope

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        function = with_sizes(self.of(node.function, scope), node, scope, self.definition)
        args = [self.of(e, scope) for e in node.args]
        row = TRANSFORMATIONS[node.kind]
        primals = args[: len(args) // 2] if row.parameters else args
        value = self.apply(function, primals, node, node.instance)
        value = map_marks(value, lambda mark: mark & SAME)
        if node.kind is Kind.JVP:
            return Items((value, 0))
        return Items((value, Function(node, scope))) if row.with_value else 0

    def linear_map(self, function: Function, node: core.TransformCall, args: Sequence[Value], at: core.Expr) -> Value:
        """Mark a pulled-back value as a gradient if its cotangent is the same for all elements."""
        if mode_of(node.kind) is not Mode.REVERSE:
            return 0
        primals = [self.of(e, function.scope) for e in node.args]
        inner = self.of(node.function, function.scope)
        value = self.apply(_begun(inner), list(map(_begun, primals)), node, node.instance)
        given = self.joined(args)
        slopes = [_slope(Mode.REVERSE, _common(value), self.joined([primal])) for primal in primals]
        return Items(tuple([slope if given & SAME else 0 for slope in slopes]))


def _common(value: Value) -> int:
    """The flags that all parts have."""
    return reduce(and_, marks(value), STILL)


def _operation(values: Sequence[Value], adds: bool) -> int:
    """The mark of what is computed of several values; what is added to a gradient leaves it one."""
    each = list(map(_common, values))
    common = reduce(and_, each, STILL) & STILL
    return common | REPEATED if adds and any(mark & REPEATED for mark in each) else common


def _spread(value: Value, over: Value) -> Value:
    """The mark of a number for every part of what it meets."""
    return map_marks(over, lambda _: value) if isinstance(value, int) else value


def _outside(value: Value) -> Value:
    """Return the value for inside a map: from outside, all elements see the same."""
    return map_marks(value, lambda mark: SAME | mark & CONSTANT)


def _of_one(arg: Value, differs: Value) -> Value:
    """An argument as one element of a map sees it."""
    if isinstance(arg, Known) or holds_function(arg):
        return _outside(arg)
    return map_marks(differs, lambda mark: 0 if mark else SAME)


def _begun(value: Value) -> Value:
    """Return the value as the input of a derivative."""
    return map_marks(value, lambda mark: mark | PLAIN | SILENT)


def _slope(mode: Mode | None, value: int, points: int) -> int:
    """The mark of a derivative, of a value and by arguments that are marked so."""
    if value & points & SAME and value & SILENT:
        return SAME
    return REPEATED if mode is Mode.REVERSE and value & points & SAME and value & PLAIN else 0


def _sources(node: core.Expr, within: core.Expr) -> Iterator[core.Expr]:
    """Yield the operands of an expression, including the values of names bound in a body."""
    bound = {
        bind.id: statement.value
        for block in subexpressions(within)
        if isinstance(block, core.Sequence)
        for statement in block.statements
        if isinstance(statement, core.Bound)
        for bind in bound_names(statement.pattern)
    }
    todo, seen = [node], set[int]()
    while todo:
        for each in subexpressions(todo.pop()):
            yield each
            if isinstance(each, core.Local) and each.id in bound and each.id not in seen:
                seen.add(each.id)
                todo.append(bound[each.id])


def _goes_back(node: core.Expr) -> bool:
    """Return whether this is a call of a gradient."""
    function = node.function if isinstance(node, core.Apply) else None
    while isinstance(function, core.Specialise):
        function = function.function
    return isinstance(function, core.Transform) and mode_of(function.kind) is Mode.REVERSE


def _axes_of(function: core.Function) -> set[str]:
    """The axes that a definition speaks over, and those that its callers have for it."""
    said = {axis_name(node.statics) for node in subexpressions(function.body) if isinstance(node, core.Intrinsic)}
    declared = {effect.name for effect in function.signature.effects.effects if isinstance(effect, Axis)}
    return {name for name in said if name is not None} | declared


def _effects(node: core.Expr) -> Iterable[Effect]:
    return node.type.effects.effects if isinstance(node.type, ty.FunctionType) else ()

"""Activity: the values that a derivative reaches. Reports an operation without a derivative (E0803), a rule that
captures a differentiated value (E0818) or is not linear (E0817), and a reverse-only rule in forward mode (E0816). For
maps: a result without an axis that differs between elements (E0812), one that differs along a mesh axis without being
partitioned (E1011), and a statement about whole arrays inside shards (E1018).

A pass over checked programs. Every derivative in a definition is followed into its function, with a mark on each value
that depends on what is differentiated, through calls, lambdas, records, loops and further transformations. A mark is
set only where a dependence is certain: what is decided when a program is specialised, and functions that are not
known, carry none, so nothing is refused that would work. Read next: `activity_marks`; values are followed by
`dsl.core.analysis.interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from operator import or_
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.analysis.abstract_values import (
    Function,
    Items,
    Known,
    Scope,
    Value,
    field,
    functions,
    holds_function,
    part,
)
from dsl.core.analysis.cells import Ways
from dsl.core.analysis.known_sizes import with_sizes
from dsl.core.held_types import may_hold_function
from dsl.core.transformation import TRANSFORMATIONS, Kind, Mode, is_map, mode_of, takes_parts
from dsl.core.walk import children, with_rules
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.ir.slopes import SLOPES
from dsl.records import replace
from typechecker.analyses.activity_marks import (
    ACTIVE,
    clear_marks,
    is_active,
    is_certain,
    met,
    together,
    union,
)
from typechecker.analyses.axes_of_maps import (
    axes_that_fit,
    axis_name,
    cut_along,
    lacks_axis,
    left_alone,
    mesh_names,
    not_cut_along,
    with_axis,
)
from typechecker.analyses.dependence import Dependence, chosen_arguments, has_aux, marks_of_arguments
from typechecker.analyses.tangent_linearity import nonlinear_part
from typechecker.declarations.entities import Attribute
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.errors import transforms as transform_errors
from typechecker.errors.templates import Template
from typechecker.errors.words import snippet

_OF_THE_WHOLE = "with_sharding"
_Found: TypeAlias = "dict[tuple[Span, Span], Diagnostic]"


def check_activity(program: ProgramChecker, function: core.Function) -> Iterable[Diagnostic]:
    """Report the obstacles to the derivatives that a definition takes."""
    walk, params = _Walk(program), function.signature.params
    walk.of(function.body, Scope({}, function.solution))
    if any(param.default is not None for param in params):
        walk.in_definition(function, [Known(omitted=True)] * len(params), None)
    return walk.found.values()


def check_application(program: ProgramChecker, node: core.Expr) -> Iterable[Diagnostic]:
    """Report the obstacles for one call, such as that of a function that Python has transformed."""
    walk = _Walk(program)
    walk.of(node, Scope({}, {}))
    return walk.found.values()


class _Root(Struct, frozen=True):
    """The derivative that is followed, or the map, of which the elements know the `axis` by that name. `passed` is the
    call that passes functions to the definition that it is in."""

    kind: Kind
    span: Span
    axis: str | None = None
    passed: Span | None = None

    @property
    def maps(self) -> bool:
        return takes_parts(self.kind)


class _Walk(Dependence):
    """A mark is true on what certainly depends on what is differentiated, or differs between the elements of the
    map."""

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__(program)
        self.found: _Found = {}
        self.root: _Root | None = None
        self.path: tuple[str, ...] = ()
        self.place: Span | None = None
        self.callers: tuple[Span | None, ...] = ()
        self.hidden: tuple[str, ...] = ()
        self.around: _Root | None = None

    @property
    def followed(self) -> bool:
        return self.root is not None

    @property
    def maps(self) -> bool:
        return self.root is not None and self.root.maps

    # ------------------------------------------------------------ marks

    def one_of(self, ways: Ways) -> Value:
        """One of several, which is not known: nothing in it is certain but what all agree on, and that something is
        found in each that does not lead back to a call in progress."""
        before, recurred, each = self.found, self.calls.recurred, list[_Found]()
        done, noted = self.calls.done, set[tuple[Span, Span]]()

        def followed(way: Callable[[], Value]) -> Value:
            self.found, self.calls.recurred = dict(before), False
            value = way()
            noted.update(self.found)
            if not self.calls.recurred:
                each.append(self.found)
            return value

        value = self.merged([partial(followed, way) for way in ways], met)
        self.found = each[0] if each and all(len(found) > len(before) for found in each) else before
        self.calls.recurred = recurred or not each
        if noted - self.found.keys():
            self.calls.forget(done)
        return value

    def clause(self, body: core.Expr, scope: Scope) -> None:
        """It may never run in what is differentiated; the derivatives that it takes itself are looked at."""
        self.muted += self.root is not None
        self.of(body, scope)
        self.muted -= self.root is not None

    def tested(self, node: core.Expr, value: Value) -> None:
        """Ignore conditions: they have no derivative, and none is requested."""

    # ------------------------------------------------------------ calls

    def _passive(self, args: Sequence[Value]) -> bool:
        """Return whether a call need not be followed: nothing is differentiated or cut into parts, and no function or
        clause goes into it."""
        followed = self.root is not None or self.around is not None or self.handlers.clauses
        return not followed and not any(map(holds_function, args))

    def _gives_function(self, callee: core.Function) -> bool:
        return may_hold_function(callee.signature.result, self.program.enum_info)

    def context(self) -> Hashable:
        place = self.place, self._passed_at, self.hidden
        return self.root, self.around, place, self.sloping, self.muted > 0, self.between > 0

    def undo(self) -> Callable[[], None]:
        found = dict(self.found)

        def take_back() -> None:
            self.found = found

        return take_back

    def definition(self, module: str, name: str) -> core.Function | None:
        return self.program.checked(module, name)

    def constant(self, module: str, name: str) -> core.Constant | None:
        return self.program.checked_constant(module, name)

    def function_value(self, node: core.Lambda, scope: Scope) -> Value:
        """Where no derivative is followed, the derivatives inside are looked for once, here."""
        if self.root is None:
            with self.aside():
                for instance in node.instances:
                    self.of(instance.body, scope)
        return Function(node, scope)

    def in_lambda(self, function: Function, body: core.LambdaBody, args: Sequence[Value]) -> Value:
        return False if self._passive(args) else super().in_lambda(function, body, args)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        callee = self.definition(node.module, node.name)
        if callee is None:
            return False
        library, passive = self.program.is_library(self.program.modules[node.module]), self._passive(args)
        special = _is_special(function, args) and not library
        if passive and not special and not self._gives_function(callee):
            return False
        before, callers = self.found, self.callers
        self.found = {} if passive else before
        with self._named(node.name, at.span, library):
            self.callers = (*callers, at.span if any(map(holds_function, args)) else None)
            value = self.in_definition(callee, args, function.sizes)
            self.callers = callers
        if passive:
            own = self.found if special else {}
            self.found = {key: transform_errors.in_call(found, at.span) for key, found in own.items()} | before
        return value

    @contextmanager
    def _named(self, name: str, span: Span, library: bool) -> Iterator[None]:
        """In the body of a function: what is found in the library is found where it was called."""
        path, place = self.path, self.place
        self.path = (*path, name)
        self.place = (place or span) if library else None
        yield
        self.path, self.place = path, place

    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value:
        if node.name == _OF_THE_WHOLE and self.around is not None and self.muted == 0:
            place = self.place or node.span
            error = transform_errors.sharding_in_part(place, other=self.around.span, kind=self.around.kind)
            self.found.setdefault((self.around.span, place), error)
        functions = [a for a in args if isinstance(a, Function)]
        given = [a for a in args if not isinstance(a, Function)]
        if functions and all(map(is_certain, given)):
            for function in functions:
                self.apply(function, [True] * len(given), node)
        found = [union(value) for value in given]
        if self._speaks(node):
            return together(node.name, reduce(or_, found, 0), self.sloping)
        slope = SLOPES.get(node.name)
        if any(mark & ACTIVE for mark in found) and slope is not None and slope.without:
            self._report(node.span, transform_errors.not_differentiable, node.name, slope.without)
            return 0
        return 0 if self._is_constant(node) else self.through(node, found)

    def _is_constant(self, node: core.Intrinsic) -> bool:
        """Return whether the result does not vary with what is followed."""
        said = self.program.attributes(node.name)
        return Attribute.CONSTANT in said or (not self.maps and Attribute.ZERO_DERIVATIVE in said)

    def _speaks(self, node: core.Intrinsic) -> bool:
        """Return whether this is said to the other elements along the axis that is followed, or heard of them."""
        name = axis_name(node.statics)
        return self.root is not None and self.maps and name not in (None, *self.hidden) and name == self.root.axis

    # ------------------------------------------------------------ transformations

    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        inner = self.within(function, node)
        if mode_of(node.kind) is not None:
            chosen = chosen_arguments(self.program, node, len(args))
            value = self._derivative(node.kind, inner, args, chosen, at, instance)
            slope = self.slope(node, inner, args, chosen, at, instance)
            if TRANSFORMATIONS[node.kind].with_value:
                return Items((value, slope))
            return Items((slope, part(value, 1))) if has_aux(node) else slope
        if node.kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
            node = with_rules(node, instance)
            self._custom(node, function.scope, args)
            value = self.apply(inner, args, at, instance) if self.maps else self.joined(args) & ACTIVE
            return self.by_rule(node, function.scope, args, at, value)
        if is_map(node.kind) and lacks_axis(dict(node.options).get("out_axes")):
            self._mapped(node, inner, len(args), instance)
        names = mesh_names(node)
        for name in names:
            self._sharded(node, name, inner, len(args), instance)
        own = axis_name(node.options)
        with self._hiding((*self.hidden, *names, *(() if own is None else (own,)))), self._in_parts(node):
            return self.apply(inner, args, at, instance)

    def _custom(self, node: core.Transform, scope: Scope, args: Sequence[Value]) -> None:
        """A function with a rule of its own, which a derivative between it and this one would have used up."""
        if node.kind is Kind.CUSTOM_JVP:
            self._check_rule(dict(node.options)["rule"], scope)
        captured = _captured([Function(node, scope), *args])
        if captured is not None and not self.between:
            self._report(node.span, transform_errors.captured_in_rule, node.kind, captured)
        elif any(map(is_active, args)) and node.kind is Kind.CUSTOM_VJP and self._goes_forward() and not self.between:
            self._report(node.span, transform_errors.forward_of_reverse_rule, node.kind, "")

    def _check_rule(self, rule: core.Expr, scope: Scope) -> None:
        """Check that a rule is linear. A definition's own rule is reported there, one that was passed at the call."""
        place = self._passed_at if self.callers else rule.span
        if place is not None and not rule.span.source.in_library:
            wrong = nonlinear_part(self.program, clear_marks(self.of(rule, scope)), rule)
            if wrong is not None:
                fault = transform_errors.FAULTS[wrong.depends]
                error = transform_errors.rule_not_linear(place, other=wrong.at.span, name="rule", fault=fault)
                self.found.setdefault((place, wrong.at.span), error)

    @property
    def _passed_at(self) -> Span | None:
        """Where the outermost function was passed that is called in what is followed."""
        return next((span for span in self.callers if span is not None), None)

    def _goes_forward(self) -> bool:
        return self.root is not None and mode_of(self.root.kind) is Mode.FORWARD

    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value:
        function = with_sizes(self.of(node.function, scope), node, scope, self.definition)
        args = [self.of(e, scope) for e in node.args]
        row = TRANSFORMATIONS[node.kind]
        count = len(args) // 2 if row.parameters else len(args)
        primals = args[:count]
        value = self._derivative(node.kind, function, primals, range(count), node, node.instance)
        if node.kind is Kind.JVP:
            return Items((value, self.tangent(function, primals, args[count:], node, node.instance)))
        return Items((value, 0 if self.root is None else Function(node, scope))) if row.with_value else 0

    def _derivative(
        self,
        kind: Kind,
        function: Value,
        args: Sequence[Value],
        chosen: Collection[int],
        at: core.Expr,
        instance: int | None,
    ) -> Value:
        """Return the part of the value that depends on what the enclosing derivative differentiates."""
        self.between += 1
        value = self.apply(function, args, at, instance) if self.root is not None else 0
        if self.sloping:
            self.between -= 1
            return value
        marked = [(i in chosen and not isinstance(a, Function)) or clear_marks(a) for i, a in enumerate(args)]
        with self._following(_Root(kind, at.span, passed=self._passed_at)):
            self.apply(clear_marks(function), marked, at, instance)
        self.between -= 1
        return value

    def _mapped(self, node: core.Transform, function: Value, count: int, instance: int | None) -> None:
        """A map that leaves some results without an axis."""
        options = dict(node.options)
        marked = marks_of_arguments(self.program, node, options.get("in_axes"), count, with_axis)
        root = _Root(node.kind, node.span, axis_name(node.options))
        found = self._differing(root, function, marked, node, instance)
        out = options["out_axes"]
        if self.muted == 0 and is_active(left_alone(out, found)):
            fitting = axes_that_fit(out, found)
            self.found[node.span, node.span] = transform_errors.result_without_axis(out.span, fitting=fitting)

    def _sharded(self, node: core.Transform, name: str, function: Value, count: int, instance: int | None) -> None:
        """Results that are not cut along one axis of a mesh."""
        options = dict(node.options)
        specs = options["in_specs"]
        marked = marks_of_arguments(self.program, node, specs, count, lambda spec: cut_along(spec, name))
        found = self._differing(_Root(node.kind, node.span, name), function, marked, node, instance)
        if self.muted == 0 and is_active(not_cut_along(options["out_specs"], name, found)):
            place = options["out_specs"].span
            self.found.setdefault((node.span, node.span), transform_errors.result_not_cut(place, name=name))

    def _differing(
        self, root: _Root, function: Value, marked: Sequence[Value], node: core.Transform, instance: int | None
    ) -> Value:
        """Return the part of the value that certainly differs between elements if the marked arguments do."""
        drawing = replace(self.handlers, fresh=True)
        with self._hiding(()), self._following(root), self._handling(drawing):
            return self.apply(clear_marks(function), marked, node, instance)

    @contextmanager
    def _hiding(self, names: tuple[str, ...]) -> Iterator[None]:
        """Inside of maps over axes of these names, which mean no others there."""
        before, self.hidden = self.hidden, names
        yield
        self.hidden = before

    @contextmanager
    def _in_parts(self, node: core.Transform) -> Iterator[None]:
        """In the function of one part, if that is what is transformed."""
        before = self.around
        self.around = _Root(node.kind, node.span) if node.kind in (Kind.PMAP, Kind.SHARD) else before
        yield
        self.around = before

    @contextmanager
    def _following(self, root: _Root) -> Iterator[None]:
        state = self.root, self.path, self.place, self.between, self.sloping
        self.root, self.path, self.place, self.between, self.sloping = root, (), None, 0, None
        with self.aside():
            self.cells = {name: clear_marks(value) for name, value in self.cells.items()}
            yield
        self.root, self.path, self.place, self.between, self.sloping = state

    def _report(self, at: Span, error: Template, name: str, detail: str) -> None:
        """Report a finding at the derivative that is taken."""
        if self.root is None or self.root.maps or self.muted:
            return
        place = self.place or at
        key = self.root.span, place
        if key not in self.found:
            kind, path = self.root.kind, transform_errors.call_path(self.path, name)
            call = snippet(place) or name
            at = self.root.passed or self.root.span
            found = error(at, other=place, kind=kind, name=name, detail=detail, path=path, call=call)
            self.found[key] = transform_errors.derivative_in(found, kind, self.root.span)


def _is_special(function: Function, args: Sequence[Value]) -> bool:
    """Return whether a call tells static values or sizes, of which the definition by itself knows nothing."""
    told = function.sizes is not None and bool(function.sizes.sizes or function.sizes.shapes)
    return told or any(isinstance(arg, Known) for arg in args)


def _captured(values: Iterable[Value]) -> str | None:
    """The name of a marked value that functions take from around them."""
    each = (function for value in values for function in functions(value))
    return next((name for function in each if (name := _captured_in(function.node, function.scope)) is not None), None)


def _captured_in(node: core.Expr, scope: Scope) -> str | None:
    """Return the captured name of a function; of a tuple, record or variant, the names in its part."""
    value = _held(node, scope)
    if value is None:
        return next((name for child in children(node) if (name := _captured_in(child, scope)) is not None), None)
    return _root_name(node) if is_active(value) else _captured([value])


def _held(node: core.Expr, scope: Scope) -> Value | None:
    """Return the known value of a name or of a part of one; None for other expressions."""
    match node:
        case core.Local(id=id):
            return scope.names.get(id, 0)
        case core.Project(base=base, index=index):
            value = _held(base, scope)
            return None if value is None else part(value, index)
        case core.Select(base=base, field=name):
            value = _held(base, scope)
            return None if value is None else field(value, name)
        case _:
            return None


def _root_name(node: core.Expr) -> str:
    while isinstance(node, core.Project | core.Select):
        node = node.base
    assert isinstance(node, core.Local)
    return node.name

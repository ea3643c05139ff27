"""What a derivative reaches: an operation without one (E0803), a rule that captures what is differentiated (E0818);
and what a map reaches: a result without an axis that differs between the elements (E0812).

A pass over checked programs. Every derivative in a definition is followed into its function, with a mark on each value
that depends on what is differentiated, through calls, lambdas, records, loops and further transformations. A mark is
set only where a dependence is certain: what is decided when a program is specialised, and functions that are not
known, carry none, so nothing is refused that would work. Read next: `activity_values`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS, Kind, mode_of
from dsl.core.walk import children, subexpressions
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.ir.op import NotDifferentiable
from dsl.ops.table import OPS
from dsl.types import type as ty
from typechecker.analyses.activity_values import (
    Function,
    Items,
    Named,
    Scope,
    Value,
    cleared,
    element,
    field,
    is_active,
    is_certain,
    joined,
    limited,
    met,
    part,
    updated,
)
from typechecker.declarations.attributes import Attribute
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.errors import transforms as transform_errors

WORDS = (
    Kind.CUSTOM_JVP,
    Kind.CUSTOM_VJP,
    "out_axes",
    *(name for name, op in OPS.items() if isinstance(op.jvp, NotDifferentiable)),
)
"""A program that says none of these has nothing to find here."""

_SHARED = frozenset({"psum", "pmean", "pmax", "pmin", "all_gather"})
_DEPTH = 60
_STEPS = 100_000


def check_activity(program: ProgramChecker, function: core.Function) -> Iterable[Diagnostic]:
    """What the derivatives that a definition takes cannot go through."""
    walk = _Walk(program)
    walk.of(function.body, Scope({}, function.solution))
    return walk.found.values()


def check_application(program: ProgramChecker, node: core.Expr) -> Iterable[Diagnostic]:
    """The same for one call, such as that of a function that Python has transformed."""
    walk = _Walk(program)
    walk.of(node, Scope({}, {}))
    return walk.found.values()


@dataclass(frozen=True, slots=True)
class _Root:
    """The derivative that is followed, or the map."""

    kind: Kind
    span: Span

    @property
    def maps(self) -> bool:
        return self.kind is Kind.VMAP


class _Walk:
    def __init__(self, program: ProgramChecker) -> None:
        self.program = program
        self.found: dict[tuple[Span, Span], Diagnostic] = {}
        self.root: _Root | None = None
        self.path: tuple[str, ...] = ()
        self.place: Span | None = None
        self.muted = 0
        self.between = 0
        self.steps = 0
        self.known: dict[tuple[_Root, str, str, tuple[bool, ...]], Value] = {}

    # ------------------------------------------------------------ expressions

    def of(self, node: core.Expr, scope: Scope) -> Value:
        """What of the value depends on what is differentiated."""
        self.steps += 1
        return False if self.steps > _STEPS else limited(self._of(node, scope), node.type, scope)

    def _of(self, node: core.Expr, scope: Scope) -> Value:
        match node:
            case core.Local(id=id):
                return scope.names.get(id, False)
            case core.Global() | core.Transform():
                return Function(node, scope)
            case core.Lambda():
                return self._lambda(node, scope)
            case core.Specialise(function=function, instance=number):
                made = self.of(function, scope)
                return replace(made, instance=number) if isinstance(made, Function) else made
            case core.Apply(args=args, instance=instance):
                given = [False if a is None else self.of(a, scope) for a in args]
                return self.apply(self.of(node.function, scope), given, node.span, instance)
            case core.TransformCall():
                return self._at_once(node, scope)
            case core.Intrinsic():
                return self._intrinsic(node, scope)
            case core.MapLeaves(function=function, trees=trees):
                return self._leafwise(self.of(function, scope), [self.of(e, scope) for e in trees], node.span)
            case core.Binary(op=op, left=left, right=right):
                found = is_active(self.of(left, scope)) | is_active(self.of(right, scope))
                return found and (op != "//" or self._maps())
            case core.Unary(operand=value) | core.Convert(value=value) | core.Coerce(value=value):
                return self.of(value, scope)
            case core.CheckIndex(value=value) | core.Checked(value=value):
                return self.of(value, scope)
            case _:
                return self._data(node, scope)

    def _data(self, node: core.Expr, scope: Scope) -> Value:
        match node:
            case core.Tuple(items=items):
                return Items(tuple([self.of(e, scope) for e in items]))
            case core.Stack(items=items):
                return joined([self.of(e, scope) for e in items])
            case core.Record(fields=fields):
                return Named(tuple([(name, self.of(e, scope)) for name, e in fields]))
            case core.Project(base=base, index=index):
                return part(self.of(base, scope), index)
            case core.Select(base=base, field=name):
                return field(self.of(base, scope), name)
            case core.Update(base=base, updates=updates):
                value = self.of(base, scope)
                for names, e in updates:
                    value = updated(value, names, self.of(e, scope))
                return value
            case core.Index(base=base, items=items):
                for e in [e for item in items for e in children(item)]:
                    self.of(e, scope)
                return self.of(base, scope)
            case core.Scatter(base=base, value=value):
                found, new = self.of(base, scope), self.of(value, scope)
                return found if isinstance(new, Function) else joined([found, new])
            case _:
                return self._control(node, scope)

    def _control(self, node: core.Expr, scope: Scope) -> Value:
        match node:
            case core.Sequence(statements=statements, result=result):
                for statement in statements:
                    value = self.of(statement.value, scope)
                    if isinstance(statement, core.Bound):
                        scope = scope.binding(statement.pattern, value)
                return self.of(result, scope)
            case core.Let(pattern=pattern, value=value, body=body):
                return self.of(body, scope.binding(pattern, self.of(value, scope)))
            case core.If():
                return self._if(node, scope)
            case core.Match(subject=subject, arms=arms):
                self.of(subject, scope)
                return self._one_of([e for _, e in arms], scope)
            case core.Comprehension(clauses=clauses, body=body):
                for clause in clauses:
                    scope = scope.binding(clause.pattern, self._elements(clause.source, scope))
                return self.of(body, scope)
            case core.Loop() | core.Iterate():
                return self._loop(node, scope)
            case core.Unroll():
                return self._unrolled(node, scope)
            case core.HandleRng(key=key, body=body):
                self.of(key, scope)
                return self.of(body, scope)
            case core.HandleCell(body=body) | core.HandleChecks(body=body):
                return Items((self.of(body, scope), False))
            case core.HandleUser(cell=cell, body=body):
                value = self.of(body, scope)
                return value if cell is None else Items((value, False))
            case _:
                for e in children(node):
                    self.of(e, scope)
                return False

    def _if(self, node: core.If, scope: Scope) -> Value:
        self.of(node.condition, scope)
        if node.condition.type != ty.BOOLEAN:
            return joined([self.of(node.then, scope), self.of(node.orelse, scope)])
        if isinstance(node.condition, core.Const):
            return self.of(node.then if node.condition.value else node.orelse, scope)
        return self._one_of([node.then, node.orelse], scope)

    def _one_of(self, nodes: Sequence[core.Expr], scope: Scope) -> Value:
        """One of several, which is not known: nothing in it is certain but what all agree on."""
        self.muted += 1
        found = met([self.of(e, scope) for e in nodes])
        self.muted -= 1
        return found

    # ------------------------------------------------------------ loops

    def _loop(self, node: core.Loop | core.Iterate, scope: Scope) -> Value:
        carry = self.of(node.init, scope)
        if isinstance(node, core.Loop):
            scope = scope.binding(node.clause.pattern, self._elements(node.clause.source, scope))
        while True:
            inner = scope.binding(node.carry, carry)
            if isinstance(node, core.Iterate):
                self.of(node.condition, inner)
            found = self.of(node.body, inner)
            stacked = isinstance(node, core.Loop) and node.kind == "scan"
            after = joined([carry, part(found, 0) if stacked else found])
            if after == carry:
                return Items((carry, part(found, 1))) if stacked else carry
            carry = after

    def _unrolled(self, node: core.Unroll, scope: Scope) -> Value:
        value = False if node.init is None else self.of(node.init, scope)
        source = self.of(node.source.value, scope) if isinstance(node.source, core.Unrolled) else False
        outs: list[Value] = []
        for place, (pattern, body) in enumerate(node.steps):
            inner = scope.binding(pattern, part(source, place))
            for each in node.carry:
                inner = inner.binding(each, value)
            found = self.of(body, inner)
            outs.append(part(found, 1) if node.kind == "scan" else found)
            value = part(found, 0) if node.kind == "scan" else found
        if node.kind == "map":
            return joined(outs)
        return Items((value, joined(outs))) if node.kind == "scan" else value

    def _elements(self, source: core.Iterable, scope: Scope) -> Value:
        match source:
            case core.Counting():
                return False
            case core.Elements(value=value):
                return self.of(value, scope)
            case core.Zipped(parts=each):
                return Items(tuple([self._elements(e, scope) for e in each]))
            case core.Enumerated(of=inner):
                return Items((False, self._elements(inner, scope)))
            case core.Unrolled(value=value):
                return element(self.of(value, scope))

    # ------------------------------------------------------------ calls

    def _lambda(self, node: core.Lambda, scope: Scope) -> Value:
        """Where no derivative is followed, the derivatives inside are looked for once, here."""
        if self.root is None:
            for instance in node.instances:
                self.of(instance.body, scope)
        return Function(node, scope)

    def apply(self, function: Value, args: Sequence[Value], span: Span, instance: int | None) -> Value:
        if not isinstance(function, Function) or len(self.path) > _DEPTH:
            return False
        match function.node:
            case core.Lambda(instances=instances):
                number = function.instance if function.instance is not None else instance or 0
                passive = self.root is None and not any(isinstance(a, Function) for a in args)
                if passive or number >= len(instances):
                    return False
                body = instances[number]
                return self.of(body.body, function.scope.bindings(body.params, args))
            case core.Global(module=module, name=name):
                return self._call(module, name, args, span)
            case core.Transform() as node:
                return self._transformed(node, function.scope, args, span, instance)
            case _:
                return False

    def _leafwise(self, function: Value, trees: Sequence[Value], span: Span) -> Value:
        """`tree_map`: the marks leaf by leaf, where it is known what the tree is."""
        match trees[0]:
            case Items(parts):
                each = [self._leafwise(function, [part(t, i) for t in trees], span) for i in range(len(parts))]
                return Items(tuple(each))
            case Named(fields):
                names = [name for name, _ in fields]
                return Named(tuple([(n, self._leafwise(function, [field(t, n) for t in trees], span)) for n in names]))
            case _:
                return self.apply(function, trees, span, None)

    def _call(self, module: str, name: str, args: Sequence[Value], span: Span) -> Value:
        passive = self.root is None and not any(isinstance(a, Function) for a in args)
        callee = None if passive else self.program.checked(module, name)
        if callee is None:
            return False
        flags = tuple([a for a in args if isinstance(a, bool)])
        key = None
        if self.root is not None and len(flags) == len(args) and not self.muted:
            key = self.root, module, name, flags
            if key in self.known:
                return self.known[key]
            self.known[key] = False  # what a function says of itself is not certain
        params = [core.Bind(p.id, p.name) for p in callee.signature.params]
        with self._inside(name, span, self.program.is_library(self.program.modules[module])):
            value = self.of(callee.body, Scope({}, callee.solution).bindings(params, args))
        if key is not None:
            self.known[key] = value
        return value

    @contextmanager
    def _inside(self, name: str, span: Span, library: bool) -> Iterator[None]:
        """In the body of a function: what is found in the library is found where it was called."""
        path, place = self.path, self.place
        self.path = (*path, name)
        self.place = (place or span) if library else None
        yield
        self.path, self.place = path, place

    def _intrinsic(self, node: core.Intrinsic, scope: Scope) -> Value:
        args = [self.of(e, scope) for e in node.args]
        functions = [a for a in args if isinstance(a, Function)]
        given = [a for a in args if not isinstance(a, Function)]
        if functions and all(map(is_certain, given)):
            for function in functions:
                self.apply(function, [True] * len(given), node.span, None)
        active = any(map(is_active, given))
        op = OPS.get(node.name)
        if active and op is not None and isinstance(op.jvp, NotDifferentiable):
            self._report(node.span, transform_errors.not_differentiable, node.name, op.jvp.why)
            return False
        return active and not self._is_constant(node.name)

    def _is_constant(self, intrinsic: str) -> bool:
        """Whether the result does not vary with what is followed."""
        said = self.program.attributes(intrinsic)
        steps = intrinsic in _SHARED if self._maps() else Attribute.ZERO_DERIVATIVE in said
        return steps or Attribute.CONSTANT in said

    # ------------------------------------------------------------ transformations

    def _transformed(
        self, node: core.Transform, scope: Scope, args: Sequence[Value], span: Span, instance: int | None
    ) -> Value:
        function = self.of(node.function, scope)
        if mode_of(node.kind) is not None:
            chosen = _chosen(self.program, node, len(args))
            value = self._derivative(node.kind, function, args, chosen, span, instance)
            return Items((value, False)) if TRANSFORMATIONS[node.kind].with_value else False
        if node.kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP):
            return self._custom(node, scope, any(map(is_active, args)))
        if node.kind is Kind.VMAP and _lacks_axis(dict(node.options).get("out_axes")):
            self._mapped(node, function, len(args), instance)
        return self.apply(function, args, span, instance)

    def _custom(self, node: core.Transform, scope: Scope, active: bool) -> bool:
        """A function with a rule of its own, which a derivative between it and this one would have used up."""
        captured = _captured([node.function, *(e for _, e in node.options)], scope)
        if captured is not None and not self.between:
            self._report(node.span, transform_errors.captured_in_rule, node.kind, captured)
        return active

    def _at_once(self, node: core.TransformCall, scope: Scope) -> Value:
        function, args = self.of(node.function, scope), [self.of(e, scope) for e in node.args]
        row = TRANSFORMATIONS[node.kind]
        count = len(args) // 2 if row.parameters else len(args)
        primals = args[:count]
        value = self._derivative(node.kind, function, primals, range(count), node.span, node.instance)
        return Items((value, False)) if row.with_value else False

    def _derivative(
        self,
        kind: Kind,
        function: Value,
        args: Sequence[Value],
        chosen: Collection[int],
        span: Span,
        instance: int | None,
    ) -> Value:
        """What of the value depends on what the derivative around this one differentiates."""
        self.between += 1
        value = self.apply(function, args, span, instance) if self.root is not None else False
        marked = [(i in chosen and not isinstance(a, Function)) or cleared(a) for i, a in enumerate(args)]
        with self._following(_Root(kind, span)):
            self.apply(cleared(function), marked, span, instance)
        self.between -= 1
        return value

    def _maps(self) -> bool:
        return self.root is not None and self.root.maps

    def _mapped(self, node: core.Transform, function: Value, count: int, instance: int | None) -> None:
        """A map that leaves some results without an axis."""
        options = dict(node.options)
        params = _parameters(self.program, node.function)
        places = list(range(count)) if params is None else [i for i, p in enumerate(params) if p.counts]
        axes = options.get("in_axes")
        marked: list[Value] = [False] * count
        for entry, place in enumerate(places[:count]):
            one = axes.items[entry] if isinstance(axes, core.Tuple) and entry < len(axes.items) else axes
            marked[place] = True if one is None else _with_axis(one)
        with self._following(_Root(Kind.VMAP, node.span)):
            found = self.apply(cleared(function), marked, node.span, instance)
        if self.muted == 0 and is_active(_left_alone(options["out_axes"], found)):
            self.found[node.span, node.span] = transform_errors.result_without_axis(options["out_axes"].span)

    @contextmanager
    def _following(self, root: _Root) -> Iterator[None]:
        state = self.root, self.path, self.place, self.between
        self.root, self.path, self.place, self.between = root, (), None, 0
        yield
        self.root, self.path, self.place, self.between = state

    def _report(self, at: Span, write: transform_errors.Reached, name: str, why: str) -> None:
        """What is found is told where the derivative is taken."""
        if self.root is None or self.root.maps or self.muted:
            return
        place = self.place or at
        key = self.root.span, place
        if key not in self.found:
            self.found[key] = write(self.root.kind, name, why, place, self.path, self.root.span)


def _chosen(program: ProgramChecker, node: core.Transform, count: int) -> list[int]:
    """The places of the arguments that a derivative is taken by; none where they are not known."""
    params = _parameters(program, node.function)
    places = list(range(count)) if params is None else [i for i, p in enumerate(params) if p.counts]
    option = dict(node.options).get("argnums")
    wanted = [core.Const(node.span, ty.INT, 0)] if option is None else _listed(option)
    out: list[int] = []
    for one in wanted:
        constant = one.size.constant if isinstance(one, core.SizeOf) else None
        value = one.value if isinstance(one, core.Const) else constant
        if isinstance(value, str) and params is not None:
            out += [i for i, p in enumerate(params) if p.name == value]
        elif isinstance(value, int) and -len(places) <= value < len(places):
            out.append(places[value])
    return out


def _listed(option: core.Expr) -> Sequence[core.Expr]:
    return option.items if isinstance(option, core.Tuple) else (option,)


def _parameters(program: ProgramChecker, function: core.Expr) -> Sequence[core.Parameter] | None:
    """The parameters of the definition that is transformed; None for a lambda."""
    while isinstance(function, core.Transform | core.Specialise):
        function = function.function
    found = program.checked(function.module, function.name) if isinstance(function, core.Global) else None
    return None if found is None else found.signature.params


def _captured(nodes: Iterable[core.Expr], scope: Scope) -> str | None:
    """The name of a marked value that functions take from around them."""
    for node in nodes:
        for inner in subexpressions(node):
            value = scope.names.get(inner.id, False) if isinstance(inner, core.Local) else False
            if isinstance(value, Function):
                name = _captured([value.node], value.scope)
                if name is not None:
                    return name
            elif is_active(value) and isinstance(inner, core.Local):
                return inner.name
    return None


# ---------------------------------------------------------------- axes


def _lacks_axis(axes: core.Expr | None) -> bool:
    return axes is not None and any(isinstance(e, core.Const) and e.value is None for e in subexpressions(axes))


def _with_axis(axes: core.Expr) -> Value:
    """Marks on what has an axis."""
    match axes:
        case core.Tuple(items=items):
            return Items(tuple(map(_with_axis, items)))
        case core.Record(fields=fields):
            return Named(tuple([(name, _with_axis(e)) for name, e in fields]))
        case _:
            return not (isinstance(axes, core.Const) and axes.value is None)


def _left_alone(axes: core.Expr, value: Value) -> Value:
    """The marks of what is to have no axis, where every leaf is marked."""
    match axes:
        case core.Tuple(items=items):
            return Items(tuple([_left_alone(e, part(value, i)) for i, e in enumerate(items)]))
        case core.Record(fields=fields):
            return Named(tuple([(name, _left_alone(e, field(value, name))) for name, e in fields]))
        case core.Const(value=None):
            return is_certain(value)
        case _:
            return False

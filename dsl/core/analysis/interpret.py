"""One abstract interpreter of Core, for every analysis that follows values through a program.

Here are the structure of values, the binding of patterns, branches, loops and recursive calls to a fixed point, calls
into lambdas and definitions, handlers and their cells, and the budget. What a mark means, and what operators,
intrinsics and transformations do to marks, an analysis says by its methods. Read next: `abstract_values`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias, assert_never

from dsl.core import core
from dsl.core.analysis.abstract_values import (
    Function,
    Handlers,
    Items,
    Known,
    Named,
    Scope,
    Value,
    field,
    holds_function,
    part,
    replace_field,
    variant_of,
)
from dsl.core.analysis.cells import STATUS, Ways
from dsl.core.analysis.known_sizes import with_sizes
from dsl.core.analysis.known_statics import Statics, as_constant, matching
from dsl.core.analysis.leaves import Leafwise
from dsl.core.analysis.recursion import Outcome
from dsl.core.statics.evaluate import Frame
from dsl.core.walk import children, other_children, passed_function
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.type import Type

DEPTH, STEPS = 100, 100_000

_Made: TypeAlias = core.Tuple | core.Stack | core.Record | core.EnumValue
_Data: TypeAlias = _Made | core.Project | core.Select | core.Update | core.Index | core.Scatter
_Loop: TypeAlias = core.Comprehension | core.Loop | core.Iterate | core.Unroll
_Handler: TypeAlias = core.HandleRng | core.HandleCell | core.HandleChecks | core.HandleUser | core.HandleScope
_Opaque: TypeAlias = core.Assert | core.Print
_Effect: TypeAlias = core.FreshKey | core.ReadCell | core.WriteCell | core.Operation | core.Resume
Static: TypeAlias = core.Const | core.SizeOf | core.ShapeOf | core.DTypeOf


class Interpreter(Leafwise):
    """An analysis. `zero` is the mark of a sum of nothing, `never` that of a call that does not return, which adds
    nothing to the marks of the other ways; what is not followed has the mark 0."""

    zero: int = 0
    never: int = 0

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.depth = 0
        self.handlers = Handlers()
        self.statics = Statics(self.definition, self.constant)

    # ------------------------------------------------------------ what an analysis says

    @abstractmethod
    def definition(self, module: str, name: str) -> core.Function | None:
        """A definition whose body is known."""

    def constant(self, module: str, name: str) -> core.Constant | None:
        """A top-level `let` whose value is known."""
        return None

    @abstractmethod
    def binary(self, node: core.Binary, left: Value, right: Value) -> Value: ...

    @abstractmethod
    def intrinsic(self, node: core.Intrinsic, args: Sequence[Value]) -> Value: ...

    @abstractmethod
    def transformed(
        self, function: Function, node: core.Transform, args: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        """A call, at a place, of a transformed function, with the number of the bodies of the lambdas in it."""

    @abstractmethod
    def transform_call(self, node: core.TransformCall, scope: Scope) -> Value: ...

    def linear_map(self, function: Function, node: core.TransformCall, args: Sequence[Value], at: core.Expr) -> Value:
        """A call of the linear function that a transformation gives, where an analysis follows it."""
        return 0

    def static(self, node: Static) -> Value:
        return 0

    def selected(self, by: Sequence[Value], value: Value) -> Value:
        """One of several values, or parts of one, that others select at run time."""
        return value

    def function_value(self, node: core.Lambda, scope: Scope) -> Value:
        return Function(node, scope)

    def called(self, function: Function, node: core.Global, args: Sequence[Value], at: core.Expr) -> Value:
        """A call of a definition."""
        return self.in_definition(self.definition(node.module, node.name), args, function.sizes)

    def context(self) -> Hashable:
        """Return everything beside the arguments on which the value of a call depends: the handlers and the cells."""
        return None

    def clause(self, body: core.Expr, scope: Scope) -> None:
        """The body of a handler's clause, which runs if its operation is performed."""
        self.of(body, scope)

    def one_of(self, ways: Ways) -> Value:
        """One of several, selected while staging."""
        return self.merged(ways, self.join)

    # ------------------------------------------------------------ expressions

    def of(self, node: core.Expr, scope: Scope) -> Value:
        """The abstract value of an expression."""
        self.steps += 1
        return 0 if self.steps > STEPS else self._shaped(self._of(node, scope), node.type)

    def _shaped(self, value: Value, type_: Type) -> Value:
        """The value in the structure of its type."""
        if isinstance(value, Function):
            return value
        match type_:
            case ty.TupleType(parts):
                return Items(tuple([self._shaped(part(value, i), t) for i, t in enumerate(parts)]))
            case ty.RecordType(fields):
                return Named(tuple([(n, self._shaped(self.field(value, n), t)) for n, t in fields]))
            case _:
                return value

    def field(self, value: Value, name: str) -> Value:
        """A field of a record, or of every record of an array of them."""
        if isinstance(value, Items):
            return self.join([self.field(p, name) for p in value.parts])
        return field(value, name)

    def _of(self, node: core.Expr, scope: Scope) -> Value:
        match node:
            case core.Const() | core.SizeOf() | core.ShapeOf() | core.DTypeOf():
                return self.static(node)
            case core.ShapeList():
                self._all(children(node), scope)
                return 0
            case core.Local(id=id):
                found = scope.names.get(id, 0)
                return found if (written := as_constant(node, found)) is None else self.static(written)
            case core.Global(module=module, name=name):
                constant = self.constant(module, name)
                return (
                    Function(node, scope) if constant is None else self.of(constant.value, Scope({}, constant.solution))
                )
            case core.Transform():
                return Function(node, scope)
            case core.Lambda() | core.Specialise() if isinstance(passed := passed_function(node), core.Local):
                return self.of(passed, scope)
            case core.Lambda():
                return self.function_value(node, scope)
            case core.Specialise(function=function, instance=number):
                made = self.of(function, scope)
                return replace(made, instance=number) if isinstance(made, Function) else made
            case core.Apply(function=function, args=args, instance=instance):
                given = [Known(omitted=True) if a is None else self.argument(a, scope) for a in args]
                called = with_sizes(self.of(function, scope), node, scope, self.definition)
                return self.apply(called, given, node, instance)
            case core.TransformCall():
                return self.transform_call(node, scope)
            case core.Intrinsic(args=args, statics=statics):
                self._all([e for _, e in statics], scope)
                return self.intrinsic(node, [self.of(a, scope) for a in args])
            case core.MapLeaves(function=function, trees=trees):
                return self.mapped(self.of(function, scope), [self.of(e, scope) for e in trees], node)
            case core.FoldLeaves(function=function, init=init, tree=tree):
                return self.folded(self.of(function, scope), self.of(init, scope), self.of(tree, scope), node)
            case core.Binary(left=left, right=right):
                return self.binary(node, self.of(left, scope), self.of(right, scope))
            case core.Unary(operand=e) | core.Convert(value=e) | core.Coerce(value=e) | core.Opened(value=e):
                return self.of(e, scope)
            case core.CheckIndex(value=e) | core.Checked(value=e):
                return self.check(self.of(e, scope))
            case core.Sequence() | core.If() | core.Match():
                return self._block(node, scope)
            case core.Logical():
                return self._logical(node, scope)
            case core.Comprehension() | core.Loop() | core.Iterate() | core.Unroll():
                return self._loop(node, scope)
            case core.HandleRng() | core.HandleCell() | core.HandleChecks() | core.HandleUser() | core.HandleScope():
                return self._handler(node, scope)
            case _:
                return self._data(node, scope)

    def _data(self, node: _Data | _Opaque | _Effect, scope: Scope) -> Value:
        match node:
            case core.Tuple(items=items):
                return Items(tuple([self.of(e, scope) for e in items]))
            case core.Stack(items=items):
                return self.join([self.of(e, scope) for e in items])
            case core.Record(fields=fields):
                return Named(tuple([(name, self.of(e, scope)) for name, e in fields]))
            case core.EnumValue(variant=variant, args=args):
                return variant_of(variant, [self.argument(e, scope) for e in args])
            case core.Project(base=base, index=index):
                return part(self.of(base, scope), index)
            case core.Select(base=base, field=name):
                return self.field(self.of(base, scope), name)
            case core.Update(base=base, updates=updates):
                value = self.of(base, scope)
                for names, e in updates:
                    value = replace_field(value, names, self.of(e, scope))
                return value
            case core.Index(base=base, items=items, fill=fill):
                among = [base] if fill is None else [base, fill]
                by = self._all(other_children(node, *among), scope)
                self._check_items(items, by)
                return self.selected(by, self.join(self._all(among, scope)))
            case core.Scatter(base=base, items=items, value=value):
                by = self._all(other_children(node, base, value), scope)
                self._check_items(items, by)
                found = self._all([base, value], scope)
                return self.selected(by, found[0] if isinstance(found[0], Function) else self.join(found))
            case core.FreshKey() | core.ReadCell() | core.WriteCell() | core.Operation() | core.Resume():
                return self._effect(node, scope)
            case _:
                return self._opaque(node, scope)

    def _effect(self, node: _Effect, scope: Scope) -> Value:
        match node:
            case core.FreshKey():
                return self.handlers.fresh
            case core.ReadCell(cell=cell):
                return self.cells.get(cell, 0)
            case core.WriteCell(cell=cell, op=op, value=value):
                self.write(cell, self.of(value, scope), op == ":=")
                return 0
            case core.Operation(module=module, name=name, args=args):
                given, handled = self._all(args, scope), self.handlers.clauses.get((module, name))
                if handled is None:
                    return 0
                clause, seen, around = handled
                with self._handling(around):
                    given = [*given, 0][: len(clause.params)]
                    return self._inside(clause.body, seen.bindings(clause.params, given))
            case core.Resume(value=value):
                return self.of(value, scope)
            case _:
                assert_never(node)

    def _check_items(self, items: Sequence[core.Item], by: Sequence[Value]) -> None:
        if any(isinstance(item, core.At | core.Window) and item.guard == "check" for item in items):
            self.check(self.join(by))

    @contextmanager
    def _handling(self, handlers: Handlers) -> Iterator[None]:
        before, self.handlers = self.handlers, handlers
        try:
            yield
        finally:
            self.handlers = before

    def _opaque(self, node: _Opaque, scope: Scope) -> Value:
        """Evaluate the parts of an expression; its own value is unknown."""
        values = self._all(children(node), scope)
        if isinstance(node, core.Assert):
            self.check(values[0])
        return 0

    def _all(self, nodes: Sequence[core.Expr], scope: Scope) -> list[Value]:
        return [self.of(node, scope) for node in nodes]

    def _block(self, node: core.Sequence | core.If | core.Match, scope: Scope) -> Value:
        match node:
            case core.Sequence(statements=statements, result=result):
                for statement in statements:
                    value = self.argument(statement.value, scope)
                    if isinstance(statement, core.Bound):
                        scope = scope.binding(statement.pattern, value)
                return self.of(result, scope)
            case core.If():
                return self._if(node, scope)
            case core.Match(subject=subject, arms=arms):
                value = self.argument(subject, scope)
                ways = [partial(self.of, e, scope.binding(pattern, value)) for pattern, e in matching(arms, value)]
                return ways[0]() if len(ways) == 1 else self.one_of(ways)
            case _:
                assert_never(node)

    def _if(self, node: core.If, scope: Scope) -> Value:
        decided = self.of(node.condition, scope)
        ways = [partial(self.of, node.then, scope), partial(self.of, node.orelse, scope)]
        if node.condition.type != ty.BOOLEAN:
            return self.merged(ways, lambda values: self.selected([decided], self.join(values)))
        known = self.statics.value(node.condition, scope)
        return self.one_of(ways) if known is None else ways[0 if known.value else 1]()

    def _logical(self, node: core.Logical, scope: Scope) -> Value:
        """Its value is not followed; where the left side is static, it decides whether the right one is evaluated."""
        self.of(node.left, scope)
        known, right = self.statics.value(node.left, scope), partial(self.of, node.right, scope)
        if known is None and node.left.type == ty.BOOLEAN:
            self.one_of([right])
        elif known is None or bool(known.value) == (node.op == "and"):
            right()
        return 0

    def _handler(self, node: _Handler, scope: Scope) -> Value:
        match node:
            case core.HandleRng(key=key, body=body):
                with self._handling(replace(self.handlers, fresh=self.of(key, scope))):
                    return self.of(body, scope)
            case core.HandleCell(cell=cell, init=init, body=body):
                return self.with_cell(cell, self._first(init, scope), partial(self.of, body, scope))
            case core.HandleChecks(body=body):
                return self.with_cell(STATUS, 0, partial(self.of, body, scope))
            case core.HandleScope(name=name, body=body):
                return self._all([name, body], scope)[-1]
            case core.HandleUser(clauses=clauses, cell=cell, init=init, body=body, record=record):
                with self.aside():
                    for clause in clauses:
                        self._all([] if clause.source is None else [clause.source], scope)
                        self.clause(clause.body, scope.bindings(clause.params, [0] * len(clause.params)))
                own = {**self.handlers.clauses, **{(c.module, c.name): (c, scope, self.handlers) for c in clauses}}
                with self._handling(replace(self.handlers, clauses=own)):
                    if cell is None:
                        value = self.of(body, scope)
                        return value if record is None else Items((value, 0))
                    return self.with_cell(cell, self._first(init, scope), partial(self.of, body, scope))
            case _:
                assert_never(node)

    def _first(self, init: core.Expr | None, scope: Scope) -> Value:
        return self.zero if init is None else self.of(init, scope)

    # ------------------------------------------------------------ loops

    def _loop(self, node: _Loop, scope: Scope) -> Value:
        match node:
            case core.Comprehension(clauses=clauses, body=body):
                for clause in clauses:
                    scope = scope.binding(clause.pattern, self._elements(clause.source, scope))
                return self.of(body, scope)
            case core.Loop(clause=clause, unroll=unroll):
                self._all(() if unroll is None else (unroll,), scope)
                return self._repeated(node, scope.binding(clause.pattern, self._elements(clause.source, scope)), scope)
            case core.Iterate(limit=limit):
                self._all(() if limit is None else (limit,), scope)
                return self._repeated(node, scope, scope)
            case core.Unroll():
                return self._unrolled(node, scope)
            case _:
                assert_never(node)

    def _repeated(self, node: core.Loop | core.Iterate, scope: Scope, outer: Scope) -> Value:
        """The carry at its fixed point; what was noted on the way there is taken back."""
        carry = self.of(node.init, outer)
        stacked = isinstance(node, core.Loop) and node.kind == "scan"
        while True:
            before, written, decided = self.cells, self.written, list[Value]()
            take_back = self.calls.taking_back(self.undo)
            inner = scope.binding(node.carry, carry)
            if isinstance(node, core.Iterate):
                decided = [self.of(node.condition, inner)]
                carry = self.selected(decided, carry)
                inner = scope.binding(node.carry, carry)
            self.written = frozenset()
            found = self.of(node.body, inner)
            after = self.join([carry, part(found, 0) if stacked else found])
            last = {name: self.join([before[name], self.cells[name]]) for name in self.written & before.keys()}
            self.cells = {**before, **{name: self.selected(decided, value) for name, value in last.items()}}
            self.written |= written
            if after == carry and self.cells == before:
                return Items((carry, part(found, 1))) if stacked else carry
            take_back()
            carry = after

    def _unrolled(self, node: core.Unroll, scope: Scope) -> Value:
        value = 0 if node.init is None else self.of(node.init, scope)
        whole = self.of(node.source.value, scope) if isinstance(node.source, core.Unrolled) else None
        element = self._elements(node.source, scope) if whole is None else 0
        outs: list[Value] = []
        for place, (pattern, body) in enumerate(node.steps):
            inner = scope.binding(pattern, element if whole is None else part(whole, place))
            for each in node.carry:
                inner = inner.binding(each, value)
            found = self.of(body, inner)
            outs.append(part(found, 1) if node.kind == "scan" else found)
            value = part(found, 0) if node.kind == "scan" else found
        if node.kind == "map":
            return self.join(outs)
        return Items((value, self.join(outs))) if node.kind == "scan" else value

    def _elements(self, source: core.Iterable, scope: Scope) -> Value:
        match source:
            case core.Counting(start=start, stop=stop):
                self._all((start, stop), scope)
                return 0
            case core.Elements(value=value):
                return self.of(value, scope)
            case core.Zipped(parts=each):
                return Items(tuple([self._elements(e, scope) for e in each]))
            case core.Enumerated(of=inner):
                return Items((0, self._elements(inner, scope)))
            case core.Unrolled(value=value):
                return self.element(self.of(value, scope))

    def element(self, value: Value) -> Value:
        """Any of the parts of a tuple."""
        return self.join(value.parts) if isinstance(value, Items) else value

    # ------------------------------------------------------------ calls

    def argument(self, node: core.Expr, scope: Scope) -> Value:
        """The value of an expression, the static one if it is known; of functions it says nothing."""
        value = self.of(node, scope)
        return value if holds_function(value) else self.statics.value(node, scope) or value

    def within(self, function: Function, node: core.Transform) -> Value:
        """The function that is transformed in one that is called; its arguments are of the same sizes, but in maps."""
        inner = self.of(node.function, function.scope)
        return replace(inner, sizes=function.sizes) if isinstance(inner, Function) else inner

    def apply(self, function: Value, args: Sequence[Value], at: core.Expr, instance: int | None = None) -> Value:
        """A call of a function value at the place `at`."""
        if not isinstance(function, Function) or self.depth > DEPTH:
            return 0
        if function.others:
            return self.one_of([partial(self.apply, each, args, at, instance) for each in function.each])
        match function.node:
            case core.Lambda(instances=instances):
                number = function.instance if function.instance is not None else instance or 0
                return self.in_lambda(function, instances[number], args) if number < len(instances) else 0
            case core.Global() as node:
                return self.called(function, node, args, at)
            case core.Transform() as node:
                return self.transformed(function, node, args, at, instance)
            case core.TransformCall() as node:
                return self.linear_map(function, node, args, at)
            case _:
                return 0

    def in_lambda(self, function: Function, body: core.LambdaBody, args: Sequence[Value]) -> Value:
        return self._inside(body.body, function.scope.bindings(body.params, args))

    def in_definition(self, callee: core.Function | None, args: Sequence[Value], sizes: Frame | None) -> Value:
        """The value of a definition's body; its parameters hold the arguments."""
        if callee is None:
            return 0
        if self.calls.are_deep((callee.module, callee.name)):
            args, sizes = [0 if isinstance(arg, Known) and not arg.omitted else arg for arg in args], None
        scope, args = self.statics.bound(callee, args, sizes, self.argument)
        before, sizes_known = self.cells, (*scope.variables.sizes.items(), *scope.variables.shapes.items())

        def call() -> Outcome:
            self.cells = before
            return Outcome(self._inside(callee.body, scope), self.cells)

        key = (callee.module, callee.name), *args, *sizes_known, *before.items(), self.handlers, self.context()
        first, unknown = Outcome.of(self.never, before), Outcome.of(0, before)
        found = self.calls.outcome(key, first, unknown, call, self.undo)
        self.cells = found.cells
        self.written |= {name for name, value in found.cells.items() if value is not before[name]}
        return found.value

    def _inside(self, body: core.Expr, scope: Scope) -> Value:
        self.depth += 1
        try:
            return self.of(body, scope)
        finally:
            self.depth -= 1

"""Sizes that data decide: what a definition does with arrays of such sizes can be done before they are known, and none
leaves the place where it is decided.

A walk over checked Core, through calls: a callee is looked at with those of its variables marked that stand for such
a size in a call, so a function of arrays `f32[n]` takes them wherever its body does nothing that needs n. What may be
done is listed (`dsl.ir.slopes`, and the rules here for each kind of expression); all else is refused. A size is decided
once: bodies that run many times, or perhaps not at all, use such sizes and decide none. Read next:
`typechecker.types.data_sizes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import assert_never

from dsl.core import core
from dsl.core.transformation import TRANSFORMATIONS, Kind
from dsl.core.walk import children, subexpressions
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.ir.slopes import COUNTED, MASKED, MEASURED
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.size import SizeVar
from dsl.types.type import Type
from dsl.types.walk import any_leaf, leading_axes, shapes_in, subtypes
from typechecker import errors
from typechecker.analyses.data_size_marks import Marked, Marks, are_alike, are_numbers, is_static, is_whole
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.solver import Solver
from typechecker.types.instance import Instance

_PASSED = "a function that is passed on"
_APART = (Kind.PMAP, Kind.SHARD, Kind.CUSTOM_JVP, Kind.CUSTOM_VJP)
"""Transformations of functions that decide no sizes: on devices each would have its own, and rules are given values."""
_IN_DEF = "compute it in a `def`"
_OUTSIDE = "decide it before, outside of what repeats: select the elements, then use them inside"


def check_data_sizes(program: ProgramChecker, function: core.Function) -> Iterable[Diagnostic]:
    """Report uses, before they are known, of sizes that data decide."""
    walk = _Walk(program)
    if any(isinstance(part, ty.FunctionType) for part in subtypes(function.signature.result)):
        walk.region = "a result with a function in it"
    if walk.definition(function, frozenset()):
        walk.needs(function.body.span, "a static result")
    return walk.first


def check_constant(program: ProgramChecker, node: core.Expr) -> Iterable[Diagnostic]:
    """Report a constant that would leave a size to data."""
    found = [each for each in subexpressions(node) if isinstance(each, core.Opened)]
    return [errors.sizes.decided_again(e.span, what="a constant", size=e.sizes[0], advice=_IN_DEF) for e in found[:1]]


def check_application(program: ProgramChecker, node: core.Expr) -> Iterable[Diagnostic]:
    """Check one call, such as that of a function that Python has transformed."""
    walk = _Walk(program)
    linear = [each.kind for each in subexpressions(node) if isinstance(each, core.TransformCall)]
    walk.region = next((f"`{kind}`" for kind in linear if kind in (Kind.VJP, Kind.LINEARIZE)), None)
    walk.of(node)
    return walk.first


class _Walk(Marks):
    """One definition and those it calls. `marked` are variables of the one that is looked at, `known` the sizes that
    are decided here, `static` the local names of values that mention one, `functions` those of functions. `region` says
    what is around in which no size is decided, `lifted` that this is done for as many elements as data decide."""

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__()
        self.program = program
        self.static: set[int] = set()
        self.functions: dict[int, core.Expr] = {}
        self.region: str | None = None
        self.lifted = False
        self.done: dict[object, bool] = {}

    # ------------------------------------------------------------ expressions

    def of(self, node: core.Expr) -> bool:
        """Look at an expression; whether it is a static value that mentions such a size."""
        mentions = self._of(node)
        self.check_type(node)
        return mentions

    def _all(self, nodes: Iterable[core.Expr], what: str) -> None:
        """Look at expressions none of which may be a static value that mentions such a size."""
        for node in nodes:
            if self.of(node):
                self.needs(node.span, what)

    def _of(self, node: core.Expr) -> bool:
        match node:
            case core.SizeOf(size=size):
                return self.is_of_data(node, size)
            case core.ShapeOf(shape=shape):
                return self.is_of_data(node, shape)
            case core.Local(id=id):
                named = self.functions.get(id)
                if isinstance(named, core.Lambda) and self.region is not None:
                    self._lambda(named)
                elif named is not None and self._ragged_function(node.type):
                    self._function_value(named)
                return id in self.static
            case core.Global():
                if self._ragged_function(node.type):
                    self._function_value(node)
                else:
                    self._definition_value(node, frozenset())
                return False
            case core.ShapeList(items=items):
                found = [self.of(i.value if isinstance(i, core.Spread) else i) for i in items]
                return any(found)
            case core.Opened(value=value, sizes=sizes):
                if self.region is not None:
                    self.report(node.span, errors.sizes.decided_again, what=self.region, size=sizes[0], advice=_OUTSIDE)
                self.known |= frozenset(sizes)
                return self.of(value)
            case core.Binary() | core.Unary() | core.Convert() | core.Coerce() | core.Logical():
                return self._operator(node)
            case core.Intrinsic():
                return self._intrinsic(node)
            case core.Apply():
                return self._apply(node)
            case core.Sequence():
                return self._sequence(node)
            case _:
                return self._other(node)

    def _other(self, node: core.Expr) -> bool:
        match node:
            case core.Lambda():
                self._lambda(node)
            case core.Transform() | core.TransformCall():
                self._transform(node, ())
            case core.If():
                return self._if(node)
            case core.Comprehension() if is_static(node.type):
                return True in [self.of(part) for part in children(node)]
            case core.Comprehension() | core.Loop() | core.Iterate():
                self._repeated(node)
            case core.Index() | core.Scatter():
                self._index(node)
            case core.Print() | core.Operation():
                parts = children(node)
                if self.lifted or any(self.ragged(part.type) for part in (node, *parts)):
                    self.needs(node.span, "`print`" if isinstance(node, core.Print) else f"`{node.name}`")
                self._all(parts, "this")
            case core.HandleUser() | core.MapLeaves() | core.FoldLeaves():
                with self._within("a handler" if isinstance(node, core.HandleUser) else "a function of leaves"):
                    self._all(children(node), "this")
            case core.Tuple() if is_static(node.type):
                return True in [self.of(part) for part in node.items]
            case _:
                self._all(children(node), _WORDS.get(type(node), "this"))
        return False

    def _operator(self, node: core.Binary | core.Unary | core.Convert | core.Coerce | core.Logical) -> bool:
        """Sizes are added and multiplied, and become numbers of arrays."""
        found = [self.of(child) for child in children(node)]
        if not any(found):
            return False
        match node:
            case core.Convert() | core.Binary() | core.Coerce() if isinstance(node.type, ty.ArrayType):
                return False
            case core.Coerce() if node.type in (ty.INT, ty.SIZE, ty.SHAPE, ty.INTS):
                return True
            case core.Binary(op="+" | "-" | "*" | "//" | "%") | core.Unary(op="-") if node.type in (ty.INT, ty.SIZE):
                return True
            case core.Binary() if node.type == ty.BOOLEAN and are_numbers(node.left, node.right):
                return True
            case core.Logical() | core.Unary(op="not"):
                return True
            case _:
                self.needs(node.span, f"`{node.op}`" if isinstance(node, core.Binary) else "this")
                return False

    def _intrinsic(self, node: core.Intrinsic) -> bool:
        statics = [self.of(value) for _, value in node.statics]
        args = [self.of(arg) for arg in node.args]
        mentions = any((*args, *statics))
        if isinstance(node.type, ty.StaticType):
            if mentions and node.name not in MEASURED and node.name not in COUNTED:
                self.needs(node.span, f"`{node.name}`")
            return mentions and node.name in MEASURED
        ragged = mentions or any(self.ragged(part.type) for part in (node, *node.args))
        if ragged and node.name not in MASKED:
            self.needs(node.span, f"`{node.name}`")
        return False

    def _sequence(self, node: core.Sequence) -> bool:
        for statement in node.statements:
            value = statement.value
            if isinstance(statement, core.Bound) and isinstance(statement.pattern, core.Bind):
                if isinstance(value.type, ty.FunctionType):
                    self.functions[statement.pattern.id] = value
                if self.of(value):
                    self.static.add(statement.pattern.id)
            else:
                self._all([value], "a pattern")
        return self.of(node.result)

    # ------------------------------------------------------------ what repeats, or may not happen

    @contextmanager
    def _within(self, region: str | None = None, *, lifted: bool = False) -> Iterator[None]:
        """In a body: sizes that are decided inside are forgotten afterwards."""
        before = self.known, self.region, self.lifted
        self.region, self.lifted = self.region or region, self.lifted or lifted
        yield
        self.known, self.region, self.lifted = before

    def _lambda(self, node: core.Lambda) -> None:
        for instance in node.instances:
            with self._within():
                self._all([instance.body], "the result of a function")

    def _if(self, node: core.If) -> bool:
        """A condition that data decide chooses between values of a run."""
        static = is_static(node.type) or not all(are_alike(each, node) for each in (node.then, node.orelse))
        if self.of(node.condition) and static:
            self.needs(node.condition.span, "a condition at compile time")
        found = []
        for branch in (node.then, node.orelse):
            with self._within():
                found.append(self.of(branch))
        if any(found) and not is_static(node.type):
            self.needs(node.span, "the value of an `if`")
        return any(found)

    def _repeated(self, node: core.Comprehension | core.Loop | core.Iterate) -> None:
        match node:
            case core.Comprehension(clauses=clauses, body=body):
                what, before, bodies = "a comprehension", list[core.Expr | None](), [body]
            case core.Loop(clause=clause, init=init, unroll=unroll, body=body):
                what, clauses, before, bodies = "a loop", (clause,), [init, unroll], [body]
            case core.Iterate(init=init, limit=limit, condition=condition, body=body):
                what, clauses, before, bodies = "a loop", (), [init, limit], [condition, body]
        ragged = True in [self._source(clause.source) for clause in clauses]
        self._all([each for each in before if each is not None], what)
        with self._within(lifted=ragged and isinstance(node, core.Comprehension)):
            self._all(bodies, what)

    def _source(self, source: core.Iterable) -> bool:
        """Return whether a loop takes as many steps as data decide."""
        match source:
            case core.Counting(start, stop):
                if self.of(start):
                    self.needs(start.span, "`range`")
                counted = self.of(stop)
                if counted and not (isinstance(start, core.Const) and start.value == 0):
                    self.needs(stop.span, "`range` that does not start at 0")
                return counted
            case core.Elements(value):
                self._all([value], "a loop")
                return any(self.mentions(Shape(shape.dims[:1])) for shape in shapes_in(value.type))
            case core.Zipped(parts):
                return True in [self._source(part) for part in parts]
            case core.Enumerated(of):
                return self._source(of)
            case core.Unrolled(value):
                self._all([value], "a loop")
                return False
            case _:
                assert_never(source)

    def _index(self, node: core.Index | core.Scatter) -> None:
        """Places that are proved to be there are read along such an axis, and written to."""
        self._all([child for child in children(node) if not is_static(child.type)], "an index")
        for child in children(node):
            if is_static(child.type):
                self.of(child)
        steps = [item.step for item in node.items if isinstance(item, core.Range) and item.step is not None]
        self._all(steps, "a step")
        axes = leading_axes(node.base.type)
        if not self.ragged(node.base.type):
            return
        known = axes is not None and axes.sizes is not None
        dims = list(axes.dims) if axes is not None and known else []
        rest = next((k for k, item in enumerate(node.items) if isinstance(item, core.Rest)), len(node.items))
        front = [item for item in node.items[:rest] if not isinstance(item, core.NewAxis)]
        back = [item for item in node.items[rest + 1 :] if not isinstance(item, core.NewAxis)]
        pairs = [*zip(front, dims, strict=False), *zip(reversed(back), reversed(dims), strict=False)]
        whole = all(map(is_whole, (*front, *back)))
        windows = (dim for item, dim in pairs if isinstance(item, core.Window))  # all else is read without the size
        if not whole and (not known or any(isinstance(dim, Splice) or self.mentions(dim) for dim in windows)):
            self.needs(node.span, "this index")

    # ------------------------------------------------------------ functions

    def _transform(self, node: core.Transform | core.TransformCall, args: Sequence[core.Expr]) -> None:
        row = TRANSFORMATIONS[node.kind]
        given = [*args, *(node.args if isinstance(node, core.TransformCall) else ())]
        self._all([value for _, value in node.options if not isinstance(value.type, ty.FunctionType)], "an option")
        ragged = any(self.ragged(part.type) for part in (*given, node))
        if node.kind in (Kind.PMAP, Kind.SHARD) and (self.known or self.marked):
            self.needs(node.span, f"`{node.kind}`")
        functions = [node.function, *(value for _, value in node.options if isinstance(value.type, ty.FunctionType))]
        with self._within(f"`{node.kind}`") if node.kind in _APART else self._within(lifted=ragged and row.maps):
            for function in functions:
                if not given and self._ragged_function(node.type):
                    self._function_value(function)
                else:
                    self._called(function, given)

    def _called(self, function: core.Expr, args: Sequence[core.Expr | None]) -> bool:
        """A function that is called here."""
        match function:
            case core.Specialise(function=inner):
                return self._called(inner, args)
            case core.Lambda():
                self._lambda(function)
            case core.Global():
                return self._definition(function, args)
            case core.Transform():
                self._transform(function, [arg for arg in args if arg is not None])
            case core.Local(id=id) if not isinstance(self.functions.get(id, function), core.Local | core.Lambda):
                return self._called(self.functions[id], args)
            case _:
                self.of(function)
        return False

    def _apply(self, node: core.Apply) -> bool:
        given = [arg for arg in node.args if arg is not None]
        ordered = sorted(given, key=lambda arg: isinstance(arg.type, ty.FunctionType))  # these run behind the others
        mentions = [self.of(arg) for arg in ordered]
        if any(mentions) and not isinstance(node.function, core.Global):
            self.needs(node.span, "this call")
        return self._called(node.function, node.args)

    def _function_value(self, function: core.Expr) -> None:
        """A function that is given arrays of such sizes where it is called: nothing else is known of its arguments."""
        match function:
            case core.Specialise(function=inner) | core.Transform(function=inner):
                self._function_value(inner)
            case core.Local(id=id) if id in self.functions and not isinstance(self.functions[id], core.Lambda):
                self._function_value(self.functions[id])
            case core.Global():
                callee = self.program.checked(function.module, function.name)
                if callee is not None:
                    self._definition_value(function, frozenset([*callee.signature.sizes, *callee.signature.shapes]))
            case _:
                self.of(function)

    def _definition_value(self, node: core.Global, marked: Marked) -> None:
        """A definition that is passed on."""
        callee = self.program.checked(node.module, node.name)
        if callee is None or not isinstance(node.type, ty.FunctionType):
            return
        if callee.signature.opens:
            size = callee.signature.opens[0]
            self.report(node.span, errors.sizes.decided_again, what=_PASSED, size=size, advice=_OUTSIDE)
        with self._within():
            self._enter(callee, marked, node.span)

    def _ragged_function(self, kind: Type) -> bool:
        """Return whether a type is that of a function of arrays, or to arrays, of such sizes."""
        if not isinstance(kind, ty.FunctionType):
            return False
        return any_leaf(kind.result, lambda leaf: self.ragged(leaf)) or any(map(self.ragged, kind.params))

    def _definition(self, node: core.Global, args: Sequence[core.Expr | None]) -> bool:
        callee = self.program.checked(node.module, node.name)
        if callee is None:
            return False
        signature = callee.signature
        marked = self._solved(signature, args)
        self._given_functions(signature, args, marked)
        if callee.signature.opens and self.region is not None:
            return False
        return self._enter(callee, marked, node.span)

    def _solved(self, signature: core.Signature, args: Sequence[core.Expr | None]) -> Marked:
        """The variables of a callee that stand for sizes that data decide."""
        instance = Instance.of(signature, Solver(self.program.fresh_id), Facts())
        found: set[SizeVar | ShapeVar] = set()
        for param, arg in zip(signature.params, args, strict=False):
            if arg is None:
                continue
            if param.static:
                found |= self._of_static(param, arg)
            else:
                instance.bind_type(param.type, arg.type)
        found |= {var for var, size in instance.sizes.items() if self.mentions(size)}
        found |= {var for var, shape in instance.shapes.items() if self.mentions(shape)}
        return frozenset(found)

    def _given_functions(self, signature: core.Signature, args: Sequence[core.Expr | None], marked: Marked) -> None:
        """Functions that a callee gives arrays of such sizes to."""
        before, self.marked = self.marked, marked
        taking = [self._ragged_function(param.type) for param in signature.params]
        self.marked = before
        for arg, takes in zip(args, taking, strict=False):
            if arg is not None and takes:
                self._function_value(arg)

    def _of_static(self, param: core.Parameter, arg: core.Expr) -> set[SizeVar | ShapeVar]:
        """Return the variables of a parameter that a static argument marks by mentioning such a size."""
        before = dict(self.found)
        mentions = self.of(arg)
        self.found = before
        if not mentions:
            return set()
        if param.size is None and param.shape is None:
            self.needs(arg.span, f"`{param.name}`")
        return {var for var in (param.size, param.shape) if var is not None}

    def _enter(self, callee: core.Function, marked: Marked, span: Span) -> bool:
        """Look at the body of a callee: what is found there is found at the call."""
        library = self.program.is_library(self.program.modules[callee.module])
        if not marked and not self.lifted and (library or self.region is None):
            return False
        before = self.place, self.known, self.static, self.functions, self.marked
        self.place = self.place or span
        found = self.definition(callee, marked)
        self.place, self.known, self.static, self.functions, self.marked = before
        return found

    def definition(self, callee: core.Function, marked: Marked) -> bool:
        """The body of a definition in which these variables are sizes that data decide."""
        key = callee.module, callee.name, marked, self.region, self.lifted, self.place
        if key in self.done:
            return self.done[key]
        self.done[key] = False
        params = callee.signature.params
        self.marked, self.known, self.functions = marked, frozenset(), {}
        self.static = {p.id for p in params if p.size in marked or p.shape in marked}
        found = self.done[key] = self.of(callee.body)
        return found


_WORDS: Mapping[type, str] = {
    core.Tuple: "a tuple of static values",
    core.Record: "a record of static values",
    core.Match: "`match`",
    core.CheckIndex: "an index",
}

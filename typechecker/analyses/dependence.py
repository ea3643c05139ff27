"""Certain dependence of values on the variables that a derivative or a map follows, through inner derivatives too.

Where a value depends on a leaf by which a derivative inside is taken, and on what is followed, the derivative depends
on the latter where both meet in a product or in a function that is not linear. So the function is followed once for
each leaf, with marks on what varies with it. Read next: `activity_marks`, `activity`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_

from dsl.core import core
from dsl.core.analysis.abstract_values import (
    Function,
    Items,
    Named,
    Scope,
    Value,
    combine_values,
    holds_function,
    map_marks,
    marks,
    part,
)
from dsl.core.analysis.interpret import Interpreter
from dsl.core.transformation import Kind, Mode, mode_of
from dsl.ir.slopes import SLOPES
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Type
from dsl.types.walk import is_product
from typechecker.analyses.activity_marks import (
    ACTIVE,
    MIXED,
    VARIED,
    curved,
    each_varied,
    is_active,
    is_certain,
    is_inexact,
    met,
    operator,
    product,
    slope_of,
    tangent_of,
    union,
    with_marks,
)
from typechecker.declarations.entities import Attribute
from typechecker.declarations.program_checker import ProgramChecker

LEAVES = 8
"""Of an argument, at most so many leaves are followed one by one."""


class Dependence(Interpreter):
    """Marks are those of `activity_marks`. While `sloping`, one leaf varies, for a derivative of that mode; while
    `muted`, nothing is certain to happen; `between` counts the derivatives that are taken between here and what is
    followed."""

    never = ACTIVE

    def __init__(self, program: ProgramChecker) -> None:
        super().__init__()
        self.program = program
        self.sloping: Mode | None = None
        self.muted = 0
        self.between = 0

    @property
    @abstractmethod
    def followed(self) -> bool:
        """Return whether there is a derivative or a map around."""

    @property
    @abstractmethod
    def maps(self) -> bool:
        """Return whether what is followed is a map, whose elements may differ in integers, too."""

    # ------------------------------------------------------------ marks

    def joined(self, values: Sequence[Value]) -> int:
        return reduce(or_, map(union, values), 0)

    def limited(self, mark: int, type_: Type, scope: Scope) -> int:
        if not mark or is_inexact(type_, scope):
            return mark
        return mark & ACTIVE if self.maps else 0

    def element(self, value: Value) -> Value:
        return met(value.parts) if isinstance(value, Items) else value

    def selected(self, by: Sequence[Value], value: Value) -> Value:
        """Elements of a map that select differently have different values."""
        differ = self.maps and any(map(is_active, by))
        if not differ or isinstance(value, Function):
            return value
        return map_marks(value, lambda mark: product(mark, ACTIVE))

    def binary(self, node: core.Binary, left: Value, right: Value) -> Value:
        if is_product(node.type):
            left, right = (value if isinstance(value, Items | Named) else union(value) for value in (left, right))
            left, right = _spread(left, right), _spread(right, left)
            return combine_values([left, right], lambda each: operator(node.op, *map(union, each)))
        mark = operator(node.op, union(left), union(right))
        return mark if node.op != "//" or self.maps else 0

    def scattered(self, node: core.Scatter, base: Value, value: Value) -> Value:
        joined = super().scattered(node, base, value)
        return joined if node.op in ("set", "add") else map_marks(joined, lambda mark: mark & ACTIVE)

    def through(self, node: core.Intrinsic, given: Sequence[int]) -> int:
        """The mark of what an intrinsic makes of its arguments."""
        mark = reduce(or_, given, 0)
        said = self.program.attributes(node.name)
        slope = SLOPES.get(node.name) or SLOPES.get(f"reduce_{node.name}")
        if Attribute.MULTILINEAR in said or (slope is not None and slope.multilinear):
            return reduce(product, given, 0)
        if Attribute.LINEAR in said or (slope is not None and slope.linear):
            return product(mark, ACTIVE) if self._selects(node, given) else mark
        is_curved = slope is not None and not slope.flat and Attribute.ZERO_DERIVATIVE not in said
        return curved(mark) if is_curved or Attribute.NONLINEAR in said else mark & ACTIVE

    def _selects(self, node: core.Intrinsic, given: Sequence[int]) -> bool:
        """Return whether an argument says which elements are taken, and differs."""
        return self.maps and any(m & ACTIVE and _is_discrete(a.type) for a, m in zip(node.args, given, strict=False))

    def linear_map(self, function: Function, node: core.TransformCall, args: Sequence[Value], at: core.Expr) -> Value:
        primals, inner = [self.of(e, function.scope) for e in node.args], self.of(node.function, function.scope)
        if node.kind is Kind.LINEARIZE:
            return self.tangent(inner, primals, args, node, node.instance)
        pulled = [is_certain(cotangent) for cotangent in args]
        return Items(
            tuple(
                [
                    self._slope_by(Mode.REVERSE, inner, primals, i, node, node.instance, *pulled)
                    for i in range(len(primals))
                ]
            )
        )

    # ------------------------------------------------------------ what derivatives inside give

    def slope(
        self,
        node: core.Transform,
        function: Value,
        args: Sequence[Value],
        chosen: Sequence[int],
        at: core.Expr,
        instance: int | None,
    ) -> Value:
        """A derivative by the chosen arguments; of second order nothing is known."""
        mode = mode_of(node.kind)
        if node.kind is Kind.HESSIAN or mode is None:
            return 0
        aux = has_aux(node)
        found = [self._slope_by(mode, function, args, place, at, instance, aux=aux) for place in chosen]
        several = isinstance(dict(node.options).get("argnums"), core.Tuple)
        return Items(tuple(found)) if several else found[0] if len(found) == 1 else 0

    def _slope_by(
        self,
        mode: Mode,
        function: Value,
        args: Sequence[Value],
        place: int,
        at: core.Expr,
        instance: int | None,
        pulled: bool = False,
        aux: bool = False,
    ) -> Value:
        """The derivative by one argument, or what it pulls back of a cotangent that is active."""
        found = [part(value, 0) if aux else value for value in self._varied(mode, function, args, place, at, instance)]
        by_leaf = [union(tangent_of(value, pulled)) if pulled else slope_of(value) for value in found]
        return with_marks(args[place], by_leaf) if found else 0

    def tangent(
        self, function: Value, primals: Sequence[Value], given: Sequence[Value], at: core.Expr, instance: int | None
    ) -> Value:
        """Return the tangent that a derivative pushes forward."""
        found: list[Value] = []
        for place, (primal, pushed) in enumerate(zip(primals, given, strict=False)):
            values, leaves = self._varied(Mode.FORWARD, function, primals, place, at, instance), marks(pushed)
            if len(leaves) == len(marks(primal)):
                found += [tangent_of(value, leaf) for value, leaf in zip(values, leaves, strict=False)]
        return self.join(found) if found else 0

    def _varied(
        self, mode: Mode, function: Value, args: Sequence[Value], place: int, at: core.Expr, instance: int | None
    ) -> list[Value]:
        """Return the results of a function with one varying leaf of an argument at a time; nothing if there are many
        leaves, or if another derivative is followed this way."""
        if not self.followed or self.sloping or holds_function(args[place]) or len(marks(args[place])) > LEAVES:
            return []
        self.sloping, self.muted, self.between = mode, self.muted + 1, self.between + 1
        with self.aside():
            each = [[*args[:place], varied, *args[place + 1 :]] for varied in each_varied(args[place])]
            found = [self.apply(function, given, at, instance) for given in each]
        self.sloping, self.muted, self.between = None, self.muted - 1, self.between - 1
        return found

    def by_rule(self, node: core.Transform, scope: Scope, args: Sequence[Value], at: core.Expr, value: Value) -> Value:
        """The value of a function with a rule of its own, which says how it varies."""
        places = counted(self.program, node, len(args))
        still = [map_marks(args[i], lambda mark: mark & ACTIVE) for i in places]
        if not self.sloping or still == [args[i] for i in places]:
            return value
        moved = [map_marks(args[i], lambda mark: mark & VARIED) for i in places]
        statics = [arg for i, arg in enumerate(args) if i not in places]
        rules = {name: self.of(rule, scope) for name, rule in node.options}
        if node.kind is Kind.CUSTOM_JVP:
            made = union(part(self.apply(rules["rule"], [Items(tuple(still)), Items(tuple(moved)), *statics], at), 1))
        else:
            kept = part(self.apply(rules["fwd"], [*still, *statics], at), 1)
            mode, self.sloping = self.sloping, Mode.FORWARD
            pulled = self.apply(rules["bwd"], [kept, VARIED, *statics], at)
            self.sloping = mode
            made = reduce(or_, [union(part(pulled, i)) for i, arg in enumerate(moved) if union(arg)], 0)
        return union(value) & ACTIVE | curved(made) & (VARIED | MIXED)


def counted(program: ProgramChecker, node: core.Transform, count: int) -> list[int]:
    """The places of the arguments that are neither static nor functions."""
    params = parameters(program, node.function)
    return list(range(count)) if params is None else [i for i, p in enumerate(params) if p.counts]


def parameters(program: ProgramChecker, function: core.Expr) -> Sequence[core.Parameter] | None:
    """The parameters of the definition that is transformed; None for a lambda."""
    while isinstance(function, core.Transform | core.Specialise):
        function = function.function
    found = program.checked(function.module, function.name) if isinstance(function, core.Global) else None
    return None if found is None else found.signature.params


def marks_of_arguments(
    program: ProgramChecker,
    node: core.Transform,
    option: core.Expr | None,
    count: int,
    mark: Callable[[core.Expr], Value],
) -> list[Value]:
    """The marks of arguments, of which an option says something for all, or for each that counts."""
    places = counted(program, node, count)
    marked: list[Value] = [False] * count
    for entry, place in enumerate(places[:count]):
        one = option.items[entry] if isinstance(option, core.Tuple) and entry < len(option.items) else option
        marked[place] = True if one is None else mark(one)
    return marked


def chosen_arguments(program: ProgramChecker, node: core.Transform, count: int) -> list[int]:
    """The places of the arguments that a derivative is taken by; none where they are not known."""
    params, places = parameters(program, node.function), counted(program, node, count)
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


def _is_discrete(kind: Type) -> bool:
    """Return whether an argument is an array of bools or integers."""
    array = isinstance(kind, ty.ArrayType) and isinstance(kind.dtype, DType) and not kind.dtype.is_inexact
    return array or isinstance(kind, ty.IndexType)


def _spread(value: Value, over: Value) -> Value:
    """The mark of a number for every part of what it meets."""
    return map_marks(over, lambda _: value) if isinstance(value, int) else value


def has_aux(node: core.Transform) -> bool:
    aux = dict(node.options).get("has_aux")
    return isinstance(aux, core.Const) and aux.value is True

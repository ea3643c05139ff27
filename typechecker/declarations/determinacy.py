"""Which variables of a signature the arguments determine: each must be found by comparing types at a call.

A size is found where it stands alone, or in an expression with all other sizes known; in the result of a function, if
all that its parameters mention is found; sizes in bounds of indices are taken from Python by name. Sizes that data
decide, `?k`, are opened by the result, and bounded by conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct, field

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import Axis, Cell, Row, Site
from dsl.types.facts import Facts, Prop
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Element, Type, TypeVar
from dsl.types.walk import shapes_in, subtypes
from typechecker import errors
from typechecker.declarations.entities import Definition, Topic
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.relations.numeric_literals import as_array
from typechecker.types.data_sizes import bound_by, variables_of
from typechecker.types.instance import HERE, Instance, without_functions
from typechecker.types.predicates import is_reported


class Variables(Struct, eq=False):
    """The variables of a signature, as they are met."""

    sizes: list[SizeVar] = field(default_factory=list)
    shapes: list[ShapeVar] = field(default_factory=list)
    dtypes: list[DTypeVar] = field(default_factory=list)
    types: list[TypeVar] = field(default_factory=list)

    def all(self) -> Sequence[core.Variable]:
        return (*self.sizes, *self.shapes, *self.dtypes, *self.types)


# ---------------------------------------------------------------- determination


def check_determined(
    ctx: Context,
    info: Definition,
    params: tuple[core.Parameter, ...],
    variables: Variables,
    effects: Row,
) -> tuple[tuple[SizeVar, ...], tuple[core.Variable, ...]]:
    """Report size variables that no argument determines; return those given by name from Python alone, and those of
    all kinds that cannot be read off the data among the arguments."""
    node = info.node
    if any(is_reported(param.type) for param in params):
        info.broken = True
        return (), ()
    itself = _Itself.of(ctx, variables, params)
    itself.take_data(ctx, params, effects)
    for param in params:
        if any(map(itself.leaves_open, shapes_in(param.type))):
            written = next((p.type for p in node.params if p.name.name == param.name), None)
            ctx.report(errors.calls.several_shapes(param.span if written is None else written.span, name=param.name))
            info.broken = True
    if info.broken:
        return (), ()
    hidden = tuple([var for var in variables.all() if not itself.is_found(var)])
    itself.take_from_functions(params, effects)
    known = list(filter(itself.is_found, variables.all()))
    itself.take([param.type for param in params])
    lost = [var for var in variables.sizes if not itself.is_found(var)]
    if lost:
        names = [var.name for var in lost]
        clash = next((p for p in params if p.name == names[0] and not p.static), None)
        place = _place_of(ctx, names[0], node)
        if clash is None or not isinstance(clash.type, ty.StaticType):
            ctx.report(
                errors.calls.undetermined(ctx, names, place, node.name.name, None if clash is None else clash.span)
            )
        info.undetermined = {var: Size.of(ctx.program.error_size()) for var in lost}
        info.broken = any(not _mentioned(f.params).isdisjoint(lost) for f in _functions(params))
    integers = {param.name: param.span for param in params if _is_run_time_integer(param)}
    for var in variables.sizes:
        if var.name in integers and var not in lost:
            ctx.report(errors.sizes.parameter_as_size(integers[var.name], name=var.name))
    for other in [var for var in variables.all() if var not in known and not isinstance(var, SizeVar)]:
        ctx.report(_missing(ctx, node, other, _place_of(ctx, other.name, node)))
        info.broken = True
    return tuple([var for var in variables.sizes if var not in known and var not in lost]), hidden


def _is_run_time_integer(param: core.Parameter) -> bool:
    """Return whether a parameter could be a size if it were static."""
    match param.type:
        case ty.ArrayType(dtype=dt.DType(is_integer=True), shape=Shape(dims=())):
            return not param.static
        case _:
            return False


def _missing(ctx: Context, node: ast.Def, variable: core.Variable, place: Span) -> Diagnostic:
    match variable:
        case TypeVar(name=name):
            return errors.calls.undetermined_type(place, name=name)
        case DTypeVar(name=name):
            return errors.calls.undetermined_dtype(place, name=name)
        case ShapeVar(name=name):
            return errors.calls.undetermined(ctx, [f"*{name}"], place, node.name.name)
        case SizeVar(name=name):
            return errors.calls.undetermined(ctx, [name], place, node.name.name)
        case _:
            assert_never(variable)


class _Itself(Struct, eq=False):
    """A signature matched with itself, with one axis in the place of each shape: what this solves, every call finds."""

    instance: Instance
    one_axis: Instance

    @staticmethod
    def of(ctx: Context, variables: Variables, params: Iterable[core.Parameter]) -> _Itself:
        solver, static = ctx.body.solver, [b.shape for p in params for b in p.binders() if b.shape is not None]
        axes = {var: Shape((Size.of(SizeVar(ctx.fresh_id(), var.name)),)) for var in (*variables.shapes, *static)}
        dtypes: dict[DTypeVar, Element] = {var: solver.fresh(var.allowed, None, var.name) for var in variables.dtypes}
        known, sizes, shapes = (
            {var: axes[var] for var in static},
            frozenset(variables.sizes),
            frozenset(variables.shapes),
        )
        opened = Instance(solver, Facts(), dtypes, shapes=known, open_sizes=sizes, open_shapes=shapes)
        return _Itself(opened, Instance(solver, Facts(), shapes=axes))

    def take(self, kinds: Iterable[Type]) -> None:
        """Match types, but for the functions in them."""
        for kind in kinds:
            self.instance.bind_type(without_functions(kind, ty.ERROR), self.one_axis.type(kind))

    def take_data(self, ctx: Context, params: Iterable[core.Parameter], effects: Row) -> None:
        """Match the types of data as Python gives them, which has no indices, and the axes around a call."""
        for param in params:
            given = as_array(ctx, self.one_axis.type(param.type))
            self.instance.bind_type(without_functions(param.type, ty.ERROR), given)
        for size in [effect.size for effect in effects if isinstance(effect, Axis) and effect.size is not None]:
            self.instance.equate(size, size, HERE)
        self.instance.settle()

    def take_from_functions(self, params: Iterable[core.Parameter], effects: Row) -> None:
        """Behind the data: cells, then the results of functions whose parameters are known."""
        self.take([effect.type for effect in effects if isinstance(effect, Cell)])
        waiting = _functions(params)
        self.take([effect.type for each in waiting for effect in each.effects if isinstance(effect, Site)])
        while ready := [each for each in waiting if all(map(self.is_found, _mentioned(each.params)))]:
            waiting = [each for each in waiting if each not in ready]
            self.take([each.result for each in ready])

    def is_found(self, variable: core.Variable) -> bool:
        """Return whether a variable is found by now."""
        match variable:
            case SizeVar() | ShapeVar():
                return self.instance.meaning(variable) is not None
            case DTypeVar():
                return self.instance.solver.element(self.instance.element(variable)) == variable
            case TypeVar():
                return variable in self.instance.types
            case _:
                assert_never(variable)

    def leaves_open(self, shape: Shape) -> bool:
        """Return whether several variables of a shape are not found: where one ends would not be known."""
        found = [dim.of for dim in shape.dims if isinstance(dim, Splice) and isinstance(dim.of, ShapeVar)]
        return sum(not self.is_found(variable) for variable in found) > 1


def _functions(params: Iterable[core.Parameter]) -> list[ty.FunctionType]:
    return [part for param in params for part in subtypes(param.type) if isinstance(part, ty.FunctionType)]


def _mentioned(kinds: Iterable[Type]) -> set[core.Variable]:
    """The variables that types mention, functions included."""
    parts = [part for kind in kinds for part in subtypes(kind, functions=True)]
    shapes = [shape for kind in kinds for shape in shapes_in(kind, functions=True)]
    dtypes = [part.dtype for part in parts if isinstance(part, ty.ArrayType)]
    found: set[core.Variable] = {part for part in parts if isinstance(part, TypeVar)}
    found.update(dtype for dtype in dtypes if isinstance(dtype, DTypeVar) and dtype.of is None)
    found.update(var for shape in shapes for var in shape.vars())
    found.update(var for shape in shapes for var in shape.shape_vars())
    return found


def _place_of(ctx: Context, name: str, node: ast.Def) -> Span:
    binding = ctx.scope.names.get(name)
    return binding.span if binding is not None and binding.span is not None else node.span


# ---------------------------------------------------------------- sizes that data decide

Stated: TypeAlias = tuple[tuple[Prop, str | None], ...]
"""Conditions, each with the message for calls that do not meet it."""


def apart(conditions: Stated) -> tuple[Stated, tuple[Prop, ...]]:
    """The conditions that callers meet, and those of sizes that data decide, which the result meets."""
    promises = tuple([prop for prop, _ in conditions if any(var.traced for var in variables_of(prop))])
    return tuple([each for each in conditions if each[0] not in promises]), promises


def opened_by(
    ctx: Context,
    node: ast.Def,
    result: Type,
    variables: Variables,
    promises: Sequence[Prop],
) -> tuple[SizeVar, ...]:
    """Take the sizes that the result opens out of the variables of a signature, and of the scope of its body. Each is a
    size of an axis, alone, and has a bound."""
    opened = [var for var in variables.sizes if var.traced]
    for var in opened:
        variables.sizes.remove(var)
        del ctx.scope.names[var.name]
        place = next(_mentions(node, var.name))
        if not any(Size.of(var) in shape.dims for shape in shapes_in(result)):
            ctx.report(errors.sizes.not_an_axis(place, name=var.name))
        elif not any(bound is not None for bound in (bound_by(prop, var) for prop in promises)):
            ctx.report(errors.sizes.without_bound(place, name=var.name))
    return tuple(opened)


def _mentions(node: ast.Def, name: str) -> Iterator[Span]:
    whole = [*(p.type for p in node.params), node.result, *(stated.condition for stated in node.where)]
    yield from (each.span for each in nodes(whole) if isinstance(each, ast.Name) and each.name == name)
    yield node.span


def decides_sizes(program: ProgramChecker) -> bool:
    """Return whether some module of a program leaves sizes to data."""
    return any(Topic.DATA_SIZES in module.topics for module in program.modules.values())

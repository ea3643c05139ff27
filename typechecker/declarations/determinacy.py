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
from dsl.types.facts import Prop
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import DTypeVar, Type, TypeVar
from dsl.types.walk import shapes_in, subtypes
from typechecker import errors
from typechecker.declarations.entities import Definition, Topic
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.types.data_sizes import bound_by, variables_of
from typechecker.types.predicates import holds_error


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
    if any(map(_erroneous, params)):
        info.broken = True
        return (), ()
    found = _told_by_data(params, effects)
    hidden = tuple([var for var in variables.all() if var not in found.variables])
    found.take_from_functions(params, effects)
    known = found.variables
    indexed = set(known)
    _close(indexed, [part.bound for p in params for part in subtypes(p.type) if isinstance(part, ty.IndexType)])
    lost = [var for var in variables.sizes if var not in indexed]
    if lost:
        names = [var.name for var in lost]
        clash = next((p for p in params if p.name == names[0] and not p.static), None)
        place = _place_of(ctx, names[0], node)
        if clash is None or not isinstance(clash.type, ty.StaticType):
            ctx.report(
                errors.calls.undetermined(ctx, names, place, node.name.name, None if clash is None else clash.span)
            )
        info.undetermined = {var: Size.of(ctx.program.error_size()) for var in lost}
        info.broken = any(not _sizes_in(f.params).isdisjoint(lost) for f in _functions(params))
    integers = {param.name: param.span for param in params if _is_run_time_integer(param)}
    for var in variables.sizes:
        if var.name in integers and var not in lost:
            ctx.report(errors.sizes.parameter_as_size(integers[var.name], name=var.name))
    for other in [var for var in variables.all() if var not in known and not isinstance(var, SizeVar)]:
        ctx.report(_missing(ctx, node, other, _place_of(ctx, other.name, node)))
        info.broken = True
    alone = _determined_shapes(params)
    for param in params:
        if any(_unknown_shapes(s, alone) > 1 for s in shapes_in(param.type)):
            written = next((p.type for p in node.params if p.name.name == param.name), None)
            ctx.report(errors.calls.several_shapes(param.span if written is None else written.span, name=param.name))
            info.broken = True
    return tuple(v for v in variables.sizes if v in indexed and v not in known), hidden


def _erroneous(param: core.Parameter) -> bool:
    return holds_error(param.type) or any(has_gap(shape, Gap.REPORTED) for shape in shapes_in(param.type))


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


class _Found(Struct, eq=False):
    """The variables that a call finds by comparing types."""

    variables: set[core.Variable]

    def take(self, kinds: Iterable[Type], more: Iterable[Size] = ()) -> None:
        """Find what types mention outside of functions: of a shape that is computed no size tells from what."""
        kinds = list(kinds)
        shapes = [shape for kind in kinds for shape in shapes_in(kind)]
        self.variables |= {var for shape in shapes for var in _variables_of(shape)}
        self.variables |= {var for kind in kinds for var in _generics_in(kind)}
        _close(self.variables, [*more, *(dim for shape in shapes for dim in shape.dims if isinstance(dim, Size))])

    def take_from_functions(self, params: Iterable[core.Parameter], effects: Row) -> None:
        """Behind the data: cells, then the results of functions whose parameters are known."""
        self.take([effect.type for effect in effects.effects if isinstance(effect, Cell)])
        waiting = _functions(params)
        rows = (effect for function in waiting for effect in function.effects.effects)
        self.take([effect.type for effect in rows if isinstance(effect, Site)])
        while ready := [function for function in waiting if self.knows(function.params)]:
            waiting = [function for function in waiting if function not in ready]
            self.take([function.result for function in ready])

    def knows(self, kinds: Sequence[Type]) -> bool:
        """Return whether all that types mention, functions included, is found."""
        shapes = {var for kind in kinds for shape in shapes_in(kind, functions=True) for var in shape.shape_vars()}
        generics = {var for kind in kinds for var in _generics_in(kind, functions=True)}
        return shapes | generics | _sizes_in(kinds) <= self.variables


def _told_by_data(params: tuple[core.Parameter, ...], effects: Row) -> _Found:
    """Return the variables determined by static arguments, arrays and surrounding axes."""
    binders = [binder for param in params for binder in param.binders()]
    found = _Found({var for b in binders for var in (b.size, b.shape, b.dtype) if var is not None})
    axes = [e.size for e in effects.effects if isinstance(e, Axis) and e.size is not None]
    found.take([param.type for param in params], axes)
    return found


def _functions(params: Iterable[core.Parameter]) -> list[ty.FunctionType]:
    return [part for param in params for part in subtypes(param.type) if isinstance(part, ty.FunctionType)]


def _generics_in(kind: Type, functions: bool = False) -> Iterator[DTypeVar | TypeVar]:
    """The dtypes and the types that stand for others."""
    for part in subtypes(kind, functions=functions):
        if isinstance(part, ty.ArrayType) and isinstance(part.dtype, DTypeVar):
            yield part.dtype
        elif isinstance(part, TypeVar):
            yield part


def _sizes_in(kinds: Iterable[Type]) -> set[core.Variable]:
    """The sizes that have to be known before a function with these parameters is looked at."""
    return {var for kind in kinds for shape in shapes_in(kind, functions=True) for var in shape.vars()}


def _determined_shapes(params: tuple[core.Parameter, ...]) -> set[ShapeVar]:
    """Shape variables that stand alone in some shape, or beside such as are determined."""
    found = {b.shape for p in params for b in p.binders() if b.shape is not None}
    waiting = [shape for param in params for shape in shapes_in(param.type)]
    while solved := [shape for shape in waiting if _unknown_shapes(shape, found) == 1]:
        for shape in solved:
            found.update(_variables_of(shape))
    return found


def _unknown_shapes(shape: Shape, found: set[ShapeVar]) -> int:
    """How many variables of a shape are not determined: with two, where one ends would not be known."""
    return sum(variable not in found for variable in _variables_of(shape))


def _variables_of(shape: Shape) -> list[ShapeVar]:
    return [d.of for d in shape.dims if isinstance(d, Splice) and isinstance(d.of, ShapeVar)]


def _place_of(ctx: Context, name: str, node: ast.Def) -> Span:
    binding = ctx.scope.names.get(name)
    return binding.span if binding is not None and binding.span is not None else node.span


def _close(known: set[core.Variable], dims: list[Size]) -> None:
    changed = True
    while changed:
        changed = False
        for dim in dims:
            unknown = [v for v in dim.vars() if v not in known]
            if len(unknown) == 1:
                split = dim.linear_in(unknown[0])
                if split is not None and split[0].terms:
                    known.add(unknown[0])
                    changed = True


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

"""Sizes of a signature that data decide, `?k`: those that a result opens, and what bounds them.

Read next: `signatures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types.facts import Eq, Le, Lt, Prop, atoms_of
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import shapes_in
from typechecker.declarations.determinacy import Variables
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.errors import data_sizes as data_errors

DATA = "?"
"""What the name of a size that data decide begins with."""


def variables_of(prop: Prop) -> frozenset[SizeVar]:
    """The size variables that a condition mentions."""
    return frozenset([var for atom in atoms_of(prop) for var in Size.of(atom).vars()])


def traced_in(shape: Shape) -> frozenset[SizeVar]:
    """The sizes that data decide in a shape."""
    return frozenset([var for var in shape.vars() if var.traced])


def opened_in(type_: Type) -> tuple[SizeVar, ...]:
    """The sizes that data decide in a type, in order; those of functions in it are not of its value."""
    found = (var for shape in shapes_in(type_) for var in sorted(traced_in(shape), key=lambda var: var.id))
    return tuple(dict.fromkeys(found))


def opened_by(
    ctx: Context,
    node: ast.Def,
    params: Sequence[core.Parameter],
    result: Type,
    variables: Variables,
    promises: Sequence[Prop],
) -> tuple[SizeVar, ...]:
    """Take the sizes that the result opens out of the variables of a signature, and of the scope of its body. Each is a
    size of an axis, alone, and has a bound; parameters have none."""
    opened = [var for var in variables.sizes if var.traced]
    for var in opened:
        variables.sizes.remove(var)
        del ctx.scope.names[var.name]
        place = _place(node, var.name)
        if any(var in traced_in(shape) for param in params for shape in shapes_in(param.type, functions=True)):
            ctx.report(data_errors.of_parameter(_in_parameters(node, var.name), name=var.name))
        elif not any(Size.of(var) in (shape.sizes or ()) for shape in shapes_in(result)):
            ctx.report(data_errors.not_an_axis(place, name=var.name))
        elif not any(bound is not None for bound in (bound_by(prop, var) for prop in promises)):
            ctx.report(data_errors.without_bound(place, name=var.name))
    return tuple(opened)


def bound_by(prop: Prop, var: SizeVar) -> Size | None:
    """The size of other variables that one is at most, if a condition says so."""
    match prop:
        case Le(left, right):
            rest = right - left
        case Lt(left, right):
            rest = right - left - 1
        case Eq(left, right):
            rest = right - left if Size.of(var) == left else left - right
        case _:
            return None
    bound = rest + Size.of(var)
    return None if any(each.traced for each in bound.vars()) else bound


def _place(node: ast.Def, name: str) -> Span:
    return next(_mentions(node, name))


def _in_parameters(node: ast.Def, name: str) -> Span:
    found = (each.span for each in nodes([p.type for p in node.params]) if isinstance(each, ast.Name))
    return next((span for span in found if span.text.replace(" ", "") == name), node.span)


def _mentions(node: ast.Def, name: str) -> Iterator[Span]:
    whole = [*(p.type for p in node.params), node.result, *(stated.condition for stated in node.where)]
    yield from (each.span for each in nodes(whole) if isinstance(each, ast.Name) and each.name == name)
    yield node.span


def decides_sizes(program: ProgramChecker) -> bool:
    """Whether some module of a program leaves sizes to data."""
    return any(module.decides for module in program.modules.values())

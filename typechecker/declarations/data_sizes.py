"""Sizes of a signature that data decide, `?k`: those that a result opens, and what bounds them.

Read next: `signatures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types.facts import Prop
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import shapes_in
from typechecker.declarations.determinacy import Variables
from typechecker.declarations.entities import Topic
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.context import Context
from typechecker.errors import sizes as size_errors
from typechecker.types.data_sizes import bound_by, variables_of

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
        place = _place(node, var.name)
        if not any(Size.of(var) in shape.dims for shape in shapes_in(result)):
            ctx.report(size_errors.not_an_axis(place, name=var.name))
        elif not any(bound is not None for bound in (bound_by(prop, var) for prop in promises)):
            ctx.report(size_errors.without_bound(place, name=var.name))
    return tuple(opened)


def _place(node: ast.Def, name: str) -> Span:
    return next(_mentions(node, name))


def _mentions(node: ast.Def, name: str) -> Iterator[Span]:
    whole = [*(p.type for p in node.params), node.result, *(stated.condition for stated in node.where)]
    yield from (each.span for each in nodes(whole) if isinstance(each, ast.Name) and each.name == name)
    yield node.span


def decides_sizes(program: ProgramChecker) -> bool:
    """Return whether some module of a program leaves sizes to data."""
    return any(Topic.DATA_SIZES in module.topics for module in program.modules.values())

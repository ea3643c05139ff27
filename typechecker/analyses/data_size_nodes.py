"""The kinds of expressions that the walk over sizes that data decide distinguishes. Read next: `data_sizes`."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.walk import children
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import shapes_in, subtypes


def is_static(kind: Type) -> bool:
    """Return whether values are known before a run, but for sizes that data decide."""
    return all(isinstance(part, ty.StaticType | ty.TupleType) for part in subtypes(kind))


def are_alike(one: core.Expr, other: core.Expr) -> bool:
    """Return whether values of a run have the same shapes; a static number has any."""
    kinds = [part for each in (one, other) for part in subtypes(each.type)]
    shapes = [list(shapes_in(each.type)) for each in (one, other)]
    alike = shapes[0] == shapes[1] or is_static(one.type)
    return alike and not any(isinstance(kind, ty.FunctionType) for kind in kinds)


def are_numbers(*nodes: core.Expr) -> bool:
    """Return whether all are static integers."""
    return all(node.type in (ty.INT, ty.SIZE) for node in nodes)


def is_whole(item: core.Item) -> bool:
    """Return whether an item takes all of an axis."""
    return isinstance(item, core.Range) and item.start is None and item.stop is None and item.step is None


def is_source(node: core.Expr, body: core.Expr) -> bool:
    """Return whether an expression is that of a source, which is looked at apart."""
    clauses: Sequence[core.Clause] = ()
    if isinstance(node, core.Comprehension):
        clauses = node.clauses
    return any(body is child for clause in clauses for child in children(clause))

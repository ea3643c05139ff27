"""Which sizes data decide where a definition is looked at, what is found there, and the kinds of expressions that the
walk distinguishes. Read next: `data_sizes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import shapes_in, subtypes
from typechecker import errors
from typechecker.errors.templates import Template

Marked: TypeAlias = frozenset[SizeVar | ShapeVar]
"""The variables of a definition that stand for sizes that data decide."""

_WHOLE = "keep all elements and a mask, or select them by `compress`, whose size is known"


class Marks:
    """`marked` are variables of the definition that is looked at which stand for sizes that data decide, `known` the
    sizes that are decided here; what is found in a callee is found at the `place` of the call."""

    def __init__(self) -> None:
        self.found: dict[Span, Diagnostic] = {}
        self.place: Span | None = None
        self.marked: Marked = frozenset()
        self.known: frozenset[SizeVar] = frozenset()

    @property
    def first(self) -> Sequence[Diagnostic]:
        """Return the first finding; the rest may follow from it."""
        return list(self.found.values())[:1]

    # ------------------------------------------------------------ sizes

    def mentions(self, of: Size | Shape) -> bool:
        """Return whether a size, or a shape, is or has one that data decide."""
        shapes = of.shape_vars() if isinstance(of, Shape) else frozenset()
        return any(var.traced or var in self.marked for var in of.vars()) or not self.marked.isdisjoint(shapes)

    def ragged(self, type_: Type) -> bool:
        """Return whether values of a type have axes of such a size."""
        return any(map(self.mentions, shapes_in(type_)))

    def is_of_data(self, node: core.Expr, of: Size | Shape) -> bool:
        """Return whether a static value mentions such a size; it is one that is decided here."""
        self.check_known(node, of)
        return self.mentions(of)

    def check_known(self, node: core.Expr, of: Size | Shape) -> None:
        for var in sorted(of.vars(), key=lambda var: var.id):
            if var.traced and var not in self.known and var not in self.marked:
                self.report(node.span, errors.sizes.leaves_place, size=var)

    def check_type(self, node: core.Expr) -> None:
        """Demand that the sizes in a type are decided here."""
        for shape in shapes_in(node.type):
            self.check_known(node, shape)

    # ------------------------------------------------------------ reports

    def report(self, span: Span, error: Template, **values: Any) -> None:
        place = self.place or span
        self.found.setdefault(place, error(place, **values))

    def needs(self, span: Span, what: str) -> None:
        self.report(span, errors.sizes.needs_size, what=what, advice=_WHOLE)


# ---------------------------------------------------------------- kinds of expressions


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

"""Shape functions as the language calls them in result types: `*reduced(s, axis, keepdims)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls.arguments import bound
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.conditional_sizes import truth
from typechecker.env.context import Context
from typechecker.env.static_values import static_argument
from typechecker.env.values import Term, error_term
from typechecker.errors import shapes as shape_errors
from typechecker.relations.coercion import Why, fit
from typechecker.relations.shapes import demand_axis

Rule: TypeAlias = Callable[..., "Shape | ShapeFailure"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function on shapes takes: names with types; the last `optional` of them may be left out."""

    kinds: Mapping[str, Type]
    optional: int = 0


_SHAPE: Mapping[str, Type] = MappingProxyType({"s": ty.SHAPE})
_AXES: Mapping[str, Type] = MappingProxyType({"s": ty.SHAPE, "axis": ty.AXES})


def _broadcasted(facts: Facts, left: Shape, right: Shape) -> Shape:
    return shapefn.broadcasted_call(left, right)


_FUNCTIONS: Mapping[str, tuple[Rule, Parameters]] = MappingProxyType(
    {
        "reduced": (shapefn.reduced, Parameters({**_AXES, "keepdims": ty.BOOLEAN})),
        "removed": (shapefn.removed, Parameters(_AXES)),
        "inserted": (shapefn.inserted, Parameters({**_AXES, "size": ty.SIZE}, optional=1)),
        "permuted": (shapefn.permuted, Parameters({**_SHAPE, "axes": ty.AXES})),
        "transposed": (shapefn.transposed, Parameters(_SHAPE)),
        "replaced": (shapefn.replaced, Parameters({**_AXES, "size": ty.SIZE})),
        "swapped": (shapefn.swapped, Parameters({**_SHAPE, "axis1": ty.INT, "axis2": ty.INT})),
        "broadcasted": (_broadcasted, Parameters({**_SHAPE, "t": ty.SHAPE})),
    }
)


def _arguments(ctx: Context, name: str, wanted: Parameters, args: list[Arg], span: Span) -> list[StaticArg] | None:
    """The arguments of a call, as far as they are known; None after a report."""
    chosen = bound(ctx, name, args, list(wanted.kinds), len(wanted.kinds) - wanted.optional, span, keyword=())
    if chosen is None:
        return None
    given: list[StaticArg] = []
    for parameter, kind in wanted.kinds.items():
        if parameter not in chosen:
            continue
        arg = chosen[parameter]
        known = fit(ctx, ctx.typed(arg.value, kind), kind, Why("argument", parameter, name), arg.span).known
        if kind == ty.SHAPE and not isinstance(known, Shape):
            return None
        if kind == ty.SIZE and isinstance(known, Size):
            given.append(known)
        else:
            given.append(static_argument(known, ctx.fresh_id))
    return given


def _rule(name: str) -> SpecialRule:
    function, wanted = _FUNCTIONS[name]

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        given = _arguments(ctx, name, wanted, args, span)
        if given is None:
            return error_term(span)
        shape = function(ctx.facts, *given)
        if isinstance(shape, ShapeFailure):
            ctx.report(shape_errors.shapes_fail(ctx, shape, shape_errors.Several(name, ()), span))
            return error_term(span)
        return Term(core.ShapeOf(span, ty.SHAPE, shape), ty.SHAPE, shape)

    return rule


def extent(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`extent(s, axis)`: the size of an axis, or of all together for none."""
    given = _arguments(ctx, "extent", Parameters(_AXES), args, span)
    if given is None:
        return error_term(span)
    shape, axis = given
    assert isinstance(shape, Shape)
    demand_axis(ctx, shape, axis, shape_errors.Several("extent", ()), span)
    size = shapefn.extent(shape, axis)
    return Term(core.SizeOf(span, ty.INT, size), ty.INT, size)


def has_axis(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`has_axis(s, axis)`: whether a shape has an axis, or each of several."""
    given = _arguments(ctx, "has_axis", Parameters(_AXES), args, span)
    if given is None:
        return error_term(span)
    shape, axis = given
    assert isinstance(shape, Shape)
    known = shapefn.has_axis(shape, axis)
    holds = core.SizeOf(span, ty.INT, truth(known))
    return Term(core.Binary(span, ty.BOOLEAN, "==", holds, core.Const(span, ty.INT, 1)), ty.BOOLEAN, known)


def table() -> Mapping[str, SpecialRule]:
    return {name: _rule(name) for name in _FUNCTIONS} | {"extent": extent, "has_axis": has_axis}

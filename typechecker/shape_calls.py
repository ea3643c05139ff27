"""Shape functions as the language calls them in result types: `*reduced(s, axis, keepdims)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import Formed, ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors, shapes
from typechecker.applied import Arg
from typechecker.axes import AXES
from typechecker.context import Context
from typechecker.instance import static_argument
from typechecker.program import SpecialRule
from typechecker.values import Known, Term, error_term

ShapeRule = Callable[..., "Shape | Formed | ShapeFailure"]


def _broadcasted(facts: Facts, left: Shape, right: Shape) -> Shape:
    return shapefn.broadcasted_call(left, right)


_FUNCTIONS: Mapping[str, ShapeRule] = MappingProxyType(
    {
        "reduced": shapefn.reduced,
        "removed": shapefn.removed,
        "inserted": shapefn.inserted,
        "permuted": shapefn.permuted,
        "transposed": shapefn.transposed,
        "replaced": shapefn.replaced,
        "broadcasted": _broadcasted,
        **AXES,
    }
)


def _argument(ctx: Context, known: Known | None) -> StaticArg:
    return static_argument(known, ctx.fresh_id)


def _rule(name: str) -> SpecialRule:
    function = _FUNCTIONS[name]

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        terms = [ctx.infer(a.value, ty.SHAPE if i == 0 else None) for i, a in enumerate(args)]
        if any(t.type == ty.ERROR for t in terms):
            return error_term(span)
        if not terms or not isinstance(terms[0].known, Shape):
            ctx.report(
                errors.not_a_shape(terms[0], span) if terms else errors.missing_arguments(name, ["a shape"], span)
            )
            return error_term(span)
        given = [_argument(ctx, t.known) for t in terms]
        if name == "replaced":
            given[2] = terms[2].known if isinstance(terms[2].known, Size) else Size.of(0)
        result = function(ctx.facts, *given)
        if isinstance(result, ShapeFailure):
            ctx.report(errors.shapes_fail(ctx, result, errors.Several(name, ()), span))
            return error_term(span)
        shape = result.shape if isinstance(result, Formed) else result
        return Term(core.ShapeOf(span, ty.SHAPE, shape), ty.SHAPE, shape)

    return rule


def extent(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`extent(s, axis)`: the size of an axis, or of all together for none."""
    terms = [ctx.infer(args[0].value, ty.SHAPE), ctx.infer(args[1].value)]
    shape = terms[0].known
    if not isinstance(shape, Shape):
        return error_term(span)
    size = shapes.extent(shape, _argument(ctx, terms[1].known))
    return Term(core.SizeOf(span, ty.INT, size), ty.INT, size)


def table() -> Mapping[str, SpecialRule]:
    return {name: _rule(name) for name in _FUNCTIONS} | {"extent": extent}

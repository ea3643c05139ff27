"""Shape functions as the language calls them in result types: `*reduced(s, axis, keepdims)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeCall, Splice, StaticArg, StaticName
from dsl.types.shapefn import Formed, ShapeFailure
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors, shapes
from typechecker.calls import Arg
from typechecker.context import Context
from typechecker.instance import static_argument
from typechecker.operators import error_term
from typechecker.program import SpecialRule
from typechecker.values import Known, Term

ShapeRule = Callable[..., "Shape | Formed | ShapeFailure"]


def _along(facts: Facts, shape: Shape, axis: StaticArg) -> Shape | ShapeFailure:
    """The shape itself, provided that it has the axis."""
    if isinstance(axis, tuple):
        problems = [f for one in axis if isinstance(f := _along(facts, shape, one), ShapeFailure)]
        return problems[0] if problems else shape
    if isinstance(axis, int):
        found = shapefn.replaced(facts, shape, axis, Size.of(1))
        return found if isinstance(found, ShapeFailure) else shape
    return shape


def _moved(facts: Facts, shape: Shape, source: StaticArg, destination: StaticArg) -> Shape | ShapeFailure:
    if shape.rank is None or not isinstance(source, int) or not isinstance(destination, int):
        return _stuck("moved", (shape, source, destination))
    taken = shapefn.removed(facts, shape, source)
    if isinstance(taken, ShapeFailure):
        return taken
    return shapefn.inserted(facts, taken, destination, shape.axis(source))


def _swapped(facts: Facts, shape: Shape, first: StaticArg, second: StaticArg) -> Shape | ShapeFailure:
    if not isinstance(first, int) or not isinstance(second, int):
        return _stuck("swapped", (shape, first, second))
    if shape.rank is None and (first < 0) != (second < 0):
        return _stuck("swapped", (shape, first, second))
    try:
        a, b = shape.axis(first), shape.axis(second)
    except IndexError:
        return ShapeFailure("axis out of range", (shape,), value=max(first, second))
    once = shapefn.replaced(facts, shape, first, b)
    return once if isinstance(once, ShapeFailure) else shapefn.replaced(facts, once, second, a)


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
        "along": _along,
        "moved": _moved,
        "swapped": _swapped,
    }
)


def _stuck(name: str, args: tuple[StaticArg, ...]) -> Shape:
    """A call that waits for its arguments."""

    def compute(*new: StaticArg) -> Shape:
        result = _FUNCTIONS[name](Facts(), *new)
        if isinstance(result, ShapeFailure):
            return Shape((Splice(ShapeCall(name, new, compute)),))
        return result.shape if isinstance(result, Formed) else result

    return Shape((Splice(ShapeCall(name, args, compute)),))


def _argument(ctx: Context, known: Known | None) -> StaticArg:
    return static_argument(known, ctx.fresh_id)


def _rule(name: str) -> SpecialRule:
    function = _FUNCTIONS[name]

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        terms = [ctx.infer(a.value, ty.SHAPE if i == 0 else None) for i, a in enumerate(args)]
        if any(t.type == ty.ERROR for t in terms):
            return error_term(span)
        if not terms or not isinstance(terms[0].known, Shape):
            ctx.report(errors.not_a_shape(terms[0], span) if terms else errors.missing_arguments(name, ["a shape"], span))
            return error_term(span)
        given = [_argument(ctx, t.known) for t in terms]
        if name == "replaced":
            given[2] = terms[2].known if isinstance(terms[2].known, Size) else Size.of(0)
        open_names = any(isinstance(g, StaticName) for g in given[1:])
        result = _stuck(name, tuple(given)) if open_names and name == "along" else function(ctx.facts, *given)
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

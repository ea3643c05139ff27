"""Functions of arrays whose result no signature can say: it has as many parts as an argument says, or what is known of
an argument. Read next: `typechecker.calls.arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.shapefn import extent, replaced
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls.arguments import bind_in_order, each
from typechecker.calls.casts import cast_written
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.static_values import element_of, static_argument
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Term
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import make_tuple
from typechecker.relations.coercion import Why, fit
from typechecker.relations.components import after, once
from typechecker.relations.shapes import demand_axis

ZERO = Size.of(0)


def _split_at(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`split_at(x, indices, axis=0)`: a tuple of the pieces between these places, as of `jnp.split`."""
    g = bind_in_order(ctx, "split_at", args, ("x", "indices", "axis"), 2, span)
    array = g.array("x")
    given, axis = each(g.static("indices", None)), g.static("axis", ZERO)
    places = [value for value in given if isinstance(value, Size)]
    if len(places) < len(given):
        g.refuse("indices", "a static place, or a list of them")
    if not isinstance(axis, Size):
        g.refuse("axis", "a static integer")
    at = static_argument(axis, ctx.fresh_id)
    demand_axis(ctx, array.shape, at, Operation("split_at", (array.term,)), span)
    ends = list(pairwise([ZERO, *places, extent(array.shape, at)]))
    g.require_at_least(0, *(stop - start for start, stop in ends))
    whole, bindings = once(ctx, array.term)
    pieces: list[Term] = []
    for start, stop in ends:
        shape = replaced(ctx.facts, array.shape, at, stop - start)
        assert isinstance(shape, Shape)
        known = of_elements(ctx, [whole], array.of(shape))
        pieces.append(g.emit("slice_axis", array.of(shape), [whole], known, axis=axis, start=start, stop=stop))
    return after(bindings, make_tuple(pieces, span))


def _cast(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`cast(x, dtype)` is `dtype(x)`."""
    g = bind_in_order(ctx, "cast", args, ("x", "dtype"), 2, span)
    wanted = fit(ctx, ctx.typed(g.chosen["dtype"].value, ty.DTYPE), ty.DTYPE, Why("argument", "dtype", "cast"))
    element = element_of(wanted.known)
    if element is None:
        g.refuse("dtype", "a dtype")
    return cast_written(ctx, g.chosen["x"].value, element, span)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType(
        {
            "split_at": _split_at,
            "cast": _cast,
        }
    )

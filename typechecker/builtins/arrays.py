"""Functions of arrays whose result no signature can say: the number of axes depends on an argument, or the complex
dtype of a real one is meant. Read next: `typechecker.calls.arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Type
from typechecker.calls.arguments import Nested, bind_in_order, each
from typechecker.calls.casts import convert
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, error_term
from typechecker.expressions.atoms import make_tuple
from typechecker.relations.components import after, once

ZERO, ONE = Size.of(0), Size.of(1)


def _sizes(values: Sequence[Nested]) -> list[Size] | None:
    found = [v for v in values if isinstance(v, Size)]
    return found if len(found) == len(values) else None


# ---------------------------------------------------------------- axes


def _split_at(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`split_at(x, indices, axis=0)`: a tuple of the pieces between these places, as of `jnp.split`."""
    g = bind_in_order(ctx, "split_at", args, ("x", "indices", "axis"), 2, span)
    found = None if g is None else g.ranked("x")
    if g is None or found is None:
        return error_term(span)
    array, dims = found
    fine, value = g.static("indices", None)
    good, place = g.static("axis", ZERO)
    places = _sizes(each(value))
    axis = g.axis(place, len(dims)) if fine and good else None
    if axis is None or places is None:
        if fine and good and places is None:
            g.refuse("indices", "a static place, or a list of them")
        return error_term(span)
    ends = list(pairwise([ZERO, *places, dims[axis]]))
    if not all(g.at_least(stop - start, 0) for start, stop in ends):
        return error_term(span)
    whole, bindings = once(ctx, array.term)
    pieces: list[Term] = []
    for start, stop in ends:
        kind = array.of(Shape((*dims[:axis], stop - start, *dims[axis + 1 :])))
        pieces.append(g.emit("slice_axis", kind, [whole], axis=Size.of(axis), start=start, stop=stop))
    return after(bindings, make_tuple(pieces, span))


# ---------------------------------------------------------------- dtypes


def _cast(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`cast(x, dtype)` is `dtype(x)`."""
    g = bind_in_order(ctx, "cast", args, ("x", "dtype"), 2, span)
    if g is None:
        return error_term(span)
    wanted = ctx.infer(g.chosen["dtype"].value, ty.DTYPE)
    if not isinstance(wanted.known, dt.DType | DTypeVar):
        if wanted.type != ty.ERROR:
            g.refuse("dtype", "a dtype")
        return error_term(span)
    return convert(ctx, ctx.infer(g.chosen["x"].value), wanted.known, span)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType(
        {
            "split_at": _split_at,
            "cast": _cast,
        }
    )

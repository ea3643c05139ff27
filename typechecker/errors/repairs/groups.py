"""Axes that are joined: a shape whose sizes are products of those of another one, and the order of axes it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations
from operator import mul
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.trial import mends
from typechecker.errors.words import bare, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context

RANK = 5
"""Axes of a shape whose orders are tried."""


def joined_axes(ctx: Context, actual: Shape, wanted: Shape, span: Span) -> Iterator[Help]:
    """A value whose axes are joined into those that are wanted, if there is one order of axes for it."""
    sizes, whole = [d for d in actual.dims if isinstance(d, Size)], [d for d in wanted.dims if isinstance(d, Size)]
    if len(sizes) < len(actual.dims) or len(whole) < len(wanted.dims) or not len(whole) < len(sizes) <= RANK:
        return
    orders = [order for order in permutations(range(len(sizes))) if _joins([sizes[k] for k in order], order, whole)]
    if len(orders) == 1 and "\n" not in span.text:
        order = orders[0]
        kept = order == tuple(range(len(sizes)))
        value = bare(span.text) if kept else f"transpose({bare(span.text)}, ({', '.join(map(str, order))}))"
        edits: tuple[Edit, ...] = replace_with(span, f"reshape({value}, [{', '.join(map(str, whole))}])")
        if mends(ctx, edits):
            yield Help(f"it has as many elements; its axes are joined by `{edits[0].text}`", edits)


def _joins(sizes: Sequence[Size], order: Sequence[int], whole: Sequence[Size]) -> bool:
    """Return whether sizes next to one another have these products; those that are joined keep their order."""
    if not whole:
        return not sizes
    for count in range(1, len(sizes) - len(whole) + 2):
        joined = reduce(mul, sizes[:count])
        if joined == whole[0] and list(order[:count]) == sorted(order[:count]):
            return _joins(sizes[count:], order[count:], whole[1:])
    return False

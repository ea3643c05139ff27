"""Equal sizes and equal shapes: proved, refuted by sizes that break them, or demanded of the caller."""

from __future__ import annotations

from dsl.diagnostics.source import Span
from dsl.types.decide import Proved, Refuted
from dsl.types.facts import eq
from dsl.types.shape import Shape, Splice
from dsl.types.shapefn import Differ, shapes_equal
from dsl.types.size import Size
from typechecker.env.conditional_sizes import resolve_conditional_sizes, settle_size
from typechecker.env.context import Context
from typechecker.types.predicates import erroneous, poisoned


def require_equal_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | Differ | None:
    """Demand that two shapes are equal; None if they are, or if it became a constraint."""
    if left == right or poisoned(left) or poisoned(right):
        return None
    left, right = resolve_conditional_sizes(ctx, left), resolve_conditional_sizes(ctx, right)
    verdict = shapes_equal(ctx.facts, left, right)
    if isinstance(verdict, Proved):
        return None
    if isinstance(verdict, Differ):
        return verdict
    return _constrain_shapes(ctx, left, right, span)


def _constrain_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | None:
    if left.rank is None or right.rank is None or left.rank != right.rank:
        return Refuted({})
    for a, b in zip(left.dims, right.dims, strict=True):
        if isinstance(a, Splice) or isinstance(b, Splice):
            return Refuted({})
        verdict = require_equal(ctx, a, b, span)
        if verdict is not None:
            return verdict
    return None


def require_equal(ctx: Context, left: Size, right: Size, span: Span) -> Refuted | None:
    """Demand an equation between sizes: a counter-example refutes it, with neither it becomes a constraint."""
    if left == right or erroneous(left) or erroneous(right):
        return None
    left, right = settle_size(ctx, left), settle_size(ctx, right)
    if ctx.is_traced(left) or ctx.is_traced(right):
        return Refuted({})
    return ctx.require_equation(eq(left, right), span)


# ---------------------------------------------------------------- joins


def same_shape(ctx: Context, a: Shape, b: Shape) -> bool:
    """Whether two shapes are proved to be one."""
    return a == b or isinstance(shapes_equal(ctx.facts, a, b), Proved)


def shapes_differ(ctx: Context, left: Shape, right: Shape, span: Span) -> bool:
    """Demand that two shapes are equal axis by axis; whether they differ for some sizes."""
    if left == right:
        return False
    if left.rank is None or left.rank != right.rank:
        return True
    return any(
        isinstance(a, Size) and isinstance(b, Size) and require_equal(ctx, a, b, span) is not None
        for a, b in zip(left.dims, right.dims, strict=True)
    )

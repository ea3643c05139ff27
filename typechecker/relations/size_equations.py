"""Equal sizes and equal shapes: proved, refuted by sizes that break them, or demanded of the caller."""

from __future__ import annotations

from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types.conditional import condition_of, is_truth
from dsl.types.decide import Proved, Refuted
from dsl.types.facts import EQUALS, Eq, OpaqueProp, Prop, eq
from dsl.types.shape import Shape
from dsl.types.shapefn import Differ, shapes_equal
from dsl.types.size import Atom, Mod, Opaque, Size
from dsl.types.static_conditions import compare
from dsl.types.static_parts import Gap, has_gap
from typechecker.env.context import Context


def require_equal_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | Differ | None:
    """Demand that two shapes are equal; None if they are, or if it became a constraint."""
    if left == right or has_gap(left, Gap.REPORTED) or has_gap(right, Gap.REPORTED):
        return None
    left, right = _resolve_shape(ctx, left), _resolve_shape(ctx, right)
    verdict = shapes_equal(ctx.facts, left, right)
    if isinstance(verdict, Proved):
        return None
    if isinstance(verdict, Differ):
        return verdict
    return _constrain_shapes(ctx, left, right, span)


def _constrain_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | None:
    if left.sizes is None or right.sizes is None or len(left.sizes) != len(right.sizes):
        return Refuted({})
    found = (require_equal(ctx, a, b, span) for a, b in zip(left.sizes, right.sizes, strict=True))
    return next((verdict for verdict in found if verdict is not None), None)


def require_equal(ctx: Context, left: Size, right: Size, span: Span) -> Refuted | None:
    """Demand an equation between sizes: a counter-example refutes it, with neither it becomes a constraint."""
    if left == right or has_gap(left, Gap.REPORTED) or has_gap(right, Gap.REPORTED):
        return None
    left, right = _resolve_size(ctx, left), _resolve_size(ctx, right)
    if ctx.is_traced(left) or ctx.is_traced(right):
        return Refuted({})
    return ctx.require_equation(eq(left, right), span)


def require_condition(ctx: Context, prop: Prop, span: Span) -> Refuted | Differ | None:
    """Demand a condition of a function that is called: an equation of sizes or of shapes as one, others as ranges."""
    match prop:
        case OpaqueProp(_, (Shape() as left, Shape() as right)) if is_equation(prop):
            if ctx.holds(prop) or ctx.holds(compare(EQUALS, right, left)):
                return None
            verdict = ctx.decide(prop)
            return verdict if isinstance(verdict, Refuted) else require_equal_shapes(ctx, left, right, span)
        case _:
            return ctx.require_equation(prop, span) if is_equation(prop) else ctx.require(prop, span)


def is_equation(prop: Prop) -> bool:
    """Return whether a condition says that two sizes, or shapes, are one and the same; divisibility is a range
    condition."""
    match prop:
        case Eq(left, right):
            return not any(isinstance(atom, Mod) for side in (left, right) for atom in side.atoms())
        case OpaqueProp(name, (Shape(), Shape())):
            return name == EQUALS
        case _:
            return False


# ---------------------------------------------------------------- joins


def same_shape(ctx: Context, a: Shape, b: Shape) -> bool:
    """Return whether two shapes are proved to be one."""
    return a == b or isinstance(shapes_equal(ctx.facts, a, b), Proved)


def shapes_differ(ctx: Context, left: Shape, right: Shape, span: Span) -> bool:
    """Demand that two shapes are equal axis by axis; whether they differ for some sizes."""
    return left != right and _constrain_shapes(ctx, left, right, span) is not None


# ---------------------------------------------------------------- choices by conditions


def _resolve_shape(ctx: Context, shape: Shape) -> Shape:
    """The shape with the truths that the facts here decide put in, where a static condition chooses a size."""
    return shape.map_atoms(lambda atom: _truth(ctx, atom)) if any(map(is_truth, shape.atoms())) else shape


def _resolve_size(ctx: Context, size: Size) -> Size:
    return size.map_atoms(lambda atom: _truth(ctx, atom)) if any(map(is_truth, size.atoms())) else size


def _truth(ctx: Context, atom: Atom) -> Size:
    prop = condition_of(atom) if isinstance(atom, Opaque) and is_truth(atom) else None
    if prop is None:
        return Size.of(atom)
    if ctx.holds(prop):
        return Size.of(1)
    return Size.of(0) if ctx.holds(fa.negation(prop)) else Size.of(atom)

"""Choices by static conditions where a condition becomes a fact: its truth is put in."""

from __future__ import annotations

from dsl.types import facts as fa
from dsl.types.conditional import condition_of, is_truth
from dsl.types.shape import Shape
from dsl.types.size import Atom, Opaque, Size
from typechecker.env.context import Context


def resolve_conditional_sizes(ctx: Context, shape: Shape) -> Shape:
    """The shape with the truths that the facts here decide put in."""
    if not any(is_truth(a) for a in shape.atoms()):
        return shape
    return shape.map_atoms(lambda atom: _settled(ctx, atom))


def settle_size(ctx: Context, size: Size) -> Size:
    if not any(is_truth(a) for a in size.atoms()):
        return size
    return size.map_atoms(lambda atom: _settled(ctx, atom))


def _settled(ctx: Context, atom: Atom) -> Size:
    if not isinstance(atom, Opaque) or not is_truth(atom):
        return Size.of(atom)
    prop = condition_of(atom)
    if prop is None:
        return Size.of(atom)
    if ctx.holds(prop):
        return Size.of(1)
    return Size.of(0) if ctx.holds(fa.negation(prop)) else Size.of(atom)

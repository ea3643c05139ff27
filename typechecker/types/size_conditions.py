"""Conditions on the sizes of a program: demanded of the place where they arise, or written down in a signature."""

from __future__ import annotations

from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types.decide import Refuted, excludes
from dsl.types.facts import Facts, Prop
from dsl.types.size import Size
from dsl.types.static_parts import Gap, has_gap
from typechecker import errors
from typechecker.env.context import Context


def require(ctx: Context, prop: Prop, span: Span, what: str) -> bool:
    """A range condition on sizes. In a signature it is written down, since the arguments show it by having these sizes;
    that a divisor is at least 1 they do not show, so it is demanded there as everywhere. False after a report."""
    if ctx.written is not None and what != "divisor" and not excludes(ctx.facts, prop):
        ctx.written.append(ctx.under_branches(prop))
        return True
    verdict = ctx.require(prop, span)
    if not isinstance(verdict, Refuted):
        return True
    fact = contradicted(ctx, prop)
    if fact is not None and ctx.written is not None:
        ctx.refuse(errors.shapes.contradicts(span, needed=prop, fact=[fact]))
    found, told = verdict.counterexample, not has_gap(prop, Gap.UNNAMED)
    match prop:
        case fa.Le(left, right) if what == "divisor" or left.is_literal(1):
            ctx.report(errors.sizes.bad_divisor(right, found, span, told))
        case fa.Le(left, right):
            ctx.report(errors.sizes.negative_size(right - left, found, span, told))
        case _:
            ctx.report(errors.sizes.negative_size(Size.of(0), found, span))
    return False


def contradicted(ctx: Context, prop: Prop) -> Prop | None:
    """A fact that alone excludes a condition, which some sizes meet."""
    if excludes(Facts(), prop):
        return None
    return next((fact for fact in ctx.facts.props if excludes(Facts().assume(fact), prop)), None)

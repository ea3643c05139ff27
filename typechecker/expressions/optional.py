"""A `T?` that is known not to be `none` is a `T`: wherever the facts say so, however they came to be known.

Read next: `typechecker.program.dispatch`, which asks of every expression, and `typechecker.expressions.matching`.
"""

from __future__ import annotations

from dsl.records import replace
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import PRESENT, Computed, StaticName
from dsl.types.static_conditions import flag
from typechecker.env.context import Context
from typechecker.env.static_values import chosen, value_inside
from typechecker.env.values import NOTHING, Choice, Known, Nothing, Term
from typechecker.expressions.comparisons import same


def narrowed(ctx: Context, term: Term) -> Term:
    """A value as what it is known to be here."""
    if not isinstance(term.type, ty.OptionalType) or term.known is None:
        return term
    return present(term) if ctx.holds(fa.negation(same(ctx, term.known, NOTHING))) else term


def present(subject: Term) -> Term:
    """The subject where it is not `none`."""
    if not isinstance(subject.type, ty.OptionalType):
        return subject
    base = subject.type.base
    return Term(replace(subject.core, type=base), base, _present(subject.known, base))


def _present(known: Known | None, base: ty.Type) -> Known | None:
    """Return the facts about an optional value that is present."""
    match known, base:
        case StaticName(), ty.BOOLEAN:
            return flag(known)
        case StaticName() | Computed(), ty.INT | ty.SIZE:
            return value_inside(known, PRESENT, PRESENT, (0,), base)
        case StaticName() | Computed(), ty.TupleType() | ty.RecordType() | ty.SHAPE | ty.INTS:
            return value_inside(known, PRESENT, PRESENT, (), base)
        case Choice(condition, then, orelse), _:
            inside = [_present(value, base) for value in (then, orelse) if not isinstance(value, Nothing)]
            return chosen(condition, inside[0], inside[-1]) if inside else None
        case StaticName(), ty.PAIRS | ty.FunctionType():
            return None
        case Nothing(), _:
            return None
        case _:
            return known

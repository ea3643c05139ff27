"""The common type of branches and of list items: numbers become arrays, `idx` takes the larger bound."""

from __future__ import annotations

from dsl.records import replace
from dsl.types import type as ty
from dsl.types.decide import normalise
from dsl.types.size import max_
from dsl.types.type import Type
from dsl.types.walk import with_parts, zip_children
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Term
from typechecker.relations.coercion import Why, coerce, value_span
from typechecker.relations.size_equations import same_shape
from typechecker.types.predicates import NUMBERS, present_type


def join(ctx: Context, terms: list[Term], why: Why) -> Type:
    """The common type of branches or items: numbers become arrays, `idx` takes the larger bound."""
    kind = ctx.resolve(terms[0].type)
    for term in terms[1:]:
        other = ctx.resolve(term.type)
        joined = _join(ctx, kind, other)
        if joined is None:
            coerce(ctx, term, kind, replace(why, declared=why.declared or value_span(terms[0].core)))
            raise Reported
        kind = joined
    return kind


def _join(ctx: Context, a: Type, b: Type) -> Type | None:
    if a == b or b == ty.ERROR:
        return a
    match a, b:
        case ty.ErrorType(), _:
            return b
        case (base, ty.NONE) | (ty.NONE, base) if isinstance(present_type(base), ty.StaticType | ty.EnumType):
            return ty.OptionalType(present_type(base))
        case ty.OptionalType(base), other if base == other:
            return a
        case base, ty.OptionalType(other) if base == other:
            return b
        case ty.StaticType(x), ty.StaticType(y) if x in NUMBERS and y in NUMBERS:
            return _join_numbers(x, y)
        case ty.StaticType(x), _ if x in NUMBERS:
            return b
        case _, ty.StaticType(y) if y in NUMBERS:
            return a
        case ty.IndexType(m, s), ty.IndexType(n, t):
            if not same_shape(ctx, s, t):
                return None
            return ty.IndexType(normalise(max_(m, n), ctx.facts), s)
        case ty.IndexType(), ty.ArrayType():
            return b
        case ty.ArrayType(), ty.IndexType():
            return a
        case (ty.TupleType(), ty.TupleType()) | (ty.RecordType(), ty.RecordType()):
            pairs = zip_children(a, b)
            if pairs is None:
                return a if isinstance(a, ty.TupleType) else None
            return with_parts(a, [_join(ctx, ctx.resolve(x), ctx.resolve(y)) for x, y in pairs])
        case _:
            return a


def _join_numbers(x: str, y: str) -> Type | None:
    order = {"size": 0, "int": 0, "float": 1, "complex": 2}
    if x not in order or y not in order:
        return None
    winner = x if order[x] >= order[y] else y
    return ty.StaticType("int" if winner == "size" else winner)

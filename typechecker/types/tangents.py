"""Tangent types: what a derivative can be taken by, and the type of a small change of a value."""

from __future__ import annotations

from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.env.context import Context


def non_inexact_leaf(ctx: Context, kind: Type, path: str = "") -> str | None:
    """The path to a leaf that has no derivative, or None if all have one; the path of the whole is "itself"."""
    match ctx.resolve(kind):
        case ty.ArrayType(element, _):
            return None if ctx.body.solver.restrict(element, dt.CLASSES["Inexact"]) else path or "itself"
        case ty.TupleType(parts):
            found = [non_inexact_leaf(ctx, p, f"{path}.{i}") for i, p in enumerate(parts)]
            return next((f for f in found if f is not None), None)
        case ty.RecordType(fields):
            found = [non_inexact_leaf(ctx, t, f"{path}.{n}") for n, t in fields]
            return next((f for f in found if f is not None), None)
        case ty.StackedType(element, _):
            return non_inexact_leaf(ctx, element, path)
        case ty.TypeVar(_, _, constraint):
            return None if constraint == "VSpace" else path or "itself"
        case ty.ErrorType():
            return None
        case _:
            return path or "itself"


def tangent(kind: Type) -> Type:
    """The type of tangents: inexact leaves as they are, integers, bools and keys have unit."""
    match kind:
        case ty.ArrayType(element, _):
            allowed = (element,) if isinstance(element, dt.DType) else element.allowed
            return kind if all(d.is_inexact for d in allowed) else ty.UNIT
        case ty.TupleType(parts):
            return ty.TupleType(tuple(map(tangent, parts)))
        case ty.RecordType(fields, name):
            kinds = tuple((n, tangent(t)) for n, t in fields)
            return ty.RecordType(kinds, name if kinds == fields else None)
        case ty.StackedType(element):
            return ty.UNIT if tangent(element) == ty.UNIT else kind
        case ty.TypeVar():
            return kind
        case _:
            return ty.UNIT

"""Comparisons: of arrays element by element, of static values while checking; what they say of sizes is remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.core.static_math import OPERATORS
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.shape import Shape, StaticName
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.static_props import equals, written
from typechecker.env.value_facts import opaque_condition
from typechecker.env.values import Condition, Known, Nothing, Term, VariantValue
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import types as type_errors
from typechecker.expressions.arithmetic import CLASS_OF, as_size, meet
from typechecker.expressions.static_numbers import number
from typechecker.relations.shapes import broadcast
from typechecker.types.predicates import is_number, is_traced

_RELATION: Mapping[str, Callable[[Size, Size], Prop]] = MappingProxyType(
    {"==": fa.eq, "!=": fa.ne, "<": fa.lt, "<=": fa.le, ">": fa.gt, ">=": fa.ge}
)


# ---------------------------------------------------------------- comparison


def comparison(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right` for a comparison."""
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    if not is_traced(a) and not is_traced(b):
        return _compare_static(ctx, op, left, right, span)
    element, x, y = meet(ctx, op, left, right, span)
    if op in CLASS_OF and not ctx.body.solver.restrict(element, dt.CLASSES["Real"]):
        ctx.refuse(dtype_errors.operator_needs(ctx, op, "Real", element, left, right, span))
    shape = broadcast(ctx, op, left, right, x, y, span)
    kind = ty.ArrayType(dt.BOOL, shape)
    known: Known | None = None
    p, q = as_size(left.known), as_size(right.known)
    if not shape.dims and p is not None and q is not None:
        known = Condition(_RELATION[op](p, q))
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def _compare_static(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    a, b = left.type, right.type
    known: Prop | None = None
    if is_number(a) and is_number(b) and (a == ty.BOOLEAN) == (b == ty.BOOLEAN):
        if op in ("<", "<=", ">", ">=") and ty.COMPLEX in (a, b):
            ctx.refuse(dtype_errors.operator_needs(ctx, op, "Real", dt.C64, left, right, span))
        known = _compare_known(op, left.known, right.known)
    elif op in ("==", "!=") and _comparable(a, b):
        known = _equal_known(op, left.known, right.known)
    else:
        ctx.refuse(type_errors.not_comparable(ctx, op, left, right, span))
    core_term = core.Binary(span, ty.BOOLEAN, op, left.core, right.core)
    return Term(core_term, ty.BOOLEAN, known if known is not None else opaque_condition(ctx))


def _comparable(a: Type, b: Type) -> bool:
    bases = [k.base if isinstance(k, ty.OptionalType) else k for k in (a, b)]
    if ty.NONE in (a, b):
        return True
    if isinstance(bases[0], ty.FunctionType):
        return False
    sizes = (ty.INT, ty.SIZE)
    same = bases[0] == bases[1] or (bases[0] in sizes and bases[1] in sizes)
    lists = (ty.AXES, ty.SHAPE)
    return same or bases[0] in lists or bases[1] in lists


def _compare_known(op: str, a: Known | None, b: Known | None) -> Prop | None:
    if isinstance(a, Size) and isinstance(b, Size):
        return fa.simplified(_RELATION[op](a, b))
    if isinstance(a, Prop) and isinstance(b, Prop):
        return _equal_known(op, a, b)
    x, y = number(a), number(b)
    if x is None or y is None:
        return None
    return fa.Known(bool(OPERATORS[op](x, y)))


def _equal_known(op: str, a: Known | None, b: Known | None) -> Prop | None:
    settled = (str, Nothing, VariantValue, dt.DType, fa.Known)
    if isinstance(a, settled) and isinstance(b, settled):
        return fa.Known((a == b) == (op == "=="))
    if a is not None and a == b:
        return fa.Known(op == "==")
    if isinstance(a, Shape) and isinstance(b, Shape) and a.sizes is not None and b.sizes is not None:
        same: Prop = fa.Known(False)
        if len(a.sizes) == len(b.sizes):
            same = fa.simplified(fa.conjunction([fa.eq(x, y) for x, y in zip(a.sizes, b.sizes, strict=True)]))
        return same if op == "==" else fa.negation(same)
    for x, y in ((a, b), (b, a)):
        if isinstance(x, StaticName) and isinstance(y, Nothing | str | VariantValue):
            base: Prop = equals(x, written(y))
            return base if op == "==" else fa.Not(base)
    return None

"""Numbers without a dtype among arrays: the array a number becomes, and whether a dtype can hold its value."""

from __future__ import annotations

import math

from dsl.core.statics.computations import compute
from dsl.core.statics.ranges import holds, holds_whichever
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import disjunction, negation
from dsl.types.shape import Computed, Shape, StaticName, Written
from dsl.types.size import Size
from dsl.types.static_conditions import compare
from dsl.types.type import Element, Type
from dsl.types.walk import map_leaves
from typechecker.env.context import Context
from typechecker.env.static_values import is_told
from typechecker.env.values import Known
from typechecker.types.predicates import NUMBERS


def number_problem(ctx: Context, kind: str, known: Known | None, element: Element, span: Span) -> str | None:
    """Why a static number of this kind cannot take this dtype: "kind", "range", "infinite", or None if it can."""
    solver = ctx.body.solver
    element = solver.element(element)
    if kind == "bool":
        return None if solver.unify(element, dt.BOOL) else "kind"
    classes = {"int": "Num", "size": "Num", "float": "Inexact", "complex": "Complex"}
    if not solver.restrict(element, dt.CLASSES[classes[kind]]):
        return "kind"
    solver.hint(element, "int" if kind == "size" else kind)
    element = solver.element(element)
    return value_problem(ctx, known, element, span)


def value_problem(ctx: Context, known: Known | None, element: Element, span: Span) -> str | None:
    """Why a dtype, as far as it is decided, cannot hold the value of a static number. A value that is not known yet is
    demanded to lie in the range of the dtype."""
    solver = ctx.body.solver
    element = solver.element(element)
    if isinstance(known, StaticName | Computed):
        return _float_problem(ctx, known, element, span)
    value = known.constant if isinstance(known, Size) else known
    candidates = () if solver.is_flexible(element) else solver.candidates(element)
    if isinstance(known, Size) and value is None:
        return _size_problem(ctx, known, element, span) if candidates else None
    if not isinstance(value, int | float | complex):
        return None
    return next((problem for d in candidates if (problem := _value_problem(value, d)) is not None), None)


def _size_problem(ctx: Context, size: Size, element: Element, span: Span) -> str | None:
    if isinstance(element, dt.DType):
        demands = [holds(element, size)]
    else:
        demands = holds_whichever(StaticName(element.id, element.name), element.allowed, size)
    refuted = (isinstance(ctx.require(needed, span), Refuted) for needed in demands if is_told(needed))
    return "range" if any(refuted) else None


def _float_problem(ctx: Context, value: StaticName | Computed, element: Element, span: Span) -> str | None:
    """Infinities and nan stay what they are."""
    limit = element.overflow if isinstance(element, dt.DType) and element.bits <= 16 else None
    if limit is None:
        return None
    size = compute("abs", value)
    large = compare(">=", size, Written(str(limit)))
    fits = disjunction([negation(large), compare("==", size, Written("inf"))])
    return "infinite" if is_told(fits) and isinstance(ctx.require(fits, span), Refuted) else None


def _value_problem(value: int | float | complex, dtype: dt.DType) -> str | None:
    if dtype.is_integer and isinstance(value, int):
        low, high = dt.integer_range(dtype)
        return None if low <= value <= high else "range"
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    for part in parts:
        if not _stays_finite(part, dtype):
            return "infinite"
    return None


def _stays_finite(value: int | float, dtype: dt.DType) -> bool:
    try:
        number = float(value)
    except OverflowError:
        return False
    overflow = dtype.overflow
    return overflow is None or not math.isfinite(number) or abs(number) < overflow


def settled_type(ctx: Context, kind: Type) -> Type:
    """The type as that of arrays, whose dtypes are decided now."""
    mark = ctx.body.solver.mark()
    whole = run_time_type(ctx, kind)
    ctx.body.solver.settle(mark)
    return whole


def as_array(ctx: Context, kind: Type) -> Type:
    """A static number as the array it will become; other types leaf by leaf, `idx` widened to `i32`."""
    return map_leaves(run_time_type(ctx, kind), _widen_index)


def run_time_type(ctx: Context, kind: Type) -> Type:
    """The same with `idx` as it is."""
    return map_leaves(kind, lambda leaf: _leaf_of_run(ctx, leaf))


def _leaf_of_run(ctx: Context, leaf: Type) -> Type:
    match leaf:
        case ty.StaticType(name) if name in NUMBERS:
            return ty.ArrayType(ctx.body.solver.number(name), Shape(()))
        case _:
            return leaf


def _widen_index(leaf: Type) -> Type:
    return ty.ArrayType(dt.I32, leaf.shape) if isinstance(leaf, ty.IndexType) else leaf

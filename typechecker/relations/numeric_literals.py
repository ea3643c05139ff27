"""Numbers without a dtype among arrays: the array a number becomes, and whether a dtype can hold its value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.core.statics.computations import compute
from dsl.core.statics.ranges import fits_in, holds, holds_float, holds_whichever
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Known as Truth
from dsl.types.facts import Prop, conjunction, disjunction, negation
from dsl.types.shape import Computed, Shape, StaticName, Written
from dsl.types.size import Size
from dsl.types.static_conditions import compare
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import DTypeVar, Element, Type
from dsl.types.walk import map_leaves
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.generic_dtypes import dtype_argument
from typechecker.env.values import Known
from typechecker.types.predicates import NUMBERS

if TYPE_CHECKING:
    from typechecker.relations.coercion import Why


class Unfit(Struct, frozen=True):
    """Why a static number cannot take a dtype: "kind", "range" or "infinite", and which dtypes do not hold it."""

    problem: str
    dtypes: tuple[dt.DType, ...] = ()


def require_number(ctx: Context, kind: str, known: Known | None, element: Element, why: Why, span: Span) -> None:
    """Demand that a static number fits a dtype; later, if that is not yet decided."""
    if not _takes_kind(ctx, kind, element):
        ctx.refuse(errors.dtypes.number_does_not_fit(ctx, Unfit("kind"), kind, known, element, why, span))
    if ctx.body.solver.is_flexible(element):
        ctx.body.numbers.append(partial(_require_later, ctx, kind, known, element, why, span))
    else:
        require_value(ctx, kind, known, element, why, span)


def require_value(ctx: Context, kind: str, known: Known | None, element: Element, why: Why, span: Span) -> None:
    """Demand that a number of any type fits the dtype of a cast."""
    element = ctx.body.solver.element(element)
    problem = _value_problem(ctx, known, element, span)
    if problem is not None:
        ctx.refuse(errors.dtypes.number_does_not_fit(ctx, problem, kind, known, element, why, span))


def _require_later(ctx: Context, kind: str, known: Known | None, element: Element, why: Why, span: Span) -> None:
    with ctx.attempt():
        require_value(ctx, kind, known, element, why, span)


def _takes_kind(ctx: Context, kind: str, element: Element) -> bool:
    """Return whether a static number of this kind can take this dtype."""
    solver = ctx.body.solver
    element = solver.element(element)
    if kind == "bool":
        return solver.unify(element, dt.BOOL)
    classes = {"int": "Num", "size": "Num", "float": "Inexact", "complex": "Complex"}
    if not solver.restrict(element, dt.CLASSES[classes[kind]]):
        return False
    solver.hint(element, "int" if kind == "size" else kind)
    return True


def _value_problem(ctx: Context, known: Known | None, element: Element, span: Span) -> Unfit | None:
    """Why a dtype cannot hold the value of a static number. A value that is not known yet is demanded to lie in its
    range."""
    candidates = ctx.dtypes(element)
    if isinstance(known, StaticName | Computed):
        return Unfit("infinite", candidates) if _overflows(ctx, known, element, candidates, span) else None
    value = known.constant if isinstance(known, Size) else known
    if isinstance(known, Size) and value is None:
        return Unfit("range", candidates) if _is_beyond(ctx, known, element, span) else None
    if not isinstance(value, int | float | complex):
        return None
    problems = {dtype: _problem_of_value(value, dtype) for dtype in candidates}
    found = tuple([dtype for dtype, problem in problems.items() if problem is not None])
    return Unfit("range" if "range" in problems.values() else "infinite", found) if found else None


def _is_beyond(ctx: Context, size: Size, element: Element, span: Span) -> bool:
    """Return whether an integer that is not known yet cannot be one of a dtype."""
    if isinstance(element, dt.DType):
        demands = [holds(element, size)]
    else:
        demands = holds_whichever(dtype_argument(element), element.allowed, size)
    refuted = [isinstance(ctx.require(needed, span), Refuted) for needed in demands if not has_gap(needed, Gap.UNNAMED)]
    return any(refuted)


def _overflows(
    ctx: Context, value: StaticName | Computed, element: Element, candidates: Sequence[dt.DType], span: Span
) -> bool:
    """Return whether a float that is not known yet is beyond a dtype; in floats, infinities and nan stay as they
    are."""
    needed = holds_float(dtype_argument(element) if isinstance(element, DTypeVar) else Written(element.name), value)
    fits = conjunction([_in_range(value, dtype) for dtype in candidates])
    if has_gap(needed, Gap.UNNAMED) or ctx.holds(fits):
        return False
    return ctx.holds(negation(fits)) or isinstance(ctx.require(needed, span), Refuted)


def _in_range(value: StaticName | Computed, dtype: dt.DType) -> Prop:
    """Return the condition that a dtype holds a float."""
    if dtype.is_integer:
        low, high = dt.integer_range(dtype)
        return conjunction([compare(">", value, Written(str(low - 1))), compare("<", value, Written(str(high + 1)))])
    if dtype.overflow is None:
        return Truth(True)
    size, limit = compute("abs", value), Written(str(dtype.overflow))
    return disjunction([negation(compare(">=", size, limit)), compare("==", size, Written("inf"))])


def _problem_of_value(value: int | float | complex, dtype: dt.DType) -> str | None:
    return None if fits_in(value, dtype) else "range" if dtype.is_integer else "infinite"


def settled_type(ctx: Context, type_: Type) -> Type:
    """The type as that of arrays, whose dtypes are decided now."""
    mark = ctx.body.solver.mark()
    whole = run_time_type(ctx, type_)
    ctx.body.solver.settle(mark)
    return whole


def as_array(ctx: Context, type_: Type) -> Type:
    """A static number as the array it will become; other types leaf by leaf, `idx` widened to `i32`."""
    return map_leaves(run_time_type(ctx, type_), _widen_index)


def run_time_type(ctx: Context, type_: Type) -> Type:
    """Return the run-time type, which keeps `idx`."""
    return map_leaves(type_, lambda leaf: _leaf_of_run(ctx, leaf))


def _leaf_of_run(ctx: Context, leaf: Type) -> Type:
    match leaf:
        case ty.StaticType(name) if name in NUMBERS:
            return ty.ArrayType(ctx.body.solver.number(name), Shape(()))
        case _:
            return leaf


def _widen_index(leaf: Type) -> Type:
    return ty.ArrayType(dt.I32, leaf.shape) if isinstance(leaf, ty.IndexType) else leaf

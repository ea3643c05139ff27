"""Casts: `f32(x)`, and conversions that functions of the library state."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import DTypeVar, Element
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.machine_integers import without_wrap
from typechecker.env.reports import Reported
from typechecker.env.value_facts import bounded_where_it_stands, held
from typechecker.env.values import Elementwise, Known, Term, Traced
from typechecker.errors import calls as call_errors
from typechecker.errors import dtypes as dtype_errors
from typechecker.types.predicates import is_number


def cast(ctx: Context, function: Term, args: list[Arg], span: Span) -> Term:
    """`f32(x)`: a dtype called like a function."""
    if len(args) != 1 or args[0].name is not None:
        ctx.refuse(call_errors.cast_arity(span, name=function.span.text, given=len(args)))
    term = ctx.infer(args[0].value)
    assert isinstance(function.known, dt.DType | DTypeVar)
    return convert(ctx, term, function.known, span)


def convert(ctx: Context, term: Term, element: dt.DType | DTypeVar, span: Span) -> Term:
    """A cast of a static number or an array."""
    kind = ctx.resolve(term.type)
    shape = Shape(())
    known: Known | None = None
    match kind:
        case ty.ErrorType():
            raise Reported
        case ty.ArrayType(source, shape):
            if _may_drop_imaginary(ctx, source, element):
                ctx.refuse(dtype_errors.complex_to_real(term, element, span))
            known = _unwrapped(ctx, without_wrap(ctx, term.known, source), source, element)
        case ty.IndexType(_, shape):
            known = without_wrap(ctx, term.known, dt.I32)
        case ty.StaticType(name) if is_number(kind):
            if name == "complex" and _may_be_real(ctx, element):
                ctx.refuse(dtype_errors.complex_to_real(term, element, span))
            known = term.known if name in ("int", "size") else None
        case _:
            ctx.refuse(dtype_errors.cannot_cast(span, ctx, term=term, element=element))
    target = ty.ArrayType(element, shape)
    if not _keeps(element, known):
        known = None
    elif isinstance(known, Size):
        known = Traced(known)
    return Term(core.Convert(span, target, term.core, element), target, held(ctx, known, target))


def _unwrapped(ctx: Context, known: Known | None, source: Element, element: Element) -> Known | None:
    """What is known of an integer in another dtype: where that holds fewer numbers, only what is bounded on both sides.
    A computed value stays: whoever looks at it asks whether it fits."""
    if _holds_all(ctx, source, element):
        return known
    match known:
        case Elementwise(low, high):
            return known if low is not None and high is not None else None
        case Traced(value) if value.as_atom() in ctx.body.ranges and not bounded_where_it_stands(ctx, known):
            return None
        case _:
            return known


def _holds_all(ctx: Context, source: Element, element: Element) -> bool:
    """Whether every integer of a dtype is one of the other, too."""
    solver = ctx.body.solver
    wider = [dt.integer_range(dtype) for dtype in solver.candidates(element) if dtype.is_integer]
    own = [dt.integer_range(dtype) for dtype in solver.candidates(source) if dtype.is_integer]
    return all(low <= least and most <= high for low, high in wider for least, most in own)


def _may_drop_imaginary(ctx: Context, source: Element, element: DTypeVar | dt.DType) -> bool:
    """Whether complex numbers are cast to a dtype that may be real; to bool, all are. Of a dtype that may be either,
    staging tells."""
    source = ctx.body.solver.element(source)
    return source != element and element != dt.BOOL and not _may_be_real(ctx, source) and _may_be_real(ctx, element)


def _may_be_real(ctx: Context, element: Element) -> bool:
    return not all(dtype.is_complex for dtype in ctx.body.solver.candidates(element))


def _keeps(element: dt.DType | DTypeVar, known: Known | None) -> bool:
    """Whether an integer of which this is known is one in a dtype too: 0 and 1 are themselves in all of them."""
    if isinstance(element, dt.DType):
        return element.is_integer
    return known in (Size.of(0), Size.of(1))

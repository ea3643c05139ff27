"""Casts: `f32(x)`, and conversions that functions of the library state."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Prop, conjunction, disjunction, negation
from dsl.types.shape import Shape, Written
from dsl.types.size import Size
from dsl.types.static_conditions import compare
from dsl.types.type import DTypeVar, Element
from typechecker import errors
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.generic_dtypes import dtype_argument
from typechecker.env.reports import Reported
from typechecker.env.static_values import element_of
from typechecker.env.value_facts import bounded_where_it_stands, held, without_wrap
from typechecker.env.values import Elementwise, Known, Term, Traced
from typechecker.expressions.atoms import plain_items, stacked
from typechecker.relations.coercion import Why
from typechecker.relations.numeric_literals import require_value
from typechecker.types.predicates import is_number

_REALS = tuple(dtype for dtype in dt.ALL if not dtype.is_complex)


def cast(ctx: Context, function: Term, args: list[Arg], span: Span) -> Term:
    """`f32(x)`: a dtype called like a function."""
    if len(args) != 1 or args[0].name is not None:
        ctx.refuse(errors.calls.cast_arity(ctx, function.span.text, len(args), span))
    element = element_of(function.known)
    assert element is not None
    return cast_written(ctx, args[0].value, element, span)


def cast_written(ctx: Context, node: ast.Expr | Term, element: dt.DType | DTypeVar, span: Span) -> Term:
    """A cast of what is written there: of a list that is written out, of each item."""
    if isinstance(node, ast.ListLit) and node.items and not any(isinstance(item, ast.Splice) for item in node.items):
        return stacked(ctx, [_item(ctx, item, element) for item in plain_items(node)], None, span)
    return convert(ctx, ctx.infer(node), element, span)


def _item(ctx: Context, node: ast.Expr, element: dt.DType | DTypeVar) -> Term:
    """An item, of which the same is known as of the static integer that it is cast from."""
    if isinstance(node, ast.ListLit):
        return cast_written(ctx, node, element, node.span)
    term = ctx.infer(node)
    done = convert(ctx, term, element, node.span)
    return (
        replace(done, known=term.known) if isinstance(term.known, Size) and done.known == Traced(term.known) else done
    )


def convert(ctx: Context, term: Term, element: dt.DType | DTypeVar, span: Span) -> Term:
    """A cast of a static number or an array."""
    type_ = ctx.resolve(term.type)
    shape = Shape(())
    known: Known | None = None
    match type_:
        case ty.ErrorType():
            raise Reported
        case ty.ArrayType(source, shape):
            _keep_imaginary(ctx, term, source, element, span)
            known = _unwrapped(ctx, without_wrap(ctx, term.known, source), source, element)
        case ty.IndexType(_, shape):
            known = without_wrap(ctx, term.known, dt.I32)
        case ty.StaticType(name) if is_number(type_):
            if name == "complex":
                _keep_imaginary(ctx, term, dt.C128, element, span)
            require_value(ctx, name, term.known, element, Why("cast"), term.span)
            known = term.known if name in ("int", "size") else None
        case _:
            ctx.refuse(errors.dtypes.cannot_cast(span, ctx, term=term, element=element))
    target = ty.ArrayType(element, shape)
    if not _keeps(element, known):
        known = None
    elif isinstance(known, Size):
        known = Traced(known)
    return Term(core.Convert(span, target, term.core, element), target, held(ctx, known, target))


def _unwrapped(ctx: Context, known: Known | None, source: Element, element: Element) -> Known | None:
    """Return facts about an integer cast to another dtype. If that is narrower, only values bounded on both sides keep
    facts. A computed value stays; its users check if it fits."""
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
    """Return whether every integer of a dtype is one of the other, too."""
    solver = ctx.body.solver
    wider = [dt.integer_range(dtype) for dtype in solver.candidates(element) if dtype.is_integer]
    own = [dt.integer_range(dtype) for dtype in solver.candidates(source) if dtype.is_integer]
    return all(low <= least and most <= high for low, high in wider for least, most in own)


def _keep_imaginary(ctx: Context, term: Term, source: Element, element: Element, span: Span) -> None:
    """Demand that no dtype of the source is complex where one of the target is real: of the class of one of them, or,
    where only the two together tell, of callers. To bool, all numbers are cast."""
    source, element = ctx.body.solver.element(source), ctx.body.solver.element(element)
    targets = ctx.dtypes(element)
    reals = [dtype for dtype in targets if not dtype.is_complex and not dtype.is_bool]
    if source == element or not reals or ctx.body.solver.restrict(source, _REALS):
        return
    sources = ctx.dtypes(source)
    complexes = [dtype for dtype in sources if dtype.is_complex]
    if len(complexes) == len(sources) or len(reals) == len(targets):
        if complexes:
            ctx.refuse(errors.dtypes.complex_to_real(ctx, term, source, element, span))
        return
    real = conjunction([negation(_is(source, dtype)) for dtype in complexes])
    is_kept = disjunction([real, *(_is(element, dtype) for dtype in targets if dtype not in reals)])
    if isinstance(ctx.require(is_kept, span), Refuted):
        ctx.refuse(errors.dtypes.complex_to_real(ctx, term, source, element, span))


def _is(element: Element, dtype: dt.DType) -> Prop:
    assert isinstance(element, DTypeVar)
    return compare("==", dtype_argument(element), Written(str(dtype)))


def _keeps(element: dt.DType | DTypeVar, known: Known | None) -> bool:
    """Return whether an integer of which this is known is one in a dtype too: 0 and 1 are themselves in all of them."""
    if isinstance(element, dt.DType):
        return element.is_integer
    return known in (Size.of(0), Size.of(1))

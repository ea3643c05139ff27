"""Iteration sources of loops: arrays along their first axis, `range`, `zip`, `enumerate`, and the parts of tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import element_known
from typechecker.env.values import Special, Term, Traced, error_term, require_types
from typechecker.expressions.atoms import make_constant, make_tuple
from typechecker.expressions.static_lists import as_list, is_list, items, placeholder
from typechecker.indexing.index import share_axis
from typechecker.relations.coercion import Why, fit
from typechecker.relations.components import project_all
from typechecker.relations.numeric_literals import Unfit
from typechecker.relations.size_equations import require_equal
from typechecker.types.predicates import is_reported, iteration_strip
from typechecker.types.size_conditions import require


class Iteration(Struct, frozen=True):
    """The iteration source of a `for`: its Core, the term of one element, and the number of elements (None: a tuple or
    a static list, whose elements are the `steps`, None if their number is unknown)."""

    core: core.Iterable
    element: Term
    length: Size | None
    steps: tuple[Term, ...] | None = ()
    facts: tuple[Prop, ...] = ()
    listed: bool = False


# ---------------------------------------------------------------- iterables


def iteration(ctx: Context, node: ast.Expr, static: bool = False) -> Iteration | None:
    """Infer the expression after `in`, collecting static values if `static`; None after a report."""
    with ctx.attempt():
        match _special(ctx, node):
            case "range", args:
                return _range(ctx, args, node.span, static)
            case "zip", args:
                return _zip(ctx, args, node.span, static)
            case "enumerate", args:
                return _enumerate(ctx, args, node.span, static)
            case _:
                term = ctx.infer(node)
                return _elements(ctx, (as_list(ctx, term) if static else None) or term, node.span)
    return None


def _special(ctx: Context, node: ast.Expr) -> tuple[str, tuple[ast.Argument, ...]] | None:
    if not isinstance(node, ast.Call) or not isinstance(node.function, ast.Name):
        return None
    if node.function.name not in ("range", "zip", "enumerate"):
        return None
    term = ctx.infer(node.function)
    return (term.known.name, node.args) if isinstance(term.known, Special) else None


def _elements(ctx: Context, term: Term, span: Span) -> Iteration:
    require_types(term)
    type_ = ctx.resolve(term.type)
    if is_list(type_):
        return Iteration(core.Unrolled(term.core), placeholder(ctx, type_, span), None, items(term), (), True)
    if isinstance(type_, ty.TupleType):
        steps = project_all(term.core, type_, term.known, span)
        return Iteration(core.Unrolled(term.core), steps[0] if steps else error_term(span), None, steps)
    found = iteration_strip(type_)
    if found is None and is_reported(type_):
        raise Reported
    if found is None:
        ctx.refuse(errors.loops.not_iterable(ctx, term, span))
    length, element = found
    if isinstance(type_, ty.RecordType):
        share_axis(ctx, type_, length, span)
    known = element_known(ctx, term.known, element)
    return Iteration(core.Elements(term.core), Term(term.core, element, known), length)


def listed(ctx: Context, source: core.Iterable, span: Span) -> Iteration:
    """Return the iteration source of a Core comprehension that collects static values."""
    match source:
        case core.Counting(start, stop):
            return _between(ctx, ctx.typed(start), ctx.typed(stop), span, span, True)
        case core.Elements(value) | core.Unrolled(value):
            term = ctx.typed(value)
            return _elements(ctx, as_list(ctx, term) or term, span)
        case core.Zipped(parts):
            return _zip_tuples(ctx, [listed(ctx, part, span) for part in parts], source, span)
        case core.Enumerated(of):
            return _enumerated(ctx, listed(ctx, of, span), span)
        case _:
            assert_never(source)


def _refuse_arguments(ctx: Context, name: str, wanted: str, args: Sequence[ast.Argument], span: Span) -> NoReturn:
    ctx.refuse(errors.calls.iterator_arguments(name, wanted, [arg.value.span.text for arg in args], span))


def _range(ctx: Context, args: Sequence[ast.Argument], span: Span, static: bool) -> Iteration:
    if not 1 <= len(args) <= 2 or any(a.name is not None or isinstance(a.value, ast.Splice) for a in args):
        _refuse_arguments(ctx, "range", "one or two arguments by position", args, span)
    bounds = [_static_int(ctx, a) for a in args]
    require_types(*bounds)
    zero = make_constant(0, span)
    start, stop = (zero, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    return _between(ctx, start, stop, stop.span if len(bounds) == 1 else span, span, static)


def _between(ctx: Context, start: Term, stop: Term, place: Span, span: Span, static: bool) -> Iteration:
    """The integers from `start` up to `stop`; one that is less is reported at `place`."""
    low = start.known if isinstance(start.known, Size) else None
    high = stop.known if isinstance(stop.known, Size) else None
    if low is not None and high is not None and not require(ctx, fa.le(low, high), place, "range"):
        raise Reported
    if static:
        return _counted(ctx, core.Counting(start.core, stop.core), low, high, span)
    type_: Type = ty.ArrayType(dt.I32, Shape(()))
    length = Size.of(ctx.program.error_size())
    facts: tuple[Prop, ...] = ()
    if low is not None and high is not None:
        length, facts = high - low, (fa.lt(low, high),)
        _require_counter(ctx, low, high, place)
        if ctx.holds(fa.ge(low, 0)):
            type_ = ty.IndexType(high, Shape(()))
    atom = ctx.range_atom("i", low, high)
    element = Term(core.Const(span, type_, None), type_, Traced(atom))
    return Iteration(core.Counting(start.core, stop.core), element, length, (), facts)


def _require_counter(ctx: Context, low: Size, high: Size, place: Span) -> None:
    """Demand that an i32 holds the numbers of a range, and how many there are."""
    least, greatest = dt.integer_range(dt.I32)
    demands = [fa.le(high - low, greatest)]
    if low != Size.of(0):
        demands += [fa.ge(low, least), fa.le(high - 1, greatest)]
    if any(isinstance(ctx.require(demand, place), Refuted) for demand in demands):
        unfit, why = Unfit("range", (dt.I32,)), Why("static", "range", "range")
        ctx.refuse(errors.dtypes.number_does_not_fit(ctx, unfit, "int", None, dt.I32, why, place))


def _counted(ctx: Context, source: core.Counting, low: Size | None, high: Size | None, span: Span) -> Iteration:
    """A `range` whose numbers are static."""
    ends = [None if size is None else size.constant for size in (low, high)]
    element = placeholder(ctx, ty.INTS, span)
    if ends[0] is None or ends[1] is None:
        return Iteration(source, element, None, None, (), True)
    numbers = tuple([make_constant(n, span) for n in range(ends[0], ends[1])])
    return Iteration(source, element, None, numbers, (), True)


def _static_int(ctx: Context, arg: ast.Argument) -> Term:
    """A bound of a range; the error term after a report, since there may be another bound."""
    assert not isinstance(arg.value, ast.Splice)
    with ctx.attempt():
        return fit(ctx, ctx.typed(arg.value, ty.INT), ty.INT, Why("static", "range", "range"))
    return error_term(arg.span)


def _zip(ctx: Context, args: Sequence[ast.Argument], span: Span, static: bool) -> Iteration:
    if not args:
        _refuse_arguments(ctx, "zip", "one argument or more", args, span)
    parts = [iteration(ctx, a.value, static) for a in args if not isinstance(a.value, ast.Splice)]
    if not static and any(p is not None and p.listed for p in parts):
        parts = [iteration(ctx, a.value, True) for a in args if not isinstance(a.value, ast.Splice)]
    found = [p for p in parts if p is not None]
    if len(found) < len(args):
        raise Reported
    source = core.Zipped(tuple(p.core for p in found))
    if any(p.length is None for p in found):
        return _zip_tuples(ctx, found, source, span)
    first = found[0].length
    assert first is not None
    for part, arg in zip(found[1:], args[1:], strict=True):
        assert part.length is not None
        refuted = require_equal(ctx, first, part.length, arg.span)
        if refuted is not None:
            sides = ((args[0].value.span, first), (arg.value.span, part.length))
            ctx.refuse(errors.shapes.zip_lengths(ctx, sides, refuted))
    element = make_tuple([p.element for p in found], span)
    return Iteration(source, element, first, (), tuple(f for p in found for f in p.facts))


def _zip_tuples(ctx: Context, found: list[Iteration], source: core.Zipped, span: Span) -> Iteration:
    known = [p.steps for p in found if p.steps is not None]
    if any(p.length is not None for p in found) or len({len(steps) for steps in known}) > 1:
        ctx.refuse(errors.loops.zip_tuples(span))
    listed = any(p.listed for p in found)
    element = make_tuple([p.element for p in found], span)
    if len(known) < len(found):
        return Iteration(source, element, None, None, (), listed)
    steps = tuple(make_tuple(list(row), span) for row in zip(*known, strict=True))
    return Iteration(source, steps[0] if steps and not listed else element, None, steps, (), listed)


def _enumerate(ctx: Context, args: Sequence[ast.Argument], span: Span, static: bool) -> Iteration:
    if len(args) != 1 or isinstance(args[0].value, ast.Splice):
        _refuse_arguments(ctx, "enumerate", "one argument", args, span)
    inner = iteration(ctx, args[0].value, static)
    if inner is None:
        raise Reported
    return _enumerated(ctx, inner, span)


def _enumerated(ctx: Context, inner: Iteration, span: Span) -> Iteration:
    source = core.Enumerated(inner.core)
    if inner.length is None:
        element = make_tuple([placeholder(ctx, ty.INTS, span), inner.element], span)
        if inner.steps is None:
            return Iteration(source, element, None, None, (), inner.listed)
        steps = tuple(make_tuple([make_constant(i, span), step], span) for i, step in enumerate(inner.steps))
        return Iteration(source, steps[0] if steps and not inner.listed else element, None, steps, (), inner.listed)
    type_ = ty.IndexType(inner.length, Shape(()))
    index = Term(core.Const(span, type_, None), type_, Traced(ctx.range_atom("i", Size.of(0), inner.length)))
    return Iteration(source, make_tuple([index, inner.element], span), inner.length, (), inner.facts)

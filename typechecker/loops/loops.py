"""Loops with a carry: `fold`, `scan` and `iterate`; the carry keeps one type from turn to turn.

Loops over tuples are unrolled, each turn checked at the types of its part. What is iterated over is
`typechecker.loops.iterables`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import DIV, Site
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes
from typechecker import errors
from typechecker.calls.effect_restrictions import performing_again
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_elements, of_type, with_range
from typechecker.env.values import Condition, Known, Parts, Term, require_types
from typechecker.expressions.logic import condition
from typechecker.expressions.patterns import bind_pattern, completed, distinct_in_all, stated_types
from typechecker.loops.comprehensions import bind_error, stacked
from typechecker.loops.iterables import Iteration, iteration
from typechecker.relations.coercion import Why, coerce, fit, proves_index, value_span
from typechecker.relations.components import parts as parts_of
from typechecker.relations.components import project, value
from typechecker.relations.numeric_literals import as_array, run_time_type
from typechecker.types.predicates import first_of_pair, holds_static, is_traced

# ---------------------------------------------------------------- fold and scan


def loop(ctx: Context, node: ast.Loop, expected: Type | None) -> Term:
    """`fold` and `scan`."""
    distinct_in_all(ctx, (node.carry, node.clause.pattern))
    found = iteration(ctx, node.clause.iterable)
    stated = stated_types(ctx, node.carry, node.carry_type)
    hint = _hint(first_of_pair(expected) if node.kind == "scan" else expected)
    init = ctx.infer(node.init, stated[-1][0] if stated else hint)
    if found is None or init.is_error:
        inner = ctx.repeated()
        bind_pattern(inner, node.carry, Term(init.core, ty.ERROR), "loop")
        bind_error(inner, node.clause.pattern)
        with ctx.body.book.inner():
            inner.infer(node.body)
        raise Reported
    unroll = None if node.unroll is None else _unroll(ctx, node.unroll, node.kind)
    if found.length is None:
        return _unrolled(ctx, node, found, init, stated)
    return _looped(ctx, node, found, carry_type(ctx, init, stated, hint, node.init.span), unroll)


def _unroll(ctx: Context, node: ast.Expr, kind: str) -> core.Expr:
    """How many turns are written out at once: at least one."""
    term = coerce(ctx, ctx.infer(node, ty.INT), ty.INT, Why("static", "unroll"))
    if isinstance(term.known, Size) and (term.known.constant or 0) < 1:
        ctx.report(errors.indices.option_needs(node.span, name=kind, option="unroll", wanted="at least 1"))
    return term.core


def _hint(expected: Type | None) -> Type | None:
    """The type of the carry that is expected, if it is one of data."""
    return None if expected is None or not is_traced(expected) or isinstance(expected, ty.FunctionType) else expected


def _carried(ctx: Context, carry: Type, span: Span) -> Term:
    """The carry at the beginning of a turn."""
    return Term(core.Const(span, carry, None), carry, of_type(ctx, ctx.resolve(carry), "carry"))


def _looped(ctx: Context, node: ast.Loop, found: Iteration, start: Term, unroll: core.Expr | None) -> Term:
    carry = start.type
    inner = ctx.repeated()
    with ctx.attempt() as binding:
        carry_pattern = bind_pattern(inner, node.carry, _carried(ctx, carry, node.carry.span), "loop")
        item_pattern = bind_pattern(inner, node.clause.pattern, found.element, "loop")
    if binding.failed:
        inner.infer(node.body)
        raise Reported
    inner = inner.observing(*found.facts)
    body = inner.typed(node.body, carry if node.kind == "fold" else ty.TupleType((carry, ty.ERROR)))
    assert found.length is not None
    if node.kind == "fold":
        new = fit(inner, body, carry, Why("carry", _names(node.carry), "fold", node.init.span))
        kind = carry = ctx.resolve(carry)
        known = of_type(ctx, kind, "i")
    else:
        new, output = _scan_body(inner, body, carry, node)
        carry, stacked = ctx.resolve(carry), add_axes(output.type, Shape((found.length,)))
        kind = ty.TupleType((carry, stacked))
        known = Parts((of_type(ctx, carry, "i"), of_elements(ctx, [output], stacked)))
    done = core.Loop(
        node.span,
        kind,
        node.kind,
        carry_pattern,
        carry,
        start.core,
        core.Clause(item_pattern, found.core),
        node.reverse,
        unroll,
        new.core,
    )
    return Term(done, kind, known)


def _names(pattern: ast.Pattern) -> str:
    return pattern.name if isinstance(pattern, ast.NamePattern) else pattern.span.text


def carry_type(ctx: Context, init: Term, stated: Sequence[tuple[Type, Span]], hint: Type | None, span: Span) -> Term:
    """The start of a carry, with the type of the carry: numbers take the dtype they will meet, `idx` widens unless it
    is stated, or starts with the bound that is expected of the loop."""
    type_ = as_array(ctx, init.type)
    starts = [replace(init, type=kind) for kind in (run_time_type(ctx, init.type), type_)]
    if hint is not None and not stated and any(_agrees(ctx, start, hint) for start in starts):
        type_ = completed(hint, type_)
    if holds_static(ctx.resolve(type_)):
        ctx.refuse(errors.loops.carry_not_data(span, ctx, term=init))
    if not stated:
        return fit(ctx, init, type_, Why("carry", "carry"))
    return _as_stated(ctx, init, stated, type_)


def _as_stated(ctx: Context, term: Term, stated: Sequence[tuple[Type, Span]], type_: Type) -> Term:
    """A value of a carry with the types that are stated of its parts, and its own for the others."""
    for part, place in stated:
        term = fit(ctx, term, completed(part, type_), Why("annotation", "carry", "", place))
        type_ = term.type
    return term


def _agrees(ctx: Context, start: Term, hint: Type) -> bool:
    """Return whether an expected type only settles what the start leaves open."""
    found, wanted = ctx.resolve(start.type), ctx.resolve(hint)
    parts = parts_of(ctx, found, wanted, start.known, partial(project, start.core))
    if parts or wanted == ty.ERROR:
        return all(_agrees(ctx, part, inner) for _, part, inner in parts)
    solver = ctx.body.solver
    if isinstance(found, ty.ArrayType) and isinstance(wanted, ty.IndexType):
        number = solver.element(found.dtype)
        is_open = solver.is_flexible(found.dtype) and _in(dt.I32, number)
        return found.shape == wanted.shape and (is_open or proves_index(ctx, start.known, wanted.bound))
    if not (isinstance(found, ty.ArrayType) and isinstance(wanted, ty.ArrayType)):
        return found == wanted
    a, b = found.dtype, wanted.dtype
    open_dtype = solver.is_flexible(a) and isinstance(solver.element(b), dt.DType)
    return found.shape == wanted.shape and (a == b or (open_dtype and _in(b, solver.element(a))))


def _in(element: object, other: object) -> bool:
    return element in getattr(other, "allowed", ())


def _scan_parts(ctx: Context, body: Term, carry: Type, span: Span) -> tuple[Term, Term]:
    """The new carry and the output of one turn of a `scan`, in terms of its whole result."""
    kind = ctx.resolve(body.type)
    if not isinstance(kind, ty.TupleType) or len(kind.parts) != 2:
        ctx.refuse(errors.loops.scan_body(ctx, kind, ctx.resolve(carry), span))
    knowns, shown = body.known.items if isinstance(body.known, Parts) else (None, None), value(body.core)
    nodes = shown.items if isinstance(shown, core.Tuple) else (body.core, body.core)
    parts = zip(nodes, kind.parts, knowns, strict=True)
    first, second = [with_range(ctx, Term(node, part, known)) for node, part, known in parts]
    return first, second


def _scan_body(ctx: Context, body: Term, carry: Type, node: ast.Loop) -> tuple[Term, Term]:
    """The result of a turn, and the output."""
    new, out = _scan_parts(ctx, body, carry, value_span(body.core))
    output = run_time_type(ctx, out.type)
    if holds_static(ctx.resolve(output)):
        ctx.refuse(errors.types.cannot_stack(value_span(out.core), ctx, term=out))
    why = Why("carry", _names(node.carry), "scan", node.init.span)
    fit(ctx, new, carry, why)
    return coerce(ctx, body, ty.TupleType((carry, output)), why), replace(out, type=ctx.resolve(output))


def _unrolled(ctx: Context, node: ast.Loop, found: Iteration, init: Term, stated: Sequence[tuple[Type, Span]]) -> Term:
    """A loop over a tuple: each step is checked with the type that the step before produced."""
    if found.steps is None:
        ctx.refuse(errors.indices.static_loop(node.span, word=node.kind))
    carry = init = _as_stated(ctx, init, stated, init.type)
    if node.kind == "scan":
        stated = [(ty.TupleType((type_, ty.ERROR)), place) for type_, place in stated]
    carries: list[core.Pattern] = []
    steps: list[tuple[core.Pattern, Term]] = []
    outputs: list[Term] = []
    performed: list[Site] = []
    for step in reversed(found.steps) if node.reverse else found.steps:
        inner = ctx.inner()
        carries.append(bind_pattern(inner, node.carry, carry, "let"))
        pattern, before = bind_pattern(inner, node.clause.pattern, step, "let"), carry.type
        with ctx.program.task.replay.of("a loop over a tuple"), performing_again(ctx, performed):
            carry = inner.typed(node.body)
        carry = _as_stated(inner, carry, stated, ctx.resolve(carry.type))
        steps.append((pattern, carry))
        if node.kind == "scan":
            carry, output = _scan_parts(ctx, carry, before, node.body.span)
            outputs.append(output)
    result: Type = carry.type
    known: Known | None = carry.known
    if node.kind == "scan":
        element = stacked(ctx, outputs)[0] if outputs else ty.UNIT
        steps = [(pattern, _with_output(ctx, step, element)) for pattern, step in steps]
        kind = add_axes(element, Shape((Size.of(len(outputs)),)))
        result = ty.TupleType((carry.type, kind))
        known = Parts((carry.known, of_elements(ctx, outputs, kind)))
    turns = tuple((pattern, step.core) for pattern, step in steps)
    done = core.Unroll(node.span, result, node.kind, tuple(carries), init.core, found.core, turns, node.reverse)
    return Term(done, result, known)


def _with_output(ctx: Context, step: Term, output: Type) -> Term:
    """A turn over a part of a tuple whose output has the type of all outputs."""
    kind = ctx.resolve(step.type)
    assert isinstance(kind, ty.TupleType)
    return coerce(ctx, step, ty.TupleType((kind.parts[0], output)), Why("item"))


# ---------------------------------------------------------------- iterate


def iterate(ctx: Context, node: ast.Iterate, expected: Type | None) -> Term:
    """`iterate x = start while … limit n do …`, with or without a limit."""
    stated, hint = stated_types(ctx, node.carry, node.carry_type), _hint(expected)
    init = ctx.infer(node.init, stated[-1][0] if stated else hint)
    limit = None if node.limit is None else ctx.infer(node.limit, ty.SIZE)
    if limit is not None:
        limit = coerce(ctx, limit, ty.SIZE, Why("static", "limit"))
    require_types(init)
    start = carry_type(ctx, init, stated, hint, node.init.span)
    carry = start.type
    inner = ctx.repeated()
    pattern = bind_pattern(inner, node.carry, _carried(ctx, carry, node.carry.span), "loop")
    with ctx.body.book.inner() as effects:
        test = condition(inner, inner.infer(node.condition), "while")
    ctx.perform_all(effects)
    if isinstance(test.known, Condition):
        inner = inner.observing(test.known.prop)
    body = inner.infer(node.body, carry)
    require_types(body, test)
    new = fit(inner, body, carry, Why("carry", _names(node.carry), "iterate", node.init.span))
    if node.limit is None:
        ctx.perform(DIV, node.span)
    carry = ctx.resolve(carry)
    done = core.Iterate(
        node.span, carry, pattern, carry, start.core, test.core, limit.core if limit else None, new.core
    )
    return Term(done, carry)

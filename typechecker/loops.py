"""Iteration: comprehensions, `fold`, `scan`, `iterate`, and what they iterate over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.effect import DIV, IO, Cell
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.adapted import as_array
from typechecker.context import Context
from typechecker.equalities import require_equal
from typechecker.instance import spread
from typechecker.kinds import is_traced, iteration_strip
from typechecker.knowledge import array_known, element_known, of_type
from typechecker.logic import condition
from typechecker.patterns import bind_pattern
from typechecker.relate import Why, coerce, value_span
from typechecker.typexpr import add_axes, elaborate
from typechecker.values import Condition, Fields, Known, Parts, Special, Term, Traced, error_term


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a `for` runs over: its Core, the term of one element, and how many there are (None: a tuple)."""

    core: core.Iterable
    element: Term
    length: Size | None
    steps: tuple[Term, ...] = ()
    facts: tuple[Prop, ...] = ()


# ---------------------------------------------------------------- iterables


def iteration(ctx: Context, node: ast.Expr) -> Iteration | None:
    """What an expression after `in` gives; None after a report."""
    if isinstance(node, ast.Call):
        found = _special(ctx, node)
        if found is not None:
            name, args = found
            match name:
                case "range":
                    return _range(ctx, args, node.span)
                case "zip":
                    return _zip(ctx, args, node.span)
                case _:
                    return _enumerate(ctx, args, node.span)
    return _elements(ctx, ctx.infer(node), node.span)


def _special(ctx: Context, node: ast.Call) -> tuple[str, tuple[ast.Argument, ...]] | None:
    if not isinstance(node.function, ast.Name) or node.function.name not in ("range", "zip", "enumerate"):
        return None
    term = ctx.infer(node.function)
    return (term.known.name, node.args) if isinstance(term.known, Special) else None


def _elements(ctx: Context, term: Term, span: Span) -> Iteration | None:
    kind = ctx.resolve(term.type)
    if kind == ty.ERROR:
        return None
    if isinstance(kind, ty.TupleType):
        knowns = term.known.items if isinstance(term.known, Parts) else (None,) * len(kind.parts)
        steps = tuple(
            Term(core.Project(span, t, term.core, i), t, k)
            for i, (t, k) in enumerate(zip(kind.parts, knowns, strict=True))
        )
        return Iteration(core.Unrolled(term.core), steps[0] if steps else error_term(span), None, steps)
    found = iteration_strip(ctx, kind)
    if found is None:
        ctx.report(errors.not_iterable(ctx, term, span))
        return None
    length, element = found
    if isinstance(kind, ty.RecordType) and not _share_axis(ctx, kind, length, span):
        return None
    known = element_known(ctx, term.known, element)
    return Iteration(core.Elements(term.core), Term(term.core, element, known), length)


def _share_axis(ctx: Context, kind: ty.RecordType, length: Size, span: Span) -> bool:
    for _, leaf in kind.fields:
        found = iteration_strip(ctx, ctx.resolve(leaf))
        if found is None or require_equal(ctx, found[0], length, span) is not None:
            ctx.report(errors.leaves_disagree(ctx, kind, span))
            return False
    return True


def _range(ctx: Context, args: Sequence[ast.Argument], span: Span) -> Iteration | None:
    if not 1 <= len(args) <= 2 or any(a.name is not None or isinstance(a.value, ast.Splice) for a in args):
        ctx.report(errors.range_arguments(len(args), span))
        return None
    terms = [_static_int(ctx, a, span) for a in args]
    if any(t is None for t in terms):
        return None
    bounds = [t for t in terms if t is not None]
    zero = Term(core.Const(span, ty.INT, 0), ty.INT, Size.of(0))
    start, stop = (zero, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    low = start.known if isinstance(start.known, Size) else None
    high = stop.known if isinstance(stop.known, Size) else None
    if len(bounds) == 1 and high is not None and not high.is_nonnegative():
        if not ctx.program.rules.require(ctx, fa.ge(high, 0), stop.span, "range"):
            return None
    if low is not None and high is not None and len(bounds) == 2:
        if not ctx.program.rules.require(ctx, fa.le(low, high), span, "range"):
            return None
    atom = ctx.range_atom("i", low, high)
    kind: Type = ty.ArrayType(dt.I32, Shape(()))
    if low is not None and high is not None and low.is_literal(0):
        kind = ty.IndexType(high, Shape(()))
    elif low is not None and high is not None and ctx.holds(fa.ge(low, 0)):
        kind = ty.IndexType(high, Shape(()))
    length = high - low if low is not None and high is not None else Size.of(ctx.program.error_size())
    facts: tuple[Prop, ...] = (fa.lt(low, high),) if low is not None and high is not None else ()
    element = Term(core.Const(span, kind, None), kind, Traced(atom))
    return Iteration(core.Counting(start.core, stop.core), element, length, (), facts)


def _static_int(ctx: Context, arg: ast.Argument, span: Span) -> Term | None:
    assert not isinstance(arg.value, ast.Splice)
    inferred = ctx.infer(arg.value, ty.INT)
    if inferred.type == ty.ERROR:
        return None
    mark = len(ctx.program.reports)
    term = coerce(ctx, inferred, ty.INT, Why("static", "range", "range"))
    return None if len(ctx.program.reports) > mark else term


def _zip(ctx: Context, args: Sequence[ast.Argument], span: Span) -> Iteration | None:
    parts = [iteration(ctx, a.value) for a in args if not isinstance(a.value, ast.Splice)]
    found = [p for p in parts if p is not None]
    if len(found) < len(args) or not found:
        if not args:
            ctx.report(errors.range_arguments(0, span))
        return None
    source = core.Zipped(tuple(p.core for p in found))
    if any(p.length is None for p in found):
        return _zip_tuples(ctx, found, source, span)
    first = found[0].length
    assert first is not None
    for part, arg in zip(found[1:], args[1:], strict=True):
        assert part.length is not None
        refuted = require_equal(ctx, first, part.length, arg.span)
        if refuted is not None:
            ctx.report(errors.zip_lengths(ctx, first, part.length, args[0].span, arg.span, refuted))
            return None
    element = _tuple_of([p.element for p in found], span)
    return Iteration(source, element, first, (), tuple(f for p in found for f in p.facts))


def _zip_tuples(ctx: Context, found: list[Iteration], source: core.Zipped, span: Span) -> Iteration | None:
    counts = {len(p.steps) for p in found}
    if any(p.length is not None for p in found) or len(counts) != 1:
        ctx.report(errors.zip_tuples(span))
        return None
    steps = tuple(_tuple_of(list(row), span) for row in zip(*(p.steps for p in found), strict=True))
    return Iteration(source, steps[0] if steps else error_term(span), None, steps)


def _tuple_of(terms: list[Term], span: Span) -> Term:
    kind = ty.TupleType(tuple(t.type for t in terms))
    return Term(core.Tuple(span, kind, tuple(t.core for t in terms)), kind, Parts(tuple(t.known for t in terms)))


def _enumerate(ctx: Context, args: Sequence[ast.Argument], span: Span) -> Iteration | None:
    if len(args) != 1 or isinstance(args[0].value, ast.Splice):
        ctx.report(errors.range_arguments(len(args), span))
        return None
    inner = iteration(ctx, args[0].value)
    if inner is None:
        return None
    source = core.Enumerated(inner.core)
    if inner.length is None:
        steps = tuple(
            _tuple_of([Term(core.Const(span, ty.INT, i), ty.INT, Size.of(i)), step], span)
            for i, step in enumerate(inner.steps)
        )
        return Iteration(source, steps[0] if steps else error_term(span), None, steps)
    kind = ty.IndexType(inner.length, Shape(()))
    index = Term(core.Const(span, kind, None), kind, Traced(ctx.range_atom("i", Size.of(0), inner.length)))
    return Iteration(source, _tuple_of([index, inner.element], span), inner.length, (), inner.facts)


# ---------------------------------------------------------------- comprehensions


def comprehension(ctx: Context, node: ast.Comprehension, expected: Type | None) -> Term:
    inner = replace(ctx.repeated(), parallel=True)
    clauses: list[core.Clause] = []
    lengths: list[Size] = []
    for clause in node.clauses:
        found = iteration(inner, clause.iterable)
        if found is None:
            _bind_error(inner, clause.pattern)
            with ctx.collecting_effects():
                inner.infer(node.body)
            return error_term(node.span)
        if found.length is None:
            return _comprehend_tuple(ctx, node, clause, found)
        pattern = bind_pattern(inner, clause.pattern, found.element, "loop")
        inner = inner.with_facts(*found.facts)
        clauses.append(core.Clause(pattern, found.core))
        lengths.append(found.length)
    with ctx.collecting_effects() as effects:
        body = inner.infer(node.body, _element_hint(expected, len(lengths)))
    _parallel_effects(ctx, effects)
    if body.type == ty.ERROR:
        return error_term(node.span)
    element = as_array(ctx, body.type) if not isinstance(ctx.resolve(body.type), ty.IndexType) else body.type
    element = _keep_indices(ctx, body.type, element)
    if not _stackable(ctx.resolve(element)):
        ctx.report(errors.cannot_stack(ctx, body, node.body.span))
        return error_term(node.span)
    term = coerce(ctx, body, element, Why("item"))
    kind = add_axes(element, Shape(tuple(lengths)))
    known = array_known(body.known, ctx)
    return Term(core.Comprehension(node.span, kind, tuple(clauses), term.core), kind, known)


def _keep_indices(ctx: Context, kind: Type, widened: Type) -> Type:
    """The type of one element with its `idx` leaves kept."""
    match ctx.resolve(kind), widened:
        case ty.IndexType() as index, _:
            return index
        case ty.TupleType(parts), ty.TupleType(others):
            return ty.TupleType(tuple(_keep_indices(ctx, p, o) for p, o in zip(parts, others, strict=True)))
        case ty.RecordType(fields, _), ty.RecordType(others2, name):
            kept = tuple((n, _keep_indices(ctx, t, u)) for (n, t), (_, u) in zip(fields, others2, strict=True))
            return ty.RecordType(kept, name)
        case _:
            return widened


def _stackable(kind: Type) -> bool:
    match kind:
        case ty.ArrayType() | ty.IndexType() | ty.KeyType() | ty.StackedType() | ty.TypeVar() | ty.ErrorType():
            return True
        case ty.TupleType(parts):
            return all(map(_stackable, parts))
        case ty.RecordType(fields):
            return all(_stackable(t) for _, t in fields)
        case _:
            return False


def _element_hint(expected: Type | None, count: int) -> Type | None:
    if isinstance(expected, ty.ArrayType) and len(expected.shape.dims) > count and expected.shape.leading >= count:
        return ty.ArrayType(expected.dtype, Shape(expected.shape.dims[count:]))
    return expected.element if isinstance(expected, ty.StackedType) and len(expected.axes.dims) == count else None


def _bind_error(ctx: Context, pattern: ast.Pattern) -> None:
    bind_pattern(ctx, pattern, Term(core.Const(pattern.span, ty.ERROR, None), ty.ERROR), "loop")


def _parallel_effects(ctx: Context, effects: dict) -> None:  # type: ignore[type-arg]
    for effect, span in effects.items():
        if isinstance(effect, Cell) and effect.kind == "state" and span in ctx.body.writes:
            ctx.report(errors.state_write_in_parallel(effect.name, span))
        elif effect == IO:
            ctx.report(errors.io_in_parallel(span))
        ctx.perform(effect, span)


def _comprehend_tuple(ctx: Context, node: ast.Comprehension, clause: ast.ForClause, found: Iteration) -> Term:
    if len(node.clauses) > 1 or not found.steps:
        ctx.report(errors.not_iterable(ctx, found.element, clause.span))
        return error_term(node.span)
    steps: list[tuple[core.Pattern, Term]] = []
    for step in found.steps:
        inner = ctx.inner()
        pattern = bind_pattern(inner, clause.pattern, step, "let")
        steps.append((pattern, inner.infer(node.body)))
    terms = [t for _, t in steps]
    if any(t.type == ty.ERROR for t in terms):
        return error_term(node.span)
    common = ctx.program.rules.join_items(ctx, terms)
    if common is None:
        return error_term(node.span)
    element = as_array(ctx, common)
    items = [coerce(ctx, t, element, Why("item")) for t in terms]
    kind = add_axes(element, Shape((Size.of(len(items)),)))
    pairs = tuple((p, t.core) for (p, _), t in zip(steps, items, strict=True))
    return Term(core.Unroll(node.span, kind, "map", (), None, found.core, pairs), kind)


# ---------------------------------------------------------------- fold and scan


def loop(ctx: Context, node: ast.Loop, expected: Type | None) -> Term:
    found = iteration(ctx, node.clause.iterable)
    carry_hint = None if node.carry_type is None else elaborate(ctx, node.carry_type)
    if carry_hint is None and node.kind == "fold" and expected is not None and _is_data(expected):
        carry_hint = expected
    if carry_hint is None and node.kind == "scan" and isinstance(expected, ty.TupleType) and len(expected.parts) == 2:
        carry_hint = expected.parts[0] if _is_data(expected.parts[0]) else None
    init = ctx.infer(node.init, carry_hint)
    if found is None or init.type == ty.ERROR:
        inner = ctx.repeated()
        bind_pattern(inner, node.carry, Term(init.core, ty.ERROR), "loop")
        _bind_error(inner, node.clause.pattern)
        with ctx.collecting_effects():
            inner.infer(node.body)
        return error_term(node.span)
    if node.unroll is not None:
        coerce(ctx, ctx.infer(node.unroll, ty.INT), ty.INT, Why("static", "unroll"))
    if found.length is None:
        return _unrolled(ctx, node, found, init)
    return _looped(ctx, node, found, init, carry_hint)


def _is_data(kind: Type) -> bool:
    return is_traced(kind) and not isinstance(kind, ty.FunctionType)


def _looped(ctx: Context, node: ast.Loop, found: Iteration, init: Term, hint: Type | None) -> Term:
    carry, start = carried(ctx, init, hint, node.carry_type, node.init.span)
    if carry is None or start is None:
        return error_term(node.span)
    inner = ctx.repeated()
    bound = Term(core.Const(node.carry.span, carry, None), carry, of_type(ctx, ctx.resolve(carry), "carry"))
    mark = len(ctx.program.reports)
    carry_pattern = bind_pattern(inner, node.carry, bound, "loop")
    item_pattern = bind_pattern(inner, node.clause.pattern, found.element, "loop")
    if len(ctx.program.reports) > mark:
        inner.infer(node.body)
        return error_term(node.span)
    inner = inner.with_facts(*found.facts)
    hint_body = carry if node.kind == "fold" else None
    body = inner.infer(node.body, hint_body)
    if body.type == ty.ERROR:
        return error_term(node.span)
    assert found.length is not None
    mark = len(ctx.program.reports)
    if node.kind == "fold":
        new, outputs = coerce(ctx, body, carry, Why("carry", _names(node.carry), "fold", node.init.span)), None
        if len(ctx.program.reports) > mark:
            return error_term(node.span)
    else:
        split = _scan_body(ctx, body, carry, node)
        if split is None:
            return error_term(node.span)
        new, outputs = split
    carry = ctx.resolve(carry)
    kind: Type = carry
    if outputs is not None:
        kind = ty.TupleType((carry, add_axes(outputs, Shape((found.length,)))))
    unroll = None if node.unroll is None else ctx.infer(node.unroll, ty.INT).core
    done = core.Loop(
        node.span, kind, node.kind, carry_pattern, carry, start.core, core.Clause(item_pattern, found.core),
        node.reverse, unroll, new.core,
    )  # fmt: skip
    return Term(done, kind)


def _names(pattern: ast.Pattern) -> str:
    return pattern.name if isinstance(pattern, ast.NamePattern) else pattern.span.text


def carried(
    ctx: Context, init: Term, hint: Type | None, written: ast.TypeExpr | None, span: Span
) -> tuple[Type | None, Term | None]:
    """The type of a carry and its start: numbers take the dtype they will meet, `idx` widens unless annotated."""
    kind = as_array(ctx, init.type)
    if written is not None and hint is not None:
        kind = hint
    elif hint is not None and _agrees(ctx, kind, hint):
        kind = hint if not _has_index(hint) else kind
    if not _carryable(ctx.resolve(kind)):
        ctx.report(errors.carry_not_data(ctx, init, span))
        return None, None
    mark = len(ctx.program.reports)
    why = Why("annotation" if written is not None else "carry", "carry", "", None if written is None else written.span)
    start = coerce(ctx, init, kind, why)
    return (None, None) if len(ctx.program.reports) > mark else (kind, start)


def _agrees(ctx: Context, kind: Type, hint: Type) -> bool:
    """Whether an expected type only settles what the start leaves open."""
    match ctx.resolve(kind), ctx.resolve(hint):
        case ty.ArrayType(a, s), ty.ArrayType(b, t):
            solver = ctx.body.solver
            open_dtype = solver.is_flexible(a) and isinstance(solver.element(b), dt.DType)
            return s == t and (a == b or (open_dtype and _in(b, solver.element(a))))
        case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
            return all(_agrees(ctx, p, o) for p, o in zip(parts, others, strict=True))
        case ty.RecordType(fields), ty.RecordType(others2) if len(fields) == len(others2):
            return all(n == m and _agrees(ctx, t, u) for (n, t), (m, u) in zip(fields, others2, strict=True))
        case a, b:
            return a == b


def _in(element: object, other: object) -> bool:
    return element in getattr(other, "allowed", ())


def _has_index(kind: Type) -> bool:
    match kind:
        case ty.IndexType():
            return True
        case ty.TupleType(parts):
            return any(map(_has_index, parts))
        case ty.RecordType(fields):
            return any(_has_index(t) for _, t in fields)
        case _:
            return False


def _carryable(kind: Type) -> bool:
    return _stackable(kind) or kind == ty.UNIT


def _scan_body(ctx: Context, body: Term, carry: Type, node: ast.Loop) -> tuple[Term, Type] | None:
    kind = ctx.resolve(body.type)
    if not isinstance(kind, ty.TupleType) or len(kind.parts) != 2:
        ctx.report(errors.scan_body(ctx, kind, value_span(body.core)))
        return None
    knowns = body.known.items if isinstance(body.known, Parts) else (None, None)
    output = _keep_indices(ctx, kind.parts[1], as_array(ctx, kind.parts[1]))
    if not _stackable(ctx.resolve(output)) and ctx.resolve(output) != ty.UNIT:
        ctx.report(errors.cannot_stack(ctx, Term(body.core, kind.parts[1]), node.body.span))
        return None
    target = ty.TupleType((carry, output))
    shown = _result_of(body.core)
    first = shown.items[0] if isinstance(shown, core.Tuple) else body.core
    why = Why("carry", _names(node.carry), "scan", node.init.span)
    mark = len(ctx.program.reports)
    coerce(ctx, Term(first, kind.parts[0], knowns[0]), carry, why)
    if len(ctx.program.reports) > mark:
        return None
    return coerce(ctx, body, target, why), ctx.resolve(output)


def _result_of(node: core.Expr) -> core.Expr:
    while isinstance(node, core.Sequence):
        node = node.result
    return node


def _unrolled(ctx: Context, node: ast.Loop, found: Iteration, init: Term) -> Term:
    """A loop over a tuple: each step is checked with the type that the step before produced."""
    carry = init
    carries: list[core.Pattern] = []
    steps: list[tuple[core.Pattern, core.Expr]] = []
    outputs: list[Term] = []
    for step in reversed(found.steps) if node.reverse else found.steps:
        inner = ctx.inner()
        carries.append(bind_pattern(inner, node.carry, carry, "let"))
        pattern = bind_pattern(inner, node.clause.pattern, step, "let")
        body = inner.infer(node.body)
        if body.type == ty.ERROR:
            return error_term(node.span)
        steps.append((pattern, body.core))
        if node.kind == "scan":
            kind = ctx.resolve(body.type)
            if not isinstance(kind, ty.TupleType) or len(kind.parts) != 2:
                ctx.report(errors.scan_body(ctx, kind, node.body.span))
                return error_term(node.span)
            knowns = body.known.items if isinstance(body.known, Parts) else (None, None)
            carry = Term(body.core, kind.parts[0], knowns[0])
            outputs.append(Term(body.core, kind.parts[1], knowns[1]))
        else:
            carry = body
    result: Type = carry.type
    known: Known | None = carry.known
    if node.kind == "scan":
        common = ctx.program.rules.join_items(ctx, outputs) if outputs else ty.UNIT
        if common is None:
            return error_term(node.span)
        stacked = add_axes(as_array(ctx, common), Shape((Size.of(len(outputs)),)))
        result, known = ty.TupleType((carry.type, stacked)), None
    done = core.Unroll(node.span, result, node.kind, tuple(carries), init.core, found.core, tuple(steps), node.reverse)
    return Term(done, result, known)


# ---------------------------------------------------------------- iterate


def iterate(ctx: Context, node: ast.Iterate, expected: Type | None) -> Term:
    hint = None if node.carry_type is None else elaborate(ctx, node.carry_type)
    if hint is None and expected is not None and _is_data(expected):
        hint = expected
    init = ctx.infer(node.init, hint)
    limit = None if node.limit is None else ctx.infer(node.limit, ty.SIZE)
    if limit is not None:
        limit = coerce(ctx, limit, ty.SIZE, Why("static", "limit"))
    if init.type == ty.ERROR:
        return error_term(node.span)
    carry, start = carried(ctx, init, hint, node.carry_type, node.init.span)
    if carry is None or start is None:
        return error_term(node.span)
    inner = ctx.repeated()
    bound = Term(core.Const(node.carry.span, carry, None), carry, of_type(ctx, ctx.resolve(carry), "carry"))
    pattern = bind_pattern(inner, node.carry, bound, "loop")
    with ctx.collecting_effects() as effects:
        test = condition(inner, inner.infer(node.condition), "while")
    for effect, span in effects.items():
        ctx.perform(effect, span)
    if isinstance(test.known, Condition):
        inner = inner.with_facts(test.known.prop)
    body = inner.infer(node.body, carry)
    if ty.ERROR in (body.type, test.type):
        return error_term(node.span)
    mark = len(ctx.program.reports)
    new = coerce(ctx, body, carry, Why("carry", _names(node.carry), "iterate", node.init.span))
    if len(ctx.program.reports) > mark:
        return error_term(node.span)
    if node.limit is None:
        ctx.perform(DIV, node.span)
    carry = ctx.resolve(carry)
    done = core.Iterate(
        node.span, carry, pattern, carry, start.core, test.core, limit.core if limit else None, new.core
    )
    return Term(done, carry)


__all__ = ["Fields", "Iteration", "Refuted", "comprehension", "iterate", "iteration", "loop", "spread"]

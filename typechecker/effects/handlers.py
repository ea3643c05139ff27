"""Performing and handling effects: cells, printing, checks, random keys, users' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import assert_never

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.formats import format_shows, parse_format
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.effect import CHECK, DEBUG, IO, RAND, Cell, Effect, EffectVar, Site, UserEffect
from dsl.types.shape import Shape, ShapeVar, Splice, StaticName, Substitution, Written
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.effect_restrictions import answering, answers_of
from typechecker.declarations.dependencies import references
from typechecker.declarations.entities import Definition
from typechecker.declarations.signatures import all_facts, declared_by, elaborate_signature
from typechecker.effects.named import by_name, collecting, field_of, in_any_clause, record_handled, require_same, scoped
from typechecker.env.call_record import Arg, bind_arguments, local
from typechecker.env.context import Context
from typechecker.env.known_parts import outside
from typechecker.env.reports import Reported
from typechecker.env.scope import CellBinding
from typechecker.env.static_values import has_function, static_argument
from typechecker.env.value_facts import of_type, with_range
from typechecker.env.values import Known, Parts, Term, require_types
from typechecker.expressions.patterns import bind_pattern, distinct_in_all
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.predicates import first_of_pair, holds_key, holds_static
from typechecker.types.type_classes import cell_type
from typechecker.types.type_expressions import elaborate

CHECK_RESULT = ty.RecordType((("code", ty.ArrayType(dt.I32, Shape(()))), ("failed", ty.ArrayType(dt.BOOL, Shape(())))))
ORDERED = "ordered"
"""The option of `print` that chooses its effect."""


# ---------------------------------------------------------------- handlers


def with_(ctx: Context, node: ast.With, expected: Type | None) -> Term:
    """A block that opens a cell or handles an effect."""
    match node.handler:
        case ast.RngHandler(key, _):
            start = coerce(ctx, ctx.infer(key), ty.KeyType(Shape(())), Why("argument", "key", "rng"))
            term = _handled(ctx, ctx.inner(), node.body, RAND, expected)
            return Term(core.HandleRng(node.span, term.type, start.core, term.core), term.type, term.known)
        case ast.StateHandler() | ast.AccumHandler():
            return _in_cell(ctx, node, node.handler, expected)
        case ast.ChecksHandler():
            return _checks(ctx, node)
        case ast.ScopeHandler(name, _):
            return scoped(ctx, node, name, expected)
        case ast.UserHandler():
            return _user(ctx, node, node.handler, expected)
        case _:
            assert_never(node.handler)


def _handled(ctx: Context, inner: Context, body: ast.Expr, effect: Effect, expected: Type | None) -> Term:
    """The body with one effect taken away; the others are performed here."""
    with ctx.body.book.inner() as performed:
        term = inner.infer(body, expected)
    ctx.perform_all({found: span for found, span in performed.items() if found != effect})
    return replace(term, known=outside(term.known, frozenset({effect})))


def _in_cell(ctx: Context, node: ast.With, handler: ast.StateHandler | ast.AccumHandler, expected: Type | None) -> Term:
    """A block with a cell: the value of the block, and what is in the cell at its end."""
    start, cell = _cell(ctx, handler)
    term = _handled(ctx, _with_cell(ctx, handler, cell), node.body, cell, first_of_pair(expected))
    type_ = ctx.resolve(cell.type)
    if type_ == ty.ERROR or term.is_error:
        raise Reported
    result = ty.TupleType((term.type, type_))
    first = None if start is None else start.core
    done = core.HandleCell(node.span, result, cell.kind, str(cell), type_, first, term.core)
    return Term(done, result, Parts((term.known, of_type(ctx, type_, cell.name))))


def _with_cell(ctx: Context, handler: ast.StateHandler | ast.AccumHandler, cell: Cell) -> Context:
    inner = ctx.inner()
    inner.scope.cells[cell.name] = CellBinding(cell.name, cell.kind, cell.type, handler.span, ctx.depth)
    return inner


def _cell(ctx: Context, handler: ast.StateHandler | ast.AccumHandler) -> tuple[Term | None, Cell]:
    """The cell that a handler opens, behind its value at the beginning, if one is given."""
    name, stated = handler.cell.name, None if handler.type is None else elaborate(ctx, handler.type)
    if isinstance(handler, ast.AccumHandler):
        assert stated is not None
        return None, Cell("accum", name, cell_type(ctx, "accum", name, stated, handler.type.span))
    start = ctx.infer(handler.init, stated)
    type_ = as_array(ctx, start.type) if stated is None else stated
    if cell_type(ctx, "state", name, type_, handler.init.span) == ty.ERROR:
        return start, Cell("state", name, ty.ERROR)
    declared = None if handler.type is None else handler.type.span
    return coerce(ctx, start, type_, Why("cell", name, "", declared)), Cell("state", name, type_)


def _checks(ctx: Context, node: ast.With) -> Term:
    term = _handled(ctx, ctx.inner(), node.body, CHECK, None)
    require_types(term)
    result = ty.TupleType((term.type, CHECK_RESULT))
    return Term(core.HandleChecks(node.span, result, term.core), result, Parts((term.known, None)))


# ---------------------------------------------------------------- users' effects


def _user(ctx: Context, node: ast.With, handler: ast.UserHandler, expected: Type | None) -> Term:
    start, cell, outer = None, None, ctx.inner()
    if handler.state is not None:
        start, cell = _cell(ctx, handler.state)
        outer = _with_cell(ctx, handler.state, cell)
    handled: dict[UserEffect, Mapping[Effect, Span]] = {}
    clauses, all_known = _clauses(outer, handler, handled)
    require_same(ctx, handled)
    for performed in handled.values():
        ctx.body.book.again.update([effect for effect in performed if isinstance(effect, EffectVar)])
    collected = collecting(ctx, handler, clauses)
    in_clauses = in_any_clause(ctx, handled)
    answers = answers_of(ctx, handled)
    ctx.body.book.answer(answers)
    alone = handler.state is None and handler.record is None
    with ctx.body.book.inner() as performed, answering(ctx, answers):
        term = outer.once().infer(node.body, expected if alone else first_of_pair(expected))
    made, left = by_name(ctx, clauses, handled, performed)
    for effect, span in (*in_clauses.items(), *performed.items()):
        meant = isinstance(effect, UserEffect | Site) and not all_known
        own = effect in handled or (isinstance(effect, Site) and effect.operation in handled)
        if effect != cell and not meant and (not own or (effect in in_clauses and not isinstance(effect, Site))):
            ctx.perform(effect, span)
    for site, span in left.items():
        ctx.require_once((site,), span)
    ctx.perform_all(left)
    require_types(term)
    known = outside(term.known, frozenset(handled) | ({cell} if cell is not None else frozenset()))
    if collected is not None:
        record = record_handled(ctx, collected, [effect for effect in performed if effect not in left], node.span)
        result: Type = ty.TupleType((term.type, record))
        done = core.HandleUser(node.span, result, made, None, None, None, term.core, record)
        return Term(done, result, Parts((known, of_type(ctx, record, "record"))))
    if cell is None or start is None:
        return Term(core.HandleUser(node.span, term.type, made, None, None, None, term.core), term.type, known)
    kind = ctx.resolve(cell.type)
    result = ty.TupleType((term.type, kind))
    done = core.HandleUser(node.span, result, made, str(cell), kind, start.core, term.core)
    return Term(done, result, Parts((known, of_type(ctx, kind, cell.name))))


def _clauses(
    ctx: Context, handler: ast.UserHandler, handled: dict[UserEffect, Mapping[Effect, Span]]
) -> tuple[list[core.HandlerClause], bool]:
    """The clauses, and whether each names an operation: one that does not may be meant for any. What each performs goes
    into `handled`."""
    clauses, all_known = [], True
    seen: dict[tuple[str, str], Span] = {}
    for clause in handler.clauses:
        found = ctx.program.user_effect(ctx, clause.path)
        name = clause.path[-1]
        if found is None:
            known = list(ctx.program.module_at(ctx).effects)
            if not ctx.program.is_broken(ctx, clause.path[0].name):
                unknown = errors.names.unknown_operation
                ctx.report(errors.names.unknown_operation_of(ctx, clause.path, unknown, known, name.span))
            all_known = False
            continue
        if found in seen:
            ctx.report(errors.names.duplicate_name("clause", name.name, name.span, seen[found]))
        seen[found] = name.span
        source = None if clause.source is None else field_of(ctx, UserEffect(*found), clause.source)
        with ctx.body.book.inner() as handled[UserEffect(*found)]:
            checked = _clause(ctx, clause, found, source)
        if checked is not None:
            clauses.append(checked)
    return clauses, all_known


def _clause(
    ctx: Context, clause: ast.HandlerClause, found: tuple[str, str], source: Term | None
) -> core.HandlerClause | None:
    operation = _operation(ctx, *found)
    signature, scope = operation.signature, operation.scope
    if signature is None or scope is None:
        return None
    if len(signature.params) != len(clause.params):
        ctx.report(errors.calls.clause_arity(clause, [p.name for p in signature.params], operation.head.place))
        return None
    inner = ctx.repeated() if operation.form is None else ctx.repeated().once()  # once for each name
    facts = ctx.facts.assume(*all_facts(signature, operation).props)
    inner = replace(inner, resume=signature.result, facts=facts)
    distinct_in_all(ctx, clause.params, "parameter")
    patterns = []
    for pattern, param in zip(clause.params, signature.params, strict=True):
        term = with_range(ctx, scope.names[param.name].term, param.name)
        patterns.append(bind_pattern(inner, pattern, term, "param"))
    if clause.source is not None:
        given = local(ctx, clause.source.name.name, signature.result, clause.source.name.span)
        name = ast.NamePattern(clause.source.name.name, clause.source.name.span)
        patterns.append(bind_pattern(inner, name, given, "param"))
    if not _resumes(clause.body):
        ctx.report(errors.effects.not_tail_resumptive(clause.path[-1].name, clause.body.span))
        return None
    before = ctx.body.solver.mark()
    with _requiring_what_is_stated(ctx, operation, signature):
        term = inner.infer(clause.body)
    if ctx.body.solver.has_bound(signature.dtypes, before):
        ctx.refuse(errors.effects.dtype_of_clause(clause.body.span, name=operation.name))
    record = None if source is None else source.core
    return core.HandlerClause(found[0], found[1], signature, tuple(patterns), record, term.core, operation.form)


def _operation(ctx: Context, module: str, name: str) -> Definition:
    """An operation in variables that are those of one clause alone."""
    written = ctx.program.modules[module].effects[name].written
    own = Definition(module, name, written, operation=True, form=ctx.program.modules[module].effects[name].form)
    elaborate_signature(ctx.program, own)
    return own


@contextmanager
def _requiring_what_is_stated(ctx: Context, operation: Definition, signature: core.Signature) -> Iterator[None]:
    """Require that a clause's demands on the variables of its operation follow from the stated conditions: nobody else
    knows these variables."""
    declared = ctx.body.declared
    ctx.body.declared |= declared_by(signature.params, signature.result)
    with ctx.collecting_constraints() as needed:
        yield
    ctx.body.declared = declared
    problem = partial(errors.effects.operation_needs, operation)
    ctx.require_of_all(needed, signature.dtypes, _other_variables(ctx, signature), problem)


def _other_variables(ctx: Context, signature: core.Signature) -> Substitution:
    """Puts others for the variables of a signature: what it leaves alone does not mention them."""
    binders = [binder for param in signature.params for binder in param.binders()]
    sizes = (*signature.sizes, *(b.size for b in binders if b.size is not None))
    shapes = (*signature.shapes, *(b.shape for b in binders if b.shape is not None))
    return Substitution(
        {var: Size.of(SizeVar(ctx.fresh_id(), var.name)) for var in sizes},
        {var: Shape((Splice(ShapeVar(ctx.fresh_id(), var.name)),)) for var in shapes},
        {StaticName(b.id, b.name): StaticName(ctx.fresh_id(), b.name) for b in binders},
    )


def _resumes(body: ast.Expr) -> bool:
    """Return whether a clause resumes exactly once, as the last thing it does, on every path."""
    match body:
        case ast.Block(statements, result):
            return not any(map(_mentions_resume, statements)) and _resumes(result)
        case ast.If(condition, then, orelse):
            return not _mentions_resume(condition) and _resumes(then) and _resumes(orelse)
        case ast.Match(subject, arms):
            return not _mentions_resume(subject) and all(_resumes(a.body) for a in arms)
        case ast.Call(ast.Name("resume"), args):
            return not any(map(_mentions_resume, args))
        case _:
            return False


def _mentions_resume(node: object) -> bool:
    """Return whether the `resume` of this clause is mentioned: clauses of handlers inside have one of their own."""
    return "resume" in references(node, outside=ast.HandlerClause)


def resume(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`resume(e)` ends a clause of a handler."""
    if ctx.resume is None or len(args) != 1:
        ctx.refuse(errors.effects.resume_place(span))
    term = coerce(ctx, ctx.infer(args[0].value, ctx.resume), ctx.resume, Why("argument", "value", "resume"))
    return Term(core.Resume(span, ctx.resume, term.core), ctx.resume)


# ---------------------------------------------------------------- performing by call


def print_(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    args, ordered = _with_order(ctx, args)
    if not args:
        ctx.refuse(errors.calls.missing_arguments("print", ["the format"], span))
    template = coerce(ctx, ctx.infer(args[0].value), ty.STRING, Why("static", "format", "print"))
    terms = [ctx.infer(a.value) for a in args[1:]]
    if not any(t.is_error for t in terms):
        _check_format(ctx, template.known, args, terms)
    shown = [_printable(ctx, t) for t in terms]
    ctx.perform(IO if ordered else DEBUG, span)
    return Term(core.Print(span, ty.UNIT, template.core, tuple(t.core for t in shown), ordered=ordered), ty.UNIT)


def _with_order(ctx: Context, args: list[Arg]) -> tuple[list[Arg], bool]:
    """The values that are printed, and whether `ordered` says that they have their turn: the effect depends on it."""
    given = [arg for arg in args if arg.name == ORDERED]
    if not given:
        return args, True
    option = given[-1]
    known = ctx.infer(option.value, ty.BOOLEAN).known
    if not isinstance(known, fa.Known):
        wanted = "true or false, known when the program is checked"
        ctx.refuse(errors.transforms.bad_option(option.span, kind="print", name=ORDERED, wanted=wanted))
    return [arg for arg in args if arg.name != ORDERED], known.value


def _check_format(ctx: Context, format: Known | None, args: Sequence[Arg], terms: Sequence[Term]) -> None:
    """A place for each value, which it fits; of a format that is not known yet, a condition."""
    if not isinstance(format, str):
        kinds = [Written(" | ".join(_kinds(ctx.resolve(term.type)))) for term in terms]
        needed = format_shows(static_argument(format, ctx.fresh_id), kinds)
        if not has_gap(needed, Gap.UNNAMED) and isinstance(ctx.require(needed, args[0].span), Refuted):
            ctx.refuse(errors.types.malformed_format(args[0].span))
        return
    try:
        parsed = parse_format(format)
    except ValueError:
        ctx.refuse(errors.types.malformed_format(args[0].span))
    if parsed.count != len(terms):
        ctx.refuse(errors.types.format_arguments(parsed.count, [arg.span for arg in args[1:]], args[0].span))
    for field in parsed.fields:
        term = terms[field.place]
        if not all(map(field.shows, _kinds(ctx.resolve(term.type)))):
            ctx.report(errors.types.format_field(term.span, ctx, suffix=field.suffix, term=term))


def _kinds(type_: Type) -> Sequence[str]:
    """The kinds of the values of a type, as formats tell them apart."""
    match type_:
        case ty.ArrayType(_, shape) | ty.IndexType(_, shape) if shape.rank != 0:
            return ("array",)
        case ty.ArrayType(ty.DTypeVar() as dtype):
            return [each.name for each in dtype.allowed]
        case ty.ArrayType(dt.DType() as dtype):
            return (dtype.name,)
        case ty.IndexType():
            return (dt.I32.name,)
        case ty.StaticType(kind=name):
            return (name,)
        case ty.EnumType():
            return ("str",)
        case ty.OptionalType(base):
            return ("none", *_kinds(base))
        case _:
            return ("tree",)


def _printable(ctx: Context, term: Term) -> Term:
    if has_function(term, ctx.program.enum_info) or holds_key(ctx.resolve(term.type)):
        ctx.report(errors.types.not_printable(term.span, ctx, term=term))
    return term


def emit(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    if len(args) < 2:
        ctx.refuse(errors.calls.missing_arguments("emit", ["the tag", "a value"][len(args) :], span))
    tag = coerce(ctx, ctx.infer(args[0].value), ty.STRING, Why("static", "tag", "emit"))
    terms = [_printable(ctx, ctx.infer(a.value)) for a in args[1:]]
    ctx.perform(IO, span)
    return Term(core.Print(span, ty.UNIT, tag.core, tuple(t.core for t in terms), True), ty.UNIT)


def check_floats(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    arg = bind_arguments(ctx, "checked", [Slot("x")], args, span)["x"]
    term = ctx.typed(arg.value)
    type_ = as_array(ctx, term.type)
    if holds_static(ctx.resolve(type_)):
        ctx.refuse(errors.types.not_checkable(arg.span, ctx, term=term))
    term = coerce(ctx, term, type_, Why("argument", "x", "checked"))
    ctx.perform(CHECK, span)
    return Term(core.Checked(span, type_, term.core), type_)


def fresh_key(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    bind_arguments(ctx, "fresh_key", [], args, span)
    ctx.perform(RAND, span)
    type_ = ty.KeyType(Shape(()))
    return Term(core.FreshKey(span, type_), type_)

"""Operations that are known by name: their values as fields of a record, which a handler collects or reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NoReturn

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.effect import RAND, SHARED, Effect, EffectVar, Site, UserEffect
from dsl.types.shape import StaticName
from dsl.types.sites import expanded, field_at, has_names, is_known, overlap, record_of, sites_of
from dsl.types.type import Type
from dsl.types.walk import distribute_axes
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import static_argument
from typechecker.env.values import Term
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import run_time_type
from typechecker.types.instance import Instance

Performed = Mapping[Effect, Span]

# ---------------------------------------------------------------- scopes


def scoped(ctx: Context, node: ast.With, name: ast.Expr, expected: Type | None) -> Term:
    """A block in which the names of what is performed have another one in front."""
    text = coerce(ctx, ctx.infer(name), ty.STRING, Why("argument", "name", "scope"))
    front = static_argument(text.known, ctx.fresh_id)
    if not isinstance(front, str | StaticName):
        ctx.refuse(errors.effects.scope_name(name.span))
    with ctx.body.book.inner() as performed:
        term = ctx.inner().infer(node.body, expected)
    for effect, span in performed.items():
        ctx.perform(replace(effect, path=(front, *effect.path)) if isinstance(effect, Site) else effect, span)
    return Term(core.HandleScope(node.span, term.type, text.core, term.core), term.type, term.known)


# ---------------------------------------------------------------- handlers


def collecting(ctx: Context, handler: ast.UserHandler, clauses: Sequence[core.HandlerClause]) -> UserEffect | None:
    """The operation whose values a handler collects."""
    if handler.record is None:
        return None
    named = [UserEffect(each.module, each.name) for each in clauses if each.form is not None]
    if len(named) != 1:
        why = "no clause is for one" if not named else "several clauses are for one"
        ctx.refuse(errors.effects.one_record(handler.record.span, why=why))
    return named[0]


def require_same(ctx: Context, handled: Mapping[UserEffect, Performed]) -> None:
    """Demand that the clauses of shared operations do nothing but draw keys and perform others by name."""
    for operation in [each for each in handled if ctx.program.form_of(each) == SHARED]:
        for effect, span in handled[operation].items():
            if effect != RAND and not isinstance(effect, EffectVar | Site):
                ctx.report(errors.effects.clause_of_shared(span, name=operation.name, effect=effect))


def field_of(ctx: Context, operation: UserEffect, source: ast.FieldOf) -> Term:
    """The record that a clause reads, which is computed where the handler stands."""
    if ctx.program.form_of(operation) is None:
        ctx.refuse(errors.effects.not_by_name(source.name.span, name=operation.name))
    return ctx.typed(source.record)


def by_name(
    ctx: Context,
    clauses: Sequence[core.HandlerClause],
    handled: Mapping[UserEffect, Performed],
    performed: Performed,
) -> tuple[tuple[core.HandlerClause, ...], Performed]:
    """The clauses, with the records that they read as those of what the body performs, and what is left to be performed
    around the handler: operations that a record has no field for, and those that clauses perform in their turn."""
    made, left = [], dict[Effect, Span]()
    for clause in clauses:
        operation = UserEffect(clause.module, clause.name)
        if ctx.program.form_of(operation) is not None:
            _require_known(operation, performed)
        sites = sites_of(performed, operation)
        mine = sites if clause.source is None else _read(ctx, clause.source, sites, performed)
        left.update({site: performed[site] for site in sites if site not in mine})
        for site in mine:
            for each in _in_turn(ctx, clause, handled[operation], site):
                _require_free(ctx, each, left, performed[site])
                left[each] = performed[site]
        made.append(clause if clause.source is None else replace(clause, source=_fitted(ctx, clause, mine, sites)))
    return tuple(made), left


def _require_known(operation: UserEffect, performed: Iterable[Effect]) -> None:
    """Demand that the names of an operation are known: those in a body with errors are not."""
    if operation in performed or not all(map(is_known, sites_of(performed, operation))):
        raise Reported


def _require_free(ctx: Context, site: Site, taken: Performed, span: Span) -> None:
    """Demand that no other operation of a handler performs the name in its turn."""
    for other in sites_of(taken, site.operation):
        if overlap(site, other):
            ctx.report(errors.effects.name_taken(span, other=taken[other], site=site, taken=other))


def in_any_clause(ctx: Context, handled: Mapping[UserEffect, Performed]) -> dict[Effect, Span]:
    """Return the effects that clauses perform whatever the name of their operation is."""
    found: dict[Effect, Span] = {}
    for operation, performed in handled.items():
        named = ctx.program.form_of(operation) is not None
        found.update({e: span for e, span in performed.items() if not (named and isinstance(e, Site))})
    return found


def _read(ctx: Context, source: core.Expr, sites: Sequence[Site], performed: Performed) -> Sequence[Site]:
    """The sites whose values are in a record."""
    type_ = ctx.resolve(source.type)
    if not isinstance(distribute_axes(type_), ty.RecordType):
        return sites
    unknown = [site for site in sites if not has_names(site)]
    if unknown:
        _refuse_names(ctx, unknown, performed[unknown[0]])
    return [site for site in sites if field_at(type_, site.path) is not None]


def _fitted(ctx: Context, clause: core.HandlerClause, sites: Sequence[Site], all_: Sequence[Site]) -> core.Expr:
    """The record of a clause as one of exactly these sites, of all that are performed."""
    assert clause.source is not None
    sites = [replace(site, type=ctx.resolve(site.type)) for site in sites]
    record = record_of(sites)
    if record is None:
        _refuse_names(ctx, sites, clause.source.span)
    _require_operations(ctx, clause, all_)
    term = Term(clause.source, clause.source.type)
    with ctx.body.book.inner() as checked:
        fitted = coerce(ctx, term, record, Why("record", clause.name))
    if checked:
        wanted = errors.types.Mismatch(ctx, term.type, record, Why("record", clause.name), clause.source.span)
        ctx.refuse(errors.types.wrong_type(wanted))
    return fitted.core


def _require_operations(ctx: Context, clause: core.HandlerClause, sites: Sequence[Site]) -> None:
    """Demand that each field of the record of a clause is read."""
    assert clause.source is not None
    whole = Site(clause.module, clause.name, (), ctx.resolve(clause.source.type), False)
    for field in [field for field in expanded(whole) if field.path]:
        if not any(overlap(field, site) for site in sites):
            known = sorted([".".join(map(str, site.path)) for site in sites])
            place, name = clause.source.span, ".".join(map(str, field.path))
            advice = "nothing is performed by name" if not known else f"the names are {', '.join(known)}"
            ctx.refuse(errors.effects.field_not_performed(place, name=clause.name, field=name, help=advice))


def record_handled(ctx: Context, operation: UserEffect, performed: Iterable[Effect], span: Span) -> Type:
    """The record of all that an operation gave in a body."""
    _require_known(operation, performed)
    sites = [replace(site, type=run_time_type(ctx, ctx.resolve(site.type))) for site in sites_of(performed, operation)]
    record = record_of(sites)
    return _refuse_names(ctx, sites, span) if record is None else record


def _refuse_names(ctx: Context, sites: Sequence[Site], span: Span) -> NoReturn:
    unknown = next(site for site in sites if not has_names(site))
    advice = "perform it inside of `with scope(…) do`" if not unknown.path else "give each a text that is known here"
    ctx.refuse(errors.effects.names_unknown(span, name=unknown.name, advice=advice))


def _in_turn(ctx: Context, clause: core.HandlerClause, performed: Performed, site: Site) -> Iterator[Site]:
    """Yield the named operations that a clause performs when it is performed under this name; for an unknown whole
    record, a record of the same type."""
    own = clause.signature
    if not site.path:
        yield from _whole_in_turn(ctx, clause, performed, site)
        return
    instance = Instance.of(own, ctx.body.solver, ctx.facts, partial(run_time_type, ctx))
    instance.bind_type(own.result, site.type)
    instance.statics[_name_in(own)] = site.path[-1]
    for effect in performed:
        if isinstance(effect, Site):
            path = tuple(map(instance.argument, effect.path))
            yield replace(effect, path=(*site.path[:-1], *path), type=instance.type(effect.type))


def _whole_in_turn(ctx: Context, clause: core.HandlerClause, performed: Performed, site: Site) -> Iterator[Site]:
    """Yield the named operations that a clause performs for each operation of an unknown record."""
    own = clause.signature
    for effect, span in performed.items():
        if isinstance(effect, Site):
            if effect.path != (_name_in(own),) or ctx.resolve(effect.type) != ctx.resolve(own.result):
                _refuse_names(ctx, [site], span)
            yield replace(effect, path=(), type=site.type)


def _name_in(signature: core.Signature) -> StaticName:
    """The name of an operation, as its own clause knows it."""
    param = next(param for param in signature.params if param.static and param.type == ty.STRING)
    return StaticName(param.id, param.name)

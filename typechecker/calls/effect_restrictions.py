"""Effects that some bodies may not have: writes and printing in parallel bodies, unbounded loops going backwards.

What a function that is an argument does is not known where its caller is checked, nor what the clause of an operation
does where that is performed: the effect variable or the operation is remembered with the definition, and what it stands
for is judged at each call and by each handler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager

from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.types.effect import IO, PURE, Answer, Cell, Effect, EffectVar, Parallel, Site, UserEffect, kind_of
from dsl.types.sites import is_taken
from typechecker import errors
from typechecker.declarations.entities import Definition
from typechecker.env.context import Context
from typechecker.env.known_parts import functions_in
from typechecker.env.values import Monomorphic, Term
from typechecker.types.instance import Instance


def in_parallel(ctx: Context, effects: Mapping[Effect, Span], printed: Span | None = None) -> None:
    """Perform the effects of a body that runs for all elements at once; `printed` is the place to tell of `io`."""
    for effect, span in effects.items():
        written = ctx.body.book.written({effect: span})
        _at_once(ctx, {effect}, written, (printed or span) if effect == IO else span)
        ctx.perform(effect, span)


def _at_once(ctx: Context, effects: Set[Effect], written: Set[str], span: Span) -> None:
    """Judge effects of what runs for all elements at once; what stands for others is judged when they are known."""
    for effect in sorted(effects, key=str):
        ctx.body.book.defer({(each, None): span for each in _judged_later(effect)})
        kind = kind_of(effect)
        match Parallel.ANY_ORDER if kind is None else kind.parallel:
            case Parallel.READS if isinstance(effect, Cell) and effect.name in written:
                ctx.report(errors.effects.state_write_in_parallel(ctx, effect, span))
            case Parallel.NOTHING:
                ctx.report(errors.effects.io_in_parallel(span, ctx))
            case Parallel.ANY_ORDER | Parallel.READS:
                continue


def in_reverse(ctx: Context, kind: Kind, effects: Set[Effect], span: Span) -> bool:
    """Return whether a function with these effects can be differentiated backwards; reports if not."""
    if any(kind is not None and not kind.in_reverse for kind in map(kind_of, effects)):
        ctx.report(errors.transforms.unbounded_reverse(ctx, kind, span))
        return False
    ctx.body.book.defer({(each, kind): span for effect in effects for each in _judged_later(effect)})
    return True


def _judged_later(effect: Effect) -> Sequence[EffectVar | UserEffect]:
    """Return the effect variable or user effect whose meaning a caller or a handler determines."""
    effect = effect.operation if isinstance(effect, Site) else effect
    return (effect,) if isinstance(effect, EffectVar | UserEffect) else ()


def _judge(ctx: Context, kind: Kind | None, effects: Set[Effect], written: Set[str], span: Span) -> None:
    """Judge effects of what a transformation of this kind differentiates backwards, or of what runs at once."""
    if kind is None:
        _at_once(ctx, effects, written, span)
    else:
        in_reverse(ctx, kind, effects, span)


@contextmanager
def performing_again(ctx: Context, before: list[Site]) -> Iterator[None]:
    """One step of a loop that is unrolled: what it performs by name was not performed by the steps `before`, unless it
    is shared, and of one type."""
    with ctx.body.book.inner() as effects:
        yield
    for effect, span in effects.items():
        if isinstance(effect, Site):
            taken = [other for other in before if is_taken(effect, other) and not _is_same(ctx, effect, other)]
            if taken:
                ctx.report(errors.effects.name_taken(span, other=span, site=effect, taken=taken[0]))
            before.append(effect)
        ctx.perform(effect, span)


def _is_same(ctx: Context, one: Site, other: Site) -> bool:
    return one.shared and one == other and ctx.resolve(one.type) == ctx.resolve(other.type)


def of_arguments(ctx: Context, info: Definition, instance: Instance, written: Set[str], span: Span) -> None:
    """Judge what the effect variables and the operations of a callee stand for; `written` are the cells that its
    arguments write."""
    for effect, kind in info.conduct.deferred:
        meant = {effect} if isinstance(effect, UserEffect) else instance.effects.get(effect, PURE).effects
        _judge(ctx, kind, meant, written, span)


def answers_of(ctx: Context, clauses: Mapping[UserEffect, Mapping[Effect, Span]]) -> Mapping[UserEffect, Answer]:
    """Return the effects of a handler's clauses, by operation."""
    return {effect: Answer(frozenset(does), ctx.body.book.written(does)) for effect, does in clauses.items()}


@contextmanager
def answering(ctx: Context, clauses: Mapping[UserEffect, Answer]) -> Iterator[None]:
    """Inside of handlers whose clauses perform these effects, in this definition or in one that is called with
    functions: they are judged where the operations are performed."""
    with ctx.body.book.deferring() as found:
        yield
    for (effect, kind), span in found.items():
        answer = clauses.get(effect) if isinstance(effect, UserEffect) else None
        if answer is None:
            ctx.body.book.defer({(effect, kind): span})
        else:
            _judge(ctx, kind, answer.effects, answer.written, span)


def written_by_arguments(terms: Mapping[str, Term]) -> frozenset[str]:
    """The cells that functions among the arguments write."""
    functions = (function for term in terms.values() for function in functions_in(term.known))
    return frozenset[str]().union(*[function.writes for function in functions if isinstance(function, Monomorphic)])

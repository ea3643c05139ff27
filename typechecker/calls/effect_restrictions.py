"""Effects that some bodies may not have: writes and printing in parallel bodies, unbounded loops going backwards.

What a function that is an argument does is not known where its caller is checked: its effect variable is remembered
with the definition, and what it stands for is judged at each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from dsl.diagnostics.source import Span
from dsl.types.effect import DIV, IO, PURE, Cell, Effect, EffectVar
from typechecker.declarations.entities import Definition
from typechecker.env.context import Context
from typechecker.env.values import Fields, Known, Monomorphic, Parts, Term
from typechecker.errors import effects as effect_errors
from typechecker.errors import transforms as transform_errors
from typechecker.types.instance import Instance


def in_parallel(ctx: Context, effects: Mapping[Effect, Span], printed: Span | None = None) -> None:
    """Perform the effects of a body that runs for all elements at once; `printed` is the place to tell of `io`."""
    for effect, span in effects.items():
        match effect:
            case Cell("state") if span in ctx.body.writes:
                ctx.report(effect_errors.state_write_in_parallel(effect.name, span))
            case EffectVar():
                ctx.body.parallel.add(effect)
            case _ if effect == IO:
                ctx.report(effect_errors.io_in_parallel(printed or span))
        ctx.perform(effect, span)


def in_reverse(ctx: Context, kind: str, effects: Set[Effect], span: Span) -> bool:
    """Whether a function with these effects can be differentiated backwards; reports if not."""
    if DIV in effects:
        ctx.report(transform_errors.unbounded_reverse(kind, span))
        return False
    ctx.body.backwards.update({effect: kind for effect in effects if isinstance(effect, EffectVar)})
    return True


def of_arguments(ctx: Context, info: Definition, instance: Instance, written: Set[str], span: Span) -> None:
    """Judge what the effect variables of a callee stand for; `written` are the cells that its arguments write."""
    for variable in info.parallel:
        for effect in sorted(instance.effects.get(variable, PURE).effects, key=str):
            match effect:
                case Cell("state", name) if name in written:
                    ctx.report(effect_errors.state_write_in_parallel(name, span))
                case EffectVar():
                    ctx.body.parallel.add(effect)
                case _ if effect == IO:
                    ctx.report(effect_errors.io_in_parallel(span))
    for variable, kind in info.backwards.items():
        in_reverse(ctx, kind, instance.effects.get(variable, PURE).effects, span)


def written_by(ctx: Context, effects: Mapping[Effect, Span]) -> frozenset[str]:
    """The cells that are written, of those among the effects of a function."""
    cells = [(e.name, span) for e, span in effects.items() if isinstance(e, Cell) and e.kind == "state"]
    return frozenset(name for name, span in cells if span in ctx.body.writes)


def written_by_arguments(terms: Mapping[str, Term]) -> frozenset[str]:
    """The cells that functions among the arguments write."""
    return frozenset(name for term in terms.values() for name in _written(term.known))


def _written(known: Known | None) -> frozenset[str]:
    match known:
        case Monomorphic(writes=writes):
            return writes
        case Parts(items):
            return frozenset(name for item in items for name in _written(item))
        case Fields(fields):
            return frozenset(name for _, item in fields for name in _written(item))
        case _:
            return frozenset()

"""Functions chosen by a static condition that is not decided yet: a call is checked for both.

The bodies that a call adds to the lambdas of both branches get the same number, so that one application serves
whichever is chosen when the program is staged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.facts import negation
from dsl.types.type import Type
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.known_parts import functions_in
from typechecker.env.reports import Reported
from typechecker.env.values import Alternatives, Closure, Term, Transformed
from typechecker.errors import types as type_errors


def apply_alternatives(
    ctx: Context, function: Term, known: Alternatives, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of either of two functions; their results must have one type."""
    given = [Arg(a.name, ctx.infer(a.value), a.span) for a in args]
    align(ctx, [*lambdas_of(known.then), *lambdas_of(known.orelse)])
    both: list[Applied] = []
    facts = (known.condition, None if known.condition is None else negation(known.condition))
    for one, fact in zip((known.then, known.orelse), facts, strict=True):
        branch = ctx if fact is None else ctx.assuming(fact)
        with ctx.attempt():
            both.append(ctx.program.rules.apply(branch, one, given, span, expected))
    if len(both) < 2:
        raise Reported
    then, orelse = both
    kind, other = ctx.resolve(then.term.type), ctx.resolve(orelse.term.type)
    if kind != other:
        ctx.refuse(type_errors.branches_differ(span, ctx, actual=other, wanted=kind))
    chosen = then if then.instance is None else orelse
    number = orelse.instance if then.instance is None else then.instance
    call = core.Apply(span, kind, function.core, chosen.core_args, number)
    known_result = then.term.known if then.term.known == orelse.term.known else None
    return replace(chosen, term=Term(call, kind, known_result), function=function.core, instance=number)


def lambdas_of(term: Term) -> Iterator[core.Lambda]:
    """The lambdas whose bodies an application of this function adds to."""
    for function in functions_in(term.known):
        match function:
            case Closure(core=found):
                yield found
            case Transformed(lambdas=own):
                yield from (found for _, found in own)


def align(ctx: Context, found: Sequence[core.Lambda]) -> None:
    """Give all lambdas the same number of bodies, so that the next of each has the same number."""
    longest = max((len(f.instances) for f in found), default=0)
    for one in found:
        add_body(one, longest)
    ctx.body.forget_lambdas(found)


def add_body(to: core.Lambda, number: int, *body: core.LambdaBody) -> None:
    """A body of a lambda, with a number that it has none for yet."""
    unused = core.LambdaBody((), core.Tuple(to.span, ty.UNIT, ()))
    assert len(to.instances) <= number, "the body has no place"
    to.instances.extend([unused] * (number - len(to.instances)))
    to.instances.extend(body)

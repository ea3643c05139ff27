"""Operators by name: a function of the library whose body is an operator of its two parameters, as `power` is `x ** y`.

A call of it with arrays or numbers is that operator, and asks of its operands what the operator asks.
"""

from __future__ import annotations

from dsl.diagnostics.source import Span
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.values import Term
from typechecker.expressions.arithmetic import array_of
from typechecker.expressions.operators import operate
from typechecker.types.predicates import is_number


def apply_operator(
    ctx: Context, info: DefinitionInfo, function: Term, chosen: dict[str, Arg], span: Span
) -> Applied | None:
    """The call as the operator that the function is; None if it is none, or an argument is a list or a tree."""
    op = info.head.operator if info.in_library else None
    if op is None:
        return None
    terms = []
    for name, arg in chosen.items():
        terms.append(ctx.typed(arg.value))
        chosen[name] = Arg(arg.name, terms[-1], arg.span)
    kinds = [ctx.resolve(term.type) for term in terms]
    if not all(is_number(kind) or array_of(kind) is not None for kind in kinds):
        return None
    left, right = [chosen[param.name].value for param in info.head.params]
    assert isinstance(left, Term) and isinstance(right, Term)
    cores = (left.core, right.core)
    return Applied(operate(ctx, op, left, right, span), function.core, (left, right), cores, None, (0, 1))

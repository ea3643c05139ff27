"""Calls as recorded: the arguments before the call is checked, and the call afterwards.

Read next: `typechecker.calls.calls`, which makes one of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from dsl.core import core
from dsl.core.binding import Slot, bind
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import element_known
from typechecker.env.values import Known, Term


class Arg(Struct, frozen=True):
    """An argument at a call: not yet checked, or already a term (receivers, arguments of transformations)."""

    name: str | None
    value: ast.Expr | Term
    span: Span


class Applied(Struct, frozen=True):
    """A call done. `positional` are the traced arguments as the callee receives them, in order; `core_args` all of
    its parameters' arguments; `function`, `instance` and `hidden` say what was called, and `held` binds arguments that
    come before the call."""

    term: Term
    function: core.Expr
    positional: tuple[Term, ...]
    core_args: tuple[core.Expr | None, ...]
    instance: int | None
    places: tuple[int, ...] = ()
    hidden: core.Hidden = ()
    held: tuple[core.Bound, ...] = ()

    @property
    def received(self) -> tuple[Term, ...]:
        """The traced arguments that are given; what takes its default is none."""
        places = zip(self.places, self.positional, strict=True) if self.places else enumerate(self.positional)
        return tuple([term for place, term in places if self.core_args[place] is not None])


# ---------------------------------------------------------------- application


def local(ctx: Context, name: str, kind: Type, span: Span, known: Known | None = None) -> Term:
    """A fresh local variable of a type, for values of which this is `known`, or for elements or parts of them."""
    return Term(core.Local(span, kind, ctx.fresh_id(), name), kind, element_known(ctx, known, kind))


def bind_locals(held: Iterable[Term]) -> tuple[core.Pattern, ...]:
    """Return patterns that bind local variables, as parameters of a lambda do."""
    return tuple([core.Bind(term.core.id, term.core.name) for term in held if isinstance(term.core, core.Local)])


def bind_arguments(
    ctx: Context, owner: str, slots: Sequence[Slot], args: Sequence[Arg], span: Span, definition: Span | None = None
) -> dict[str, Arg]:
    """The arguments of a call of `owner`, which is written at `definition` if a user can look at it."""
    bound = bind(slots, [arg.name for arg in args])
    for mistake in bound.mistakes:
        ctx.report(errors.calls.misbound(ctx, owner, slots, mistake, [arg.span for arg in args], span, definition))
    if bound.mistakes:
        raise Reported
    return {name: args[place] for name, place in bound.places.items()}

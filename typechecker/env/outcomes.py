"""Memoised results: of a module, and of rules that depend on the types of their terms alone, of which the outcome is
the same within one definition.

Text repeats itself: layers and steps apply the same functions to arrays of the same types. An outcome is kept if
nothing else came of it: no report, constraint or effect, and no knowledge of the result. It holds where the very same
facts do.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from msgspec import Struct, field

from dsl.core import core
from dsl.core.statics.calls import Answer
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.facts import Facts, Prop
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.values import Known, Term


class Outcome(Struct, frozen=True, eq=False):
    """The outcome of a rule that depends on types alone: the result type and the solution of the callee's hidden
    variables. `facts`, `observed` and the callee's signature are those it was found under."""

    facts: Facts
    observed: tuple[Prop, ...]
    callee: core.Signature | None
    type: Type
    hidden: core.Hidden


def question(ctx: Context, rule: Hashable, terms: Sequence[Term]) -> Hashable | None:
    """Return the memo key of a rule if the types of the terms determine its outcome: arrays of a decided dtype, and
    static numbers."""
    if ctx.written is not None:
        return None
    asked: list[Hashable] = [rule]
    for term in terms:
        number = isinstance(term.type, ty.StaticType) and isinstance(term.known, float | Size)
        if not (_is_array(term.type) if term.known is None else number):
            return None
        asked += (term.type, term.known)
    return tuple(asked)


def _is_array(type_: Type) -> bool:
    return isinstance(type_, ty.ArrayType) and isinstance(type_.dtype, DType)


def recall(ctx: Context, asked: Hashable | None, callee: core.Signature | None = None) -> Outcome | None:
    """Return a memoised outcome."""
    found = None if asked is None else ctx.body.outcomes.get(asked)
    if found is None or found.callee is not callee:
        return None
    return found if found.facts is ctx.facts and found.observed == ctx.observed else None


def keep(
    ctx: Context,
    asked: Hashable | None,
    before: tuple[int, ...],
    term: Term,
    callee: core.Signature | None = None,
    hidden: core.Hidden = (),
) -> None:
    """Remember what was found, if it is a type alone and there are no more traces than before."""
    if asked is None or term.known is not None:
        return
    type_ = ctx.resolve(term.type)
    if _is_array(type_) and ctx.traces() == before:
        ctx.body.outcomes[asked] = Outcome(ctx.facts, ctx.observed, callee, type_, hidden)


class Memo(Struct, eq=False):
    """Results memoised while one module is checked: static functions at known arguments (over their Core, otherwise by
    a check of the body) and at arguments for which they stayed calls, types of aliases without parameters, and the
    definitions and aliases known to exceed a budget."""

    evaluated: dict[Hashable, Any] = field(default_factory=dict)
    unfolded: dict[Hashable, Known | None] = field(default_factory=dict)
    computed: dict[Hashable, Answer] = field(default_factory=dict)
    expanded: dict[Hashable, Type] = field(default_factory=dict)
    exploding: set[Hashable] = field(default_factory=set)

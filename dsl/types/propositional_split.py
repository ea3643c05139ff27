"""Truths that depend on no size, such as a static parameter `flag: bool`: in an example they may be chosen.

A call of a boolean function of sizes is not free in this way: what it is for an example is not known, unless
it can be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from dsl.types.facts import And, Known, Not, OpaqueProp, Or, Prop, calls_of, conjunction, disjunction, negation
from dsl.types.static_argument import mentions_sizes

_MOST_CHOICES = 3


def stated_truths(facts: tuple[Prop, ...]) -> dict[OpaqueProp, bool]:
    """The free truths that the facts state."""
    stated = {prop: True for prop in facts if isinstance(prop, OpaqueProp)}
    denied = {prop.prop: False for prop in facts if isinstance(prop, Not) and isinstance(prop.prop, OpaqueProp)}
    return {call: value for call, value in {**denied, **stated}.items() if _is_free(call)}


def choices(facts: tuple[Prop, ...], goal: Prop) -> Iterator[tuple[tuple[Prop, ...], Prop]]:
    """Facts and goal with what the facts state put in, and the other free truths of the facts chosen in
    every way. A truth that the goal mentions is not chosen: nobody has to be shown what a flag may be."""
    stated = stated_truths(facts)
    asked = set(calls_of(goal))
    free = dict.fromkeys(call for prop in facts for call in calls_of(prop) if _is_free(call))
    open_calls = [call for call in free if call not in stated and call not in asked][:_MOST_CHOICES]
    for values in product((True, False), repeat=len(open_calls)):
        truths = {**stated, **dict(zip(open_calls, values, strict=True))}
        yield tuple(with_truths(prop, truths) for prop in facts), with_truths(goal, truths)


def with_truths(prop: Prop, truths: Mapping[OpaqueProp, bool]) -> Prop:
    """The proposition with these calls replaced by what they are."""
    match prop:
        case OpaqueProp():
            value = truths.get(prop)
            return prop if value is None else Known(value)
        case And(props):
            return conjunction(with_truths(p, truths) for p in props)
        case Or(props):
            return disjunction(with_truths(p, truths) for p in props)
        case Not(inner):
            return negation(with_truths(inner, truths))
        case _:
            return prop


def _is_free(call: OpaqueProp) -> bool:
    return not any(mentions_sizes(arg) for arg in call.args)

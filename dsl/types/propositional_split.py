"""Truths that depend on no size, such as a static parameter `flag: bool`: in an example they may be chosen.

A call of a boolean function of sizes is not free in this way: what it is for an example is not known, unless
it can be evaluated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations, product

from dsl.types.conditional import condition_of, is_truth
from dsl.types.facts import (
    COMPARISONS,
    And,
    Known,
    Not,
    OpaqueProp,
    Or,
    Prop,
    atoms_of,
    calls_of,
    conjunction,
    disjunction,
    map_prop,
    negation,
)
from dsl.types.shape import Shape, StaticVariant
from dsl.types.size import Atom, Opaque, Size, rebuild
from dsl.types.static_argument import mentions_sizes
from dsl.types.static_conditions import exclude

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
    named = (call for prop in facts for call in calls_of(prop))
    chosen = (_condition(atom) for prop in (*facts, goal) for atom in atoms_of(prop))
    free = dict.fromkeys(call for call in (*named, *chosen) if isinstance(call, OpaqueProp) and _is_free(call))
    open_calls = [call for call in free if call not in stated and call not in asked][:_MOST_CHOICES]
    for values in product((True, False), repeat=len(open_calls)):
        truths = {**stated, **dict(zip(open_calls, values, strict=True))}
        if not _is_possible(truths):
            continue
        yield tuple(with_truths(prop, truths) for prop in facts), with_truths(goal, truths)


def with_truths(prop: Prop, truths: Mapping[OpaqueProp, bool]) -> Prop:
    """The proposition with these calls replaced by what they are."""
    if not truths or not (prop.calls or any(map(is_truth, prop.inside))):
        return prop
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
            return map_prop(prop, lambda size: _size_with_truths(size, truths))


def _size_with_truths(size: Size, truths: Mapping[OpaqueProp, bool]) -> Size:
    """The size with what these conditions choose."""

    def put(atom: Atom) -> Size:
        value = truths.get(condition) if isinstance(condition := _condition(atom), OpaqueProp) else None
        return rebuild(atom, put) if value is None else Size.of(int(value))

    return size.map_atoms(put)


def _condition(atom: Atom) -> Prop | None:
    return condition_of(atom) if isinstance(atom, Opaque) and is_truth(atom) else None


def _is_possible(truths: Mapping[OpaqueProp, bool]) -> bool:
    """Return whether no two comparisons of a value exclude each other, and one that is compared with several variants
    of an enum, which may be all of them, is one of these."""
    of_value: dict[Hashable, list[tuple[OpaqueProp, bool]]] = {}
    for call, truth in truths.items():
        if call.name in COMPARISONS:
            of_value.setdefault(call.args[0], []).append((call, truth))
    return all(map(_is_possible_of_one, of_value.values()))


def _is_possible_of_one(compared: Sequence[tuple[OpaqueProp, bool]]) -> bool:
    met = [call for call, truth in compared if truth]
    variants = [call for call, _ in compared if isinstance(call.args[1], StaticVariant)]
    return not any(exclude(*pair) for pair in combinations(met, 2)) if met else len(variants) < 2


def _is_free(call: OpaqueProp) -> bool:
    """Return whether a call depends on no size."""
    return not any(_depends(arg) for arg in call.args)


def _depends(arg: Hashable) -> bool:
    return isinstance(arg, Size | Shape) or (mentions_sizes(arg) and bool(arg.atoms()))

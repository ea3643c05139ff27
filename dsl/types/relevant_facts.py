"""The facts that a question may depend on: those that share atoms or calls with it, directly or through each other.

A contradiction lies within facts that are connected, so what is asked is looked for among those, and whether the others
contradict each other is looked for once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import cast

from msgspec import Struct

from dsl.types.facts import COMPARISONS, Facts, Prop, atoms_of, calls_of

_FEW = 4
"""So many facts are looked at together at once."""


def relevant(facts: Facts, props: Iterable[Prop]) -> Facts:
    """The facts connected with some propositions; `facts` itself if all are, or if there are few."""
    if len(facts.props) <= _FEW:
        return facts
    reached = {name for prop in props for name in _names(prop)}
    names = _names_of_facts(facts)
    far = set(names.distinct)
    while near := [each for each in far if not each.isdisjoint(reached)]:
        reached.update(*near)
        far.difference_update(near)
    if not far:
        return facts
    return _part(facts, tuple([prop for prop, own in zip(facts.props, names.each, strict=True) if own not in far]))


def _names(prop: Prop) -> Iterator[Hashable]:
    """Yield the names that connect a proposition with others. Comparisons of one thing exclude each other."""
    yield from atoms_of(prop)
    for call in calls_of(prop):
        yield (COMPARISONS, call.args[0]) if call.name in COMPARISONS else call


class _Names(Struct, frozen=True):
    """The names of each of some facts, and those that differ: there are few for many facts about one thing."""

    each: tuple[frozenset[Hashable], ...] = ()
    distinct: frozenset[frozenset[Hashable]] = frozenset()


def _names_of_facts(facts: Facts) -> _Names:
    """Return the names of the nearest earlier facts with an answer, joined with those of the new facts."""
    chain = [facts]
    while "names" not in chain[-1].memo and isinstance(before := chain[-1].memo.get("before"), Facts):
        chain.append(before)
    found = chain[-1].memo.get("names")
    known = found if isinstance(found, _Names) else _Names()
    new = [frozenset(_names(prop)) for prop in facts.props[len(known.each) :]]
    if new:
        known = facts.memo["names"] = _Names((*known.each, *new), known.distinct.union(new))
    return known


def _part(facts: Facts, props: tuple[Prop, ...]) -> Facts:
    """Some of the facts, which keep what is worked out from them; one for all facts that have a part in common."""
    parts = cast("dict[tuple[Prop, ...], Facts]", facts.memo.setdefault("parts", {}))
    if props not in parts:
        parts[props] = Facts(props)
    return parts[props]

"""The facts that a question may depend on: those that share atoms or calls with it, directly or through each other.

A contradiction lies within facts that are connected, so what is asked is looked for among those, and whether the others
contradict each other is looked for once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from dsl.types.facts import EQUALS, Facts, Prop, atoms_of, calls_of

_FEW = 4
"""So many facts are looked at together at once."""


def relevant(facts: Facts, props: Iterable[Prop]) -> Facts:
    """The facts connected with some propositions; `facts` itself if all are, or if there are few."""
    if len(facts.props) <= _FEW:
        return facts
    reached = {name for prop in props for name in _names(prop)}
    far = dict(enumerate(_names_of_facts(facts)))
    grown = True
    while grown:
        near = [place for place, names in far.items() if not names.isdisjoint(reached)]
        reached.update(name for place in near for name in far.pop(place))
        grown = bool(near)
    if not far:
        return facts
    return _part(facts, tuple([prop for place, prop in enumerate(facts.props) if place not in far]))


def _names(prop: Prop) -> Iterator[Hashable]:
    """What connects a proposition with others. Equal values of one thing exclude each other."""
    yield from atoms_of(prop)
    for call in calls_of(prop):
        yield (EQUALS, call.args[0]) if call.name == EQUALS else call


def _names_of_facts(facts: Facts) -> tuple[frozenset[Hashable], ...]:
    found = facts.memo.get("names")
    if not isinstance(found, tuple):
        found = facts.memo["names"] = tuple([frozenset(_names(prop)) for prop in facts.props])
    return found


def _part(facts: Facts, props: tuple[Prop, ...]) -> Facts:
    """Some of the facts, which keep what is worked out from them."""
    found = facts.memo.get(("part", props))
    if not isinstance(found, Facts):
        found = facts.memo["part", props] = Facts(props)
    return found

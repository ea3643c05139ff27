"""Questions about static floats, asked of a few: where `int(share * n) == n` fails for some of them.

Knows nothing of proofs. Read next: `decide`, which looks for sizes that answer them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from typing import TypeAlias

from dsl.types.facts import Known, Prop, simplified
from dsl.types.shape import StaticName, Substitution, Written
from dsl.types.static_parts import static_names

TRIED = ("0.7", "0.5", "1.0", "0.25", "2.5", "0.0", "-0.7")
"""Between 0 and 1 first: rounded products of them differ from what they seem to be."""
_MOST = 3

Numbers: TypeAlias = Mapping[StaticName, str]


def with_numbers(
    floats: Sequence[StaticName], facts: Sequence[Prop], prop: Prop
) -> Iterator[tuple[Numbers, tuple[Prop, ...], Prop]]:
    """Values of the floats that a proposition mentions, with the facts and the proposition for these; none that the
    facts exclude. What the facts say of other floats alone is left out if some value satisfies it."""
    about = [(fact, frozenset(static_names(fact)).intersection(floats)) for fact in facts]
    near = _connected(frozenset(static_names(prop)).intersection(floats), [names for _, names in about])
    far = [fact for fact, names in about if names and names.isdisjoint(near)]
    if near and next(_given(_in_order(floats, far), far), None) is not None:
        kept = [fact for fact, names in about if not names or names <= near]
        for given, told in _given([name for name in floats if name in near], kept):
            yield given, told, _put(given).prop(prop)


def _connected(start: Set[StaticName], groups: Sequence[Set[StaticName]]) -> Set[StaticName]:
    """Those of the start, and all that share a group with one of them, directly or through others."""
    reached = set(start)
    for _ in groups:
        reached.update(*[group for group in groups if not group.isdisjoint(reached)])
    return reached


def _in_order(floats: Sequence[StaticName], facts: Sequence[Prop]) -> list[StaticName]:
    inside = {name for fact in facts for name in static_names(fact)}
    return [name for name in floats if name in inside]


def _given(names: Sequence[StaticName], facts: Sequence[Prop]) -> Iterator[tuple[Numbers, tuple[Prop, ...]]]:
    """Values that no fact excludes, and what the facts still say for them."""
    for values in product(TRIED, repeat=len(names)) if len(names) <= _MOST else ():
        given = dict(zip(names, values, strict=True))
        told = [simplified(_put(given).prop(fact)) for fact in facts]
        if Known(False) not in told:
            yield given, tuple([fact for fact in told if fact != Known(True)])


def _put(given: Numbers) -> Substitution:
    return Substitution({}, {}, {name: Written(value) for name, value in given.items()})

"""Questions about static floats and axes, asked of a few: where `int(share * n) == n` fails for some of them.

Knows nothing of proofs. Read next: `decide`, which looks for sizes that answer them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from dsl.types import type as ty
from dsl.types.facts import Known, Prop, simplified
from dsl.types.shape import StaticArg, StaticName, Substitution, Written
from dsl.types.static_parts import static_names
from dsl.types.type import Type

TRIED: Mapping[Type, Sequence[StaticArg]] = MappingProxyType(
    {
        ty.FLOAT: tuple([Written(text) for text in ("0.7", "0.5", "1.0", "0.25", "2.5", "0.0", "-0.7")]),
        ty.AXES: ((0, 1), 0, -1, None, ()),
    }
)
"""Floats between 0 and 1 first, whose rounded products differ from what they seem to be; of axes those of two."""
_MOST = 3

Statics: TypeAlias = Mapping[StaticName, Type]
Examples: TypeAlias = Mapping[StaticName, StaticArg]


def with_statics(
    statics: Statics, facts: Sequence[Prop], prop: Prop
) -> Iterator[tuple[Examples, tuple[Prop, ...], Prop]]:
    """Values of the statics that a proposition mentions, with the facts and the proposition for these; none that the
    facts exclude. What the facts say of others alone is left out if some value satisfies it."""
    about = [(fact, statics.keys() & static_names(fact)) for fact in facts]
    near = _connected(statics.keys() & static_names(prop), [names for _, names in about])
    far = [fact for fact, names in about if names and names.isdisjoint(near)]
    others = {name: kind for name, kind in statics.items() if any(name in static_names(fact) for fact in far)}
    if near and next(_given(others, far), None) is not None:
        kept = [fact for fact, names in about if not names or names <= near]
        for given, told in _given({name: kind for name, kind in statics.items() if name in near}, kept):
            yield given, told, _put(given).prop(prop)


def _connected(start: Set[StaticName], groups: Sequence[Set[StaticName]]) -> Set[StaticName]:
    """Return the names of the start and all that share a group with them, transitively."""
    reached = set(start)
    for _ in groups:
        reached.update(*[group for group in groups if not group.isdisjoint(reached)])
    return reached


def _given(statics: Statics, facts: Sequence[Prop]) -> Iterator[tuple[Examples, tuple[Prop, ...]]]:
    """Values that no fact excludes, and what the facts still say for them."""
    for values in product(*[TRIED[kind] for kind in statics.values()]) if len(statics) <= _MOST else ():
        given = dict(zip(statics, values, strict=True))
        told = [simplified(_put(given).prop(fact)) for fact in facts]
        if Known(False) not in told:
            yield given, tuple([fact for fact in told if fact != Known(True)])


def _put(given: Examples) -> Substitution:
    return Substitution({}, {}, given)

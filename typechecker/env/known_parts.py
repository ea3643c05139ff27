"""What is known of tuples and records, part by part. Those of an array of records are known as arrays.

What is known of a leaf is `typechecker.env.value_facts`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import children, distribute_axes, is_product, part_names
from typechecker.env.values import Fields, Known, Parts

Name: TypeAlias = int | str
"""The position of a part in a tuple, or the name of a field."""

Leaf: TypeAlias = Callable[[Sequence[Known | None], Type], Known | None]
"""What is known of a leaf of a type, from what is known of the same leaf of other values."""


def facts_of_parts(known: Known | None) -> Mapping[Name, Known | None]:
    """What is known of each part."""
    match known:
        case Parts(items):
            return dict(enumerate(items))
        case Fields(items):
            return dict(items)
        case _:
            return {}


def facts_of_leaves(known: Known | None) -> Iterator[Known | None]:
    """What is known of each leaf."""
    if not isinstance(known, Parts | Fields):
        yield known
    for part in facts_of_parts(known).values():
        yield from facts_of_leaves(part)


def leaf_by_leaf(knowns: Sequence[Known | None], kind: Type, leaf: Leaf) -> Known | None:
    """What is known of a value of a type, by what is known of others leaf by leaf; one without parts says the same of
    all parts."""
    whole = distribute_axes(kind)
    if not is_product(whole):
        return leaf(knowns, kind)
    names = part_names(whole)
    given = [_by_name(known, names) for known in knowns]
    found = [
        leaf_by_leaf([each[n] for each in given], part, leaf) for n, part in zip(names, children(whole), strict=True)
    ]
    if isinstance(whole, ty.TupleType):
        return Parts(tuple(found))
    return Fields(tuple([(str(name), part) for name, part in zip(names, found, strict=True)]))


def _by_name(known: Known | None, names: Sequence[Name]) -> Mapping[Name, Known | None]:
    facts = facts_of_parts(known)
    return {name: facts.get(name) if isinstance(known, Parts | Fields) else known for name in names}

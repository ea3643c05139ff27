"""The walk of what is known of values: parts, functions inside of them, and the same leaf of several values.

A tuple or a record of arrays is known by its parts, an array of records as an array. What is known of a leaf is
`typechecker.env.value_facts`'s to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import is_
from typing import TypeAlias

from dsl.records import replace
from dsl.types import type as ty
from dsl.types.effect import Effect
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import children as child_types
from dsl.types.walk import distribute_axes, is_product, part_names
from typechecker.env.values import (
    Alternatives,
    Choice,
    Closure,
    Elementwise,
    Fields,
    FunctionKnown,
    Known,
    Monomorphic,
    Parts,
    Transformed,
    VariantValue,
)

Name: TypeAlias = int | str
"""The position of a part in a tuple, or the name of a field."""

Leaf: TypeAlias = Callable[[Sequence[Known | None], Type], Known | None]
"""What is known of a leaf of a type, from what is known of the same leaf of other values."""


def children(known: Known | None) -> tuple[Known | None, ...]:
    """The parts of a value: items, fields, ways of a choice, and the functions that a function is made of."""
    match known:
        case Parts(items) | VariantValue(args=items):
            return items
        case Fields(items):
            return tuple([part for _, part in items])
        case Choice(_, then, orelse):
            return then, orelse
        case Transformed(function=function):
            return (function.known,)
        case Alternatives(_, then, orelse):
            return then.known, orelse.known
        case Monomorphic(result=result):
            return (result,)
        case _:
            return ()


def map_children(known: Known | None, function: Callable[[Known | None], Known | None]) -> Known | None:
    """The value with each of its `children` mapped; nothing is known of a choice without one of its ways."""
    old = children(known)
    new = tuple(map(function, old))
    if all(map(is_, new, old)):
        return known
    match known:
        case Parts():
            return Parts(new)
        case VariantValue():
            return VariantValue(known.enum, known.name, new)
        case Fields(items):
            return Fields(tuple([(name, part) for (name, _), part in zip(items, new, strict=True)]))
        case Choice(condition, _, _):
            then, orelse = new
            return None if then is None or orelse is None else Choice(condition, then, orelse)
        case Transformed(function=inner):
            return replace(known, function=replace(inner, known=new[0]))
        case Alternatives(condition, then, orelse):
            return Alternatives(condition, replace(then, known=new[0]), replace(orelse, known=new[1]))
        case Monomorphic():
            return replace(known, result=new[0])
        case _:
            return known


def subvalues(known: Known | None) -> Iterator[Known | None]:
    """A value and all those that it is made of."""
    yield known
    for part in children(known):
        yield from subvalues(part)


def functions_in(known: Known | None) -> Iterator[FunctionKnown]:
    """The functions that a value is or holds, those that they are made of among them."""
    return (part for part in subvalues(known) if isinstance(part, FunctionKnown))


def is_written_in_place(known: Known | None) -> bool:
    """Return whether a function was written where a value is made: what it becomes depends on who uses it."""
    return any(isinstance(each, Closure | Transformed | Alternatives) for each in functions_in(known))


def outside(known: Known | None, ended: frozenset[Effect]) -> Known | None:
    """The value as it is known outside of the handlers of these effects."""
    inside = map_children(known, partial(outside, ended=ended))
    return replace(inside, ended=inside.ended | ended) if isinstance(inside, Closure) else inside


def list_of_sizes(known: Known | None) -> Shape | None:
    """A list of integers, however it is written: as a list, as a tuple of them, or as an array."""
    match known:
        case Shape():
            return known
        case Parts(items) | Elementwise(items=tuple() as items):
            sizes = tuple([item for item in items if isinstance(item, Size)])
            return Shape(sizes) if len(sizes) == len(items) else None
        case _:
            return None


def facts_of_parts(known: Known | None) -> Mapping[Name, Known | None]:
    """Return the facts about each part."""
    match known:
        case Parts(items):
            return dict(enumerate(items))
        case Fields(items):
            return dict(items)
        case _:
            return {}


def facts_of_leaves(known: Known | None) -> Iterator[Known | None]:
    """Yield the facts about each leaf."""
    if not isinstance(known, Parts | Fields):
        yield known
        return
    for part in children(known):
        yield from facts_of_leaves(part)


def leaf_by_leaf(knowns: Sequence[Known | None], type_: Type, leaf: Leaf) -> Known | None:
    """Combine facts about values of a type leaf by leaf; a value without parts has the same facts for all parts."""
    whole = distribute_axes(type_)
    if not is_product(whole):
        return leaf(knowns, type_)
    names = part_names(whole)
    given = [_by_name(known, names) for known in knowns]
    found = [
        leaf_by_leaf([each[n] for each in given], part, leaf) for n, part in zip(names, child_types(whole), strict=True)
    ]
    if isinstance(whole, ty.TupleType):
        return Parts(tuple(found))
    return Fields(tuple([(str(name), part) for name, part in zip(names, found, strict=True)]))


def _by_name(known: Known | None, names: Sequence[Name]) -> Mapping[Name, Known | None]:
    facts = facts_of_parts(known)
    return {name: facts.get(name) if isinstance(known, Parts | Fields) else known for name in names}

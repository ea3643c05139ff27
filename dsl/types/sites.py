"""The record that operations known by name make together: one field for each, in records of their scopes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dsl.records import replace
from dsl.types import type as ty
from dsl.types.effect import Site, UserEffect
from dsl.types.type import Type
from dsl.types.walk import distribute_axes

Tree: TypeAlias = "dict[str, Tree | Type]"


def expanded(site: Site) -> Iterator[Site]:
    """The sites of the fields of a record; any other site is itself."""
    whole = distribute_axes(site.type)
    if not isinstance(whole, ty.RecordType):
        yield site
        return
    for name, type_ in whole.fields:
        yield from expanded(replace(site, path=(*site.path, name), type=type_))


def is_known(site: Site) -> bool:
    """Return whether something is known of a site: of the record of a body with errors nothing is."""
    return site.type != ty.ERROR


def overlap(one: Site, other: Site) -> bool:
    """Return whether two sites of an operation have one name, or one is a record around the other."""
    same = all(left == right for left, right in zip(one.path, other.path, strict=False))
    return same and is_known(one) and is_known(other)


def is_taken(one: Site, other: Site) -> bool:
    """Return whether two sites are of one operation, and their names do not go together."""
    return one.operation == other.operation and overlap(one, other)


def sites_of(effects: Iterable[object], operation: UserEffect) -> list[Site]:
    """The sites of one operation among effects."""
    return [effect for effect in effects if isinstance(effect, Site) and effect.operation == operation]


def has_names(site: Site) -> bool:
    """Return whether all names of a site are known, and it is not a whole record that is not known."""
    return bool(site.path) and all(isinstance(name, str) for name in site.path)


def record_of(sites: Sequence[Site]) -> Type | None:
    """The type of the record of these sites, which do not overlap. None: some name is not known. It is an error where a
    site is the record of a body with errors."""
    if not all(site.path or is_known(site) for site in sites):
        return ty.ERROR
    if len(sites) == 1 and not sites[0].path:
        return sites[0].type
    if not all(map(has_names, sites)):
        return None
    tree: Tree = {}
    for site in sites:
        level = tree
        for name in site.path[:-1]:
            inner = level.setdefault(str(name), {})
            assert isinstance(inner, dict)
            level = inner
        level[str(site.path[-1])] = site.type
    return _type(tree)


def _type(tree: Tree) -> Type:
    fields = [(name, _type(part) if isinstance(part, dict) else part) for name, part in sorted(tree.items())]
    return ty.RecordType(tuple(fields))


def field_at(type_: Type, path: Sequence[object]) -> Type | None:
    """The type of the field of a record at a path, if it has one."""
    for name in path:
        whole = distribute_axes(type_)
        found = whole.field(str(name)) if isinstance(whole, ty.RecordType) else None
        if found is None:
            return None
        type_ = found
    return type_

"""`dsl.tree`: containers of arrays as calls see them: dicts, tuples, lists, NamedTuples, dataclasses (so the classes of
equinox and flax), classes of attrs and msgspec.

Everything else is a leaf. Fields go by name, in alphabetical order. Read next: `dsl.host.arguments.pytree`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from dsl.host.arguments.binding import container_like
from dsl.host.arguments.pytree import parts_of


def leaves(tree: Any) -> list[Any]:
    """All leaves in order."""
    return [leaf for _, leaf in _named(tree, "")]


def paths(tree: Any) -> list[str]:
    """A dotted name for each leaf: `layers.0.w`."""
    return [path for path, _ in _named(tree, "")]


def count(tree: Any) -> int:
    """How many numbers there are in all leaves."""
    return sum([int(np.prod(np.shape(leaf), dtype=np.int64)) for leaf in leaves(tree)])


def map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """A tree of the same containers with `function` of each leaf, and of those of other trees at the same places.
    Raises ValueError where their structures differ."""
    parts = parts_of(tree)
    inside = [parts_of(other) for other in others]
    if parts is None:
        if any(inside_ is not None for inside_ in inside):
            raise ValueError("a leaf of the first tree is a container in another")
        return function(tree, *others)
    names, items = parts
    if any(each is None or each[0] != names or len(each[1]) != len(items) for each in inside):
        raise ValueError(f"trees differ at {'a record of ' + ', '.join(names) if names else f'{len(items)} parts'}")
    columns = zip(items, *[each[1] for each in inside if each is not None], strict=True)
    made = [map(function, *column) for column in columns]
    return like(tree, made)


def like(container: Any, items: list[Any]) -> Any:
    """A container like the given one, of other parts."""
    names, _ = parts_of(container) or (None, ())
    if names is not None:
        return container_like(container)(dict(zip(names, items, strict=True)))
    return tuple(items) if isinstance(container, tuple) else items


def _named(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    parts = parts_of(tree)
    if parts is None:
        yield path, tree
        return
    names, items = parts
    for name, item in zip_longest(names or [str(k) for k in range(len(items))], items):
        yield from _named(item, f"{path}.{name}" if path else name)

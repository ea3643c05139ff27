"""`dsl.tree`: containers of arrays as calls see them: dicts, tuples, lists, NamedTuples, dataclasses (so the classes of
equinox and flax), classes of attrs and msgspec.

Everything else is a leaf. Fields go by name, in alphabetical order. Read next: `dsl.host.arguments.pytree`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dsl.diagnostics.settings import function_of
from dsl.host.arguments.pytree import leaves_of, map_tree

__all__ = ["count", "leaves", "map", "paths"]


def map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """A tree of the same containers with `function` of each leaf, and of those of other trees at the same places.
    Raises `SettingError` E0919 where their structures differ."""
    return map_tree(function_of("function", function), tree, *others)


def leaves(tree: Any) -> list[Any]:
    """All leaves in order."""
    return [leaf for _, leaf in leaves_of(tree)]


def paths(tree: Any) -> list[str]:
    """A dotted name for each leaf: `layers.0.w`."""
    return [".".join([str(step) for step in way]) for way, _ in leaves_of(tree)]


def count(tree: Any) -> int:
    """How many numbers there are in all leaves."""
    return sum([int(np.prod(np.shape(leaf), dtype=np.int64)) for leaf in leaves(tree)])

"""Trees of arrays as types and expressions of the language: dicts are records, sequences tuples. Knows no JAX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

Path: TypeAlias = tuple[str | int, ...]


class Leaf(Struct, frozen=True):
    """An array in a tree: the fields and positions on the way to it, and its type."""

    path: Path
    type: str


def type_of(leaves: Sequence[Leaf]) -> str:
    """The type of a tree."""
    return _nested([(leaf.path, leaf.type) for leaf in leaves], ": ")


def construction(leaves: Sequence[Leaf], values: Sequence[str]) -> str:
    """The expression that puts values in the places of the leaves."""
    return _nested([(leaf.path, value) for leaf, value in zip(leaves, values, strict=True)], " = ")


def selections(tree: str, leaves: Sequence[Leaf]) -> list[str]:
    """An expression for each leaf of a tree: `p.layers.0.w`."""
    return [".".join([tree, *map(str, leaf.path)]) for leaf in leaves]


def tuple_of(parts: Sequence[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def parameters(pairs: Iterable[tuple[str, str]]) -> str:
    """Names with their types."""
    return ", ".join([f"{name}: {type_}" for name, type_ in pairs])


def quoted(text: str) -> str:
    """A text as the language writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _nested(leaves: Sequence[tuple[Path, str]], between: str) -> str:
    """Texts in the records and tuples that their paths tell. Raises TypeError for a tuple with a part that holds no
    array."""
    if not leaves[0][0]:
        return leaves[0][1]
    parts: dict[str | int, list[tuple[Path, str]]] = {}
    for path, text in leaves:
        parts.setdefault(path[0], []).append((path[1:], text))
    texts = {key: _nested(part, between) for key, part in parts.items()}
    if isinstance(leaves[0][0][0], str):
        return f"{{{', '.join([f'{key}{between}{text}' for key, text in texts.items()])}}}"
    if list(texts) != list(range(len(texts))):
        raise TypeError("a part of a tuple holds no array")
    return tuple_of(list(texts.values()))

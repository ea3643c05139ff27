"""Arguments as Python gives them: their leaves in order, and a cheap key of everything else about them.

Two calls with equal keys are bound alike, so the key decides which compiled program runs. It holds the
type of every array, the kind of every number, the shape of every container and the value of every
static argument; it never depends on the elements of an array. Read next: `binding`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from dsl.host.arguments.static_arguments import HoldsVariant
from dsl.staging.values import exact
from lowering.xla.array import Array

NUMBERS = (bool, int, float, complex)


def flatten(value: Any, leaves: list[Any], key: list[Any]) -> None:
    """Appends the leaves of a traced argument and the key of its structure."""
    kind = type(value)
    if kind is Array:
        type_ = value.type
        leaves.append(value)
        key.append(type_.dtype.numpy)
        key.append(type_.shape)
    elif kind is np.ndarray:
        leaves.append(value)
        key.append(value.dtype)
        key.append(value.shape)
    elif kind in NUMBERS or value is None:
        leaves.append(value)
        key.append(kind)
    else:
        _flatten_other(value, leaves, key)


def _flatten_other(value: Any, leaves: list[Any], key: list[Any]) -> None:
    if isinstance(value, NUMBERS):  # of a class of its own: NumPy's doubles are Python floats
        leaves.append(value)
        key.append(type(value))
        return
    if isinstance(value, np.generic):
        leaves.append(np.asarray(value))
        key.append(value.dtype)
        key.append(())
        return
    parts = parts_of(value)
    if parts is None:
        leaves.append(value)
        key.append(type(value))
        key.append(getattr(value, "dtype", None))
        key.append(tuple(getattr(value, "shape", ())))
        return
    names, items = parts
    key.append(type(value))
    key.append(names if names is not None else len(items))
    for item in items:
        flatten(item, leaves, key)


def parts_of(value: Any) -> tuple[tuple[str, ...] | None, Sequence[Any]] | None:
    """Names (of a record; sorted) and parts of a container; None for what is a leaf."""
    if isinstance(value, Mapping):
        fields_ = sorted(value.items(), key=lambda item: str(item[0]))
        return tuple([str(name) for name, _ in fields_]), [part for _, part in fields_]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        names = tuple(sorted(value._fields))
        return names, [getattr(value, name) for name in names]
    if isinstance(value, tuple | list):
        return None, value
    if is_dataclass(value) and not isinstance(value, type):
        names = tuple(sorted(field.name for field in fields(value)))
        return names, [getattr(value, name) for name in names]
    return None


def static_key(value: Any) -> Any:
    """A hashable form of a static argument: equal ones mean the same (see `exact`)."""
    if isinstance(value, tuple | list):
        return tuple([static_key(part) for part in value])
    if isinstance(value, float | complex | np.inexact):
        return type(value), repr(value)
    if isinstance(value, HoldsVariant):
        return exact(value.variant)
    return type(value), value if isinstance(value, Hashable) else id(value)

"""Comparison of a record with the arrays of a file: the names of leaves, their shapes and dtypes.

Python numbers fit arrays of their kind without axes. A None is not saved and stays None. Read next: `files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dsl.host import tree
from dsl.host.files.part_files import Reader
from dsl.host.files.saving import loaded
from dsl.types.dtype import BY_NAME
from lowering.xla.array import Array
from lowering.xla.array_state import holds_keys
from lowering.xla.numeric import dtype_of


def storable(leaves: Mapping[str, Any]) -> dict[str, Any]:
    """The leaves that are saved: Python numbers in the widest dtype of their kind, without None."""
    return {name: _wide(leaf) for name, leaf in leaves.items() if leaf is not None}


def _wide(leaf: Any) -> Any:
    return np.asarray(leaf) if _is_number(leaf) else leaf


def _is_number(leaf: Any) -> bool:
    return type(leaf) in (bool, int, float)


def differences(reader: Reader, like: Any) -> list[str]:
    """How the leaves of a file differ from those of a record, one phrase each."""
    wanted = _by_name(like)
    kept = set(reader.names)
    missing = [f"the file has no `{name}`" for name in wanted if name not in kept]
    extra = [f"the record has no `{name}`" for name in reader.names if name not in wanted]
    both = [(name, leaf) for name, leaf in wanted.items() if name in kept]
    types = [_type_difference(reader, name, leaf) for name, leaf in both]
    return [*missing, *extra, *[each for each in types if each]]


def filled(reader: Reader, like: Any) -> Any:
    """A record like the given one, with the arrays of the file."""
    names = iter(tree.paths(like))
    return tree.map(lambda leaf: _restored(reader, next(names) or "array", leaf), like)


def _by_name(like: Any) -> dict[str, Any]:
    pairs = zip(tree.paths(like), tree.leaves(like), strict=True)
    return {name or "array": leaf for name, leaf in pairs if leaf is not None}


def _type_difference(reader: Reader, name: str, leaf: Any) -> str:
    """The two types of an array, or an empty text if they are one type."""
    shape, dtype = reader.shape(name), reader.dtype(name)
    if _is_number(leaf):
        fits = shape == () and dtype in BY_NAME and _kind(dtype) == type(leaf).__name__
        return "" if fits else f"`{name}` is {_type(dtype, shape)} in the file and a Python {type(leaf).__name__} here"
    try:
        here = (str(dtype_of(leaf.dtype)), tuple(leaf.shape))
    except (AttributeError, TypeError):
        return f"`{name}` is {_type(dtype, shape)} in the file, and {type(leaf).__name__} is not an array of numbers"
    return "" if here == (dtype, shape) else f"`{name}` is {_type(dtype, shape)} in the file and {_type(*here)} here"


def _kind(dtype: str) -> str:
    known = BY_NAME[dtype]
    return "bool" if known.is_bool else "int" if known.is_integer else "float" if known.is_float else "complex"


def _type(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else dtype


def _restored(reader: Reader, name: str, like: Any) -> Any:
    """The array of this name as the record has it: an array of NumPy, a number, or a `dsl.Array` that lies likewise."""
    if like is None:
        return None
    if _is_number(like):
        return type(like)(reader.read(name, ()).item())
    if isinstance(like, np.ndarray | np.generic):
        values = reader.read(name, tuple([slice(0, n) for n in reader.shape(name)]))
        return values.copy() if isinstance(like, np.ndarray) else values[()]
    found = loaded(reader, name, like)
    return found.as_keys() if isinstance(like, Array) and holds_keys(like) else found

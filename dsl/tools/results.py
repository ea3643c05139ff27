"""Output of results: printed for people, or saved as an archive of arrays under dotted names."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from dsl.diagnostics.atomic import write_atomically
from dsl.types.dtype import ALL, BF16
from dsl.types.type import UNIT, KeyType, RecordType, StackedType, TupleType, Type

_NAMES: Mapping[np.dtype[np.generic], str] = MappingProxyType({d.numpy: d.name for d in ALL})
RESULT = "result"  # the name of a result that is one array


def leaves(value: object, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array of a result with its dotted name: `0.w` is the field `w` of the first part of a tuple."""
    match value:
        case Mapping():
            for key, part in value.items():
                yield from leaves(part, f"{name}.{key}" if name else str(key))
        case tuple() | list():
            for i, part in enumerate(value):
                yield from leaves(part, f"{name}.{i}" if name else str(i))
        case None:
            return
        case _:
            yield name or RESULT, np.asarray(value)


def key_names(type: Type, name: str = "") -> Iterator[str]:
    """The dotted names of the keys in a result of this type."""
    match type:
        case KeyType():
            yield name or RESULT
        case StackedType(element, _):
            yield from key_names(element, name)
        case TupleType(parts):
            for i, part in enumerate(parts):
                yield from key_names(part, f"{name}.{i}" if name else str(i))
        case RecordType(fields):
            for field, part in fields:
                yield from key_names(part, f"{name}.{field}" if name else field)
        case _:
            return


def show(value: object, type: Type = UNIT) -> str:
    """One paragraph per array of a result: its name, type and values; long arrays are abridged. A key is shown as its
    two words."""
    found, keys = list(leaves(value)), set(key_names(type))
    types = [_type(array, name in keys) for name, array in found]
    name_width = max((len(name) for name, _ in found), default=0)
    type_width = max(map(len, types), default=0)
    return "\n".join(
        _paragraph(f"{name:<{name_width}} : {kind:<{type_width}} = ", array)
        for (name, array), kind in zip(found, types, strict=True)
    )


def save(value: object, path: Path) -> None:
    """Write every array to a .npz file, whole or not at all. Raises `InputError` E0966.

    The format has no bf16: such arrays are stored as f32, which loses nothing.
    """
    arrays = {name: a.astype(np.float32) if a.dtype == BF16.numpy else a for name, a in leaves(value)}
    buffer = io.BytesIO()
    with np.errstate(all="ignore"):
        np.savez(buffer, allow_pickle=False, **arrays)
    write_atomically(path, buffer.getvalue())


def _type(array: np.ndarray, is_key: bool) -> str:
    shape = array.shape[:-1] if is_key else array.shape
    axes = f"[{', '.join(map(str, shape))}]" if shape else ""
    return ("key" if is_key else dtype_name(array)) + axes


def dtype_name(array: np.ndarray) -> str:
    """The dtype of an array, as the language writes it."""
    return _NAMES.get(array.dtype, str(array.dtype))


def _paragraph(head: str, array: np.ndarray) -> str:
    if array.ndim == 0:
        return head + str(array[()])
    rows = np.array2string(array, separator=", ", threshold=24, edgeitems=3, precision=6, max_line_width=88)
    indent = "\n" + " " * len(head) if len(head) <= 32 else "\n    "
    return head + rows.replace("\n", indent)

"""Arguments made up from sizes, where only types matter: every array is zero. Read next: `arguments`."""

from __future__ import annotations

from collections.abc import Mapping

import click
import numpy as np

from dsl.core.core import Signature
from dsl.tools.numbers import Unfit
from dsl.tools.words import literal
from dsl.types.dtype import F32, I32, DType
from dsl.types.shape import Shape
from dsl.types.size import SizeVar
from dsl.types.type import ArrayType, IndexType, RecordType, StackedType, TupleType, Type


def specimens(signature: Signature, sizes: Mapping[str, str], statics: Mapping[str, str]) -> dict[str, object]:
    """A value for every traced parameter whose sizes are all given, by name or by a static argument."""
    values = _sizes(signature, sizes, statics)
    made = {p.name: _specimen(p.type, values, ()) for p in signature.params if not p.static}
    return {name: value for name, value in made.items() if value is not None}


def _sizes(signature: Signature, sizes: Mapping[str, str], statics: Mapping[str, str]) -> dict[SizeVar, int]:
    by_static = {p.size: statics[p.name] for p in signature.params if p.size is not None and p.name in statics}
    by_name = {size: sizes[size.name] for size in signature.sizes if size.name in sizes}
    unknown = set(sizes) - {size.name for size in (*signature.sizes, *signature.extra_sizes)}
    if unknown:
        raise click.UsageError(f"--size names {sorted(unknown)[0]!r}, which is not a size of this function")
    return {size: _size(size.name, text) for size, text in (by_static | by_name).items()}


def _size(name: str, text: str) -> int:
    try:
        value = literal(text, name)
    except Unfit:
        value = None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise click.UsageError(f"--size {name} takes an integer of at least 0, not {text!r}")
    return value


def _specimen(kind: Type, sizes: Mapping[SizeVar, int], axes: tuple[int, ...]) -> object | None:
    """Zeros of a type with `axes` in front; none where a size is not known or the type is not of arrays."""
    match kind:
        case ArrayType(dtype=dtype, shape=shape):
            return _zeros(dtype if isinstance(dtype, DType) else F32, shape, sizes, axes)
        case IndexType(shape=shape):
            return _zeros(I32, shape, sizes, axes)
        case RecordType(fields=fields):
            record = {name: _specimen(of, sizes, axes) for name, of in fields}
            return None if any(part is None for part in record.values()) else record
        case TupleType(parts=parts):
            items = tuple(_specimen(of, sizes, axes) for of in parts)
            return None if any(part is None for part in items) else items
        case StackedType(element=of, axes=shape):
            front = _axes(shape, sizes)
            return None if front is None else _specimen(of, sizes, (*axes, *front))
    return None


def _zeros(dtype: DType, shape: Shape, sizes: Mapping[SizeVar, int], axes: tuple[int, ...]) -> np.ndarray | None:
    own = _axes(shape, sizes)
    return None if own is None else np.zeros((*axes, *own), dtype.numpy)


def _axes(shape: Shape, sizes: Mapping[SizeVar, int]) -> tuple[int, ...] | None:
    """The axes of a shape as numbers; none where a variable has no value."""
    if shape.sizes is None:
        return None
    try:
        return tuple(size.evaluate(sizes) for size in shape.sizes)
    except (KeyError, LookupError, ZeroDivisionError):
        return None

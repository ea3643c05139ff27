"""Arguments made up from sizes, where only types matter. Read next: `binding`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from dsl.core.core import Signature
from dsl.types.dtype import F32, I32, U32, DType
from dsl.types.shape import Shape
from dsl.types.size import SizeVar
from dsl.types.type import ArrayType, IndexType, KeyType, RecordType, StackedType, TupleType, Type

Make: TypeAlias = Callable[[tuple[int, ...], Any], Any]
"""make(shape, dtype of NumPy) -> an array, or what stands for one."""

Sizes: TypeAlias = Mapping[SizeVar, int]


def specimens(signature: Signature, sizes: Sizes, make: Make) -> dict[str, Any]:
    """A value for every traced parameter whose sizes are all given."""
    made = {p.name: _specimen(p.type, sizes, (), make) for p in signature.params if not p.static}
    return {name: value for name, value in made.items() if value is not None}


def _specimen(kind: Type, sizes: Sizes, axes: tuple[int, ...], make: Make) -> object | None:
    """An argument of a type with `axes` in front; none where a size is not known or the type is not of arrays."""
    match kind:
        case ArrayType(dtype=dtype, shape=shape):
            return _array(dtype if isinstance(dtype, DType) else F32, shape, sizes, axes, make)
        case IndexType(shape=shape):
            return _array(I32, shape, sizes, axes, make)
        case KeyType(shape=shape):
            own = _axes(shape, sizes)
            return None if own is None else make((*axes, *own, 2), U32.numpy)
        case RecordType(fields=fields):
            record = {name: _specimen(of, sizes, axes, make) for name, of in fields}
            return None if any(part is None for part in record.values()) else record
        case TupleType(parts=parts):
            items = tuple(_specimen(of, sizes, axes, make) for of in parts)
            return None if any(part is None for part in items) else items
        case StackedType(element=of, axes=shape):
            front = _axes(shape, sizes)
            return None if front is None else _specimen(of, sizes, (*axes, *front), make)
    return None


def _array(dtype: DType, shape: Shape, sizes: Sizes, axes: tuple[int, ...], make: Make) -> object | None:
    own = _axes(shape, sizes)
    return None if own is None else make((*axes, *own), dtype.numpy)


def _axes(shape: Shape, sizes: Sizes) -> tuple[int, ...] | None:
    """The axes of a shape as numbers; none where a variable has no value."""
    if shape.sizes is None:
        return None
    try:
        return tuple(size.evaluate(sizes) for size in shape.sizes)
    except (KeyError, LookupError, ZeroDivisionError):
        return None

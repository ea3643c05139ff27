"""Shapes and dtypes without elements: what `dsl.eval_shape` gives, and takes in place of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsl.diagnostics.settings import setting_error
from dsl.host.arguments.pytree import TypeOfLeaf, leaves_of, map_tree, plain
from dsl.host.arguments.static_arguments import is_size
from dsl.staging.values import RecordValue, Slot, TupleValue, VariantValue
from dsl.types.dtype import DType
from dsl.types.static_argument import argument_text
from lowering.xla.numeric import dtype_of


@dataclass(frozen=True, slots=True)
class ShapeDtypeStruct(TypeOfLeaf):
    """An array of which only this is known: sizes, and a dtype of NumPy, or what makes one, as `"f32"` does. Raises
    `SettingError` E0919 where the shape is not a sequence of sizes or the dtype is not one of the language."""

    __module__ = "dsl"

    shape: tuple[int, ...]
    dtype: Any

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Sequence) or not all(map(is_size, self.shape)):
            raise setting_error(f"a shape is a tuple of sizes of at least 0, not {self.shape!r}")
        object.__setattr__(self, "shape", tuple(map(int, self.shape)))
        object.__setattr__(self, "dtype", _numpy_dtype(self.dtype))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


def _numpy_dtype(dtype: Any) -> Any:
    try:
        return dtype_of(dtype).numpy
    except TypeError as fault:
        raise setting_error(f"`dtype` is not a dtype of the language: {fault}") from None


def stand_in(value: Any) -> Any:
    """An argument with an array of one element, seen many times, for every shape and dtype in it."""
    return map_tree(_stand_in, value, join=plain, stop=lambda inside: not _has_struct(inside))


def _stand_in(leaf: Any) -> Any:
    return stand_in_of(leaf.shape, leaf.dtype) if isinstance(leaf, ShapeDtypeStruct) else leaf


def stand_in_of(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of this shape that has memory for one element."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def _has_struct(value: Any) -> bool:
    return any(isinstance(leaf, ShapeDtypeStruct) for _, leaf in leaves_of(value))


def format_types(value: Any) -> str:
    """The types of what an argument is made of, and its static values."""
    match value:
        case Slot(type):
            return str(type)
        case TupleValue(parts):
            inner = ", ".join(map(format_types, parts))
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        case RecordValue(fields):
            return "{" + ", ".join(f"{name}: {format_types(part)}" for name, part in fields) + "}"
        case VariantValue(_, variant, parts):
            return f"{variant}({', '.join(map(format_types, parts))})" if parts else variant
        case str():
            return f'"{value}"'
        case None | bool() | int() | float() | complex() | tuple() | DType():
            return argument_text(value)
        case _:
            return "()"

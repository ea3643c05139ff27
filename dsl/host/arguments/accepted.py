"""Python types accepted for arrays and records, for type checkers. `docs/python.md` describes them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from lowering.xla.array import Array


class HasArray(Protocol):
    """An object that NumPy reads, such as a JAX array or a table column."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class HasDLPack(Protocol):
    """An object that exports its memory by DLPack, such as a torch tensor."""

    def __dlpack__(self) -> Any: ...


class HasFields(Protocol):
    """Dataclasses."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class HasNames(Protocol):
    """NamedTuples."""

    @property
    def _fields(self) -> tuple[str, ...]: ...


class HasAttributes(Protocol):
    """Classes of attrs."""

    __attrs_attrs__: ClassVar[Any]


class HasStructFields(Protocol):
    """Structs of msgspec."""

    __struct_fields__: ClassVar[tuple[str, ...]]


ArrayLike: TypeAlias = (
    Array
    | np.ndarray[Any, Any]
    | np.generic
    | complex
    | list[Any]
    | tuple[Any, ...]
    | range
    | memoryview
    | HasArray
    | HasDLPack
)
RecordObject: TypeAlias = HasFields | HasNames | HasAttributes | HasStructFields | SimpleNamespace
RecordLike: TypeAlias = RecordObject | dict[str, Any] | list[Any]

"""What Python may give for arrays and records, as types for type checkers. `docs/python.md` says it in words."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from lowering.xla.array import Array


class HasArray(Protocol):
    """What NumPy reads, such as arrays of jax and columns of tables."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class HasDLPack(Protocol):
    """What gives its memory by DLPack, such as tensors of torch."""

    def __dlpack__(self) -> Any: ...


class HasFields(Protocol):
    """Dataclasses."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class HasNames(Protocol):
    """NamedTuples."""

    @property
    def _fields(self) -> tuple[str, ...]: ...


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
RecordLike: TypeAlias = dict[str, Any] | HasFields | HasNames | list[Any]

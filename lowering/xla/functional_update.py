"""`x.at[i].set(v)` on the host: a copy that differs at an index. NumPy's indexing; nothing is clamped in
silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from lowering.xla import numeric
from lowering.xla.numeric import NDArray

A = TypeVar("A")


class At(Generic[A]):
    """`x.at`: the next thing to write is an index."""

    __slots__ = ("_finish", "_view")

    def __init__(self, view: NDArray, finish: Callable[[NDArray], A]) -> None:
        self._view = view
        self._finish = finish

    def __getitem__(self, index: Any) -> Slot[A]:
        return Slot(self._view, numeric.index(index), self._finish)


class Slot(Generic[A]):
    """`x.at[i]`. Where an index occurs twice, `add mul min max` accumulate and `set` leaves one of the
    values."""

    __slots__ = ("_finish", "_index", "_view")

    def __init__(self, view: NDArray, index: Any, finish: Callable[[NDArray], A]) -> None:
        self._view = view
        self._index = index
        self._finish = finish

    def _value(self, value: Any) -> NDArray:
        made = numeric.operand(value, self._view.dtype)
        if made is None:
            raise TypeError(f"{type(value).__name__} is neither an array nor a number")
        if made.dtype != self._view.dtype:
            names = numeric.dtype_of(made.dtype), numeric.dtype_of(self._view.dtype)
            raise TypeError(f"{names[0]} cannot be put into an array of {names[1]}; convert it first")
        numeric.agree(np.shape(self._view[self._index]), made.shape)
        return made

    def _accumulate(self, operation: np.ufunc, value: Any) -> A:
        made, result = self._value(value), self._view.copy()
        with np.errstate(all="ignore"):
            operation.at(result, self._index, made)
        return self._finish(result)

    def get(self) -> A:
        return self._finish(np.asarray(self._view[self._index]))

    def set(self, value: Any) -> A:
        made, result = self._value(value), self._view.copy()
        result[self._index] = made
        return self._finish(result)

    def add(self, value: Any) -> A:
        return self._accumulate(np.add, value)

    def mul(self, value: Any) -> A:
        return self._accumulate(np.multiply, value)

    def divide(self, value: Any) -> A:
        return self._accumulate(np.true_divide, value)

    def power(self, value: Any) -> A:
        return self._accumulate(np.power, value)

    def min(self, value: Any) -> A:
        return self._accumulate(np.minimum, value)

    def max(self, value: Any) -> A:
        return self._accumulate(np.maximum, value)

    def apply(self, function: Callable[[NDArray], Any]) -> A:
        """`function` of the elements there, once each."""
        result = self._view.copy()
        result[self._index] = function(result[self._index])
        return self._finish(result)

"""`x.at[i].set(v)`: an array that differs from `x` at an index, where `x` is. NumPy's indexing; nothing is clamped in
silence.

In the memory of the host it is a copy that NumPy changes, otherwise a program (`dsl.array_api.indexing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dsl.offers import OFFERS
from lowering.xla import numeric
from lowering.xla.numeric import NDArray

if TYPE_CHECKING:
    from lowering.xla.array import Array

_ACCUMULATING: Mapping[str, np.ufunc] = MappingProxyType(
    {
        "add": np.add,
        "mul": np.multiply,
        "divide": np.true_divide,
        "min": np.minimum,
        "max": np.maximum,
    }
)


class At:
    """`x.at`: the next thing to write is an index."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Slot:
        return Slot(self._array, index)


class Slot:
    """`x.at[i]`. Where an index occurs twice, `add mul divide min max` accumulate, and `set power` leave one of the
    values, as in programs."""

    __slots__ = ("_array", "_index")

    def __init__(self, array: Array, index: Any) -> None:
        self._array = array
        self._index = index

    def _value(self, value: Any) -> Any:
        """The value as an array of the same dtype: one of the host, or where the array is."""
        dtype = self._array.dtype
        if type(value) is type(self._array) and not self._array._place.in_host_memory:
            made: Any = value
        else:
            made = numeric.operand(value, dtype)
        if made is None:
            raise TypeError(f"{type(value).__name__} is neither an array nor a number")
        if made.dtype != dtype:
            names = numeric.dtype_of(made.dtype), numeric.dtype_of(dtype)
            raise TypeError(f"{names[0]} cannot be put into an array of {names[1]}; convert it first")
        return made

    def _updated(self, operation: str, value: Any) -> Array:
        made, x = self._value(value), self._array
        if not x._place.in_host_memory:
            found: Array = OFFERS.indexing.update(x, self._index, operation, made)
            return found
        index, result = numeric.index(self._index), x._view().copy()
        numeric.agree(np.shape(result[index]), made.shape)
        with np.errstate(all="ignore"):
            if operation == "set":
                result[index] = made
            elif operation == "power":
                result[index] = result[index] ** made
            else:
                _ACCUMULATING[operation].at(result, index, made)
        return x._of(result)

    def get(self) -> Array:
        return self._array[self._index]

    def set(self, value: Any) -> Array:
        return self._updated("set", value)

    def add(self, value: Any) -> Array:
        return self._updated("add", value)

    def mul(self, value: Any) -> Array:
        return self._updated("mul", value)

    def divide(self, value: Any) -> Array:
        return self._updated("divide", value)

    def power(self, value: Any) -> Array:
        return self._updated("power", value)

    def min(self, value: Any) -> Array:
        return self._updated("min", value)

    def max(self, value: Any) -> Array:
        return self._updated("max", value)

    def apply(self, function: Callable[[NDArray], Any]) -> Array:
        """`function` of the elements there, once each, on the host."""
        x = self._array
        made = np.asarray(function(np.array(x[self._index])), x.dtype)
        return self.set(made)

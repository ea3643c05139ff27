"""Arrays for einops: importing this module makes its functions accept them.

import dsl.interop.einops
from einops import rearrange

rearrange(x, "a b -> b a")  # a `dsl.Array`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from einops._backends import AbstractBackend

from lowering.xla.array import Array, array


class Backend(AbstractBackend):
    """The operations of einops on arrays of programs. einops finds this class among the subclasses of its own."""

    framework_name = "dsl"

    def is_appropriate_type(self, tensor: object) -> bool:
        return isinstance(tensor, Array)

    def from_numpy(self, x: np.ndarray[Any, Any]) -> Array:
        return array(x)

    def to_numpy(self, x: Array) -> np.ndarray[Any, Any]:
        return np.asarray(x)

    def arange(self, start: int, stop: int) -> Array:
        return array(np.arange(start, stop, dtype=np.int32))

    def stack_on_zeroth_dimension(self, tensors: Sequence[Array]) -> Array:
        return array(np.stack(tensors))

    def tile(self, x: Array, repeats: tuple[int, ...]) -> Array:
        return array(np.tile(x, repeats))

    def concat(self, tensors: Sequence[Array], axis: int) -> Array:
        return array(np.concatenate(tensors, axis=axis))

    def is_float_type(self, x: Array) -> bool:
        return x.type.dtype.is_float

    def add_axis(self, x: Array, new_position: int) -> Array:
        return array(np.expand_dims(x, new_position))

    def einsum(self, pattern: str, *operands: Array) -> Array:
        return array(np.einsum(pattern, *operands))

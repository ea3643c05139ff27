"""Arrays as those of Arrow, which polars, pyarrow and other libraries of tables read by its C data interface.

The elements are shared, except bools, which Arrow packs. Further axes become lists of fixed sizes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def exported(elements: np.ndarray[Any, Any], schema: Any = None) -> tuple[Any, Any]:
    """Return the capsules of the C data interface: a schema and an array. Raises TypeError for dtypes that Arrow does
    not have and for a scalar, and ImportError without pyarrow."""
    schema_capsule, array_capsule = column_of(elements).__arrow_c_array__(schema)
    return schema_capsule, array_capsule


def column_of(elements: np.ndarray[Any, Any]) -> Any:
    """The elements as an array of pyarrow."""
    arrow = _arrow()
    if not elements.shape:
        raise TypeError("a scalar is not a column of a table; `x.reshape(1)` is one")
    try:
        type_ = arrow.from_numpy_dtype(elements.dtype)
    except arrow.ArrowException:
        raise TypeError(f"Arrow has no type for {elements.dtype}; convert the array by `astype`") from None
    column = arrow.array(elements.reshape(-1), type_)
    for axis in range(elements.ndim - 1, 0, -1):
        length = int(np.prod(elements.shape[:axis]))
        type_ = arrow.list_(type_, elements.shape[axis])
        column = arrow.Array.from_buffers(type_, length, [None], children=[column])
    return column


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        message = "arrays go to libraries of tables by pyarrow, which is not installed; pip install 'puredsl[tables]'"
        raise ImportError(message) from None

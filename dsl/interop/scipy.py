"""Sparse matrices of SciPy as the records of the library module `sparse`, and back.

    from dsl.interop.scipy import from_scipy, to_scipy

    y = m.product(from_scipy(matrix), x)

No entry is copied where SciPy and the program have the same dtypes. SciPy is imported when a record becomes a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

Record: TypeAlias = Mapping[str, Any]

_FIELDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {"coo": ("data", "row", "col"), "csr": ("data", "indices", "indptr"), "bsr": ("blocks", "indices", "indptr")}
)
"""The fields of each format, as records have them."""

__all__ = ["from_scipy", "to_scipy"]


def from_scipy(matrix: Any) -> dict[str, Any]:
    """Return the record of a sparse matrix: `COO`, `CSR` or `BSR` for these formats, `CSR` for all others.

    Raises TypeError if the argument is not a sparse matrix or array of two axes.
    """
    if not hasattr(matrix, "tocsr") or len(matrix.shape) != 2:
        raise TypeError(
            f"`from_scipy` takes a sparse matrix or array of SciPy with two axes, not {type(matrix).__name__}"
        )
    known = matrix if matrix.format in _FIELDS else matrix.tocsr()
    names = {"blocks": "data"}
    found = {field: getattr(known, names.get(field, field)) for field in _FIELDS[known.format]}
    return {**found, "shape": np.zeros((*matrix.shape, 0), np.bool_)}


def to_scipy(record: Record) -> Any:
    """Return the sparse array of SciPy that a record of `sparse` holds, in the same format.

    Entries that are not part of a matrix by compressed rows are left out. Raises TypeError for any other record.
    """
    arrays = {name: np.asarray(value) for name, value in record.items()}
    found = [name for name, fields in _FIELDS.items() if {*fields, "shape"} == set(arrays)]
    if not found:
        raise TypeError(f"`to_scipy` takes a record of `sparse`, not one with the fields {', '.join(arrays)}")
    shape = arrays["shape"].shape[:2]
    sparse = import_module("scipy.sparse")
    data, first, second = [arrays[field] for field in _FIELDS[found[0]]]
    if found == ["coo"]:
        return sparse.coo_array((data, (first, second)), shape=shape)
    count = int(second[-1])
    return getattr(sparse, f"{found[0]}_array")((data[:count], first[:count], second), shape=shape)

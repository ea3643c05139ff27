"""Rows of data by their numbers: of arrays in memory or in files, and of columns of Arrow.

Only the rows of a batch are read: those of a memory map or of a mapped Arrow file come from the disk then. Knows
nothing of batches. Read next: `batches`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.data.errors import no_batch
from dsl.host import tree
from dsl.host.arguments.pytree import TypeOfLeaf
from dsl.types.numpy_dtypes import BY_NUMPY

NDArray: TypeAlias = np.ndarray[Any, Any]
Take: TypeAlias = Callable[[NDArray], NDArray]


@dataclass(frozen=True, slots=True)
class Column(TypeOfLeaf):
    """An array with an axis of rows in front, of which `take` reads some."""

    rows: int
    take: Take


class Rows(Struct, frozen=True):
    """The columns of data as a tree: all have `count` rows."""

    count: int
    columns: Any

    def take(self, ids: NDArray) -> Any:
        """The rows with these numbers, in the containers of the data."""
        return tree.map(lambda column: column.take(ids), self.columns)


def rows_of(source: Any) -> Rows:
    """The rows of a tree of arrays, or of a table. Raises `InputError` E0975 if they cannot be rows of batches."""
    source = _without_tables(source)
    names, leaves = [name or "the array" for name in tree.paths(source)], tree.leaves(source)
    if not leaves:
        raise no_batch("the data have no arrays")
    columns = [_column(name, leaf) for name, leaf in zip(names, leaves, strict=True)]
    first = columns[0].rows
    for name, column in zip(names, columns, strict=True):
        if column.rows != first:
            raise no_batch(f"`{names[0]}` has {first} rows and `{name}` has {column.rows}")
    found = iter(columns)
    return Rows(first, tree.map(lambda _: next(found), source))


def _without_tables(source: Any) -> Any:
    """The data with dicts of columns in place of tables."""
    return tree.map(lambda leaf: _columns_of(leaf) if hasattr(leaf, "__arrow_c_stream__") else leaf, source)


def _columns_of(table: Any) -> Any:
    """The columns of an Arrow table by name, or a column itself."""
    arrow = _arrow()
    if isinstance(table, arrow.ChunkedArray):
        return table
    try:
        found = table if isinstance(table, arrow.Table) else arrow.table(table)
    except (TypeError, ValueError):  # a stream of single values
        return arrow.chunked_array(table)
    return dict(zip(found.column_names, found.columns, strict=True))


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise no_batch("tables are read by pyarrow, which is not installed", "pip install 'puredsl[arrow]'") from None


def _column(name: str, leaf: Any) -> Column:
    if hasattr(leaf, "__arrow_c_stream__"):
        return _arrow_column(name, leaf)
    try:
        found = leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf)
    except ValueError as fault:
        raise no_batch(f"`{name}` is not an array: {fault}") from None
    if isinstance(found, np.ma.MaskedArray):
        raise no_batch(f"`{name}` is masked, and an array cannot hold missing values", f"`{name}.filled(0)` has values")
    if found.dtype.newbyteorder("=") not in BY_NUMPY:
        raise no_batch(f"`{name}` holds {found.dtype}, which no array of a program holds")
    if found.ndim == 0:
        raise no_batch(f"`{name}` has no axis of rows")
    return Column(len(found), lambda ids: np.asarray(found[ids]))


def _arrow_column(name: str, column: Any) -> Column:
    _check_values(name, column.type, column.chunks)
    return Column(len(column), lambda ids: _elements(column.take(ids).combine_chunks()))


def _check_values(name: str, type: Any, chunks: list[Any]) -> None:
    """Raise `InputError` E0975 unless a column has a number, or a list of equally many of them, in every row."""
    types = import_module("pyarrow.types")
    if sum([chunk.null_count for chunk in chunks]):
        help = "drop these rows, or fill them: `table.drop_null()`"
        raise no_batch(f"the column `{name}` lacks values, and an array cannot hold missing ones", help)
    if types.is_fixed_size_list(type):
        _check_values(name, type.value_type, [chunk.flatten() for chunk in chunks])
    elif not (types.is_integer(type) or types.is_floating(type) or types.is_boolean(type)):
        raise no_batch(
            f"the column `{name}` holds {type}, which no array of a program holds", "leave it out, or cast it"
        )


def _elements(values: Any) -> NDArray:
    """The elements of an Arrow array; lists of equally many are rows."""
    if not import_module("pyarrow.types").is_fixed_size_list(values.type):
        found: NDArray = values.to_numpy(zero_copy_only=False)
        return found
    inner = _elements(values.flatten())
    return inner.reshape(len(values), values.type.list_size, *inner.shape[1:])

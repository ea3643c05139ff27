"""Arguments as Python gives them: their leaves in order, and a cheap key of everything else about them.

Two calls with equal keys are bound alike, so the key decides which compiled program runs. It holds the
type of every array, the kind of every number, the shape of every container and the value of every
static argument; it never depends on the elements of an array. Read next: `binding`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from dsl.diagnostics.settings import setting_error
from dsl.host.arguments.static_arguments import HoldsFunction, HoldsVariant, field_names, record_of
from dsl.staging.values import FUNCTIONS, exact
from lowering.xla.array import Array

Way: TypeAlias = tuple[str | int, ...]
"""The names of fields and the positions in sequences that lead to a leaf."""

Names: TypeAlias = tuple[str, ...] | None
"""The names of the parts of a record, sorted; None where parts have positions."""

Join: TypeAlias = Callable[[Any, Names, list[Any]], Any]
"""Makes something of a container, the names of its parts, and what its parts have become."""

Stop: TypeAlias = Callable[[Any], bool]

NUMBERS = (bool, int, float, complex)
SEQUENCES = (list, tuple, range)
"""Their items are the parts of a tuple, the elements of an array, or the records of a stack of them."""


class TypeOfLeaf:
    """Base of dataclasses that are leaves, since they describe one array."""

    __slots__ = ()


def flatten(value: Any, leaves: list[Any], key: list[Any]) -> None:
    """Appends the leaves of a traced argument and the key of its structure."""
    kind = type(value)
    if kind is Array:
        type_ = value.type
        leaves.append(value)
        key.append(type_.dtype.numpy)
        key.append(type_.shape)
    elif kind is np.ndarray:
        leaves.append(value)
        key.append(value.dtype)
        key.append(value.shape)
    elif kind in NUMBERS or value is None:
        leaves.append(value)
        key.append(kind)
    else:
        _flatten_other(value, leaves, key)


def _flatten_other(value: Any, leaves: list[Any], key: list[Any]) -> None:
    if isinstance(value, NUMBERS):  # of a class of its own: NumPy's doubles are Python floats
        leaves.append(value)
        key.append(type(value))
        return
    if isinstance(value, np.generic):
        leaves.append(np.asarray(value))
        key.append(value.dtype)
        key.append(())
        return
    if holds_function(value):
        key.append(static_key(value))
        return
    parts = parts_of(value)
    if parts is None:
        value = view_as_array(value)
        leaves.append(value)
        key.append(type(value))
        key.append(getattr(value, "dtype", None))
        shape = getattr(value, "shape", ())
        key.append(tuple(shape) if isinstance(shape, Sequence) else None)
        return
    names, items = parts
    key.append(type(value))
    key.append(names if names is not None else len(items))
    for item in items:
        flatten(item, leaves, key)


def holds_function(value: Any) -> bool:
    """Return whether a value is a function of a program: it is part of what is called, and no array."""
    return isinstance(value, HoldsFunction) and isinstance(value.value, FUNCTIONS)


def functions_within(value: Any) -> Iterator[Any]:
    """The functions of programs among the leaves of an argument, and in fields of variants."""
    for _, leaf in leaves_of(value, stop=_holds_variant):
        if isinstance(leaf, HoldsVariant):
            yield from leaf.functions
        elif holds_function(leaf):
            yield leaf


def _holds_variant(value: Any) -> bool:
    return isinstance(value, HoldsVariant)


def parts_of(value: Any) -> tuple[Names, Sequence[Any]] | None:
    """Names (of a record; sorted) and parts of a container; None for what is a leaf."""
    if isinstance(value, Array | TypeOfLeaf):
        return None
    if isinstance(value, Mapping):
        keys = _sorted_keys(value)
        return tuple(map(str, keys)), [value[key] for key in keys]
    names = field_names(value)
    if names is not None:
        return names, [getattr(value, name) for name in names]
    return (None, value) if isinstance(value, SEQUENCES) else None


def _sorted_keys(value: Mapping[Any, Any]) -> list[Any]:
    return sorted(value, key=str)


def is_list(value: Any) -> bool:
    """Return whether a value has parts without names, and so may be a list of records."""
    return isinstance(value, SEQUENCES) and not hasattr(value, "_fields")


def view_as_array(value: Any) -> Any:
    """Return a NumPy view of an object that shares its memory without a dtype, and a table as one array of its columns;
    everything else unchanged."""
    if hasattr(value, "__arrow_c_stream__"):
        return _columns_of(value)
    if hasattr(value, "dtype"):
        return value
    read = next((read for holds, read in _READERS if holds(value)), None)
    try:
        return value if read is None else read(value)
    except (BufferError, RuntimeError, TypeError, ValueError):  # on another device, or without a dtype of NumPy
        return value


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
    (lambda value: isinstance(value, memoryview | array), np.asarray),
    (lambda value: hasattr(type(value), "__dlpack__"), np.from_dlpack),
    (lambda value: hasattr(type(value), "__array__"), np.asanyarray),
)


def _columns_of(table: Any) -> Any:
    """A table of pandas, polars, pyarrow or their like as a matrix; itself where its columns are no numbers, or lack
    some: what is missing for pandas alone is a nan."""
    try:
        frame = import_module("narwhals").from_native(table, eager_only=True, allow_series=True)
        found = frame.to_numpy()
    except (ImportError, TypeError, ValueError):
        return table
    complete = frame.implementation.is_pandas_like() or len(frame.drop_nulls()) == len(frame)
    return found if complete and found.dtype.kind in "biufc" else table


def leaves_of(
    value: Any, way: Way = (), stop: Stop | None = None, around: tuple[int, ...] = ()
) -> Iterator[tuple[Way, Any]]:
    """Every leaf with the way to it: names of fields, positions in sequences. What `stop` holds of is a leaf, too.
    Raises RecursionError where a container holds itself; `around` are the identities of those a value lies in."""
    parts = None if stop is not None and stop(value) else parts_of(value)
    if parts is None:
        yield way, value
        return
    if id(value) in around:
        raise RecursionError("a container holds itself")
    names, items = parts
    steps: Sequence[str | int] = range(len(items)) if names is None else names
    for step, item in zip(steps, items, strict=True):
        yield from leaves_of(item, (*way, step), stop, (*around, id(value)))


def map_tree(
    function: Callable[..., Any], tree: Any, *others: Any, join: Join | None = None, stop: Stop | None = None
) -> Any:
    """A tree of the same containers with `function` of each leaf, and of those of other trees at the same places.
    `join` may make something else of a container and its parts; what `stop` holds of is a leaf, too. Raises
    `SettingError` E0919 where the structures of the trees differ."""
    parts = None if stop is not None and stop(tree) else parts_of(tree)
    inside = [parts_of(other) for other in others]
    if parts is None:
        if any(inside_ is not None for inside_ in inside):
            raise setting_error("a leaf of the first tree is a container in another")
        return function(tree, *others)
    names, items = parts
    if any(each is None or each[0] != names or len(each[1]) != len(items) for each in inside):
        raise setting_error(f"trees differ at {'a record of ' + ', '.join(names) if names else f'{len(items)} parts'}")
    columns = zip(items, *[each[1] for each in inside if each is not None], strict=True)
    made = [map_tree(function, *column, join=join, stop=stop) for column in columns]
    return (join or alike)(tree, names, made)


def alike(container: Any, names: Names, items: list[Any]) -> Any:
    """A container like the given one, of other parts."""
    if isinstance(container, Mapping):
        made = dict(zip(_sorted_keys(container), items, strict=True))
        return {key: made[key] for key in container}
    if names is not None:
        return type(container)(**dict(zip(names, items, strict=True)))
    return tuple(items) if isinstance(container, tuple) else items


def plain(container: Any, names: Names, items: list[Any]) -> Any:
    """The parts of a container as a dict where they have names, and as a tuple elsewhere."""
    return tuple(items) if names is None else dict(zip(names, items, strict=True))


def static_key(value: Any) -> Any:
    """A hashable form of a static argument: equal ones mean the same (see `exact`)."""
    if isinstance(value, float | complex | np.inexact):
        return type(value), repr(value)
    if isinstance(value, HoldsVariant):
        return exact(value.variant)
    record = record_of(value)
    if record is not None:
        return Mapping, tuple([(name, static_key(record[name])) for name in _sorted_keys(record)])
    if isinstance(value, tuple | list):
        return tuple([static_key(part) for part in value])
    return type(value), value if is_hashable(value) else id(value)


def is_constant(value: Any) -> bool:
    """Return whether a static argument stays what it is: a record that is an object may get other fields."""
    if record_of(value) is not None:
        return False
    return all(map(is_constant, value)) if isinstance(value, tuple) else is_hashable(value)


def is_hashable(value: Any) -> bool:
    """Return whether a value has a hash."""
    try:
        hash(value)
    except (TypeError, ValueError):  # ValueError: memory that can be written to
        return False
    return True

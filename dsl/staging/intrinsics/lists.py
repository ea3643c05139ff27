"""Functions of dtypes and of static lists, shapes among them: integers alone are a Python tuple, pairs and conditions a
`TupleValue`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from dsl.core.statics import dtypes, lists, shapes
from dsl.ir.build import Builder
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.values import TupleValue, Value


def _items(value: Value) -> Value | Sequence[Value]:
    return value.parts if isinstance(value, TupleValue) else value


def _of_lists(function: Callable[..., Value]) -> Pure:
    def call(b: Builder, *args: Value, **statics: Value) -> Value:
        found = function(*map(_items, args), **statics)
        whole = any(isinstance(arg, TupleValue) for arg in args)
        return TupleValue(found) if whole and isinstance(found, tuple) else found

    return call


LISTS: Mapping[str, Pure] = MappingProxyType(
    {name: _of_lists(f) for table in (lists.LISTS, shapes.SHAPES, dtypes.DTYPES) for name, f in table.items()}
)

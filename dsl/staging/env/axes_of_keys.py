"""Axes of keys as axes of their words: a key is two words, along an axis of its own behind those of the keys.

So an axis that is counted from the end is one further in front where a leaf is a key. Which leaves are keys, a value
does not tell, but the types of a call do. Read next: `dsl.staging.transforms.maps`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.core.transformation import Kind, mode_of
from dsl.records import replace
from dsl.staging.env.mesh_specs import is_cut
from dsl.staging.values import (
    FUNCTIONS,
    RecordValue,
    Transformed,
    TupleValue,
    Value,
    definition_of,
    map_leaves,
    positional,
)
from dsl.types.type import KeyType, OptionalType, RecordType, StackedType, TupleType, Type
from dsl.types.walk import any_leaf

_MAPS: Mapping[Kind, tuple[str, str]] = MappingProxyType(
    {
        Kind.VMAP: ("in_axes", "out_axes"),
        Kind.PMAP: ("in_axes", "out_axes"),
        Kind.SHARD: ("in_specs", "out_specs"),
    }
)
"""What says which axes of arguments and of results are mapped or cut."""


def with_axes_of_words(function: Value, params: Sequence[Type], result: Type | None) -> Value:
    """A function value that is called with arguments of these types, and gives a result of this one, if it is known:
    what its maps say of the axes of keys, they say of those of words."""
    if not isinstance(function, Transformed):
        return function
    kind = function.kind
    inner = with_axes_of_words(function.function, params, result if mode_of(kind) is None else None)
    assert isinstance(inner, FUNCTIONS)
    options = dict(function.options)
    if kind in _MAPS:
        ins, outs = _MAPS[kind]
        counted = TupleType(tuple([params[k] for k in positional(function, len(params))]))
        options[ins] = _of_words(options.get(ins, 0), counted, kind)
        options[outs] = _of_words(options.get(outs, 0), result, kind)
    return replace(function, function=inner, options=tuple(options.items()))


def as_called_from_python(function: Value) -> Value:
    """Return the axes as for a Python call of a definition and its transformations, whose types are those of its
    signature."""
    found = definition_of(function)
    if found is None:
        return function
    signature, around = found.definition.signature, function
    derived = False
    while isinstance(around, Transformed):
        derived, around = derived or mode_of(around.kind) is not None, around.function
    params = [parameter.type for parameter in signature.params]
    return with_axes_of_words(function, params, None if derived else signature.result)


def _of_words(said: Value, type_: Type | None, kind: Kind) -> Value:
    """A tree of axes, or of cuts, that may end early, for values of this type."""
    if type_ is None or not any_leaf(type_, _is_key):
        return said
    match type_:
        case StackedType(inner) | OptionalType(inner):
            return _of_words(said, inner, kind)
        case TupleType(types):
            parts = said.parts if isinstance(said, TupleValue) else (said,) * len(types)
            return TupleValue(tuple([_of_words(a, t, kind) for a, t in zip(parts, types, strict=True)]))
        case RecordType(fields):
            return RecordValue(tuple([(name, _of_words(_of_field(said, name, kind), t, kind)) for name, t in fields]))
        case _:
            return map_leaves(lambda axis: axis - 1 if isinstance(axis, int) and axis < 0 else axis, said)


def _of_field(said: Value, name: str, kind: Kind) -> Value:
    """Return the specification of one field: its own entry, or the common one."""
    return said.get(name) if isinstance(said, RecordValue) and not (kind is Kind.SHARD and is_cut(said)) else said


def _is_key(leaf: Type) -> bool:
    return isinstance(leaf, KeyType)

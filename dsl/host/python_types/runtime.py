"""The types of a function as objects of Python, for `help`, `inspect` and whatever checks annotations at run time.

Imports jaxtyping, so it is imported when asked for. Read next: `kinds`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import Any, TypedDict, assert_never

import jaxtyping

from dsl.core import core
from dsl.host.python_types.kinds import (
    ArrayKind,
    Kind,
    NamedKind,
    ParameterKind,
    RecordKind,
    TupleKind,
    UnionKind,
    kind_named,
    kind_of,
    parameters_of,
)
from dsl.host.results.variants import Variant
from dsl.types.type import Type
from lowering.xla.array import Array

_TYPED_DICT: Any = TypedDict  # made of what is known only now, as are the tuples
_TUPLE: Any = tuple
_NAMED: Mapping[str, Any] = MappingProxyType(
    {
        **{kind.__name__: kind for kind in (int, float, complex, bool, str, object)},
        "None": None,
        "Any": Any,
        "Variant": Variant,
        "Callable": Callable[..., Any],
    }
)


def signature(function: core.Function, transformed: bool) -> inspect.Signature:
    """The signature of calls from Python. What a transformation makes of the types of arrays is not said."""
    params = [_parameter(p, transformed) for p in parameters_of(function)]
    result = inspect.Signature.empty if transformed else annotation(kind_of(function.signature.result))
    return inspect.Signature(params, return_annotation=result)


def annotations_of(found: inspect.Signature) -> dict[str, Any]:
    """Return the annotations of a Python function."""
    named = {p.name: p.annotation for p in found.parameters.values() if p.annotation is not p.empty}
    has_result = found.return_annotation is not found.empty
    return named | ({"return": found.return_annotation} if has_result else {})


def named_annotation(name: str, type_: Type) -> Any:
    """Return the annotation of a type with an alias; a record is named after it."""
    return annotation(kind_named(name, type_))


def annotation(kind: Kind) -> Any:
    """`Float32[Array, "n d"]`; of a record a `TypedDict`."""
    match kind:
        case ArrayKind(dtype, axes):
            return getattr(jaxtyping, dtype)[Array, axes]
        case RecordKind(name, fields):
            made = _TYPED_DICT(name, {field: annotation(of) for field, of in fields})
            made.__module__ = "builtins"  # shown without a module
            return made
        case TupleKind((part,), every=True):
            return _TUPLE[annotation(part), ...]
        case TupleKind(parts):
            return _TUPLE[tuple([annotation(part) for part in parts])]
        case UnionKind(options):
            return reduce(or_, [annotation(option) for option in options])
        case NamedKind(name):
            return _NAMED[name]
        case _:
            assert_never(kind)


def _parameter(p: ParameterKind, transformed: bool) -> inspect.Parameter:
    place = inspect.Parameter.KEYWORD_ONLY if p.keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    known = inspect.Parameter.empty if transformed else annotation(p.kind)
    return inspect.Parameter(p.name, place, default=... if p.optional else inspect.Parameter.empty, annotation=known)

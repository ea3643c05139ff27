"""Infer the dtype variables of a signature in a call from Python. Read next: `binding`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem
from dsl.host.arguments.conversions import preserves, tensor_of
from dsl.host.arguments.pytree import NUMBERS, SEQUENCES, is_list, parts_of
from dsl.staging.values import default_dtype
from dsl.types.dtype import BOOL, C64, CLASSES, F32, I32, DType
from dsl.types.type import ArrayType, DTypeVar, RecordType, StackedType, TupleType, Type

Leaf: TypeAlias = tuple[Any, str]
"""An argument where a dtype variable is wanted, and its path."""

Seen: TypeAlias = tuple[Any, str, Span]


def _dtypes_in(type: Type, value: Any, path: str) -> Iterator[tuple[DTypeVar, Leaf]]:
    """Yield the values at the dtype variables of a type; a structural mismatch is reported later."""
    match type:
        case ArrayType(DTypeVar() as variable, _):
            yield variable, (value, path)
        case StackedType(RecordType(), _) if is_list(value):
            for k, item in enumerate(value):
                yield from _dtypes_in(type, item, f"{path}[{k}]")
        case StackedType(element, _):
            yield from _dtypes_in(element, value, path)
        case TupleType(parts):
            names, items = parts_of(value) or (None, ())
            for k, (part, item) in enumerate(zip(parts, items if names is None else (), strict=False)):
                yield from _dtypes_in(part, item, f"{path}.{k}")
        case RecordType(fields):
            names, items = parts_of(value) or (None, ())
            given = dict(zip(names or (), items, strict=False))
            for name, part in fields:
                if name in given:
                    yield from _dtypes_in(part, given[name], f"{path}.{name}")
        case _:
            return


def infer_dtype(variable: DTypeVar, all_seen: Sequence[Seen]) -> DType:
    """The dtype of the arrays that all others can be converted to; where there are none, that of the numbers."""
    elements = [(element, path, span) for value, path, span in all_seen for element in _elements(value)]
    arrays = [(found.dtype, path, span) for part, path, span in elements if (found := tensor_of(part)) is not None]
    for dtype, path, span in arrays:
        if dtype not in variable.allowed:
            raise Problem("E0901", f"{path} is of {dtype}, and `{variable.name}` {_class_of(variable)}", span=span)
    for dtype, path, span in arrays[1:]:
        if not (preserves(dtype, arrays[0][0]) or preserves(arrays[0][0], dtype)):
            message = f"{variable.name} is {arrays[0][0]} according to {arrays[0][1]} but {dtype} according to {path}"
            raise Problem("E0904", message, span=span)
    if arrays:
        return next(d for d, _, _ in arrays if all(preserves(other, d) for other, _, _ in arrays))
    numbers = [default_dtype(element) for element, _, _ in elements if isinstance(element, NUMBERS)]
    widest = max(numbers, key=_WIDER.index, default=_WIDER[0])
    return next((d for d in _WIDER[_WIDER.index(widest) :] if d in variable.allowed), variable.allowed[0])


_WIDER = (BOOL, I32, F32, C64)


def _elements(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists, or the value itself."""
    if isinstance(value, SEQUENCES):
        for part in value:
            yield from _elements(part)
    else:
        yield value


def _class_of(variable: DTypeVar) -> str:
    named = next((name for name, dtypes in CLASSES.items() if dtypes == variable.allowed), None)
    return f"is a {named}" if named else f"is one of {', '.join(map(str, variable.allowed))}"


def seen_by_variable(params: Sequence[core.Parameter], values: Mapping[str, Any]) -> dict[DTypeVar, list[Seen]]:
    """The arguments at each dtype variable."""
    found: dict[DTypeVar, list[Seen]] = {}
    for parameter in params:
        if parameter.name in values and not parameter.static:
            for variable, seen in _dtypes_in(parameter.type, values[parameter.name], parameter.name):
                found.setdefault(variable, []).append((*seen, parameter.span))
    return found

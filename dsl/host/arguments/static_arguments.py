"""Static arguments: Python values to values of the language. Read next: `binding`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dsl.core import core
from dsl.core.statics.lists import pairs_of
from dsl.host.argument_errors import Problem, article
from dsl.staging.values import FunctionValue, PythonFunction, RecordValue, TupleValue, Value, VariantValue
from dsl.types.dtype import BY_NAME, DType
from dsl.types.effect import IO, EffectVar
from dsl.types.numpy_dtypes import BY_NUMPY
from dsl.types.show import show_type
from dsl.types.type import EnumType, FunctionType, OptionalType, RecordType, StaticType, TupleType, Type


@runtime_checkable
class HoldsFunction(Protocol):
    """A `dsl.Function`."""

    @property
    def value(self) -> FunctionValue: ...


@runtime_checkable
class HoldsVariant(Protocol):
    """A variant of an enum, as an attribute of its program gives it."""

    @property
    def variant(self) -> VariantValue: ...

    @property
    def fields(self) -> tuple[tuple[str, Type], ...]:
        """Return the fields without a value."""

    @property
    def functions(self) -> tuple[HoldsFunction, ...]:
        """Return the program functions in the fields that have a value."""


def field_names(value: Any) -> tuple[str, ...] | None:
    """The fields of a record that is an object, sorted: those of a NamedTuple, a dataclass, a class of attrs or
    msgspec, or of a `SimpleNamespace`."""
    if isinstance(value, SimpleNamespace):
        return tuple(sorted(vars(value)))
    declared = _declared(value)
    return None if declared is None else tuple(sorted(name for name in declared if hasattr(value, name)))


def lacks_fields(value: Any) -> bool:
    """Return whether an object has no value for a field that its class declares: it may get one later."""
    return not all(hasattr(value, name) for name in _declared(value) or ())


def _declared(value: Any) -> Iterable[str] | None:
    """The fields that the class of an object declares; None where it declares none."""
    kind = type(value)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return tuple(kind._fields)
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    if hasattr(kind, "__attrs_attrs__"):
        return [each.name for each in kind.__attrs_attrs__]
    declared: Iterable[str] | None = getattr(kind, "__struct_fields__", None)
    return declared


def record_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of what stands for a record: of a dict, or of an object that has some; what can be called stands for a
    function."""
    if isinstance(value, Mapping):
        return value
    names = None if isinstance(value, DType) or callable(value) else field_names(value)
    return None if names is None else {name: getattr(value, name) for name in names}


class _Unfit(Exception):
    pass


_first = operator.itemgetter(0)


def static_argument(value: Any, parameter: core.Parameter) -> Value:
    """Convert the value of a static parameter. Raises `Problem` E0909 if its type is wrong, or if a dtype has another
    class."""
    static = static_value(value, parameter.type, parameter.name)
    if parameter.dtype is not None and static not in parameter.dtype.allowed:
        allowed = ", ".join(map(str, parameter.dtype.allowed))
        raise Problem("E0909", f"{parameter.name} is {static}, not one of {allowed}")
    return static


def static_value(value: Any, type: Type, path: str) -> Value:
    """Raises `Problem` E0909 where the value is not of the type."""
    try:
        return _converted(value, type, path)
    except _Unfit:
        raise Problem("E0909", f"{path} is {_shown(value)}, not a static {show_type(type)}") from None


def _shown(value: Any) -> str:
    """A value as it is written, where that is short and says more than its class."""
    text, kind = repr(value), value.__class__.__name__
    plain = len(text) < 40 and "\n" not in text and " at 0x" not in text
    return text if plain else f"{article(kind)} {kind}"


def _converted(value: Any, type: Type, path: str) -> Value:
    match type:
        case StaticType(kind):
            return _KINDS[kind](value)
        case OptionalType(base):
            return None if value is None else _converted(value, base, path)
        case TupleType(parts):
            if not isinstance(value, tuple | list) or len(value) != len(parts):
                raise _Unfit
            return TupleValue(tuple([_converted(v, t, path) for v, t in zip(value, parts, strict=True)]))
        case RecordType(fields):
            given = record_of(value)
            if given is None or given.keys() != {name for name, _ in fields}:
                raise _Unfit
            made = [(n, _converted(given[n], t, f"{path}.{n}")) for n, t in sorted(fields, key=_first)]
            return RecordValue(tuple(made))
        case EnumType():
            if not isinstance(value, HoldsVariant) or value.variant.enum != type:
                raise _Unfit
            if value.fields:
                wanted = f"{value.variant.variant}({', '.join([name for name, _ in value.fields])})"
                raise Problem("E0909", f"{path} is {value.variant.variant}, which has fields: write `{wanted}`")
            return value.variant
        case FunctionType() if isinstance(value, HoldsFunction):
            return value.value
        case FunctionType() if callable(value):
            return python_function(value, type, path)
        case _:
            raise _Unfit


def python_function(value: Any, type: FunctionType, path: str) -> PythonFunction:
    """Raises `Problem` E0909 where the type says that nothing happens outside the program."""
    if not any(effect == IO or isinstance(effect, EffectVar) for effect in type.effects.effects):
        help = f"what Python does is an effect: declare `{path}: {show_type(type)} ! io`, or write it in the language"
        raise Problem("E0909", f"{path} is a function of Python, not a static {show_type(type)}", help)
    return PythonFunction(path, value, type)


def _int(value: Any) -> int:
    if isinstance(value, bool | np.bool_):
        raise _Unfit
    try:
        return operator.index(value)
    except TypeError:
        raise _Unfit from None


def is_size(value: Any) -> bool:
    """Return whether a value is a size, which a bool is not."""
    try:
        return _size(value) >= 0
    except _Unfit:
        return False


def _size(value: Any) -> int:
    size = _int(value)
    if not 0 <= size < 2**63:
        raise _Unfit
    return size


def _float(value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise _Unfit
    try:
        return float(value)
    except OverflowError:
        raise _Unfit from None


def _complex(value: Any) -> complex:
    if isinstance(value, complex | np.complexfloating):
        return complex(value)
    return complex(_float(value))


def _bool(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise _Unfit
    return bool(value)


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit
    return value


def _none(value: Any) -> None:
    if value is not None:
        raise _Unfit


def _shape(value: Any) -> tuple[int, ...]:
    if not isinstance(value, tuple | list):
        raise _Unfit
    return tuple([_size(part) for part in value])


def _axes(value: Any) -> Value:
    if value is None:
        return None
    return tuple([_int(part) for part in value]) if isinstance(value, tuple | list) else _int(value)


def _ints(value: Any) -> tuple[int, ...]:
    return tuple([_int(part) for part in value]) if isinstance(value, tuple | list) else (_int(value),)


def _pairs(value: Any) -> Value:
    listed = isinstance(value, tuple | list)
    pairs = pairs_of([p if isinstance(p, tuple | list) else _int(p) for p in value] if listed else _int(value))
    if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in pairs):
        raise _Unfit
    return TupleValue(tuple([TupleValue((_int(low), _int(high))) for low, high in pairs]))


def _dtype(value: Any) -> DType:
    """One of the language or of NumPy, or the name of one; NumPy reads more, such as `None` for its default."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value]
    if not isinstance(value, str | type | np.dtype) or (isinstance(value, str) and not value.isprintable()):
        raise _Unfit
    try:
        return BY_NUMPY[np.dtype(value)]
    except (TypeError, ValueError, KeyError):  # ValueError: text that NumPy cannot read
        raise _Unfit from None


_KINDS: Mapping[str, Callable[[Any], Value]] = MappingProxyType(
    {
        "int": _int,
        "size": _size,
        "float": _float,
        "complex": _complex,
        "bool": _bool,
        "str": _str,
        "shape": _shape,
        "axes": _axes,
        "ints": _ints,
        "pairs": _pairs,
        "dtype": _dtype,
        "none": _none,
    }
)

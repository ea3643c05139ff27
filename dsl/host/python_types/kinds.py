"""The types of the language as Python data, from which annotations, stubs and mypy types are made.

Read next: `runtime`, `stubs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.types.dtype import ALL, BOOL, CLASSES, SIGNED, UNSIGNED, DType
from dsl.types.effect import RAND
from dsl.types.shape import Shape, ShapeVar, Splice
from dsl.types.size import Size
from dsl.types.type import (
    ArrayType,
    Element,
    EnumType,
    FunctionType,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    StaticType,
    TupleType,
    Type,
)
from dsl.types.walk import add_axes


class ArrayKind(Struct, frozen=True):
    """An array as jaxtyping writes it: the name of its class of dtypes, and its axes."""

    dtype: str
    axes: str


class RecordKind(Struct, frozen=True):
    name: str
    fields: tuple[tuple[str, Kind], ...]


class TupleKind(Struct, frozen=True):
    """`every` says that there are any number of parts, all of the one kind in `parts`."""

    parts: tuple[Kind, ...]
    every: bool = False


class UnionKind(Struct, frozen=True):
    options: tuple[Kind, ...]


class NamedKind(Struct, frozen=True):
    """A class of Python or of this package by its name."""

    name: str


Kind: TypeAlias = ArrayKind | RecordKind | TupleKind | UnionKind | NamedKind

ANY, NONE, INT = NamedKind("Any"), NamedKind("None"), NamedKind("int")
_INTS = TupleKind((INT,), every=True)
_STATIC: Mapping[str, Kind] = MappingProxyType(
    {
        **{name: NamedKind(name) for name in ("int", "float", "complex", "bool", "str")},
        "size": INT,
        "none": NONE,
        "shape": _INTS,
        "axes": UnionKind((INT, _INTS, NONE)),
        "ints": UnionKind((INT, _INTS)),
        "pairs": TupleKind((TupleKind((INT, INT)),), every=True),
        "flags": TupleKind((NamedKind("bool"),), every=True),
        "dtype": NamedKind("object"),
    }
)
_PREFIX = MappingProxyType({"i": "Int", "u": "UInt", "f": "Float", "bf": "BFloat", "c": "Complex"})
_CLASSES = MappingProxyType({CLASSES["Any"]: "Shaped", CLASSES["Int"]: "Integer", CLASSES["Real"]: "Real"})


class ParameterKind(Struct, frozen=True):
    name: str
    kind: Kind
    keyword_only: bool
    optional: bool


def parameters_of(function: core.Function) -> Iterator[ParameterKind]:
    """The parameters of a call from Python: those of the definition, the sizes that no argument tells, and the key of
    what draws."""
    signature = function.signature
    for p in signature.params:
        yield ParameterKind(p.name, kind_of(p.type), p.keyword_only, p.default is not None)
    for size in signature.extra_sizes:
        yield ParameterKind(size.name, INT, True, False)
    if draws(function):
        yield ParameterKind("key", kind_of(KeyType(Shape.of())), True, False)


def draws(function: core.Function) -> bool:
    """Return whether a call needs a key to draw from, given as `key`."""
    signature = function.signature
    return RAND in signature.effects and all(p.name != "key" for p in signature.params)


def aliases_of(module: core.Module) -> dict[str, Kind]:
    """Return the Python type of each public alias of a module."""
    return {name: kind_named(name, type_) for name, type_ in module.aliases.items() if not name.startswith("_")}


def kind_named(name: str, type_: Type) -> Kind:
    """Return the Python type of a type with this alias."""
    kind = kind_of(type_)
    return RecordKind(name, kind.fields) if isinstance(kind, RecordKind) else kind


def kind_of(type_: Type) -> Kind:
    """Return the Python type of a type."""
    match type_:
        case ArrayType(dtype, shape):
            return ArrayKind(_class_of(dtype), axes(shape))
        case IndexType(_, shape):
            return ArrayKind("Int32", axes(shape))
        case KeyType(shape):
            return ArrayKind("UInt32", f"{axes(shape)} 2".strip())
        case TupleType(parts):
            return TupleKind(tuple(map(kind_of, parts)))
        case RecordType(fields, name):
            return RecordKind(_identifier(name), tuple([(n, kind_of(t)) for n, t in fields]))
        case StackedType(RecordType(fields, name), front):
            return RecordKind(_identifier(name), tuple([(n, kind_of(add_axes(t, front))) for n, t in fields]))
        case StackedType(TupleType(parts), front):
            return TupleKind(tuple([kind_of(add_axes(part, front)) for part in parts]))
        case OptionalType(base):
            return UnionKind((kind_of(base), NONE))
        case StaticType(name):
            return _STATIC[name]
        case EnumType():
            return NamedKind("Variant")
        case FunctionType():
            return NamedKind("Callable")
        case _:
            return ANY


def parts_of(kind: Kind) -> Iterator[Kind]:
    """The kind and all inside of it, from the inside out."""
    match kind:
        case RecordKind(_, fields):
            inner: tuple[Kind, ...] = tuple([of for _, of in fields])
        case TupleKind(parts):
            inner = parts
        case UnionKind(options):
            inner = options
        case ArrayKind() | NamedKind():
            inner = ()
        case _:
            assert_never(kind)
    for part in inner:
        yield from parts_of(part)
    yield kind


def without_axes(kind: Kind) -> Kind:
    """Return the type without axes, for consumers that ignore sizes."""
    match kind:
        case ArrayKind(dtype):
            return ArrayKind(dtype, "")
        case RecordKind(name, fields):
            return RecordKind(name, tuple([(field, without_axes(of)) for field, of in fields]))
        case TupleKind(parts, every):
            return TupleKind(tuple(map(without_axes, parts)), every)
        case UnionKind(options):
            return UnionKind(tuple(map(without_axes, options)))
        case NamedKind():
            return kind
        case _:
            assert_never(kind)


def axes(shape: Shape) -> str:
    """`n d`, `*s 3`, `n-1`: axes as jaxtyping writes them; `...` for what it cannot say."""
    shown = ["..." if isinstance(d, Splice) and not isinstance(d.of, ShapeVar) else _axis(d) for d in shape.dims]
    several = sum(part.startswith(("*", "...")) for part in shown)
    return "..." if several > 1 else " ".join(shown)


def _axis(dim: Size | Splice) -> str:
    return str(dim).replace(" ", "")


def _class_of(element: Element) -> str:
    if isinstance(element, DType):
        return _name(element)
    named = next((name for name, dtypes in CLASSES.items() if dtypes == element.allowed), "Shaped")
    return _CLASSES.get(element.allowed, named)


def _name(dtype: DType) -> str:
    return "Bool" if dtype == BOOL else _PREFIX[dtype.name.rstrip("0123456789")] + str(dtype.bits)


def _identifier(alias: str | None) -> str:
    """`Params` of `Params[d]`; records without a name are told apart by their fields alone."""
    return "Record" if alias is None else alias.partition("[")[0].rpartition(".")[2]


DTYPES: Mapping[str, frozenset[DType]] = MappingProxyType(
    {
        **{_name(dtype): frozenset([dtype]) for dtype in ALL},
        **{_CLASSES.get(dtypes, name): frozenset(dtypes) for name, dtypes in CLASSES.items()},
        "Int": frozenset(SIGNED),
        "UInt": frozenset(UNSIGNED),
    }
)
"""The dtypes of each class of jaxtyping that has some of the language."""

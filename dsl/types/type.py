"""Types of the language, polymorphic in sizes, shapes, dtypes and trees. Data only.

Stage is part of the type: an array, index or key leaf is traced, a `StaticType`, `EnumType` or `FunctionType`
leaf is static. `show` prints types, `typechecker` reasons about them. `weight` counts all parts of a type, as often
as they occur, `levels` those around its deepest leaf: both are bounded, so that a walk over any type ends soon and
may be recursive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from msgspec import Struct

from dsl.records import OwnEquality
from dsl.types.dtype import DType, dtypes_named
from dsl.types.effect import PURE, Row
from dsl.types.limits import check_axes, levels, weight
from dsl.types.shape import Shape, StaticArg
from dsl.types.size import Size


class DTypeVar(OwnEquality, Struct, frozen=True, eq=False):
    """A dtype not known yet: a declared generic, one that inference solves, or the static value `of`. `allowed` is its
    class."""

    id: int
    name: str
    allowed: tuple[DType, ...]
    of: StaticArg = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTypeVar) and other.id == self.id and other.of == self.of

    def __hash__(self) -> int:
        return hash((self.id, self.of))


Element: TypeAlias = DType | DTypeVar


def _measure(whole: Type, parts: Sequence[Type]) -> None:
    object.__setattr__(whole, "weight", weight(sum([part.weight for part in parts])))
    object.__setattr__(whole, "levels", levels(max([part.levels for part in parts], default=0)))


class ArrayType(Struct, frozen=True):
    dtype: Element
    shape: Shape
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_axes(len(self.shape.dims))


class IndexType(Struct, frozen=True):
    """`idx[bound]` with axes `shape`: an i32 array with every element in `0 <= i < bound`."""

    bound: Size
    shape: Shape
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_axes(len(self.shape.dims))


class KeyType(Struct, frozen=True):
    """`key` with axes `shape`; affine."""

    shape: Shape
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0

    def __post_init__(self) -> None:
        check_axes(len(self.shape.dims))


@dataclass(frozen=True, slots=True)
class TupleType:
    parts: tuple[Type, ...]
    weight: int = field(init=False, repr=False, compare=False)
    levels: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _measure(self, self.parts)


@dataclass(frozen=True, slots=True)
class RecordType:
    """Fields sorted by name. `name` is the alias it was written with, of the module `home`, for printing alone; `order`
    are the names as they were written, where those are not sorted: Python sees them so."""

    fields: tuple[tuple[str, Type], ...]
    name: str | None = field(default=None, compare=False)
    home: str = field(default="", compare=False)
    order: tuple[str, ...] = field(default=(), compare=False)
    weight: int = field(init=False, repr=False, compare=False)
    levels: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _measure(self, [type_ for _, type_ in self.fields])

    @staticmethod
    def written(fields: Sequence[tuple[str, Type]]) -> RecordType:
        """The type of fields in the order in which they were written."""
        in_order = tuple(sorted(fields, key=lambda named: named[0]))
        names = tuple([name for name, _ in fields])
        return RecordType(in_order, order=() if names == tuple([name for name, _ in in_order]) else names)

    def field(self, name: str) -> Type | None:
        return next((t for n, t in self.fields if n == name), None)


@dataclass(frozen=True, slots=True)
class StackedType:
    """`T[n]` for a tuple, record or tree variable T: every leaf has the axes `axes` in front."""

    element: Type
    axes: Shape
    weight: int = field(init=False, repr=False, compare=False)
    levels: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _measure(self, (self.element,))


@dataclass(frozen=True, slots=True)
class FunctionType:
    params: tuple[Type, ...]
    result: Type
    effects: Row = PURE
    weight: int = field(init=False, repr=False, compare=False)
    levels: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _measure(self, (*self.params, self.result))


class StaticType(Struct, frozen=True):
    """`int float complex bool str size shape axes dtype none`: known when the program is specialised."""

    kind: str
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0


class EnumType(Struct, frozen=True):
    module: str
    name: str
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class OptionalType:
    base: Type
    weight: int = field(init=False, repr=False, compare=False)
    levels: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _measure(self, (self.base,))


class TypeClass(Struct, frozen=True):
    """A class of types: `Tree`, `Move`, `VSpace`, or one whose leaves are of a class of dtypes, or of one
    dtype: `VSpace[Float]`, `VSpace[f32]`."""

    name: str
    over: str | None = None

    @property
    def keys(self) -> bool:
        """Return whether leaves may be keys."""
        return self.name == "Move"

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """Return the dtypes that leaves may have: floats and complex numbers in a vector space."""
        named = dtypes_named(self.over or "Any") or ()
        return tuple([d for d in named if d.is_inexact or self.name != "VSpace"])

    @property
    def is_inexact(self) -> bool:
        """Return whether values are added and multiplied leaf by leaf."""
        return not self.keys and all(dtype.is_inexact for dtype in self.dtypes)

    def includes(self, other: TypeClass) -> bool:
        """Return whether all types of another class are of this one."""
        return self.keys >= other.keys and set(other.dtypes) <= set(self.dtypes)

    def __str__(self) -> str:
        return self.name if self.over is None else f"{self.name}[{self.over}]"


class TypeVar(OwnEquality, Struct, frozen=True, eq=False):
    """A generic that stands for types of a class."""

    id: int
    name: str
    constraint: TypeClass
    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeVar) and other.id == self.id

    def __hash__(self) -> int:
        return hash((self.id,))


class ErrorType(Struct, frozen=True):
    """The type of what was already reported; is compatible with every type without a report."""

    weight: ClassVar[int] = 1
    levels: ClassVar[int] = 0


Type: TypeAlias = (
    ArrayType
    | IndexType
    | KeyType
    | TupleType
    | RecordType
    | StackedType
    | FunctionType
    | StaticType
    | EnumType
    | OptionalType
    | TypeVar
    | ErrorType
)

UNIT = TupleType(())
ERROR = ErrorType()
INT, FLOAT, COMPLEX = StaticType("int"), StaticType("float"), StaticType("complex")
BOOLEAN, STRING, SIZE = StaticType("bool"), StaticType("str"), StaticType("size")
SHAPE, AXES, DTYPE, NONE = StaticType("shape"), StaticType("axes"), StaticType("dtype"), StaticType("none")
INTS, PAIRS, FLAGS = StaticType("ints"), StaticType("pairs"), StaticType("flags")

LISTS: Mapping[Type, Type] = MappingProxyType(
    {SHAPE: INT, INTS: INT, AXES: INT, PAIRS: TupleType((INT, INT)), FLAGS: BOOLEAN}
)
"""The types of static lists, with those of their items."""

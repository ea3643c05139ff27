"""Values of expressions during staging: static values, traced atoms, trees of both, functions.

A static value is itself (a Python number, string, none, dtype, or a tuple of ints for a shape); a
traced one is an atom of the IR (a key is u32[..., 2]). A size that only a run knows is a `Size`, which
becomes a number where it meets one. Tuples and records of the language are
`TupleValue` and `RecordValue`, so a Python tuple is always a shape. Nothing here evaluates anything.
Read next: `environment`, then `stager`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias, Union, cast

import numpy as np
from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function, Literal, Tensor, Var
from dsl.ir.sizes import traced_axes
from dsl.records import OwnEquality
from dsl.types.dtype import BOOL, C64, F32, I32, UNSIGNED, DType
from dsl.types.size import Size
from dsl.types.type import EnumType, FunctionType

if TYPE_CHECKING:
    from dsl.staging.env.environment import Frame
    from dsl.staging.env.scope import Scope


class TupleValue(Struct, frozen=True):
    parts: tuple[Value, ...]


class RecordValue(Struct, frozen=True):
    """Fields sorted by name. Results for Python have their names in the order in which they were written, too, where
    those are not sorted."""

    fields: tuple[tuple[str, Value], ...]
    order: tuple[str, ...] = ()

    def get(self, name: str) -> Value:
        return next(v for n, v in self.fields if n == name)


class VariantValue(Struct, frozen=True):
    """A value of an enum; `parts` are static."""

    enum: EnumType
    variant: str
    parts: tuple[Value, ...] = ()


Hidden: TypeAlias = "tuple[tuple[core.Variable, int | tuple[int, ...] | DType | Value], ...]"
"""What the hidden variables of a signature stand for: sizes, shapes, dtypes, and skeletons of trees."""


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A lambda with the frame and the handlers it stands in; `instance` fixes one of its bodies."""

    node: core.Lambda
    frame: Frame
    scope: Scope
    instance: int | None = None


@dataclass(frozen=True, slots=True)
class DefValue:
    """A `def` as a value, and what its hidden variables stand for."""

    definition: core.Function = field(hash=False)
    hidden: Hidden = ()

    def __hash__(self) -> int:
        return hash((self.definition.module, self.definition.name, self.hidden))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DefValue) and self.definition is other.definition and self.hidden == other.hidden


class Transformed(OwnEquality, Struct, frozen=True, eq=False):
    """`kind` of `core.Transform` applied to a function value, with its evaluated options. `written` is where it stands
    in a program, which makes no difference."""

    kind: Kind
    function: FunctionValue
    options: tuple[tuple[str, Value], ...] = ()
    instance: int | None = None
    written: core.Transform | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transformed) and other._meant == self._meant

    def __hash__(self) -> int:
        return hash(self._meant)

    @property
    def _meant(self) -> tuple[Hashable, ...]:
        return self.kind, self.function, self.options, self.instance


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """The linear function that `linearize` and `vjp` return: IR with its residuals bound.

    `inputs` and `output` are skeletons (see `flatten`); the IR takes the residuals, then the leaves of
    `inputs`.
    """

    function: Function
    residuals: tuple[Atom, ...]
    inputs: tuple[Value, ...]
    output: Value


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A function of the parameters at the places `open` of another one, with these names; `args` has the rest, and
    `MISSING` where a default of that function's own stands."""

    function: FunctionValue
    args: tuple[Argument, ...]
    open: tuple[int, ...]
    names: tuple[str, ...]

    def filled(self, args: Sequence[Argument]) -> list[Argument]:
        """The arguments of the function inside."""
        given = dict(zip(self.open, args, strict=True))
        return [given.get(place, arg) for place, arg in enumerate(self.args)]


class PythonFunction(Struct, frozen=True):
    """A function of Python for a parameter of this type. When all arguments are bound, `call` takes and gives the
    leaves of `params` and `result`, which are skeletons."""

    name: str
    call: Callable[..., Any]
    type: FunctionType
    params: tuple[Value, ...] = ()
    result: Value = None


FunctionValue: TypeAlias = Closure | DefValue | Transformed | Partial | LinearMap | PythonFunction
Static: TypeAlias = int | float | complex | bool | str | DType | tuple[int, ...] | VariantValue | Size | None
Value: TypeAlias = Union[Static, Atom, TupleValue, RecordValue, FunctionValue, "Slot"]

UNIT = TupleValue(())
ATOMS = (Var, Literal)
FUNCTIONS = (Closure, DefValue, Transformed, Partial, LinearMap, PythonFunction)
TREES = (TupleValue, RecordValue)
NUMBERS = (bool, int, float, complex)
STATIC = (int, float, complex, str, DType, tuple, VariantValue, Size, NoneType)
SIZES = (int, Size)


class Slot(Struct, frozen=True):
    """Stands in a skeleton for a traced leaf of this type; in a result also for the words of keys."""

    type: Tensor
    keys: bool = False


class Missing(Struct, frozen=True):
    """An argument that the callee's own default stands for."""


MISSING = Missing()
Argument: TypeAlias = Value | Missing


class Site(Struct, frozen=True):
    """A place that may fail at run time; its number in `Session.sites`, counted from 1, is its error code."""

    span: Span
    message: str


def leaves(value: Value) -> Iterator[Value]:
    """All leaves, static and traced, in order."""
    match value:
        case TupleValue(parts):
            for part in parts:
                yield from leaves(part)
        case RecordValue(fields):
            for _, part in fields:
                yield from leaves(part)
        case _:
            yield value


def functions_of(value: Argument) -> Iterator[FunctionValue]:
    """The functions in a value, those in fields of variants too."""
    for leaf in () if isinstance(value, Missing) else leaves(value):
        if isinstance(leaf, FUNCTIONS):
            yield leaf
        elif isinstance(leaf, VariantValue):
            for part in leaf.parts:
                yield from functions_of(part)


def is_data(value: Argument) -> bool:
    """Return whether there is no function in it."""
    return next(functions_of(value), None) is None


def atoms(value: Value) -> list[Atom]:
    """The traced leaves, in order."""
    if isinstance(value, ATOMS):
        return [value]
    if not isinstance(value, TREES):
        return []
    return [leaf for leaf in leaves(value) if isinstance(leaf, ATOMS)]


def map_leaves(function: Callable[[Value], Value], value: Value) -> Value:
    match value:
        case TupleValue(parts):
            return TupleValue(tuple([map_leaves(function, part) for part in parts]))
        case RecordValue(fields):
            return RecordValue(tuple([(name, map_leaves(function, part)) for name, part in fields]))
        case _:
            return function(value)


def zip_leaves(function: Callable[..., Value], first: Value, *rest: Value) -> Value:
    """`function` of the leaves at the same places; the first tree decides the structure."""
    match first:
        case TupleValue(parts):
            others = [_parts(tree) for tree in rest]
            return TupleValue(
                tuple([zip_leaves(function, part, *[o[i] for o in others]) for i, part in enumerate(parts)])
            )
        case RecordValue(fields):
            others = [_parts(tree) for tree in rest]
            return RecordValue(
                tuple(
                    [
                        (name, zip_leaves(function, part, *[o[i] for o in others]))
                        for i, (name, part) in enumerate(fields)
                    ]
                )
            )
        case _:
            return function(first, *rest)


def _parts(tree: Value) -> Sequence[Value]:
    match tree:
        case TupleValue(parts):
            return parts
        case RecordValue(fields):
            return [part for _, part in fields]
        case _:
            raise TypeError(f"{tree!r} is not a tree")


def skeleton(value: Value) -> Value:
    """The value with every traced leaf replaced by a `Slot`: hashable, the static part of a
    specialisation.
    """
    return map_leaves(lambda leaf: Slot(leaf.type) if isinstance(leaf, ATOMS) else leaf, value)


def exact(value: Value) -> Hashable:
    """A skeleton so that what is equal means the same: tells `1` from `1.0` and `true`, and `0.0` from `-0.0`; nan is
    itself."""
    match value:
        case TupleValue(parts):
            return TupleValue, tuple([exact(part) for part in parts])
        case RecordValue(fields):
            return RecordValue, tuple([(name, exact(part)) for name, part in fields])
        case VariantValue(enum, variant, parts):
            return enum, variant, tuple([exact(part) for part in parts])
        case float() | complex():
            return type(value), repr(value)
        case _:
            return type(value), value


def fill(shape: Value, filling: Iterator[Atom]) -> Value:
    """Puts atoms in the slots of a skeleton, in order."""
    return map_leaves(lambda leaf: next(filling) if isinstance(leaf, Slot) else leaf, shape)


def slot_types(shape: Value) -> list[Tensor]:
    return [leaf.type for leaf in leaves(shape) if isinstance(leaf, Slot)]


def decided_sizes(output: Value) -> tuple[Size, ...]:
    """The sizes in the types of a result that only a run knows, each once."""
    types = [leaf.type for leaf in leaves(output) if isinstance(leaf, Slot)]
    return tuple(dict.fromkeys([cast("Size", type.shape[axis]) for type in types for axis in traced_axes(type)]))


def slot_names(name: str, value: Argument) -> Iterator[str]:
    """A dotted name for each slot of an argument with this name, in order: `p.layers.0.w`."""
    match value:
        case TupleValue(parts):
            for number, part in enumerate(parts):
                yield from slot_names(f"{name}.{number}", part)
        case RecordValue(fields):
            for field_name, part in fields:
                yield from slot_names(f"{name}.{field_name}", part)
        case Slot():
            yield name
        case _:
            return


def definition_of(function: Value) -> DefValue | None:
    """The definition inside a function value; None for a lambda or a linear map."""
    while isinstance(function, Transformed):
        function = function.function
    return function if isinstance(function, DefValue) else None


def positional(function: Value, count: int) -> list[int]:
    """The places of the parameters that are not static: those that `argnums` and `in_axes` count."""
    found = definition_of(function)
    if found is None:
        return list(range(count))
    return [k for k, parameter in enumerate(found.definition.signature.params) if parameter.counts]


def default_dtype(value: object) -> DType:
    """The dtype a static number takes when it is traced alone."""
    match value:
        case bool():
            return BOOL
        case int():
            return I32
        case float():
            return F32
        case complex():
            return C64
        case _:
            raise TypeError(f"{value!r} has no dtype")


class DoesNotFit(Exception):
    """A static number that its dtype cannot hold: known only when the program is specialised."""

    def __init__(self, value: object, dtype: DType) -> None:
        shown = f"of {value.bit_length()} bits" if isinstance(value, int) and abs(value) >= 2**128 else str(value)
        super().__init__(f"the static number {shown} does not fit into {dtype}")


def _holds(dtype: DType, value: bool | int | float | complex) -> bool:
    """Return whether the dtype has the number, rounded; what is not finite is in every inexact dtype."""
    if dtype.is_integer:
        low = 0 if dtype in UNSIGNED else -(2 ** (dtype.bits - 1))
        return bool(low <= value.real < low + 2**dtype.bits)
    if abs(value) < 2**15:
        return True
    if isinstance(value, int):
        if abs(value) >= 2**1024:
            return False
        value = float(value)
    with np.errstate(all="ignore"):
        kept = np.isfinite(np.asarray(value).astype(dtype.numpy))
        return bool(kept) or not bool(np.isfinite(value))


def literal(value: bool | int | float | complex, dtype: DType, shape: tuple[int, ...] = ()) -> Literal:
    """A number as a splat, in the Python type its dtype calls for. Raises `DoesNotFit`."""
    if not dtype.is_bool and not _holds(dtype, value):
        raise DoesNotFit(value, dtype)
    if dtype.is_float:
        return Literal(float(value.real), Tensor(dtype, shape))
    if dtype.is_complex:
        return Literal(complex(value), Tensor(dtype, shape))
    return Literal(bool(value) if dtype.is_bool else int(value.real), Tensor(dtype, shape))


def as_atom(value: Value) -> Atom:
    """A traced leaf as it is, a static number in its default dtype."""
    if isinstance(value, ATOMS):
        return value
    assert isinstance(value, bool | int | float | complex), value
    return literal(value, default_dtype(value))


def traced_numbers(value: Value) -> Value:
    """The value with static numbers as arrays of their default dtypes."""
    return map_leaves(lambda leaf: as_atom(leaf) if isinstance(leaf, bool | int | float | complex) else leaf, value)


def as_ints(value: Value) -> tuple[int, ...]:
    """A static list of ints, whichever way it was written."""
    match value:
        case tuple():
            return value
        case TupleValue(parts):
            return tuple([as_int(part) for part in parts])
        case _:
            return (as_int(value),)


def as_int(value: Value) -> int:
    """A static int, or a size that only a run knows."""
    assert isinstance(value, int | Size), value
    return cast("int", value)

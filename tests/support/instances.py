"""Arguments for any function of a checked program, made up from its signature alone.

`instances` chooses what the variables of a signature stand for (small sizes under its constraints, dtypes,
shapes, trees, static values), makes random arguments of the resulting types, and says what the result must
look like. Functions that Python cannot call (those that take functions, or perform effects that only a
handler in the language handles) have none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dsl
from dsl.core import core
from dsl.host.arguments.binding import holds
from dsl.host.results.variants import Variant
from dsl.staging.env.environment import Frame, Variables
from dsl.staging.env.signature_matching import bind_static
from dsl.staging.env.stager import Stager
from dsl.staging.values import RecordValue, TupleValue, Value
from dsl.types.decide import witness
from dsl.types.dtype import DType
from dsl.types.effect import CHECK, DIV, IO, RAND, EffectVar
from dsl.types.facts import Facts, Le
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import (
    ArrayType,
    DTypeVar,
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
    TypeVar,
)
from dsl.types.walk import leading_axes, leaves, subtypes
from typechecker.types.predicates import holds_function

LARGE, SMALL = (3, 4, 2, 5, 6, 8, 7, 1, 0, 9, 10, 12, 16), (1, 0, 2, 3, 4, 5, 6, 7, 8)
SHAPES = {True: ((2, 3), (3,), (2, 2), ()), False: ((), (1,), (2, 1))}
STATICS: Mapping[str, tuple[Any, ...]] = {
    "int": (1, 2, 0, 3, 4),
    "size": (2, 1, 3, 4, 0),
    "float": (0.5, 2.0),
    "complex": (0.5 + 0.25j,),
    "bool": (True, False),
    "str": ("mean", "sum", "nc", "cn", "n"),
    "shape": ((2, 3), (3,), (6,), ()),
    "axes": (0, None, 1, (0, 1), ()),
    "ints": ((2, 1), (1,), (0, 1), ()),
    "pairs": (((0, 1), (1, 0)), ((1, 1),), ()),
    "dtype": (dsl.f32, dsl.f64, dsl.i32),
    "none": (None,),
}


def tree_of(var: TypeVar) -> RecordType:
    """A tree for a type variable: of f32, if its class has them."""
    dtypes = var.constraint.dtypes
    dtype = dsl.f32 if dsl.f32 in dtypes else dtypes[0]
    return RecordType((("bias", ArrayType(dtype, Shape())), ("weight", ArrayType(dtype, Shape.of(2)))))


class NoInstance(Exception):
    """No sizes and static values were found that the signature allows."""


ANY = -1_000_000


def is_any(size: int) -> bool:
    """Return whether data decide a size, or one that it is computed of."""
    return abs(size) >= -ANY // 2


@dataclass(frozen=True, slots=True)
class Leaf:
    """What an array of the result must look like; a bound for indices. An axis of size `ANY` is decided by the data."""

    dtype: DType
    shape: tuple[int, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """One call: its arguments by name, and the result's structure (leaves are `Leaf` or static types)."""

    kwargs: Mapping[str, Any]
    expected: Any
    sizes: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{name}={show(value)}" for name, value in self.kwargs.items())


def show(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {show(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    return repr(value)


def callable_from_python(function: core.Function) -> bool:
    """Whether Python can give every parameter, handle every effect and take the result."""
    signature = function.signature
    handled = all(e in (RAND, CHECK, IO, DIV) or isinstance(e, EffectVar) for e in signature.effects.effects)
    types = (*[p.type for p in signature.params], signature.result)
    return function.public and handled and not any(map(holds_function, types))


def instances(function: dsl.Function, seed: int) -> Iterator[Instance]:
    """A generous call (distinct sizes, every parameter given), then a sparse one (the least sizes, defaults
    taken) where it is another one."""
    first = Maker(function, np.random.default_rng(seed), generous=True).instance()
    yield first
    second = Maker(function, np.random.default_rng(seed + 1), generous=False).instance()
    if second.sizes != first.sizes or second.kwargs.keys() != first.kwargs.keys():
        yield second


class Maker:
    def __init__(self, function: dsl.Function, rng: np.random.Generator, generous: bool) -> None:
        self.function = function
        self.signature = function.signature
        self.rng = rng
        self.generous = generous
        self.variables = Variables(function.definition.solution)

    # ------------------------------------------------------------ choices

    def instance(self) -> Instance:
        for statics in itertools.islice(self._statics(), 200):
            self.variables = Variables(self.function.definition.solution)
            if self.choose(statics):
                return self.made(statics)
        raise NoInstance(self.function.type)

    def _statics(self) -> Iterator[dict[str, Any]]:
        """Values for the static parameters; without those left to their defaults."""
        given = [p for p in self.signature.params if p.static and (self.generous or p.default is None)]
        options = [list(self.candidates(p.type)) for p in given]
        for p, values in zip(given, options, strict=True):
            if p.default is not None:
                values.append(...)
        combinations = itertools.product(*options)
        for combination in sorted(itertools.islice(combinations, 500), key=lambda c: _alike(c)):
            yield {p.name: v for p, v in zip(given, combination, strict=True) if v is not ...}

    def of_kind(self, kind: str) -> tuple[Any, ...]:
        """The values of a static kind that are tried."""
        return STATICS[kind]

    def candidates(self, type: Type) -> Iterator[Any]:
        match type:
            case StaticType(kind):
                yield from self.of_kind(kind)
            case OptionalType(base):
                yield from self.candidates(base)
                yield None
            case TupleType(parts):
                yield from itertools.islice(itertools.product(*map(self.candidates, parts)), 20)
            case EnumType():
                yield from self._variants(type)
            case RecordType(fields):
                for values in itertools.islice(itertools.product(*[self.candidates(part) for _, part in fields]), 20):
                    yield dict(zip([name for name, _ in fields], values, strict=True))
            case FunctionType():
                return  # no function is tried
            case _:
                raise NoInstance(f"static {type}")

    def _variants(self, type: EnumType) -> Iterator[Any]:
        enums = self.function.program.core.modules[type.module].enums
        for variant in enums[type.name].variants:
            made = Variant.of(enums[type.name], variant)
            yield made(*[next(self.candidates(t)) for _, t in variant.fields]) if variant.fields else made

    def choose(self, statics: Mapping[str, Any]) -> bool:
        """Fills the variables; false if these static values fit no sizes."""
        variables, signature = self.variables, self.signature
        for dtype in signature.dtypes:
            allowed = dtype.allowed
            preferred = dsl.f32 if self.generous else allowed[-1]
            variables.dtypes[dtype] = preferred if preferred in allowed else allowed[0]
        shapes = itertools.product(*[SHAPES[self.generous]] * len(signature.shapes))
        for choice in itertools.chain(shapes, itertools.product(SHAPES[True], repeat=len(signature.shapes))):
            variables.shapes.update(zip(signature.shapes, choice, strict=True))
            variables.sizes.clear()
            if self.bind_statics(statics) and self.choose_sizes(statics):
                return True
        return False

    def bind_statics(self, statics: Mapping[str, Any]) -> bool:
        for p in self.signature.params:
            if p.static and p.name in statics:
                bind_static(p, _value(statics[p.name], p.type), self.variables)
        return True

    def choose_sizes(self, statics: Mapping[str, Any]) -> bool:
        fixed = dict(self.variables.sizes)
        own = {p.size for p in self.signature.params if p.size is not None}
        free = [v for v in self.signature.sizes if v not in fixed and v not in own]
        needed = [Le(Size.of(0), s) for s in self._written_sizes()]
        wishes = [Le(Size.of(1), b) for b in self._bounds()]
        for sizes in self.assignments(free):
            self.variables.sizes.clear()
            self.variables.sizes.update(fixed | sizes | dict.fromkeys(self.signature.opens, ANY))
            try:
                self._bind_defaults(statics)
                if all(holds(p, self.variables) is not False for p in self.signature.where) and all(
                    holds(p, self.variables) is True for p in (*needed, *wishes)
                ):
                    self.expected(self.signature.result, ())  # an AssertionError where its shape has no meaning
                    return True
            except (ArithmeticError, AssertionError, LookupError):
                continue
        return False

    def assignments(self, free: Sequence[SizeVar]) -> Iterator[dict[SizeVar, int]]:
        values = LARGE if self.generous else SMALL
        spread = [values[k % 4 :] + values[: k % 4] if self.generous else values for k in range(len(free))]
        yield from (
            dict(zip(free, sizes, strict=True))
            for sizes in itertools.islice(itertools.product(*[s[:6] for s in spread]), 4000)
        )
        facts = [self.variables.substitution().prop(p) for p in self.signature.where]
        least = witness(Facts().assume(*facts)) or {}
        yield {v: least.get(v, 1) for v in free}
        for sizes in itertools.islice(itertools.product(*spread), 20000):
            yield dict(zip(free, sizes, strict=True))

    def _bind_defaults(self, statics: Mapping[str, Any]) -> None:
        """Defaults of static parameters, which may rest on earlier ones and on sizes."""
        given: dict[int, Value] = {}
        for p in self.signature.params:
            if p.static and p.name in statics:
                given[p.id] = _value(statics[p.name], p.type)
            elif p.static and p.default is not None:
                s = Stager(self.function.program.session)
                given[p.id] = s.eval(p.default, Frame(self.variables, dict(given)))
                bind_static(p, given[p.id], self.variables)

    def _written_sizes(self) -> Iterator[Size]:
        for p in self.signature.params:
            yield from (dim for shape in _shapes(p.type) for dim in shape.dims if isinstance(dim, Size))

    def _bounds(self) -> Iterator[Size]:
        for p in self.signature.params:
            yield from _index_bounds(p.type)

    # ------------------------------------------------------------ arguments

    def made(self, statics: Mapping[str, Any]) -> Instance:
        kwargs: dict[str, Any] = {v.name: self.variables.sizes[v] for v in self.signature.extra_sizes}
        for p in self.signature.params:
            if p.static:
                kwargs |= {p.name: statics[p.name]} if p.name in statics else {}
            elif self.generous or p.default is None:
                kwargs[p.name] = self._argument(p.type, ())
        if self.function.draws:
            kwargs["key"] = 7
        sizes = {v.name: k for v, k in self.variables.sizes.items() if not v.traced}
        return Instance(kwargs, self.expected(self.signature.result, ()), sizes)

    def _argument(self, type: Type, axes: tuple[int, ...]) -> Any:
        match type:
            case ArrayType(dtype, shape):
                return self.random(self._dtype(dtype), axes + self.variables.shape(shape))
            case IndexType(bound, shape):
                extents = axes + self.variables.shape(shape)
                return self.rng.integers(0, self.variables.size(bound), extents).astype(np.int32)
            case KeyType(shape):
                extents = axes + self.variables.shape(shape) + (2,)
                return self.rng.integers(0, 2**32, extents, np.uint32)
            case TupleType(parts):
                return tuple([self._argument(part, axes) for part in parts])
            case RecordType(fields):
                return {name: self._argument(part, axes) for name, part in fields}
            case StackedType(element, more):
                return self._argument(element, axes + self.variables.shape(more))
            case TypeVar():
                return self._argument(tree_of(type), axes)
            case OptionalType(base):
                return self._argument(base, axes)
            case _:
                raise NoInstance(f"an argument of type {type}")

    def random(self, dtype: DType, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Floats between 0.1 and 0.9, positive integers below 4."""
        if dtype.is_bool:
            return self.rng.random(shape) < 0.5
        if dtype.is_integer:
            return self.rng.integers(1, 4, shape).astype(dtype.numpy)
        values = self.rng.uniform(0.1, 0.9, shape)
        if dtype.is_complex:
            values = values + 1j * self.rng.uniform(0.1, 0.9, shape)
        return np.asarray(values).astype(dtype.numpy)

    def _dtype(self, element: DType | DTypeVar) -> DType:
        found = self.variables.dtype(element)
        return found if found is not None else dsl.f32

    # ------------------------------------------------------------ results

    def expected(self, type: Type, axes: tuple[int, ...]) -> Any:
        """The structure of a value of this type: `Leaf` for arrays, the type itself for static leaves."""
        match type:
            case ArrayType(dtype, shape):
                return Leaf(self._dtype(dtype), axes + self.variables.shape(shape))
            case IndexType(bound, shape):
                return Leaf(dsl.i32, axes + self.variables.shape(shape), self.variables.size(bound))
            case KeyType(shape):
                return Leaf(dsl.u32, (*axes, *self.variables.shape(shape), 2))
            case TupleType(parts):
                return tuple([self.expected(part, axes) for part in parts])
            case RecordType(fields):
                return {name: self.expected(part, axes) for name, part in fields}
            case StackedType(element, more):
                return self.expected(element, axes + self.variables.shape(more))
            case TypeVar():
                return self.expected(tree_of(type), axes)
            case _:
                return type


def _alike(values: Sequence[Any]) -> int:
    """Prefers combinations whose values differ."""
    kept = [repr(value) for value in values]
    return len(kept) - len(set(kept))


def _value(value: Any, type: Type) -> Value:
    """A static argument as the language sees it."""
    if isinstance(value, tuple) and isinstance(type, TupleType):
        return TupleValue(tuple(map(_value, value, type.parts)))
    if isinstance(value, dict) and isinstance(type, RecordType):
        return RecordValue(tuple([(name, _value(value[name], part)) for name, part in type.fields]))
    found: Value = getattr(value, "variant", value)
    return found


def _shapes(type: Type) -> Iterator[Shape]:
    found = (leading_axes(part) for part in subtypes(type))
    return (shape for shape in found if shape is not None)


def _index_bounds(type: Type) -> Iterator[Size]:
    return (leaf.bound for leaf in leaves(type) if isinstance(leaf, IndexType))

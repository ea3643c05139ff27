"""Iteration sources of loops and comprehensions: arrays along their leading axis, and the construction of an element.

Read next: `loops`, `comprehensions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.ir.function import Atom
from dsl.ir.sizes import is_traced
from dsl.ops import builders
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.structure import row
from dsl.staging.values import TupleValue, Value, as_int, as_ints, atoms, fill, literal, skeleton
from dsl.types.dtype import I32

Make: TypeAlias = Callable[[Iterator[Atom]], Value]


class Reading(Struct, frozen=True):
    """`length` elements; `make` builds one from slices of `xs` taken in order. `starts` has the first
    number of each of `xs` that counts, none for the others.
    """

    length: int
    xs: tuple[Atom, ...]
    make: Make
    starts: tuple[int | None, ...]


def reading(s: Stager, iterable: core.Iterable, frame: Frame) -> Reading:
    """The iterable as arrays to be read along axis 0."""
    match iterable:
        case core.Counting(start, stop):
            return counting(s, as_int(s.eval(start, frame)), as_int(s.eval(stop, frame)))
        case core.Elements(value) | core.Unrolled(value):
            return _elements(s, s.eval(value, frame))
        case core.Zipped(parts):
            return _zipped([reading(s, part, frame) for part in parts])
        case core.Enumerated(of):
            inner = reading(s, of, frame)
            return _zipped([counting(s, 0, inner.length), inner])
        case _:
            assert_never(iterable)


def counting(s: Stager, start: int, stop: int) -> Reading:
    length = stop if is_traced(stop) and start == 0 else max(stop - start, 0)
    places = builders.iota(s.b, I32, (length,), 0)
    if start:
        places = builders.add(s.b, places, literal(start, I32, (length,)))
    return Reading(length, (places,), next, (start,))


def _elements(s: Stager, value: Value) -> Reading:
    if isinstance(value, tuple):
        value = builders.stack(s.b, [literal(n, I32) for n in value], 0)
    arrays = tuple(atoms(value))
    shape = skeleton(value)
    length = arrays[0].type.shape[0] if arrays else 0
    return Reading(length, arrays, lambda slices: fill(shape, slices), (None,) * len(arrays))


def _zipped(parts: list[Reading]) -> Reading:
    def make(slices: Iterator[Atom]) -> Value:
        return TupleValue(tuple([part.make(slices) for part in parts]))

    xs = tuple([x for part in parts for x in part.xs])
    return Reading(parts[0].length, xs, make, tuple([n for part in parts for n in part.starts]))


def elements(s: Stager, iterable: core.Iterable, frame: Frame) -> list[Value]:
    """The elements one by one, for loops that unroll."""
    match iterable:
        case core.Unrolled(value):
            whole = s.eval(value, frame)
            return list(whole.parts) if isinstance(whole, TupleValue) else list(as_ints(whole))
        case core.Counting(start, stop):
            return list(range(as_int(s.eval(start, frame)), as_int(s.eval(stop, frame))))
        case core.Elements(value):
            rows = s.eval(value, frame)
            return [row(s, rows, k) for k in range(_elements(s, rows).length)]
        case core.Zipped(parts):
            columns = [elements(s, part, frame) for part in parts]
            return [TupleValue(items) for items in zip(*columns, strict=False)]
        case core.Enumerated(of):
            return [TupleValue((k, item)) for k, item in enumerate(elements(s, of, frame))]
        case _:
            assert_never(iterable)

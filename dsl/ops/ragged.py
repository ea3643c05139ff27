"""Sizes that data decide: `places`, the positions where a mask holds, and `length`, such a size as a number.

The number of positions is known only in a run. In the IR the axis has a traced size; where a program is padded, it has
that of the mask, and the positions that are not there are zero. Read next: `dsl.transforms.pad`.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, assert_never, cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Lengths, NotLinear, Op, Sample
from dsl.ir.region import BatchNamed, CannotTransform, Problem
from dsl.ir.sizes import as_extent
from dsl.ops.cumulative import cumsum
from dsl.ops.elementwise import Atoms, add, compare, convert, div, mul, select, sub
from dsl.ops.extent import iota, slice_axis
from dsl.ops.factors import nowhere
from dsl.ops.index import WindowParams
from dsl.ops.layout import at_axis, reduce_sum, reshape
from dsl.ops.rule_helpers import NOT_LINEAR, Array, Arrays, Axes, Batched, check_arity, fail, splat, zero_jvp, zeros
from dsl.ops.scatter import scatter_set
from dsl.ops.selection import maximum, minimum
from dsl.ops.sort import sort
from dsl.types.dtype import BOOL, I32
from dsl.types.size import Atom as SizeAtom
from dsl.types.size import FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar


class SizeParams(Struct, frozen=True):
    """A size that a run decides."""

    size: Size

    @property
    def places(self) -> tuple[Tensor, ...]:
        """The type of as many positions."""
        return (Tensor(I32, (as_extent(self.size),)),)


_SCALAR = Tensor(I32)


def _places_type(params: SizeParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("places", types, 1)
    if types[0].dtype is not BOOL or types[0].rank != 1:
        raise fail(f"places: {types[0]} is no mask of one axis")
    return params.places


def _places_eval(params: SizeParams, types: tuple[Tensor, ...], mask: Array) -> Arrays:
    return (np.flatnonzero(mask).astype(np.int32),)


def _places_batch(b: Builder, params: SizeParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    """Of a size that is known, the least positions of each line; else each element would have a size of its own."""
    count = params.size.constant
    if count is None:
        raise CannotTransform(Problem.OWN_SIZE, "places", "each element of a batch decides a size of its own")
    mask = at_axis(b, xs[0], axes[0], size, 0)
    whole = Tensor(I32, mask.type.shape)
    none = splat(mask.type.shape[1], whole)
    (ordered,) = sort(b, [select(b, mask, iota(b, I32, whole.shape, 1), none)], 1)
    return (slice_axis(b, ordered, 1, 0, count),), (0,)


def _places_pad(
    b: Builder, params: SizeParams, types: tuple[Tensor, ...], xs: tuple[Atom, ...], lengths: Lengths
) -> tuple[Atom, ...]:
    mask = lengths.filled(xs[0], types[0], False)
    lengths.decide(params.size, reduce_sum(b, convert(b, mask, I32), (0,)))
    return (_in_front(b, mask),)


def _places_expand(b: Builder, equation: Equation, batch: BatchNamed) -> tuple[Atom, ...] | None:
    """Of a size that is known after all."""
    count = cast(SizeParams, equation.params).size.constant
    return None if count is None else (slice_axis(b, _in_front(b, equation.inputs[0]), 0, 0, count),)


def _in_front(b: Builder, mask: Atom) -> Atom:
    """The positions where a mask holds, then zeros: each goes to the place that the number of those before it says."""
    (size,), held = mask.type.shape, convert(b, mask, I32)
    after = Tensor(I32, (size,))
    targets = select(b, mask, add(b, cumsum(b, held, 0, False), splat(-1, after)), splat(size, after))
    window = WindowParams((), (0,), (), (), (0,), (1,), unique=True)
    return scatter_set(b, window, zeros(after), reshape(b, targets, (size, 1)), iota(b, I32, (size,), 0))


def _sample(*held: bool) -> Sample[SizeParams]:
    mask = Tensor(BOOL, (len(held),))
    return Sample(SizeParams(Size.of(sum(held))), (mask,), draw=lambda rng: [np.array(held)])


PLACES: Op[SizeParams] = Op(
    name="places",
    params=SizeParams,
    doc="The positions where a mask holds, in order, as many as there are.",
    type_rule=_places_type,
    evaluate=_places_eval,
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_places_batch,
    sharding=nowhere(lambda params: params.places),
    samples=tuple([_sample(*held) for held in ((True, False, True), (False, False), (True,))]),
    expand=_places_expand,
    pad=_places_pad,
    decides=True,
)


def _length_type(params: SizeParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("length", types, 0)
    return (_SCALAR,)


def _number(size: Size | int) -> int:
    """A size that is known when it is evaluated."""
    known = size if isinstance(size, int) else size.constant
    assert known is not None, f"{size} is not known yet"
    return known


def _unbatched(b: Builder, params: SizeParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    raise fail("an operation without operands has no batch axis")


def _length_expand(b: Builder, equation: Equation, batch: BatchNamed) -> tuple[Atom, ...] | None:
    count = cast(SizeParams, equation.params).size.constant
    return None if count is None else (splat(count, _SCALAR),)


LENGTH: Op[SizeParams] = Op(
    name="length",
    params=SizeParams,
    doc="A size that a run decides, as a number.",
    type_rule=_length_type,
    evaluate=lambda params, types: (np.array(_number(params.size), np.int32),),
    jvp=zero_jvp,
    transpose=NotLinear("it has no operands"),
    batch=_unbatched,
    sharding=nowhere(lambda params: (_SCALAR,)),
    samples=(Sample(SizeParams(Size.of(3)), ()),),
    expand=_length_expand,
    pad=lambda b, params, types, xs, lengths: (lengths.length(params.size),),
)

RAGGED: tuple[Op[Any], ...] = (PLACES, LENGTH)


def places(b: Builder, mask: Atom, size: Size) -> Atom:
    """The positions where a mask of one axis holds, of which there are `size`."""
    return PLACES(b, SizeParams(size), mask)[0]


def length(b: Builder, size: Size) -> Atom:
    """A size that a run decides, as an i32."""
    return LENGTH(b, SizeParams(size))[0]


def polynomial(b: Builder, size: Size, of: dict[SizeVar, Atom]) -> Atom:
    """A polynomial of sizes, of which these are the values, as an i32."""
    total: Atom = splat(0, _SCALAR)
    for monomial, coefficient in size.terms:
        term: Atom = splat(coefficient, _SCALAR)
        for atom, power in monomial:
            value = _atom_value(b, atom, of)
            for _ in range(power):
                term = mul(b, term, value)
        total = add(b, total, term)
    return total


def _atom_value(b: Builder, atom: SizeAtom, of: dict[SizeVar, Atom]) -> Atom:
    match atom:
        case SizeVar():
            return of[atom]
        case FloorDiv(whole, by):
            return _floor_division(b, polynomial(b, whole, of), polynomial(b, by, of))[0]
        case Mod(whole, by):
            return _floor_division(b, polynomial(b, whole, of), polynomial(b, by, of))[1]
        case Min(args) | Max(args):
            choose = minimum if isinstance(atom, Min) else maximum
            return reduce(lambda x, y: choose(b, x, y), [polynomial(b, arg, of) for arg in args])
        case Opaque():
            raise LookupError(f"nothing computes {atom}")
        case _:
            assert_never(atom)


def _floor_division(b: Builder, whole: Atom, by: Atom) -> tuple[Atom, Atom]:
    """The quotient, rounded down, and the rest, of a divisor above zero."""
    cut = div(b, whole, by)
    rest = sub(b, whole, mul(b, cut, by))
    below = convert(b, compare(b, "lt", rest, splat(0, _SCALAR)), I32)
    return sub(b, cut, below), add(b, rest, mul(b, below, by))

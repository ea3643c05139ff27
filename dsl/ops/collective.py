"""Talking between the elements of a mapped axis: psum, pmax, pmin, all_gather, reduce_scatter, all_to_all, ppermute,
axis_index.

Each stands for one element's part. When the axis is mapped, `along` says what all elements together do, and nothing of
the op is left; where several devices share the elements, `spread` does. Over any other axis it is mapped like every op.
Outside of every map only an axis of one element has a meaning: it is what the samples use. Read next: `spread`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Factors, Measure, Op, Sample, Tangent, Zero
from dsl.ir.region import BatchAxis
from dsl.ops import spread
from dsl.ops.elementwise import compare, convert, mul, reciprocal, scale, select
from dsl.ops.extent import concatenate, iota, slice_axis
from dsl.ops.factors import except_axes, without_operands
from dsl.ops.layout import at_axis, reduce_sum, reshape
from dsl.ops.named_axes import GatherAxisParams, NamedAxisParams, PermuteParams
from dsl.ops.reduce import reduce_max, reduce_min
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    check_arity,
    check_dtype,
    fail,
    linear_map,
    over,
    splat,
    zero_jvp,
    zeros,
)
from dsl.ops.zero_flow import with_holes
from dsl.records import replace
from dsl.types.dtype import BOOL, COMPLEXES, F32, F64, FLOATS, I32, INTEGERS, DType

Atoms: TypeAlias = tuple[Atom, ...]
Along: TypeAlias = "Callable[[Builder, Any, Atom, int | None], tuple[Atom, int | None]]"
"""along(b, params, x, axis of the elements in x or None if all are the same) -> result and its axis."""


def _of_one(rule: Along) -> Callable[[Builder, Any, Atoms, Axes], Batched]:
    """The rule of an op of one operand and one result."""

    def along(b: Builder, params: Any, xs: Atoms, axes: Axes) -> Batched:
        out, axis = rule(b, params, xs[0], axes[0])
        return (out,), (axis,)

    return along


_NUMBERS = (*FLOATS, *COMPLEXES, *INTEGERS)
_REAL = (*FLOATS, *INTEGERS)


def _alone(params: Any) -> None:
    """Evaluation stands for an axis of one element: what else there is, a map has taken away."""
    if params.size != 1:
        raise fail(f"a collective over {params.name!r} is outside of the map over that axis")


def _alike(name: str, dtypes: Sequence[DType]) -> Callable[[Any, tuple[Tensor, ...]], tuple[Tensor, ...]]:
    def type_rule(params: Any, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 1)
        check_dtype(name, types[0].dtype, dtypes)
        return types

    return type_rule


def _itself(params: Any, types: tuple[Tensor, ...], x: Array) -> Arrays:
    _alone(params)
    return (x,)


def _in_turns(rounds: int) -> Measure[Any]:
    """Around a ring, a share of the operand at a time: a sum is one round to add up, and one to pass on."""
    return lambda params, inputs, outputs: rounds * (params.size - 1) * inputs[0].bytes // params.size


sent_by_sum, sent_by_exchange = _in_turns(2), _in_turns(1)


def sent_by_gather(params: Any, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> int:
    """Every member gives what it has to all others."""
    sent: int = (params.size - 1) * inputs[0].bytes
    return sent


# --- psum -------------------------------------------------------------------------------------------------


def _psum_adjoint(b: Builder, params: NamedAxisParams, type: Tensor, ct: Atom) -> Atom:
    return psum(b, params.name, params.size, ct)


def _psum_along(b: Builder, params: NamedAxisParams, x: Atom, axis: int | None) -> tuple[Atom, int | None]:
    if axis is None:
        return mul(b, x, splat(params.size, x.type)), None
    return reduce_sum(b, x, (axis,)), None


def _psum_batch(b: Builder, params: NamedAxisParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return PSUM(b, params, *xs), axes


def _expand_alone(b: Builder, equation: Equation, batch: BatchAxis) -> Atoms | None:
    """Over an axis of one element, which needs no map."""
    named: Any = equation.params
    if named.size != 1:
        return None
    op: Any = equation.op
    found, _ = op.along(b, named, equation.inputs, (None,) * len(equation.inputs))
    return tuple([reshape(b, x, y.type.shape) for x, y in zip(found, equation.outputs, strict=True)])


PSUM = linear_map(
    name="psum",
    params=NamedAxisParams,
    doc="The sum over the elements of a named axis, the same for all.",
    type_rule=_alike("psum", _NUMBERS),
    evaluate=_itself,
    adjoint=_psum_adjoint,
    batch=_psum_batch,
    sharding="...->...",
    samples=over((F32, F64, I32), (2, 3), params=NamedAxisParams("i", 1)),
    expand=_expand_alone,
    sent=sent_by_sum,
    along=_of_one(_psum_along),
    spread=spread.reduced,
)


def psum(b: Builder, name: str, size: int, x: Atom) -> Atom:
    """The sum of `x` over the named axis of `size` members; of the shape of `x`."""
    return PSUM(b, NamedAxisParams(name, size), x)[0]


# --- pmax and pmin ----------------------------------------------------------------------------------------


def _extreme_jvp(
    b: Builder, params: NamedAxisParams, xs: Atoms, ys: Atoms, ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    """Equal shares for the elements that reach the extreme."""
    (x,), (y,), (t,) = xs, ys, ts
    if isinstance(t, Zero):
        return (Zero(y.type),)
    reached = compare(b, "eq", x, y)
    count = psum(b, params.name, params.size, convert(b, reached, x.type.dtype))
    total = psum(b, params.name, params.size, select(b, reached, t, zeros(t.type)))
    return (scale(b, total, reciprocal(b, count)),)


def _extreme_along(reduce: Callable[[Builder, Atom, Sequence[int]], Atom]) -> Along:
    return lambda b, params, x, axis: (x if axis is None else reduce(b, x, (axis,)), None)


def _extreme(name: str, doc: str, reduce: Callable[[Builder, Atom, Sequence[int]], Atom]) -> Op[NamedAxisParams]:
    op = Op(
        name=name,
        params=NamedAxisParams,
        doc=doc,
        type_rule=_alike(name, _REAL),
        evaluate=_itself,
        jvp=_extreme_jvp,
        transpose=NOT_LINEAR,
        batch=lambda b, params, xs, axes, size: (op(b, params, *xs), axes),
        sharding="...->...",
        samples=over((F32, F64, I32), (2, 3), params=NamedAxisParams("i", 1)),
        expand=_expand_alone,
        sent=sent_by_sum,
        along=_of_one(_extreme_along(reduce)),
        spread=spread.reduced,
    )
    return op


PMAX = _extreme("pmax", "The largest over the elements of a named axis, the same for all.", reduce_max)
PMIN = _extreme("pmin", "The smallest over the elements of a named axis, the same for all.", reduce_min)


# --- all_gather and reduce_scatter ------------------------------------------------------------------------


def _gather_type(params: GatherAxisParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("all_gather", types, 1)
    (x,) = types
    if not 0 <= params.axis <= x.rank:
        raise fail(f"all_gather: axis {params.axis} does not fit rank {x.rank}")
    return (Tensor(x.dtype, (*x.shape[: params.axis], params.size, *x.shape[params.axis :])),)


def _gather_eval(params: GatherAxisParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    _alone(params)
    return (np.expand_dims(x, params.axis),)


def _gather_batch(b: Builder, params: GatherAxisParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    place = params.axis + (axis <= params.axis)
    return ALL_GATHER(b, replace(params, axis=place), *xs), (axis + (place <= axis),)


def _gather_adjoint(b: Builder, params: GatherAxisParams, type: Tensor, ct: Atom) -> Atom:
    return REDUCE_SCATTER(b, params, ct)[0]


def _gather_along(b: Builder, params: GatherAxisParams, x: Atom, axis: int | None) -> tuple[Atom, int | None]:
    return at_axis(b, x, axis, params.size, params.axis), None


def _gather_sharding(params: GatherAxisParams, types: tuple[Tensor, ...]) -> Factors:
    row = tuple(range(types[0].rank))
    return Factors((row,), ((*row[: params.axis], None, *row[params.axis :]),))


ALL_GATHER = linear_map(
    name="all_gather",
    params=GatherAxisParams,
    doc="The values of all elements of a named axis, along a new axis, the same for all.",
    type_rule=_gather_type,
    evaluate=_gather_eval,
    adjoint=_gather_adjoint,
    batch=_gather_batch,
    sharding=_gather_sharding,
    samples=(
        *over((F32, F64, I32, BOOL), (2, 3), params=GatherAxisParams("i", 1, 1)),
        *over((F32,), (), params=GatherAxisParams("i", 1, 0)),
    ),
    expand=_expand_alone,
    sent=sent_by_gather,
    along=_of_one(_gather_along),
    spread=spread.gathered,
)


def _one_for_each(name: str, params: GatherAxisParams, types: tuple[Tensor, ...]) -> Tensor:
    """The type of an operand that has a slice for each element."""
    check_arity(name, types, 1)
    (x,) = types
    if not 0 <= params.axis < x.rank or x.shape[params.axis] != params.size:
        raise fail(f"{name}: axis {params.axis} of {x} is not of size {params.size}")
    return x


def _scatter_type(params: GatherAxisParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    x = _one_for_each("reduce_scatter", params, types)
    check_dtype("reduce_scatter", x.dtype, _NUMBERS)
    return (Tensor(x.dtype, (*x.shape[: params.axis], *x.shape[params.axis + 1 :])),)


def _scatter_eval(params: GatherAxisParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    _alone(params)
    return (np.squeeze(x, params.axis),)


def _scatter_batch(b: Builder, params: GatherAxisParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    place = params.axis + (axis <= params.axis)
    return REDUCE_SCATTER(b, replace(params, axis=place), *xs), (axis - (place < axis),)


def _scatter_adjoint(b: Builder, params: GatherAxisParams, type: Tensor, ct: Atom) -> Atom:
    return ALL_GATHER(b, params, ct)[0]


def _scatter_along(b: Builder, params: GatherAxisParams, x: Atom, axis: int | None) -> tuple[Atom, int | None]:
    if axis is None:
        return mul(b, x, splat(params.size, x.type)), params.axis
    return reduce_sum(b, x, (axis,)), params.axis


def _scatter_sharding(params: GatherAxisParams, types: tuple[Tensor, ...]) -> Factors:
    row = tuple(range(types[0].rank - 1))
    return Factors(((*row[: params.axis], None, *row[params.axis :]),), (row,))


REDUCE_SCATTER = linear_map(
    name="reduce_scatter",
    params=GatherAxisParams,
    doc="The sum over the elements of a named axis, of which each keeps its own slice.",
    type_rule=_scatter_type,
    evaluate=_scatter_eval,
    adjoint=_scatter_adjoint,
    batch=_scatter_batch,
    sharding=_scatter_sharding,
    samples=over((F32, F64, I32), (2, 1, 3), params=GatherAxisParams("i", 1, 1)),
    expand=_expand_alone,
    sent=sent_by_exchange,
    along=_of_one(_scatter_along),
    spread=spread.scattered,
)


# --- all_to_all -------------------------------------------------------------------------------------------


def _exchange_adjoint(b: Builder, params: GatherAxisParams, type: Tensor, ct: Atom) -> Atom:
    return ALL_TO_ALL(b, params, ct)[0]


def _exchange_batch(b: Builder, params: GatherAxisParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    return ALL_TO_ALL(b, replace(params, axis=params.axis + (axis <= params.axis)), *xs), axes


def _exchange_along(b: Builder, params: GatherAxisParams, x: Atom, axis: int | None) -> tuple[Atom, int | None]:
    return spread.swap_axes(b, at_axis(b, x, axis, params.size, 0), 0, params.axis + 1), 0


ALL_TO_ALL = linear_map(
    name="all_to_all",
    params=GatherAxisParams,
    doc="From every element of a named axis the slice that is meant for this one, in the place of its own.",
    type_rule=lambda params, types: (_one_for_each("all_to_all", params, types),),
    evaluate=_itself,
    adjoint=_exchange_adjoint,
    batch=_exchange_batch,
    sharding=except_axes(lambda params: (params.axis,)),
    samples=over((F32, F64, I32, BOOL), (2, 1, 3), params=GatherAxisParams("i", 1, 1)),
    expand=_expand_alone,
    sent=sent_by_exchange,
    along=_of_one(_exchange_along),
    spread=spread.exchanged,
)


# --- ppermute ---------------------------------------------------------------------------------------------


def _permute_type(params: PermuteParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("ppermute", types, 1)
    for places in zip(*params.pairs, strict=True):
        if len(set(places)) < len(places) or not all(0 <= p < params.size for p in places):
            raise fail(f"ppermute: {params.pairs} is not a permutation of {params.size} elements")
    return types


def _permute_eval(params: PermuteParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    _alone(params)
    return (x if params.pairs else np.zeros_like(x),)


def _permute_adjoint(b: Builder, params: PermuteParams, type: Tensor, ct: Atom) -> Atom:
    back = tuple([(target, source) for source, target in params.pairs])
    return PPERMUTE(b, PermuteParams(params.name, params.size, back), ct)[0]


def _permute_along(b: Builder, params: PermuteParams, x: Atom, axis: int | None) -> tuple[Atom, int | None]:
    """Runs of neighbours that go to neighbours move as one slice."""
    whole = at_axis(b, x, axis, params.size, 0)
    if params.size == 0:
        return whole, 0
    giver = {target: source for source, target in params.pairs}
    pieces: list[Atom] = []
    place = 0
    while place < params.size:
        stop, source = place + 1, giver.get(place)
        while stop < params.size and giver.get(stop) == (None if source is None else source + stop - place):
            stop += 1
        if source is None:
            pieces.append(zeros(Tensor(x.type.dtype, (stop - place, *whole.type.shape[1:]))))
        else:
            pieces.append(slice_axis(b, whole, 0, source, source + stop - place))
        place = stop
    return (pieces[0] if len(pieces) == 1 else concatenate(b, pieces, 0)), 0


def _permute_batch(b: Builder, params: PermuteParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return PPERMUTE(b, params, *xs), axes


PPERMUTE = linear_map(
    name="ppermute",
    params=PermuteParams,
    doc="The value of the element that gives to this one along a named axis; zero if none does.",
    type_rule=_permute_type,
    evaluate=_permute_eval,
    adjoint=_permute_adjoint,
    batch=_permute_batch,
    sharding="...->...",
    samples=(
        *over((F32, F64, I32), (2, 3), params=PermuteParams("i", 1, ((0, 0),))),
        *over((F32,), (2,), params=PermuteParams("i", 1, ())),
    ),
    zero_rule=with_holes,
    expand=_expand_alone,
    sent=lambda params, inputs, outputs: inputs[0].bytes * bool(params.pairs),
    along=_of_one(_permute_along),
    spread=spread.permuted,
)


# --- axis_index -------------------------------------------------------------------------------------------


def _index_type(params: NamedAxisParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("axis_index", types, 0)
    return (Tensor(I32),)


def _index_eval(params: NamedAxisParams, types: tuple[Tensor, ...]) -> Arrays:
    _alone(params)
    return (np.zeros((), np.int32),)


def _index_batch(b: Builder, params: NamedAxisParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return AXIS_INDEX(b, params), (None,)


AXIS_INDEX = Op(
    name="axis_index",
    params=NamedAxisParams,
    doc="The position of this element along a named axis.",
    type_rule=_index_type,
    evaluate=_index_eval,
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_index_batch,
    sharding=without_operands(lambda params: 0),
    samples=(Sample(NamedAxisParams("i", 1), ()),),
    expand=_expand_alone,
    along=lambda b, params, xs, axes: ((iota(b, I32, (params.size,), 0),), (0,)),
    spread=spread.indexed,
)


COLLECTIVE: tuple[Op[Any], ...] = (PSUM, PMAX, PMIN, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, PPERMUTE, AXIS_INDEX)

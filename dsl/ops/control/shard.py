"""`shard`: one function on equal parts of its operands, each part on a device of its own.

An operand is cut along its axis in `in_axes` into `size` parts, or is the same for all; the results are put together
along `out_axes`, or are what the first part gives. The parts see each other by collectives over the axis `name`. So the
meaning is that of a map over the parts, and says nothing of devices; how many there are is decided when nothing more is
to be transformed: one takes all parts, or each an equal share of them. Read next: `dsl.ops.spread`;
`dsl.transforms.placement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    Axes,
    BatchBody,
    BatchNamed,
    Facts,
    Flags,
    FlowBody,
    JvpBody,
    NamedAxis,
    PruneBody,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
)
from dsl.ops.collective import ALL_GATHER, GatherAxisParams
from dsl.ops.control.call import call
from dsl.ops.control.region_utils import (
    batched,
    check_signature,
    chosen,
    cotangents,
    linears,
    merged,
    nonzero,
    others,
    present,
    scattered,
    written,
)
from dsl.ops.elementwise import mul
from dsl.ops.extent import pad, slice_axis
from dsl.ops.layout import at_axis, move_axis, reduce_sum, reshape
from dsl.ops.rule_helpers import known as value_of
from dsl.ops.rule_helpers import splat
from dsl.types.dtype import F64

Atoms: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class ShardParams:
    """`placed`: there are as many devices as parts, and the collectives of the body are theirs."""

    function: Function
    name: str
    size: int
    in_axes: Axes
    out_axes: Axes
    placed: bool = False


def whole(type: Tensor, axis: int | None, size: int) -> Tensor:
    """The type of what lies along `axis` in so many parts of this type."""
    if axis is None:
        return type
    shape = type.shape
    return Tensor(type.dtype, (*shape[:axis], shape[axis] * size, *shape[axis + 1 :]))


def _type(params: ShardParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    body = params.function
    parts = (*body.param_types, *body.result_types)
    for axis, part in zip((*params.in_axes, *params.out_axes), parts, strict=True):
        if axis is not None and not 0 <= axis < part.rank:
            raise IRTypeError(f"shard: {part} has no axis {axis}")
    expected = [whole(p, a, params.size) for p, a in zip(body.param_types, params.in_axes, strict=True)]
    if tuple(expected) != types:
        check_signature("shard", body, types)
        raise IRTypeError(f"shard: {params.size} parts of the operands are not those of {body.name}")
    return tuple([whole(t, a, params.size) for t, a in zip(body.result_types, params.out_axes, strict=True)])


def _evaluate(recur: Any, params: ShardParams, *xs: Any) -> Any:
    """One part after the other; of parts that see each other, `expand` leaves none."""
    parts = [_parts(x, axis, params.size) for x, axis in zip(xs, params.in_axes, strict=True)]
    results = [recur(params.function, *[part[k] for part in parts]) for k in range(params.size)]
    return tuple([_together(ys, axis) for ys, axis in zip(zip(*results, strict=True), params.out_axes, strict=True)])


def _parts(x: Any, axis: int | None, size: int) -> Sequence[Any]:
    return [x] * size if axis is None else np.split(x, size, axis)


def _together(parts: Sequence[Any], axis: int | None) -> Any:
    return parts[0] if axis is None else np.concatenate(parts, axis)


# --- jvp and transpose ------------------------------------------------------------------------------------


def _jvp(b: Builder, params: ShardParams, xs: Atoms, ts: Tangents, recur: JvpBody) -> tuple[Atoms, Tangents]:
    flags = nonzero(ts)
    done = recur(params.function, flags)
    made = replace(
        params,
        function=done.function,
        in_axes=(*params.in_axes, *chosen(params.in_axes, flags)),
        out_axes=(*params.out_axes, *chosen(params.out_axes, done.nonzero)),
    )
    outs = SHARD(b, made, *xs, *present(ts))
    count = len(done.nonzero)
    return outs[:count], scattered(outs[count:], done.nonzero, [y.type for y in outs[:count]])


def _transpose(
    b: Builder, params: ShardParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    """A result that is not cut is the first part's alone, and so is its cotangent; what is the same for all parts gets
    the sum of what each of them gives."""
    marks = linears(xs)
    done = recur(params.function, marks, nonzero(cts))
    of_results = chosen(params.out_axes, nonzero(cts))
    of_params = chosen(chosen(params.in_axes, marks), done.nonzero)
    inner = Builder()
    values: list[Atom] = [inner.param(p.type) for p in others(params.function.params, marks)]
    for y, axis in zip(chosen(params.function.results, nonzero(cts)), of_results, strict=True):
        values.append(_first_of(inner, y.type) if axis is None else inner.param(y.type))
    found = zip(call(inner, done.function, values), of_params, strict=True)
    made = replace(
        params,
        function=inner.finish(params.function.name, [_lifted(inner, x) if a is None else x for x, a in found]),
        in_axes=(*others(params.in_axes, marks), *map(_or_front, of_results)),
        out_axes=tuple(map(_or_front, of_params)),
    )
    known = [value_of(x) for x in others(xs, marks)]
    given = [_as_first(b, ct, params.size) if a is None else ct for ct, a in zip(present(cts), of_results, strict=True)]
    outs = SHARD(b, made, *known, *given)
    summed = [reduce_sum(b, x, (0,)) if axis is None else x for x, axis in zip(outs, of_params, strict=True)]
    return cotangents(summed, done.nonzero, xs)


def _or_front(axis: int | None) -> int:
    return 0 if axis is None else axis


def _lifted(b: Builder, x: Atom) -> Atom:
    """With an axis in front along which the parts are put together."""
    return reshape(b, x, (1, *x.type.shape))


def _first_of(b: Builder, type: Tensor) -> Atom:
    """A new parameter for a part of `_as_first`, without its axis."""
    return reshape(b, b.param(Tensor(type.dtype, (1, *type.shape))), type.shape)


def _as_first(b: Builder, x: Atom, size: int) -> Atom:
    """`x` for the first part and zeros for all others, along a new axis."""
    lifted, none = _lifted(b, x), (0,) * (x.type.rank + 1)
    return pad(b, lifted, splat(0, Tensor(x.type.dtype)), none, (size - 1, *none[1:]), none)


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder,
    unknown: Builder,
    params: ShardParams,
    xs: Atoms,
    flags: Flags,
    recur: SplitBody,
) -> tuple[Atoms, Flags]:
    done = recur(params.function, flags)
    half, given = _KnownHalf(params, done, flags), others(xs, flags)
    outs = SHARD(known, half.params, *given)
    inner = Builder()
    types = [p.type for p in done.unknown.params]
    own = [_first_of(inner, t) if up else inner.param(t) for t, up in zip(types, half.lifted, strict=False)]
    own += [inner.param(t) for t in types[len(own) :]]
    made = replace(
        params,
        function=inner.finish(params.function.name, call(inner, done.unknown, own)),
        in_axes=(*half.residual_axes, *chosen(params.in_axes, flags)),
        out_axes=chosen(params.out_axes, done.out_unknown),
    )
    late = SHARD(unknown, made, *half.residuals(given, outs), *chosen(xs, flags))
    return merged(done.out_unknown, late, outs), done.out_unknown


@dataclass(frozen=True, slots=True)
class _KnownHalf:
    """The known half of a split, and how its residuals leave it: as an operand or a result that is there already, or
    (those that are `lifted`) as one more result with an axis in front."""

    whole: ShardParams
    split: Split
    flags: Flags

    @property
    def axes(self) -> Axes:
        """Of the known operands, which may be the same for all parts, then of the known results."""
        return (*others(self.whole.in_axes, self.flags), *others(self.whole.out_axes, self.split.out_unknown))

    @property
    def operands(self) -> int:
        return self.flags.count(False)

    @property
    def lifted(self) -> Flags:
        axes, operands = self.axes, self.operands
        return tuple([i >= operands and (i >= len(axes) or axes[i] is None) for i in self.split.residuals])

    @property
    def residual_axes(self) -> Axes:
        pairs = zip(self.split.residuals, self.lifted, strict=True)
        return tuple([0 if up else self.axes[i] for i, up in pairs])

    @property
    def params(self) -> ShardParams:
        b = Builder()
        own = [b.param(p.type) for p in self.split.known.params]
        found = (*own, *call(b, self.split.known, own))
        extra = chosen(self.split.residuals, self.lifted)
        results = (*found[self.operands : len(self.axes)], *[_lifted(b, found[i]) for i in extra])
        return replace(
            self.whole,
            function=b.finish(self.whole.function.name, results),
            in_axes=self.axes[: self.operands],
            out_axes=(*self.axes[self.operands :], *[0] * len(extra)),
        )

    def residuals(self, given: Sequence[Atom], outs: Sequence[Atom]) -> list[Atom]:
        """Their values outside, from the known operands and what the known half gives."""
        values = (*given, *outs)
        extra = iter(values[len(self.axes) :])
        pairs = zip(self.split.residuals, self.lifted, strict=True)
        return [next(extra) if up else values[i] for i, up in pairs]


# --- the other rules --------------------------------------------------------------------------------------


def _batch(b: Builder, params: ShardParams, xs: Atoms, axes: Axes, size: int, recur: BatchBody) -> tuple[Atoms, Axes]:
    """Another axis in front, behind which all others keep their places."""
    flags = batched(axes)
    done = recur(params.function, flags)
    made = replace(
        params,
        function=done.function,
        in_axes=_moved(params.in_axes, flags),
        out_axes=_moved(params.out_axes, done.batched),
    )
    outs = SHARD(b, made, *[at_axis(b, x, a, size, 0) if f else x for x, a, f in zip(xs, axes, flags, strict=True)])
    return outs, tuple([0 if f else None for f in done.batched])


def _moved(axes: Axes, flags: Flags) -> Axes:
    return tuple([a if a is None else a + f for a, f in zip(axes, flags, strict=True)])


def _prune(params: ShardParams, used: Flags, recur: PruneBody) -> tuple[ShardParams, Flags, Flags]:
    done = recur(params.function, used)
    if done.function is params.function:
        return params, done.kept, used
    in_axes, out_axes = chosen(params.in_axes, done.kept), chosen(params.out_axes, used)
    return replace(params, function=done.function, in_axes=in_axes, out_axes=out_axes), done.kept, used


def _flow(params: ShardParams, facts: Facts, recur: FlowBody) -> tuple[ShardParams, Facts]:
    done = recur(params.function, facts)
    return replace(params, function=done.function), done.facts


# --- all parts together -----------------------------------------------------------------------------------


def _expand(b: Builder, equation: Equation, batch: BatchNamed) -> Atoms | None:
    """All parts on one device, unless they are placed on devices already."""
    params = cast(ShardParams, equation.params)
    if params.placed:
        return None
    outs, flags = mapped_parts(b, params, equation.inputs, params.size, batch, NamedAxis(params.name))
    return tuple([_first(b, y) if f else y for y, f in zip(outs, flags, strict=True)])


def placed_parts(b: Builder, params: ShardParams, xs: Sequence[Atom], devices: int, batch: BatchNamed) -> Atoms:
    """The same results on so many devices, a divisor of the number of parts: each maps the body over its share."""
    count = params.size // devices
    axis = NamedAxis(params.name, devices)
    inner = Builder()
    inner.span = b.span
    shares = zip(params.function.params, params.in_axes, strict=True)
    own = [inner.param(whole(p.type, a, count)) for p, a in shares]
    outs, flags = mapped_parts(inner, params, own, count, batch, axis)
    results = [_from_first(inner, y, axis) if f else y for y, f in zip(outs, flags, strict=True)]
    body = inner.finish(params.function.name, results)
    return SHARD(b, replace(params, function=body, size=devices, placed=True), *xs)


def mapped_parts(
    b: Builder, params: ShardParams, xs: Sequence[Atom], count: int, batch: BatchNamed, axis: NamedAxis
) -> tuple[Atoms, Flags]:
    """The body mapped over `count` parts of the operands: its results, put together, and which of those that are not
    to be put together differ between the parts, and have them in front."""
    flags = tuple([a is not None for a in params.in_axes])
    wanted = tuple([a is not None for a in params.out_axes])
    made = batch(params.function, flags, wanted, count, axis)
    outs = call(b, made.function, [_cut(b, x, a, count) for x, a in zip(xs, params.in_axes, strict=True)])
    joined = [y if a is None else _joined(b, y, a, count) for y, a in zip(outs, params.out_axes, strict=True)]
    return tuple(joined), tuple([m and not w for m, w in zip(made.batched, wanted, strict=True)])


def _first(b: Builder, x: Atom) -> Atom:
    return reshape(b, slice_axis(b, x, 0, 0, 1), x.type.shape[1:])


def _from_first(b: Builder, x: Atom, axis: NamedAxis) -> Atom:
    """What the first part of the first device has, for all."""
    params = GatherAxisParams(axis.name, axis.devices, 0)
    return _first(b, ALL_GATHER(b, params, _first(b, x))[0])


def _cut(b: Builder, x: Atom, axis: int | None, count: int) -> Atom:
    """The parts of `x` along a new axis in front."""
    if axis is None:
        return x
    shape = x.type.shape
    split = reshape(b, x, (*shape[:axis], count, shape[axis] // count, *shape[axis + 1 :]))
    return move_axis(b, split, axis, 0)


def _joined(b: Builder, y: Atom, axis: int, count: int) -> Atom:
    """The inverse of `_cut`."""
    shape = y.type.shape[1:]
    return reshape(b, move_axis(b, y, 0, axis), (*shape[:axis], count * shape[axis], *shape[axis + 1 :]))


_MATRIX, _VECTOR = Tensor(F64, (2, 3)), Tensor(F64, (3,))
_PRODUCT = written("product", (_MATRIX, _VECTOR), lambda b, x, y: (reduce_sum(b, x, (0,)), mul(b, y, y)))

SHARD: RegionOp[ShardParams] = RegionOp(
    name="shard",
    params=ShardParams,
    doc="The results of `function` on equal parts of the operands, put together.",
    bodies=lambda params: (params.function,),
    rebuild=lambda params, bodies: replace(params, function=bodies[0]),
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    prune=_prune,
    flow=_flow,
    sharding="",
    samples=(
        Sample(ShardParams(_PRODUCT, "i", 2, (0, None), (0, None)), (Tensor(F64, (4, 3)), _VECTOR)),
        Sample(ShardParams(_PRODUCT, "i", 2, (0, 0), (0, 0)), (Tensor(F64, (4, 3)), Tensor(F64, (6,)))),
        Sample(ShardParams(_PRODUCT, "i", 1, (None, 0), (0, None)), (_MATRIX, _VECTOR)),
    ),
    expand=_expand,
)

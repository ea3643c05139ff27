"""`shard`: one function on equal parts of its operands, each part on a device of its own.

The parts lie along the axes of a mesh. Along each of them an operand is cut along one of its own axes, or is the same
for all; the results are put together likewise, or are what the first part gives. The parts see each other by
collectives over the names of the axes. So the meaning is that of maps over the parts, and says nothing of devices; how
many there are is decided when nothing more is to be transformed: one takes all parts, or each an equal share of them.
Read next: `parts`; `dsl.ops.spread`; `dsl.transforms.placement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Linear, RegionOp, Sample, Tangent
from dsl.ir.region import Axes, BatchBody, BatchNamed, Flags, NamedAxis, Split, SplitBody, Tangents, TransposeBody
from dsl.ops.collective import ALL_GATHER, AXIS_INDEX, psum
from dsl.ops.control.call import call
from dsl.ops.control.region_utils import build_function, check_signature
from dsl.ops.control.signature import Called, Origins, batch_alike, region
from dsl.ops.elementwise import compare, mul, select
from dsl.ops.extent import slice_axis
from dsl.ops.flags import cotangents, has_batch_axis, linears, merge_flagged, nonzero, others, present, select_flagged
from dsl.ops.layout import broadcast_in_dim, reduce_sum, reshape
from dsl.ops.named_axes import GatherAxisParams, NamedAxisParams, of_devices
from dsl.ops.rule_helpers import require_known as value_of
from dsl.ops.rule_helpers import splat, zeros
from dsl.ops.sharding import parts
from dsl.ops.sharding.parts import Cut, Cuts, Mesh
from dsl.records import replace
from dsl.types.dtype import F64

Atoms: TypeAlias = tuple[Atom, ...]


class ShardParams(Called, frozen=True):
    """`in_cuts` and `out_cuts`: of every operand and result. `placed`: there are as many devices as parts, and the
    collectives of the body are theirs."""

    mesh: Mesh
    in_cuts: Cuts
    out_cuts: Cuts
    placed: bool = False

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> ShardParams:
        """Return the same parts of other operands and results, cut as those that they come from."""
        if origins is None:
            return replace(self, function=bodies[0])
        in_cuts = tuple([self.in_cuts[i] for i in origins.params])
        return replace(
            self, function=bodies[0], in_cuts=in_cuts, out_cuts=tuple([self.out_cuts[i] for i in origins.results])
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the axes of the mesh."""
        return tuple([axis.size for axis in self.mesh])


def _type(params: ShardParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    body, sizes = params.function, params.sizes
    own = (*body.param_types, *body.result_types)
    for cut, part in zip((*params.in_cuts, *params.out_cuts), own, strict=True):
        if len(cut) != len(sizes) or not all(axis is None or 0 <= axis < part.rank for axis in cut):
            raise IRTypeError(f"shard: {part} cannot be cut along {cut}")
    expected = [parts.whole_type(p, c, sizes) for p, c in zip(body.param_types, params.in_cuts, strict=True)]
    if tuple(expected) != types:
        check_signature("shard", body, types)
        raise IRTypeError(f"shard: {sizes} parts of the operands are not those of {body.name}")
    return tuple([parts.whole_type(t, c, sizes) for t, c in zip(body.result_types, params.out_cuts, strict=True)])


def _evaluate(recur: Any, params: ShardParams, *xs: Any) -> Any:
    """One part after the other; of parts that see each other, `expand` leaves none."""
    sizes = params.sizes
    each = [parts.split(x, cut, sizes) for x, cut in zip(xs, params.in_cuts, strict=True)]
    results = [recur(params.function, *[part[k] for part in each]) for k in range(parts.count_parts(params.mesh))]
    columns = zip(zip(*results, strict=True), params.out_cuts, strict=True)
    return tuple([parts.join(ys, cut, sizes) for ys, cut in columns])


# --- transpose ------------------------------------------------------------------------------------


def _transpose(
    b: Builder, params: ShardParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    """A result that is not cut is the first part's alone, and so is its cotangent; what is the same for all parts gets
    the sum of what each of them gives."""
    marks = linears(xs)
    done = recur(params.function, marks, nonzero(cts))
    of_results = select_flagged(params.out_cuts, nonzero(cts))
    of_params = select_flagged(select_flagged(params.in_cuts, marks), done.nonzero)
    inner = Builder()
    values: list[Atom] = [inner.param(p.type) for p in others(params.function.params, marks)]
    for y, cut in zip(select_flagged(params.function.results, nonzero(cts)), of_results, strict=True):
        values.append(_if_first(inner, inner.param(y.type), cut, params.mesh))
    found = zip(call(inner, done.function, values), of_params, strict=True)
    made = replace(
        params,
        function=inner.finish(params.function.name, [_total(inner, x, cut, params.mesh) for x, cut in found]),
        in_cuts=(*others(params.in_cuts, marks), *of_results),
        out_cuts=of_params,
    )
    known = [value_of(x) for x in others(xs, marks)]
    return cotangents(SHARD(b, made, *known, *present(cts)), done.nonzero, xs)


def _if_first(b: Builder, x: Atom, cut: Cut, mesh: Sequence[NamedAxisParams]) -> Atom:
    """`x` in the first of the parts that have it in common, zeros in the others."""
    for axis, place in zip(mesh, cut, strict=True):
        if place is None:
            index = AXIS_INDEX(b, axis)[0]
            first = compare(b, "eq", index, splat(0, index.type))
            x = select(b, broadcast_in_dim(b, first, x.type.shape, ()), x, zeros(x.type))
    return x


def _total(b: Builder, x: Atom, cut: Cut, mesh: Sequence[NamedAxisParams]) -> Atom:
    """The sum over the axes of the mesh along which the parts have one value in common."""
    for axis, place in zip(mesh, cut, strict=True):
        x = psum(b, axis.name, axis.size, x) if place is None else x
    return x


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder, unknown: Builder, params: ShardParams, xs: Atoms, flags: Flags, recur: SplitBody
) -> tuple[Atoms, Flags]:
    done = recur(params.function, flags)
    half, given = _KnownHalf(params, done, flags), others(xs, flags)
    outs = SHARD(known, half.params, *given)
    inner = Builder()
    types = [p.type for p in done.unknown.params]
    own = [parts.add_lifted_param(inner, t, up) for t, up in zip(types, half.lifts, strict=False)]
    own += [inner.param(t) for t in types[len(own) :]]
    made = replace(
        params,
        function=inner.finish(params.function.name, call(inner, done.unknown, own)),
        in_cuts=(*half.residual_cuts, *select_flagged(params.in_cuts, flags)),
        out_cuts=select_flagged(params.out_cuts, done.out_unknown),
    )
    late = SHARD(unknown, made, *half.residuals(given, outs), *select_flagged(xs, flags))
    return merge_flagged(done.out_unknown, late, outs), done.out_unknown


@dataclass(frozen=True, slots=True)
class _KnownHalf:
    """The known half of a split, and how its residuals leave it: as an operand or a result that is there already, or
    as one more result with axes in front, where the parts differ along an axis of the mesh that does not cut it."""

    whole: ShardParams
    split: Split
    flags: Flags

    @property
    def cuts(self) -> Cuts:
        """Of the known operands, which may be the same for all parts, then of the known results."""
        return (*others(self.whole.in_cuts, self.flags), *others(self.whole.out_cuts, self.split.out_unknown))

    @property
    def operands(self) -> int:
        return self.flags.count(False)

    def _cut(self, residual: int) -> Cut:
        cuts = self.cuts
        return cuts[residual] if residual < len(cuts) else (None,) * len(self.whole.mesh)

    @property
    def lifts(self) -> tuple[int, ...]:
        """How many axes each residual has in front."""
        return tuple([0 if i < self.operands else parts.count_uncut(self._cut(i)) for i in self.split.residuals])

    @property
    def _lifted(self) -> Flags:
        return tuple([up > 0 for up in self.lifts])

    @property
    def residual_cuts(self) -> Cuts:
        pairs = zip(self.split.residuals, self.lifts, strict=True)
        return tuple([parts.complete_cut(self._cut(i)) if up else self._cut(i) for i, up in pairs])

    @property
    def params(self) -> ShardParams:
        b = Builder()
        own = [b.param(p.type) for p in self.split.known.params]
        found = (*own, *call(b, self.split.known, own))
        extra = zip(
            select_flagged(self.split.residuals, self._lifted), select_flagged(self.lifts, self._lifted), strict=True
        )
        results = (*found[self.operands : len(self.cuts)], *[parts.lift(b, found[i], up) for i, up in extra])
        return replace(
            self.whole,
            function=b.finish(self.whole.function.name, results),
            in_cuts=self.cuts[: self.operands],
            out_cuts=(*self.cuts[self.operands :], *select_flagged(self.residual_cuts, self._lifted)),
        )

    def residuals(self, given: Sequence[Atom], outs: Sequence[Atom]) -> list[Atom]:
        """Their values outside, from the known operands and what the known half gives."""
        values = (*given, *outs)
        extra = iter(values[len(self.cuts) :])
        pairs = zip(self.split.residuals, self._lifted, strict=True)
        return [next(extra) if up else values[i] for i, up in pairs]


# --- the other rules --------------------------------------------------------------------------------------


def _batch(b: Builder, params: ShardParams, xs: Atoms, axes: Axes, size: int, recur: BatchBody) -> tuple[Atoms, Axes]:
    """Another axis in front, behind which all others keep their places."""
    return batch_alike(SHARD, b, params, xs, axes, size, recur, _behind)


def _behind(params: ShardParams, bodies: Sequence[Function], flags: Flags, force: Flags) -> ShardParams:
    in_cuts, out_cuts = _moved(params.in_cuts, flags), _moved(params.out_cuts, force)
    return replace(params, function=bodies[0], in_cuts=in_cuts, out_cuts=out_cuts)


def _moved(cuts: Cuts, flags: Flags) -> Cuts:
    pairs = zip(cuts, flags, strict=True)
    return tuple([tuple([axis if axis is None else axis + f for axis in cut]) for cut, f in pairs])


# --- shares of the parts ----------------------------------------------------------------------------------


def _expand(b: Builder, equation: Equation, batch: BatchNamed) -> Atoms | None:
    """All parts on one device, unless they are placed on devices already."""
    return None if cast(ShardParams, equation.params).placed else _place(b, equation, 1, batch)


def _place(b: Builder, equation: Equation, devices: int, batch: BatchNamed) -> Atoms:
    """Distribute the results over the devices that can divide the shards: each maps the body over its share, along one
    mesh axis after another."""
    params, xs = cast(ShardParams, equation.params), equation.inputs
    axes = parts.share_parts(params.mesh, devices)
    assert axes is not None, f"{devices} devices cannot share {params.mesh}"
    function = params.function
    for k, axis in reversed(list(enumerate(axes))):
        sources, targets = (tuple([cut[k] for cut in cuts]) for cuts in (params.in_cuts, params.out_cuts))
        function = _mapped(function, sources, targets, params.mesh[k].size // axis.devices, axis, batch)
    spread = tuple([axis.devices > 1 for axis in axes])
    if not any(spread):
        return call(b, function, xs)
    made = ShardParams(
        function,
        tuple([of_devices(axis) for axis in select_flagged(axes, spread)]),
        tuple([select_flagged(cut, spread) for cut in params.in_cuts]),
        tuple([select_flagged(cut, spread) for cut in params.out_cuts]),
        placed=True,
    )
    return SHARD(b, made, *xs)


def _mapped(
    function: Function, in_axes: Axes, out_axes: Axes, count: int, axis: NamedAxis, batch: BatchNamed
) -> Function:
    """`function` mapped over `count` parts along one axis of the mesh, on each device; results that are not put
    together are those of the first part of all."""
    b = Builder()
    flags, wanted = has_batch_axis(in_axes), has_batch_axis(out_axes)
    made = batch(function, flags, wanted, count, axis)
    own = zip(function.params, in_axes, strict=True)
    given = [parts.split_axis(b, b.param(parts.whole_type(p.type, (a,), (count,))), p.type, a, count) for p, a in own]
    results: list[Atom] = []
    for y, place, differs in zip(call(b, made.function, given), out_axes, made.batched, strict=True):
        if place is not None:
            results.append(parts.join_axis(b, y, place, count))
        else:
            results.append(_first_of_all(b, y, axis) if differs else y)
    return b.finish(function.name, results)


def _first(b: Builder, x: Atom) -> Atom:
    return reshape(b, slice_axis(b, x, 0, 0, 1), x.type.shape[1:])


def _first_of_all(b: Builder, x: Atom, axis: NamedAxis) -> Atom:
    """Return the value of the first shard, on the first device if there are several."""
    here = _first(b, x)
    if axis.devices == 1:
        return here
    return _first(b, ALL_GATHER(b, GatherAxisParams(axis.name, axis.devices, 0, axis.stride), here)[0])


_MATRIX, _VECTOR = Tensor(F64, (2, 3)), Tensor(F64, (3,))
_PRODUCT = build_function("product", (_MATRIX, _VECTOR), lambda b, x, y: (reduce_sum(b, x, (0,)), mul(b, y, y)))
_TWO, _ONE = (NamedAxisParams("i", 2),), (NamedAxisParams("i", 1),)
_MESH = (NamedAxisParams("i", 2), NamedAxisParams("j", 3))

SHARD: RegionOp[ShardParams] = region(
    name="shard",
    params=ShardParams,
    doc="The results of `function` on equal parts of the operands, put together.",
    bodies=("function",),
    type_rule=_type,
    evaluate=_evaluate,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    samples=(
        Sample(ShardParams(_PRODUCT, _TWO, ((0,), (None,)), ((0,), (None,))), (Tensor(F64, (4, 3)), _VECTOR)),
        Sample(ShardParams(_PRODUCT, _TWO, ((0,), (0,)), ((0,), (0,))), (Tensor(F64, (4, 3)), Tensor(F64, (6,)))),
        Sample(ShardParams(_PRODUCT, _ONE, ((None,), (0,)), ((0,), (None,))), (_MATRIX, _VECTOR)),
        Sample(
            ShardParams(_PRODUCT, _MESH, ((0, 1), (None, 0)), ((0, 0), (None, 0))),
            (Tensor(F64, (4, 9)), Tensor(F64, (9,))),
        ),
    ),
    expand=_expand,
    place=_place,
)

"""`with_sharding`: an identity that says how a whole array is to lie over devices.

What lies between such arrays, and which collectives that takes, is decided by XLA's partitioner. It means the same on
every number of devices: on one, nothing. Read next: `parts`; `dsl.transforms.placement`.
"""

from __future__ import annotations

from typing import cast

from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Sample
from dsl.ir.region import BatchNamed
from dsl.ir.traits import MOVES
from dsl.ops.flags import select_flagged
from dsl.ops.named_axes import NamedAxisParams, of_devices
from dsl.ops.rule_helpers import Axes, Batched, check_arity, linear_map
from dsl.ops.sharding.parts import Cut, Cuts, Mesh, count_cuts, share_parts
from dsl.records import replace
from dsl.types.dtype import ALL, F64


class ShardingParams(Struct, frozen=True):
    """Which axes of the array lie along those of the mesh. Axes in `free` lie as XLA wants; all others that are not cut
    are whole. `placed`: the axes of the mesh are those of devices."""

    mesh: Mesh
    cut: Cut
    free: tuple[int, ...] = ()
    placed: bool = False

    @property
    def in_cuts(self) -> Cuts:
        """Of the one operand."""
        return (self.cut,)

    @property
    def out_cuts(self) -> Cuts:
        """Of the one result."""
        return (self.cut,)


def _type(params: ShardingParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("with_sharding", types, 1)
    (x,) = types
    if len(params.cut) != len(params.mesh) or not all(axis is None or 0 <= axis < x.rank for axis in params.cut):
        raise IRTypeError(f"with_sharding: {x} cannot be cut along {params.cut}")
    counts = count_cuts(params.cut, params.mesh, x.rank)
    if any(size % count for size, count in zip(x.shape, counts, strict=True)):
        raise IRTypeError(f"with_sharding: {x} cannot be cut into {counts} equal parts")
    return types


def _adjoint(b: Builder, params: ShardingParams, type: Tensor, ct: Atom) -> Atom:
    return WITH_SHARDING(b, params, ct)[0]


def _batch(b: Builder, params: ShardingParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    """The new axis lies as XLA wants."""
    (new,) = axes
    assert new is not None
    cut = tuple([None if axis is None else axis + (axis >= new) for axis in params.cut])
    free = tuple(sorted([new, *[axis + (axis >= new) for axis in params.free]]))
    return WITH_SHARDING(b, replace(params, cut=cut, free=free), *xs), axes


def _expand(b: Builder, equation: Equation, batch: BatchNamed) -> tuple[Atom, ...] | None:
    return None if cast(ShardingParams, equation.params).placed else equation.inputs


def _place(b: Builder, equation: Equation, devices: int, batch: BatchNamed) -> tuple[Atom, ...]:
    params = cast(ShardingParams, equation.params)
    axes = share_parts(params.mesh, devices)
    assert axes is not None, f"{devices} devices cannot share {params.mesh}"
    spread = tuple([axis.devices > 1 for axis in axes])
    mesh = tuple([of_devices(axis) for axis in select_flagged(axes, spread)])
    placed = ShardingParams(mesh, tuple(select_flagged(params.cut, spread)), params.free, placed=True)
    return WITH_SHARDING(b, placed, *equation.inputs)


_MESH = (NamedAxisParams("i", 2), NamedAxisParams("j", 3))
_MATRIX = (4, 6)

WITH_SHARDING = linear_map(
    name="with_sharding",
    params=ShardingParams,
    doc="The operand, which is to lie over devices as the parameters say.",
    type_rule=_type,
    evaluate=lambda params, types, x: (x,),
    adjoint=_adjoint,
    batch=_batch,
    sharding="...->...",
    samples=(
        *[Sample(ShardingParams(_MESH, (0, 1)), (Tensor(t, _MATRIX),)) for t in ALL],
        Sample(ShardingParams(_MESH, (1, 1)), (Tensor(F64, _MATRIX),)),
        Sample(ShardingParams(_MESH, (None, 0), (1,)), (Tensor(F64, (3, 2)),)),
    ),
    traits=MOVES,
    expand=_expand,
    place=_place,
)

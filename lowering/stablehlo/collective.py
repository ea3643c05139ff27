"""Programs over several devices: what each device does with its part, and what the devices say to each other.

The devices are one mesh, whose axes are the digits by which they are counted; a program sees its arrays whole, and a
`shard` is the part of it that is written for one device. Read next: `lowering.tiling`; `module`, which says how the
arguments and results of a program lie.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from dsl.ir.function import Equation, Function, Tensor
from dsl.ops.io import PrintParams
from dsl.ops.named_axes import GatherAxisParams, NamedAxisParams, PermuteParams
from dsl.ops.sharding.parts import Cut
from dsl.ops.sharding.shard import ShardParams
from dsl.ops.sharding.with_sharding import ShardingParams
from dsl.transforms.region_map import map_bodies
from lowering.lowered import RUN_TYPE
from lowering.stablehlo.context import TOKEN, Context, Rule
from lowering.stablehlo.layout import emit_reshape
from lowering.stablehlo.region import combination
from lowering.tiling import Tiling, tiling

MESH, FIRST = "mesh", "first_device"
ONCE = f"sdy.sharding = #sdy.sharding_per_value<[<@{FIRST}, []>]>"
"""The attribute of an operation with one result that only the first device does."""

_CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def mesh(sizes: Sequence[int]) -> str:
    """The declaration of the devices of a program."""
    axes = ", ".join([f"{_digit(k)}={size}" for k, size in enumerate(sizes)])
    return f"sdy.mesh @{MESH} = <[{axes}]>\nsdy.mesh @{FIRST} = <[], device_ids=[0]>"


def _digit(k: int) -> str:
    return f'"d{k}"'


def tiling_of(cut: Cut, axes: Sequence[NamedAxisParams], devices: int) -> Tiling:
    """How what is cut along these axes of devices lies over all devices."""
    digits: list[tuple[int, int | None]] = []
    for axis, place in zip(axes, cut, strict=True):
        digits += [(devices // (axis.size * axis.stride), None), (axis.size, place)]
        devices = axis.stride
    return tiling([*digits, (devices, None)])


def dimensions(type: Tensor, cut: Tiling, sizes: Sequence[int], free: Collection[int] = ()) -> str:
    """How a value lies over the devices, in the words of Shardy, which decides of the axes that are `free`."""
    found: list[list[str]] = [[] for _ in range(type.rank)]
    k = 0
    for count, axis in cut:
        start = k
        while prod(sizes[start:k]) < count:
            k += 1
        if axis is not None:
            found[axis] += map(_digit, range(start, k))
    cuts = ["{" + ", ".join([*names, *["?"] * (axis in free)]) + "}" for axis, names in enumerate(found)]
    return f"<@{MESH}, [{', '.join(cuts)}]>"


def lies(type: Tensor, cut: Tiling, sizes: Sequence[int]) -> str:
    """The attribute of a parameter or result that says how it lies over the devices."""
    return f"sdy.sharding = #sdy.sharding{dimensions(type, cut, sizes)}"


def shard(cx: Context, params: ShardParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The body on each device. It sees nothing of the outside but its parameters; one that prints, the number of the
    run, too."""
    prints = cx.module.has_io(params.function)
    body = on_each_device(params.function) if prints else params.function
    inner = cx.child()
    inner.is_local = True
    names = [inner.fresh() for _ in operands]
    if prints:
        inner.run, inner.token = inner.fresh(), inner.emit(f"stablehlo.create_token : {TOKEN}")
    results = cx.module.inline(inner, body, names)
    taken, cuts, sources = [*body.param_types], [*params.in_cuts], [x.type for x in equation.inputs]
    if prints:
        names, operands, sources = [*names, inner.run], [*operands, cx.run], [*sources, RUN_TYPE]
        taken.append(RUN_TYPE)
        cuts.append((None,) * len(params.mesh))
    header = ", ".join([f"{name}: {cx.type(t)}" for name, t in zip(names, taken, strict=True)])
    targets = [y.type for y in equation.outputs]
    given = _all_dimensions(cx, params, sources, cuts)
    made = _all_dimensions(cx, params, targets, params.out_cuts)
    manual = ", ".join(map(_digit, range(len(cx.module.mesh))))
    end = ", ".join(map(inner.type, body.result_types))
    lines = "\n".join([*inner.lines, f"sdy.return {', '.join(results)} : {end}"])
    text = (
        f"sdy.manual_computation({', '.join(operands)}) in_shardings=[{given}] out_shardings=[{made}] "
        f"manual_axes={{{manual}}} ({header}) {{\n{lines}\n}} : "
        f"({', '.join(map(cx.type, sources))}) -> ({', '.join(map(cx.type, targets))})"
    )
    return cx.emit_many(text, len(targets))


def on_each_device(body: Function) -> Function:
    """A body whose lines are printed by each device that runs it."""
    return Function(body.name, body.params, tuple(map(_everywhere, body.equations)), body.results)


def _everywhere(equation: Equation) -> Equation:
    params: Any = equation.params
    params = (
        replace(params, everywhere=True) if isinstance(params, PrintParams) else map_bodies(equation, on_each_device)
    )
    if params is equation.params:
        return equation
    return Equation(equation.op, params, equation.inputs, equation.outputs, equation.span)


def with_sharding(cx: Context, params: ShardingParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The operand, cut over the devices where these are given."""
    if not params.placed:
        return operands
    type, sizes = equation.outputs[0].type, cx.module.mesh
    cut = tiling_of(params.cut, params.mesh, prod(sizes))
    return (
        cx.emit(f"sdy.sharding_constraint {operands[0]} {dimensions(type, cut, sizes, params.free)} : {cx.type(type)}"),
    )


def _all_dimensions(cx: Context, params: ShardParams, types: Sequence[Tensor], cuts: Sequence[Cut]) -> str:
    sizes = cx.module.mesh
    pairs = [(t, tiling_of(cut, params.mesh, prod(sizes))) for t, cut in zip(types, cuts, strict=True)]
    return ", ".join([dimensions(t, cut, sizes) for t, cut in pairs])


def _groups(cx: Context, axis: NamedAxisParams | GatherAxisParams | PermuteParams) -> list[list[int]]:
    """The devices along an axis, for each place beside it."""
    devices, size, stride = range(prod(cx.module.mesh)), axis.size, axis.stride
    return [[first + k * stride for k in range(size)] for first in devices if first // stride % size == 0]


def _replicas(cx: Context, axis: NamedAxisParams | GatherAxisParams) -> str:
    groups = _groups(cx, axis)
    return f"replica_groups = dense<{groups}> : tensor<{len(groups)}x{axis.size}xi64>"


def reduction(spelling: str) -> Rule:
    """All devices get what one associative operation makes of the values of all."""

    def rule(cx: Context, params: NamedAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        text = (
            f'"stablehlo.all_reduce"({operands[0]}) <{{{_CHANNEL}, {_replicas(cx, params)}, use_global_device_ids}}> '
            f"({{\n{combination(cx, spelling, Tensor(type.dtype))}\n}}) : ({cx.type(type)}) -> {cx.type(type)}"
        )
        return (cx.emit(text),)

    return rule


def all_gather(cx: Context, params: GatherAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The values of all devices along a new axis."""
    source, target = equation.inputs[0].type, equation.outputs[0].type
    lifted = Tensor(source.dtype, (*source.shape[: params.axis], 1, *source.shape[params.axis :]))
    own = emit_reshape(cx, operands[0], source, lifted)
    text = (
        f'"stablehlo.all_gather"({own}) <{{all_gather_dim = {params.axis} : i64, {_CHANNEL}, {_replicas(cx, params)}, '
        f"use_global_device_ids}}> : ({cx.type(lifted)}) -> {cx.type(target)}"
    )
    return (cx.emit(text),)


def reduce_scatter(cx: Context, params: GatherAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The sum over all devices, of which each keeps its own slice."""
    source, target = equation.inputs[0].type, equation.outputs[0].type
    kept = Tensor(source.dtype, (*target.shape[: params.axis], 1, *target.shape[params.axis :]))
    text = (
        f'"stablehlo.reduce_scatter"({operands[0]}) <{{scatter_dimension = {params.axis} : i64, {_CHANNEL}, '
        f"{_replicas(cx, params)}, use_global_device_ids}}> "
        f"({{\n{combination(cx, 'add', Tensor(source.dtype))}\n}}) : ({cx.type(source)}) -> {cx.type(kept)}"
    )
    return (emit_reshape(cx, cx.emit(text), kept, target),)


def all_to_all(cx: Context, params: GatherAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """From every device the slice that is meant for this one."""
    type, place = cx.type(equation.outputs[0].type), params.axis
    text = (
        f'"stablehlo.all_to_all"({operands[0]}) <{{split_dimension = {place} : i64, concat_dimension = {place} : i64, '
        f"split_count = {params.size} : i64, {_CHANNEL}, {_replicas(cx, params)}}}> : ({type}) -> {type}"
    )
    return (cx.emit(text),)


def ppermute(cx: Context, params: PermuteParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Return the value received from another device; zero if none sends one."""
    type = equation.outputs[0].type
    if not params.pairs:
        return (cx.constant(0, type),)
    groups = _groups(cx, params)
    moves = [[group[source], group[target]] for group in groups for source, target in params.pairs]
    pairs = f"dense<{moves}> : tensor<{len(moves)}x2xi64>"
    text = (
        f'"stablehlo.collective_permute"({operands[0]}) <{{source_target_pairs = {pairs}, {_CHANNEL}}}> : '
        f"({cx.type(type)}) -> {cx.type(type)}"
    )
    return (cx.emit(text),)


def axis_index(cx: Context, params: NamedAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The position of this device along an axis."""
    type = equation.outputs[0].type
    number = cx.emit("stablehlo.partition_id : tensor<ui32>")
    device = cx.emit(f"stablehlo.convert {number} : (tensor<ui32>) -> {cx.type(type)}")
    behind = cx.emit(f"stablehlo.divide {device}, {cx.constant(params.stride, type)} : {cx.type(type)}")
    return (cx.emit(f"stablehlo.remainder {behind}, {cx.constant(params.size, type)} : {cx.type(type)}"),)

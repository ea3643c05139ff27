"""Programs over several devices: what each device does with its part, and what the devices say to each other.

The devices are one mesh axis, `AXIS`; a program sees its arrays whole, and a `shard` is the part of it that is written
for one device. Read next: `module`, which says how the arguments and results of a program lie.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.collective import GatherAxisParams, NamedAxisParams, PermuteParams
from dsl.ops.control.shard import ShardParams
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.region import combination

MESH, AXIS, FIRST = "mesh", "devices", "first_device"
ONCE = f"sdy.sharding = #sdy.sharding_per_value<[<@{FIRST}, []>]>"
"""The attribute of an operation with one result that only the first device does."""

_CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def mesh(devices: int) -> str:
    """The declaration of the devices of a program."""
    return f'sdy.mesh @{MESH} = <["{AXIS}"={devices}]>\nsdy.mesh @{FIRST} = <[], device_ids=[0]>'


def dimensions(type: Tensor, axis: int | None) -> str:
    """How a value lies over the devices: cut along `axis`, or whole on each."""
    cuts = [f'{{"{AXIS}"}}' if a == axis else "{}" for a in range(type.rank)]
    return f"<@{MESH}, [{', '.join(cuts)}]>"


def lies(type: Tensor, axis: int | None) -> str:
    """The attribute of a parameter or result that says how it lies over the devices."""
    return f"sdy.sharding = #sdy.sharding{dimensions(type, axis)}"


def shard(cx: Context, params: ShardParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The body on each device. It sees nothing of the outside but its parameters."""
    body = params.function
    inner = cx.child()
    names = [inner.fresh() for _ in operands]
    results = cx.module.inline(inner, body, names)
    header = ", ".join([f"{name}: {cx.type(t)}" for name, t in zip(names, body.param_types, strict=True)])
    sources = [x.type for x in equation.inputs]
    targets = [y.type for y in equation.outputs]
    given = ", ".join([dimensions(t, a) for t, a in zip(sources, params.in_axes, strict=True)])
    made = ", ".join([dimensions(t, a) for t, a in zip(targets, params.out_axes, strict=True)])
    end = ", ".join(map(inner.type, body.result_types))
    lines = "\n".join([*inner.lines, f"sdy.return {', '.join(results)} : {end}"])
    text = (
        f"sdy.manual_computation({', '.join(operands)}) in_shardings=[{given}] out_shardings=[{made}] "
        f'manual_axes={{"{AXIS}"}} ({header}) {{\n{lines}\n}} : '
        f"({', '.join(map(cx.type, sources))}) -> ({', '.join(map(cx.type, targets))})"
    )
    return cx.emit_many(text, len(targets))


def _groups(size: int) -> str:
    return f"replica_groups = dense<[{list(range(size))}]> : tensor<1x{size}xi64>"


def reduction(spelling: str) -> Rule:
    """All devices get what one associative operation makes of the values of all."""

    def rule(cx: Context, params: NamedAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        text = (
            f'"stablehlo.all_reduce"({operands[0]}) <{{{_CHANNEL}, {_groups(params.size)}, use_global_device_ids}}> '
            f"({{\n{combination(cx, spelling, Tensor(type.dtype))}\n}}) : ({cx.type(type)}) -> {cx.type(type)}"
        )
        return (cx.emit(text),)

    return rule


def all_gather(cx: Context, params: GatherAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The values of all devices along a new axis."""
    source, target = equation.inputs[0].type, equation.outputs[0].type
    lifted = Tensor(source.dtype, (*source.shape[: params.axis], 1, *source.shape[params.axis :]))
    own = cx.emit(f"stablehlo.reshape {operands[0]} : ({cx.type(source)}) -> {cx.type(lifted)}")
    text = (
        f'"stablehlo.all_gather"({own}) <{{all_gather_dim = {params.axis} : i64, {_CHANNEL}, {_groups(params.size)}, '
        f"use_global_device_ids}}> : ({cx.type(lifted)}) -> {cx.type(target)}"
    )
    return (cx.emit(text),)


def reduce_scatter(cx: Context, params: GatherAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The sum over all devices, of which each keeps its own slice."""
    source, target = equation.inputs[0].type, equation.outputs[0].type
    kept = Tensor(source.dtype, (*target.shape[: params.axis], 1, *target.shape[params.axis :]))
    text = (
        f'"stablehlo.reduce_scatter"({operands[0]}) <{{scatter_dimension = {params.axis} : i64, {_CHANNEL}, '
        f"{_groups(params.size)}, use_global_device_ids}}> "
        f"({{\n{combination(cx, 'add', Tensor(source.dtype))}\n}}) : ({cx.type(source)}) -> {cx.type(kept)}"
    )
    return (cx.emit(f"stablehlo.reshape {cx.emit(text)} : ({cx.type(kept)}) -> {cx.type(target)}"),)


def ppermute(cx: Context, params: PermuteParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """What another device gives to this one; zero if none does."""
    type = equation.outputs[0].type
    if not params.pairs:
        return (cx.constant(0, type),)
    pairs = f"dense<{[list(pair) for pair in params.pairs]}> : tensor<{len(params.pairs)}x2xi64>"
    text = (
        f'"stablehlo.collective_permute"({operands[0]}) <{{source_target_pairs = {pairs}, {_CHANNEL}}}> : '
        f"({cx.type(type)}) -> {cx.type(type)}"
    )
    return (cx.emit(text),)


def axis_index(cx: Context, params: NamedAxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """The position of this device."""
    number = cx.emit("stablehlo.partition_id : tensor<ui32>")
    return (cx.emit(f"stablehlo.convert {number} : (tensor<ui32>) -> {cx.type(equation.outputs[0].type)}"),)

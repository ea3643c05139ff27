"""Collectives over an axis whose elements are shared out equally over devices, in order.

Each device maps its own elements. What they say to each other is said in two steps, or one where that is enough: among
the elements of a device, then among the devices, by the same ops over an axis with as many members as there are
devices. Read next: `collective`; `dsl.transforms.vmap`, which calls this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.region import Axes, NamedAxis
from dsl.ops.collective import (
    ALL_GATHER,
    ALL_TO_ALL,
    AXIS_INDEX,
    PMAX,
    PMIN,
    PPERMUTE,
    PSUM,
    REDUCE_SCATTER,
    PermuteParams,
    along,
    of_devices,
    swap_axes,
)
from dsl.ops.control.call import call
from dsl.ops.elementwise import add, compare, convert, mul
from dsl.ops.extent import concatenate, iota, slice_axis
from dsl.ops.layout import at_axis, move_axis, reduce_sum, reshape
from dsl.ops.reduce import reduce_max
from dsl.ops.rule_helpers import Batched, splat, zeros
from dsl.records import replace
from dsl.types.dtype import I32

Pairs: TypeAlias = tuple[tuple[int, int], ...]
Result: TypeAlias = tuple[Atom, int | None]
Spread: TypeAlias = "Callable[[Builder, Equation, Atom, int | None, NamedAxis], Result]"
"""spread(b, equation, x, axis of this device's elements in x or None if all are the same, the axis they share) -> the
same of the result."""


def map_collective(b: Builder, equation: Equation, inputs: tuple[Atom, ...], axes: Axes, axis: NamedAxis) -> Batched:
    """Batch a collective over its own axis on each device: return outputs and their axes."""
    if equation.op is AXIS_INDEX:
        return (_index(b, equation.params, axis),), (0,)
    out, place = SPREAD[equation.op.name](b, equation, inputs[0], axes[0], axis)
    return (out,), (place,)


def _index(b: Builder, params: Any, shared: NamedAxis) -> Atom:
    count = params.size // shared.devices
    device = AXIS_INDEX(b, of_devices(shared))[0]
    first = mul(b, device, splat(count, device.type))
    return add(b, at_axis(b, first, None, count, 0), iota(b, I32, (count,), 0))


def _reduced(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """Here, then everywhere; what is the same for all needs to be asked of nobody."""
    (here,), _ = along(b, equation, (x,), (axis,))
    if axis is None:
        return here, None
    return b.emit(equation.op, of_devices(shared), (here,))[0], None


def _gathered(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    params: Any = equation.params
    if axis is None:
        return at_axis(b, x, None, params.size, params.axis), None
    own = move_axis(b, x, axis, params.axis)
    whole = ALL_GATHER(b, _between(params, shared), own)[0]
    shape = equation.outputs[0].type.shape
    return reshape(b, whole, shape), None


def _scattered(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """The sum of this device's elements, of which each device keeps the slices of its own elements."""
    params: Any = equation.params
    place, count = params.axis, params.size // shared.devices
    here = mul(b, x, splat(count, x.type)) if axis is None else reduce_sum(b, x, (axis,))
    return REDUCE_SCATTER(b, _between(params, shared), _by_device(b, here, place, shared))[0], place


def _exchanged(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """Between the devices what is meant for their elements, and then between the elements of this device."""
    params: Any = equation.params
    place, count = params.axis + 1, params.size // shared.devices
    own = at_axis(b, x, axis, count, 0)
    arrived = ALL_TO_ALL(b, _between(params, shared, axis=place), _by_device(b, own, place, shared))[0]
    return reshape(b, swap_axes(b, arrived, 0, place + 1), own.type.shape), 0


def _by_device(b: Builder, x: Atom, place: int, shared: NamedAxis) -> Atom:
    """An axis with a slice for each element as two: the devices, and the elements of each."""
    shape = x.type.shape
    return reshape(b, x, (*shape[:place], shared.devices, shape[place] // shared.devices, *shape[place + 1 :]))


def _between(params: Any, shared: NamedAxis, **changes: int) -> Any:
    """The parameters of the same collective between the devices."""
    return replace(params, size=shared.devices, stride=shared.stride, **changes)


def _permuted(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """Element by element of this device: what arrives there comes from one place on each device."""
    params: Any = equation.params
    count = params.size // shared.devices
    own = at_axis(b, x, axis, count, 0)
    if count == 1:
        return PPERMUTE(b, replace(params, stride=shared.stride), own)[0], 0
    arriving = [_arriving(b, shared, params.pairs, own, target) for target in range(count)]
    return concatenate(b, arriving, 0), 0


def _arriving(b: Builder, shared: NamedAxis, pairs: Pairs, own: Atom, target: int) -> Atom:
    """The new element at place `target` of each device: at most one of the terms is not zero there."""
    count = own.type.shape[0]
    found: Atom | None = None
    for source in range(count):
        moves = tuple([(s // count, t // count) for s, t in pairs if (s % count, t % count) == (source, target)])
        if moves:
            given = slice_axis(b, own, 0, source, source + 1)
            stays = len(moves) == shared.devices and all(s == t for s, t in moves)
            params = PermuteParams(shared.name, shared.devices, moves, shared.stride)
            sent = given if stays else PPERMUTE(b, params, given)[0]
            found = sent if found is None else add(b, found, sent)
    return zeros(Tensor(own.type.dtype, (1, *own.type.shape[1:]))) if found is None else found


SPREAD: Mapping[str, Spread] = MappingProxyType(
    {
        PSUM.name: _reduced,
        PMAX.name: _reduced,
        PMIN.name: _reduced,
        ALL_GATHER.name: _gathered,
        REDUCE_SCATTER.name: _scattered,
        ALL_TO_ALL.name: _exchanged,
        PPERMUTE.name: _permuted,
    }
)


def largest(b: Builder, each: Atom, axis: NamedAxis) -> Atom:
    """The largest of the numbers that the elements have, on any device."""
    here = reduce_max(b, each, (0,)) if each.type.size else splat(0, Tensor(each.type.dtype))
    return PMAX(b, of_devices(axis), here)[0] if axis.devices > 1 else here


def wide_condition(condition: Function, axis: NamedAxis) -> Function:
    """Return the condition that a loop's condition holds on any device."""
    b = Builder()
    own = [b.param(p.type) for p in condition.params]
    (here,) = call(b, condition, own)
    everywhere = PMAX(b, of_devices(axis), convert(b, here, I32))[0]
    return b.finish(condition.name, (compare(b, "gt", everywhere, splat(0, everywhere.type)),))

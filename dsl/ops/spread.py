"""Collectives over an axis whose elements are shared out equally over devices, in order.

Each device maps its own elements. What they say to each other is said in two steps, or one where that is enough: among
the elements of a device, then among the devices, by the same ops over an axis with as many members as there are
devices. Read next: `collective`, whose ops have these rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.region import Axes, NamedAxis
from dsl.ops.elementwise import add, mul
from dsl.ops.extent import concatenate, iota, slice_axis
from dsl.ops.layout import at_axis, move_axis, reduce_sum, reshape, transpose
from dsl.ops.named_axes import PermuteParams, of_devices
from dsl.ops.rule_helpers import Batched, splat, zeros
from dsl.records import replace
from dsl.types.dtype import I32

Pairs: TypeAlias = tuple[tuple[int, int], ...]
Result: TypeAlias = tuple[Atom, int | None]
Spread: TypeAlias = "Callable[[Builder, Equation, Atom, int | None, NamedAxis], Result]"
"""spread(b, equation, x, axis of this device's elements in x or None if all are the same, the axis they share) -> the
same of the result."""


def _of_one(rule: Spread) -> Callable[[Builder, Equation, tuple[Atom, ...], Axes, NamedAxis], Batched]:
    """The rule of an op of one operand and one result."""

    def spread(b: Builder, equation: Equation, xs: tuple[Atom, ...], axes: Axes, shared: NamedAxis) -> Batched:
        out, place = rule(b, equation, xs[0], axes[0], shared)
        return (out,), (place,)

    return spread


def indexed(b: Builder, equation: Equation, xs: tuple[Atom, ...], axes: Axes, shared: NamedAxis) -> Batched:
    """Which elements a device has, from which device it is."""
    params: Any = equation.params
    count = params.size // shared.devices
    device = b.emit(equation.op, of_devices(shared), ())[0]
    first = mul(b, device, splat(count, device.type))
    return (add(b, at_axis(b, first, None, count, 0), iota(b, I32, (count,), 0)),), (0,)


def _reduced(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """Here, then everywhere; what is the same for all needs to be asked of nobody."""
    op: Any = equation.op
    (here,), _ = op.along(b, equation.params, (x,), (axis,))
    if axis is None:
        return here, None
    return b.emit(equation.op, of_devices(shared), (here,))[0], None


def _gathered(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    params: Any = equation.params
    if axis is None:
        return at_axis(b, x, None, params.size, params.axis), None
    own = move_axis(b, x, axis, params.axis)
    whole = b.emit(equation.op, _between(params, shared), (own,))[0]
    shape = equation.outputs[0].type.shape
    return reshape(b, whole, shape), None


def _scattered(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """The sum of this device's elements, of which each device keeps the slices of its own elements."""
    params: Any = equation.params
    place, count = params.axis, params.size // shared.devices
    here = mul(b, x, splat(count, x.type)) if axis is None else reduce_sum(b, x, (axis,))
    return b.emit(equation.op, _between(params, shared), (_by_device(b, here, place, shared),))[0], place


def _exchanged(b: Builder, equation: Equation, x: Atom, axis: int | None, shared: NamedAxis) -> Result:
    """Between the devices what is meant for their elements, and then between the elements of this device."""
    params: Any = equation.params
    place, count = params.axis + 1, params.size // shared.devices
    own = at_axis(b, x, axis, count, 0)
    arrived = b.emit(equation.op, _between(params, shared, axis=place), (_by_device(b, own, place, shared),))[0]
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
        return b.emit(equation.op, replace(params, stride=shared.stride), (own,))[0], 0
    arriving = [_arriving(b, equation, shared, own, target) for target in range(count)]
    return concatenate(b, arriving, 0), 0


def _arriving(b: Builder, equation: Equation, shared: NamedAxis, own: Atom, target: int) -> Atom:
    """The new element at place `target` of each device: at most one of the terms is not zero there."""
    named: Any = equation.params
    pairs, count = cast(Pairs, named.pairs), own.type.shape[0]
    found: Atom | None = None
    for source in range(count):
        moves = tuple([(s // count, t // count) for s, t in pairs if (s % count, t % count) == (source, target)])
        if moves:
            given = slice_axis(b, own, 0, source, source + 1)
            stays = len(moves) == shared.devices and all(s == t for s, t in moves)
            params = PermuteParams(shared.name, shared.devices, moves, shared.stride)
            sent = given if stays else b.emit(equation.op, params, (given,))[0]
            found = sent if found is None else add(b, found, sent)
    return zeros(Tensor(own.type.dtype, (1, *own.type.shape[1:]))) if found is None else found


def swap_axes(b: Builder, x: Atom, first: int, second: int) -> Atom:
    """With two axes in each other's places."""
    order = list(range(x.type.rank))
    order[first], order[second] = second, first
    return transpose(b, x, order)


reduced, gathered, scattered = _of_one(_reduced), _of_one(_gathered), _of_one(_scattered)
exchanged, permuted = _of_one(_exchanged), _of_one(_permuted)

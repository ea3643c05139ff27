"""One element of an array that is put together from others: which of them it is.

Follows an element at a static place through equations that move elements, to a splat or a scalar. See `rewrites`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import prod
from typing import cast

from dsl.ir.function import Atom, Equation, Literal, Tensor
from dsl.ops.extent import CONCATENATE, SLICE, AxisParams, SliceParams
from dsl.ops.layout import BROADCAST_IN_DIM, RESHAPE, BroadcastParams

Place = tuple[int, ...]


def element(x: Atom, at: Place, defs: Mapping[Atom, Equation]) -> Atom | None:
    """Return the scalar that is the element of an array at a place; None where that is not known."""
    while not isinstance(x, Literal) and x.type.rank > 0:
        made = defs.get(x)
        step = None if made is None else _before(made, at)
        if step is None:
            return None
        x, at = step
    return Literal(x.value, Tensor(x.type.dtype)) if isinstance(x, Literal) else x


def _before(made: Equation, at: Place) -> tuple[Atom, Place] | None:
    """Return the operand that an element comes from, and its place there."""
    x = made.inputs[0] if made.inputs else None
    if x is None:
        return None
    if made.op is RESHAPE:
        return x, _unflat(_flat(at, made.outputs[0].type.shape), x.type.shape)
    if made.op is BROADCAST_IN_DIM:
        return x, tuple([at[d] for d in cast(BroadcastParams, made.params).dims])
    if made.op is SLICE:
        params = cast(SliceParams, made.params)
        return x, tuple([s + i * step for i, s, step in zip(at, params.starts, params.strides, strict=True)])
    return _part(made, at) if made.op is CONCATENATE else None


def _part(made: Equation, at: Place) -> tuple[Atom, Place]:
    axis = cast(AxisParams, made.params).axis
    ends = list(accumulate([x.type.shape[axis] for x in made.inputs]))
    number = next(i for i, end in enumerate(ends) if at[axis] < end)
    start = ends[number] - made.inputs[number].type.shape[axis]
    return made.inputs[number], (*at[:axis], at[axis] - start, *at[axis + 1 :])


def _flat(at: Place, shape: tuple[int, ...]) -> int:
    return sum(i * prod(shape[k + 1 :]) for k, i in enumerate(at))


def _unflat(flat: int, shape: tuple[int, ...]) -> Place:
    return tuple([flat // prod(shape[k + 1 :]) % n for k, n in enumerate(shape)])

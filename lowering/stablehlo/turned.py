"""Concatenations that turn the lines of an array: `roll` along the last axis.

XLA joins along the last axis by copying the piece of each line. A piece that is cut off is an array of its own first,
which costs more than the joining. Read next: `extent`, which writes what is found here.
"""

from __future__ import annotations

from typing import cast

from dsl.ir.function import Atom, Equation
from dsl.ops.extent import CONCATENATE, SLICE, AxisParams, SliceParams
from lowering.stablehlo.context import Context

LEAST = 1 << 14
"""Elements from which on XLA joins pieces of lines that are arrays of their own; of fewer, it computes both at once."""


def turn_of(cx: Context, equation: Equation) -> tuple[Atom, int] | None:
    """Return the array of which each line is begun at a place, and ends with what is in front of it, and that place;
    None where an equation does something else."""
    if equation.op is not CONCATENATE or equation.outputs[0].type.size < LEAST or len(equation.inputs) != 2:
        return None
    first, second = (cx.made.get(x) for x in equation.inputs)
    axis = equation.outputs[0].type.rank - 1
    if first is None or second is None or first.op is not SLICE or second.op is not SLICE:
        return None
    (x,), cut = first.inputs, _window(first, axis)[0]
    is_along = cast(AxisParams, equation.params).axis == axis and x.type == equation.outputs[0].type
    is_turned = is_along and x is second.inputs[0] and _window(first, axis) == (cut, x.type.shape[axis], 1)
    return (x, cut) if is_turned and _window(second, axis) == (0, cut, 1) else None


def _window(equation: Equation, axis: int) -> tuple[int, int, int]:
    """Where a slice starts along an axis, its limit and its stride."""
    params = cast(SliceParams, equation.params)
    return params.starts[axis], params.limits[axis], params.strides[axis]

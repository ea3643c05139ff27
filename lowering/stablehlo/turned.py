"""Concatenations that turn the lines of an array: `roll` along the last axis.

XLA joins along the last axis by copying the piece of each line. A piece that is cut off is an array of its own first,
which costs more than the joining. Read next: `extent`, which writes what is found here.
"""

from __future__ import annotations

from dsl.ir.function import Atom, Equation
from dsl.ops.extent import CONCATENATE, SLICE
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
    x = first.inputs[0]
    cut = first.params.starts[axis]
    is_turned = x is second.inputs[0] and x.type == equation.outputs[0].type and equation.params.axis == axis
    return (x, cut) if is_turned and _is_rest(first, axis, cut) and _is_front(second, axis, cut) else None


def _is_rest(equation: Equation, axis: int, cut: int) -> bool:
    """Return whether a slice is all of an array from a place of its lines on."""
    return equation.outputs[0].type.shape[axis] == equation.inputs[0].type.shape[axis] - cut


def _is_front(equation: Equation, axis: int, cut: int) -> bool:
    """Return whether a slice is all of an array up to a place of its lines."""
    window = equation.params
    is_whole = window.strides[axis] == 1 and equation.outputs[0].type.shape[axis] == cut
    return is_whole and window.starts[axis] == 0

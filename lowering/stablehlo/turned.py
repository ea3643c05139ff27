"""Concatenations that turn the lines of an array: `roll` along the last axis.

XLA joins along the last axis by copying the piece of each line. A piece that is cut off is an array of its own first,
which costs more than the joining. Read next: `extent`, which writes what is found here.
"""

from __future__ import annotations

from dsl.ir.function import Atom, Equation
from dsl.ops.extent import SliceParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.kernels import joins_lines

LEAST = 1 << 14
"""Elements from which on XLA joins pieces of lines that are arrays of their own; of fewer, it computes both at once."""


def turn_of(cx: Context, equation: Equation) -> tuple[Atom, int] | None:
    """Return the array of which each line is begun at a place, and ends with what is in front of it, and that place;
    None where an equation does something else."""
    type = equation.outputs[0].type
    axis = type.rank - 1
    if not joins_lines(equation) or len(equation.inputs) != 2 or type.size < LEAST:
        return None
    first, second = (_sliced(cx.made.get(x), axis) for x in equation.inputs)
    if first is None or second is None:
        return None
    (x, cut, end), (other, start, limit) = first, second
    is_turned = x is other and x.type == type and start == 0 and limit == cut and end == type.shape[axis]
    return (x, cut) if is_turned else None


def _sliced(equation: Equation | None, axis: int) -> tuple[Atom, int, int] | None:
    """Return the array that a slice takes parts of lines of, where these begin and where they end."""
    params = None if equation is None else equation.params
    if equation is None or not isinstance(params, SliceParams) or params.strides[axis] != 1:
        return None
    return equation.inputs[0], params.starts[axis], params.limits[axis]

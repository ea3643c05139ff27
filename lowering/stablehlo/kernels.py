"""Which kernel of XLA's compiler for CPUs reads a value.

Pointwise operations are computed where they are used, so a kernel reads what they are made of. Read next: `in_place`
and `kept`, which ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dsl.ir.function import Atom, Equation, Function
from dsl.ir.op import Op
from dsl.ops.extent import CONCATENATE, AxisParams
from lowering.stablehlo.work import is_computed_where_used

KERNELS = -1
"""More than one kernel."""


def is_fused(equation: Equation) -> bool:
    """Return whether XLA may compute the results where they are used."""
    return isinstance(equation.op, Op) and (equation.op.traits.moves or is_computed_where_used(equation))


def joins_lines(equation: Equation) -> bool:
    """Return whether an equation joins arrays along their last axis, which XLA does in memory."""
    params = equation.params
    if equation.op is not CONCATENATE or not isinstance(params, AxisParams):
        return False
    return params.axis == equation.outputs[0].type.rank - 1


def kernels(
    body: Function,
    is_dear: Callable[[Equation], bool],
    is_fused: Callable[[Equation], bool] = is_fused,
) -> Mapping[Atom, int]:
    """Return which kernel reads each value, that of an equation or of a result by its number, or that several do. What
    is dear is computed in a kernel of its own if several read it."""
    found: dict[Atom, int] = {}
    for number, result in enumerate(body.results, len(body.equations)):
        found[result] = KERNELS if result in found else number
    for number, equation in reversed([*enumerate(body.equations)]):
        readers = {found[y] for y in equation.outputs if y in found}
        reader = readers.pop() if len(readers) == 1 else KERNELS
        reads = reader if is_fused(equation) and not (reader == KERNELS and is_dear(equation)) else number
        for x in equation.inputs:
            found[x] = reads if found.get(x, reads) == reads else KERNELS
    return found

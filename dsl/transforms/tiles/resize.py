"""An equation for a part of an axis: the same op on operands and results with fewer elements there.

It rests on the axis factors that each op declares for sharding: a shard is a part on another device, a tile is a part
at another time. Read next: `regions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from dsl.ir.build import IRTypeError
from dsl.ir.function import Equation, Tensor
from dsl.ir.op import Factors, Op
from dsl.ir.traits import Cost
from dsl.ops.contract import DotParams
from dsl.records import replace

Row: TypeAlias = Sequence[int | None]


def can_be_cut(equation: Equation) -> bool:
    """Return whether an equation combines elements, or multiplies matrices: it has operands and no effect, and does
    not communicate. Other ops of much work have algorithms that take a whole better than its parts."""
    op = equation.op
    if (
        not isinstance(op, Op)
        or not equation.inputs
        or not (op.flops is None or isinstance(equation.params, DotParams))
    ):
        return False
    return op.sent is None and op.effect is None and op.place is None and not op.decides


def intensity(equation: Equation) -> float:
    """Return the operations per element of operands and results; 0 for an op of elements."""
    op = equation.op
    inputs, outputs = tuple([x.type for x in equation.inputs]), tuple([y.type for y in equation.outputs])
    if not isinstance(op, Op) or op.flops is None:
        return 0.0
    return op.flops(equation.params, inputs, outputs) / max(1, sum([t.size for t in (*inputs, *outputs)]))


def is_free(equation: Equation) -> bool:
    """Return whether the result only repeats elements, so that it is never worth memory."""
    op = equation.op
    return isinstance(op, Op) and op.traits.cost is Cost.FREE and op.traits.moves


def part(type: Tensor, row: Row, factor: int, size: int) -> Tensor:
    """Return the type of a value that has `size` elements along the axis with this factor."""
    return Tensor(type.dtype, tuple([size if name == factor else n for n, name in zip(type.shape, row, strict=True)]))


def lengths(equation: Equation, factors: Factors, factor: int) -> set[int]:
    """Return the sizes of all axes with a factor."""
    rows = zip((*equation.inputs, *equation.outputs), (*factors.operands, *factors.results), strict=True)
    return {n for x, row in rows for n, name in zip(x.type.shape, row, strict=True) if name == factor}


def is_separable(equation: Equation, factors: Factors, factor: int) -> bool:
    """Return whether results differ along the factor only as operands do: no result counts along it."""
    return any(factor in row for row in factors.operands) or is_free(equation)


def resized(equation: Equation, factors: Factors, factor: int, size: int) -> Any:
    """Return the parameters of the op for `size` elements along the factor; None if the op does not have such."""
    given = tuple([part(x.type, row, factor, size) for x, row in zip(equation.inputs, factors.operands, strict=True)])
    wanted = tuple([part(y.type, row, factor, size) for y, row in zip(equation.outputs, factors.results, strict=True)])
    for params in _candidates(equation.params, wanted):
        try:
            if equation.op.type_rule(params, given) == wanted:
                return params
        except IRTypeError:
            continue
    return None


def _candidates(params: Any, wanted: Sequence[Tensor]) -> list[Any]:
    """The parameters as they are, and with the shape of the result where they state one."""
    if len(wanted) == 1 and len(getattr(params, "shape", ())) == wanted[0].rank > 0:
        return [params, replace(params, shape=wanted[0].shape)]
    return [params]

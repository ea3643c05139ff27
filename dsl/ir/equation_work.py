"""The work of equations, from the declarations of their ops.

`dsl.transforms.layouts` asks for what a device has of the operands, `dsl.ops.residuals.needs` for whole arrays. Knows
no op. Read next: `work`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsl.ir.function import Equation, Function, Tensor
from dsl.ir.op import RegionOp
from dsl.ir.sizes import bound
from dsl.ir.traits import Cost
from dsl.ir.walk import bodies
from dsl.ir.work import Work, total


def work_of_parts(
    equation: Equation, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...], inner: Sequence[Work]
) -> Work:
    """Return the work of an equation on operands and results of these types; `inner` is that of its bodies."""
    op, params = equation.op, equation.params
    if isinstance(op, RegionOp):
        return total(inner) if op.work is None else op.work(params, inner)
    sizes = [t.size for t in (*inputs, *outputs)]
    plain = 0 if op.traits.moves or op.traits.cost is Cost.FREE else max(sizes, default=0)
    flops = plain if op.flops is None else op.flops(params, inputs, outputs)
    named: Any = params
    sent = () if op.sent is None else ((named.name, op.sent(params, inputs, outputs)),)
    return Work(flops, sum(t.bytes for t in (*inputs, *outputs)), sent, len(sent))


class Whole:
    """The work of equations on whole arrays; each body is asked once. A size that a run decides counts with its
    bound."""

    def __init__(self) -> None:
        self._known: dict[Function, Work] = {}

    def of(self, equation: Equation) -> Work:
        """Return the work of an equation and of its bodies."""
        inputs, outputs = (tuple([bounded(x.type) for x in xs]) for xs in (equation.inputs, equation.outputs))
        return work_of_parts(equation, inputs, outputs, [self._of_body(body) for body in bodies(equation)])

    def of_all(self, equations: Sequence[Equation]) -> Work:
        """Return the work of several."""
        return total([self.of(equation) for equation in equations])

    def _of_body(self, body: Function) -> Work:
        if body not in self._known:
            self._known[body] = self.of_all(body.equations)
        return self._known[body]


def bounded(type: Tensor) -> Tensor:
    """Return the type of arrays that have room for every array of a type."""
    return Tensor(type.dtype, tuple(map(bound, type.shape)))

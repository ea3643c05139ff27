"""Bodies that are computed for elements that do not take them: what such an element does is not noticed.

Read next: `predicated`, which masks the branches of lanes.
"""

from __future__ import annotations

from typing import Any, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Lengths, Op
from dsl.ir.region import CannotTransform, Problem
from dsl.ops.effects import has_effect
from dsl.types.dtype import BOOL

OUT_OF_REACH = "it stands where an element that takes another branch would do it, too"


class _NoLengths:
    """Sizes that a run decides are of no concern to a mask."""

    def __getattr__(self, name: str) -> Any:
        raise CannotTransform(Problem.BATCHED_EFFECT, "scan", OUT_OF_REACH)


def masked(body: Function) -> Function:
    """The body with one more parameter, in front: whether what it does happens."""
    b = Builder()
    happens = b.param(Tensor(BOOL))
    for equation in body.equations:
        if has_effect(equation):
            b.span = equation.span
            _mask(b, equation, happens)
        else:
            b.equations.append(equation)
    return Function(body.name, (happens, *body.params), tuple(b.equations), body.results)


def _mask(b: Builder, equation: Equation, happens: Atom) -> None:
    """Emit an equation that acts only where something is true, with the same outputs."""
    op, params, inputs = equation.op, equation.params, equation.inputs
    if isinstance(op, Op):
        if op.masked is None:
            raise CannotTransform(Problem.BATCHED_EFFECT, op.name, OUT_OF_REACH, equation.span)
        params, inputs = op.masked(b, params, inputs, happens)
        b.equations.append(Equation(op, params, inputs, equation.outputs, equation.span))
        return
    if op.admit is None:
        raise CannotTransform(Problem.BATCHED_EFFECT, op.name, OUT_OF_REACH, equation.span)
    bodies = [masked(each) for each in op.bodies(params)]
    op.admit(b, params, bodies, inputs, (happens,), cast("Lengths", _NoLengths()))
    made = b.equations.pop()
    b.equations.append(Equation(made.op, made.params, made.inputs, equation.outputs, equation.span))

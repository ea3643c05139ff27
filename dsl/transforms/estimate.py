"""Estimate a program per device from the declarations of its ops: work, and peak memory.

Nothing is fused here and nothing is reused, which a compiler does: these are bounds from above that need none. Values
that are cut over devices count with their part. Read next: `dsl.ir.work`, `layouts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import RegionOp
from dsl.ir.traits import Cost
from dsl.ir.walk import bodies
from dsl.ir.work import Work, total
from dsl.transforms.layouts import Part, Spread, spread_of


def work_of(function: Function) -> Work:
    """The work of one run; of a loop without a limit, that of one step."""
    return total([_work(each, part) for each, part in zip(function.equations, spread_of(function).parts, strict=True)])


def _work(equation: Equation, part: Part) -> Work:
    op, params = equation.op, equation.params
    if isinstance(op, RegionOp):
        inner = [work_of(body) for body in op.bodies(params)]
        return total([part.said, total(inner) if op.work is None else op.work(params, inner)])
    inputs, outputs = part.inputs, part.outputs
    sizes = [t.size for t in (*inputs, *outputs)]
    plain = 0 if op.traits.moves or op.traits.cost is Cost.FREE else max(sizes, default=0)
    flops = plain if op.flops is None else op.flops(params, inputs, outputs)
    named: Any = params
    sent = () if op.sent is None else ((named.name, op.sent(params, inputs, outputs)),)
    return total([part.said, Work(flops, sum(t.bytes for t in (*inputs, *outputs)), sent)])


def peak_of(function: Function) -> int:
    """The bytes at once: parameters stay until the end, everything else until its last use."""
    spread = spread_of(function)
    return _bytes(function.params, spread) + _peak_between(function, spread)


def _peak_between(function: Function, spread: Spread) -> int:
    """The most that results and what lies between take at once."""
    last = {x: k for k, equation in enumerate(function.equations) for x in equation.inputs}
    last.update(dict.fromkeys(function.results, len(function.equations)))
    kept = set(function.params)
    now = peak = 0
    for k, equation in enumerate(function.equations):
        now += _bytes(equation.outputs, spread)
        peak = max(peak, now + max(map(_peak_inside, bodies(equation)), default=0))
        done = {x for x in (*equation.inputs, *equation.outputs) if isinstance(x, Var) and last.get(x, k) == k}
        now -= _bytes(tuple(done - kept), spread)
    return peak


def _peak_inside(body: Function) -> int:
    """Beside the results of the equation that has the body."""
    spread = spread_of(body)
    return _peak_between(body, spread) - _bytes(body.results, spread)


def _bytes(values: Sequence[Atom], spread: Spread) -> int:
    return sum(spread.bytes_of(x) for x in values if isinstance(x, Var))

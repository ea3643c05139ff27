"""What a program takes on each device, added up from what its ops declare: work, and memory at once.

Nothing is fused here and nothing is reused, which a compiler does: these are bounds from above that need none. Values
that are cut over devices count with their part, as far as the program says how they lie. Read next: `dsl.ir.work`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import RegionOp
from dsl.ir.traits import Cost
from dsl.ir.walk import bodies
from dsl.ir.work import Work, total

_WHOLE: Mapping[Atom, int] = {}


def work_of(function: Function) -> Work:
    """The work of one run; of a loop without a limit, that of one step."""
    return total([_work(equation) for equation in function.equations])


def _work(equation: Equation) -> Work:
    op, params = equation.op, equation.params
    if isinstance(op, RegionOp):
        inner = [work_of(body) for body in op.bodies(params)]
        return total(inner) if op.work is None else op.work(params, inner)
    inputs, outputs = tuple([x.type for x in equation.inputs]), tuple([y.type for y in equation.outputs])
    sizes = [t.size for t in (*inputs, *outputs)]
    plain = 0 if op.traits.moves or op.traits.cost is Cost.FREE else max(sizes, default=0)
    flops = plain if op.flops is None else op.flops(params, inputs, outputs)
    named: Any = params
    sent = () if op.sent is None else ((named.name, op.sent(params, inputs, outputs)),)
    return Work(flops, sum(t.bytes for t in (*inputs, *outputs)), sent)


def peak_of(function: Function) -> int:
    """The bytes at once: parameters stay until the end, everything else until its last use."""
    shares = _shares(function)
    return _bytes(function.params, shares) + _peak_between(function, shares)


def _peak_between(function: Function, shares: Mapping[Atom, int] = _WHOLE) -> int:
    """The most that results and what lies between take at once."""
    last = {x: k for k, equation in enumerate(function.equations) for x in equation.inputs}
    last.update(dict.fromkeys(function.results, len(function.equations)))
    kept = set(function.params)
    now = peak = 0
    for k, equation in enumerate(function.equations):
        now += _bytes(equation.outputs, shares)
        inside = [_peak_between(body) - _bytes(body.results) for body in bodies(equation)]
        peak = max(peak, now + max(inside, default=0))
        done = {x for x in (*equation.inputs, *equation.outputs) if isinstance(x, Var) and last.get(x, k) == k}
        now -= _bytes(tuple(done - kept), shares)
    return peak


def _bytes(values: Sequence[Atom], shares: Mapping[Atom, int] = _WHOLE) -> int:
    return sum(x.type.bytes // shares.get(x, 1) for x in values if isinstance(x, Var))


def _shares(function: Function) -> dict[Atom, int]:
    """Into how many parts values are cut."""
    found: dict[Atom, int] = {}
    for equation in function.equations:
        params: Any = equation.params
        if equation.op.place is not None:
            pairs = zip((*equation.inputs, *equation.outputs), (*params.in_cuts, *params.out_cuts), strict=True)
            for x, cut in pairs:
                found[x] = prod([a.size for a, place in zip(params.mesh, cut, strict=True) if place is not None])
    return found

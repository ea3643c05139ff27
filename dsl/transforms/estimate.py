"""Estimate a program per device from the declarations of its ops: work, and peak memory.

Nothing is fused here and nothing is reused, which a compiler does: these are bounds from above that need none. Values
that are cut over devices count with their part. Read next: `dsl.ir.work`, `layouts`.
"""

from __future__ import annotations

from dsl.ir.function import Function, Var
from dsl.ir.work import Work
from dsl.transforms.layouts import Spread, spread_of


def work_of(function: Function) -> Work:
    """The work of one run; of a loop without a limit, that of one step."""
    return spread_of(function).work


def peak_of(function: Function) -> int:
    """The bytes at once: parameters stay until the end, everything else until its last use."""
    return peak_of_spread(spread_of(function))


def peak_of_spread(spread: Spread) -> int:
    """The bytes at once on each device."""
    return sum(_own(spread).values()) + _peak_between(spread)


def _own(spread: Spread) -> dict[Var, int]:
    """The bytes of the parameters, as they are given."""
    pairs = zip(spread.function.params, spread.given, strict=True)
    return {x: spread.grid.bytes(x.type, fact) for x, fact in pairs}


def _peak_between(spread: Spread) -> int:
    """The most that results and what lies between take at once. A parameter that is gathered is there twice."""
    function, own = spread.function, _own(spread)
    last = {x: k for k, equation in enumerate(function.equations) for x in equation.inputs}
    last.update(dict.fromkeys(function.results, len(function.equations)))
    held: dict[Var, int] = {}
    now = peak = 0
    for k, (equation, part) in enumerate(zip(function.equations, spread.parts, strict=True)):
        for x, size in zip((*equation.inputs, *equation.outputs), part.sizes, strict=True):
            if isinstance(x, Var) and own.get(x) != size:
                now += size - held.get(x, 0)
                held[x] = size
        peak = max(peak, now + max(map(_peak_inside, part.inner), default=0))
        for x in {x for x in (*equation.inputs, *equation.outputs) if isinstance(x, Var) and last.get(x, k) == k}:
            now -= held.pop(x, 0)
    return peak


def _peak_inside(spread: Spread) -> int:
    """Beside the results of the equation that has the body."""
    pairs = zip(spread.function.results, spread.made, strict=True)
    return _peak_between(spread) - sum(spread.grid.bytes(x.type, fact) for x, fact in pairs if isinstance(x, Var))

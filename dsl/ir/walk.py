"""Going through the functions of a program: bodies of equations, every function once, every equation.

Knows no op. Read next: `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator

from dsl.ir.function import Equation, Function
from dsl.ir.op import RegionOp


def bodies(equation: Equation) -> tuple[Function, ...]:
    """The functions an equation holds in its params."""
    op = equation.op
    return tuple(op.bodies(equation.params)) if isinstance(op, RegionOp) else ()


def functions(function: Function) -> list[Function]:
    """`function` and all that are inside it, each once, a body before the function that uses it."""
    found: dict[int, Function] = {}
    _collect(function, found)
    return list(found.values())


def _collect(function: Function, found: dict[int, Function]) -> None:
    if id(function) in found:
        return
    for equation in function.equations:
        for body in bodies(equation):
            _collect(body, found)
    found[id(function)] = function


def equations(function: Function) -> Iterator[Equation]:
    """The equations of `function` and of all functions inside it; those of a shared body come once."""
    for part in functions(function):
        yield from part.equations

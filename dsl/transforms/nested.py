"""Bodies inside equations: applying a pass to them. Knows no op and no pass."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

from dsl.ir.function import Equation, Function
from dsl.ir.op import Op


def map_bodies(equation: Equation, change: Callable[[Function], Function]) -> Any:
    """The params of an equation with `change` applied to its bodies; the same object if none changed."""
    op = equation.op
    if isinstance(op, Op):
        return equation.params
    before = tuple(op.bodies(equation.params))
    after = tuple([change(body) for body in before])
    if all(map(is_, before, after)):
        return equation.params
    return op.rebuild(equation.params, after)

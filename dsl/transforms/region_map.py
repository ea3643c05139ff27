"""Bodies inside equations: listing them, and applying a pass to them. Knows no op and no pass."""

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


def change_bodies(equation: Equation, change: Callable[[Function], Function]) -> Equation:
    """The equation with `change` applied to its bodies; itself if none changed."""
    params = map_bodies(equation, change)
    if params is equation.params:
        return equation
    return Equation(equation.op, params, equation.inputs, equation.outputs, equation.span)


def rewrite_bodies(function: Function, rewrite: Callable[[Function], Function]) -> Function:
    """`function` with `rewrite` applied to every body and to itself, each once and after those inside it."""
    done: dict[Function, Function] = {}
    for body in innermost_first(function):
        equations = [change_bodies(e, lambda inner: done.get(inner, inner)) for e in body.equations]
        same = all(map(is_, equations, body.equations))
        done[body] = rewrite(body if same else Function(body.name, body.params, tuple(equations), body.results))
    return done[function]


def innermost_first(function: Function) -> list[Function]:
    """All bodies at every depth and the function itself, each once and after those inside it.

    A pass that goes through this list and remembers what it made never nests deeper than one body, however
    deep the calls of a program are.
    """
    order: dict[Function, None] = {}
    opened: set[Function] = set()
    todo = [function]
    while todo:
        body = todo[-1]
        if body in opened:
            todo.pop()
            order[body] = None
            continue
        opened.add(body)
        for equation in body.equations:
            op = equation.op
            if not isinstance(op, Op):
                todo += [inner for inner in op.bodies(equation.params) if inner not in opened]
    return list(order)

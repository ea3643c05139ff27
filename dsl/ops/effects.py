"""Which equations can be noticed: their op has an effect, or one in their bodies has. Knows no op."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dsl.ir.function import Equation, Function
from dsl.ir.op import Op


def has_effect(equation: Equation, known: dict[Function, bool] | None = None) -> bool:
    """Return whether running the equation can be noticed: its op has an effect, or one in its bodies has.

    `known` remembers bodies between calls.
    """
    op = equation.op
    if isinstance(op, Op):
        return op.effect is not None
    seen = {} if known is None else known
    return any(is_noticed(body, seen) for body in op.bodies(equation.params))


def is_noticed(body: Function, known: dict[Function, bool]) -> bool:
    """Return whether a function has an effect."""
    return _is_any(body, known, has_effect)


def is_ordered(equation: Equation, known: dict[Function, bool]) -> bool:
    """Return whether the equation does something that has an order, itself or in its bodies."""
    op = equation.op
    if isinstance(op, Op):
        return op.effect is not None and op.ordered(equation.params)
    return any(_is_any(body, known, is_ordered) for body in op.bodies(equation.params))


def _is_any(
    body: Function, known: dict[Function, bool], test: Callable[[Equation, dict[Function, bool]], bool]
) -> bool:
    """Return whether a test holds for an equation of a body; `known` remembers bodies."""
    found = known.get(body)
    if found is None:
        found = known[body] = any(test(e, known) for e in body.equations)
    return found


def silent(equations: Iterable[Equation]) -> tuple[Equation, ...]:
    """The equations without what has an effect, at every depth: for computing a second time.

    Effects have no outputs, so nothing else depends on them.
    """
    kept: list[Equation] = []
    for equation in equations:
        op = equation.op
        if not has_effect(equation):
            kept.append(equation)
        elif not isinstance(op, Op):
            bodies = [Function(f.name, f.params, silent(f.equations), f.results) for f in op.bodies(equation.params)]
            params = op.rebuild(equation.params, bodies)
            kept.append(Equation(op, params, equation.inputs, equation.outputs, equation.span))
    return tuple(kept)

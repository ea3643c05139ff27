"""Pieces that the ops with bodies share: flags, symbolic zeros of several values, signatures of bodies.

A body is rearranged by giving the same equations other tuples of params and results, which costs nothing.
Knows no op of its own. Read next: `call`, the simplest op with a body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import is_
from typing import TypeVar

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import Linear, Op, Tangent, Zero
from dsl.ir.region import Axes, Facts, Flags, Split
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import splat

T = TypeVar("T")
R = TypeVar("R")


def nonzero(tangents: Iterable[Tangent]) -> Flags:
    """Which tangents are not structural zeros."""
    return tuple([not isinstance(t, Zero) for t in tangents])


def present(tangents: Iterable[Tangent]) -> tuple[Atom, ...]:
    """The tangents that are not structurally zero."""
    return tuple([t for t in tangents if not isinstance(t, Zero)])


def linears(xs: Iterable[Atom | Linear]) -> Flags:
    """Which operands of a transposition are the linear ones."""
    return tuple([isinstance(x, Linear) for x in xs])


def knowns(xs: Iterable[Atom | Linear]) -> tuple[Atom, ...]:
    """The operands that are not linear, in order."""
    return tuple([x for x in xs if not isinstance(x, Linear)])


def either(left: Flags, right: Flags) -> Flags:
    """Which flags are set in one of the two."""
    return tuple([a or b for a, b in zip(left, right, strict=True)])


def any_of(flags: Sequence[Flags]) -> Flags:
    """Which flags are set in one of them."""
    return reduce(either, flags)


def join_facts(left: Facts, right: Facts) -> Facts:
    """The facts of both, position by position."""
    return tuple([a | b for a, b in zip(left, right, strict=True)])


def select_flagged(values: Iterable[T], flags: Flags) -> tuple[T, ...]:
    """The values whose flag is set."""
    return tuple([v for v, f in zip(values, flags, strict=True) if f])


def others(values: Iterable[T], flags: Flags) -> tuple[T, ...]:
    """The values whose flag is not set."""
    return tuple([v for v, f in zip(values, flags, strict=True) if not f])


def merge_flagged(flags: Flags, yes: Sequence[T], no: Sequence[T]) -> tuple[T, ...]:
    """The inverse of `select_flagged` and `others`."""
    left, right = iter(yes), iter(no)
    return tuple([next(left) if f else next(right) for f in flags])


def scatter_flagged(found: Sequence[Atom], flags: Flags, types: Iterable[Tensor]) -> tuple[Tangent, ...]:
    """`found` at the flagged places, structural zeros elsewhere."""
    values = iter(found)
    return tuple([next(values) if f else Zero(t) for f, t in zip(flags, types, strict=True)])


def cotangents(found: Sequence[Atom], flags: Flags, xs: Sequence[Atom | Linear]) -> tuple[Tangent | None, ...]:
    """Arrange the result of a transpose rule: `flags` has one entry per linear operand, `found` one per set flag."""
    spread = iter(scatter_flagged(found, flags, [x.type for x in xs if isinstance(x, Linear)]))
    return tuple([next(spread) if isinstance(x, Linear) else None for x in xs])


def cut(values: Sequence[T], *counts: int) -> list[tuple[T, ...]]:
    """`values` in consecutive groups of the given lengths, and the rest as the last group."""
    groups, start = [], 0
    for count in counts:
        groups.append(tuple(values[start : start + count]))
        start += count
    groups.append(tuple(values[start:]))
    return groups


def least_flags(start: Flags, step: Callable[[Flags], tuple[R, Flags]]) -> tuple[R, Flags]:
    """The least flags above `start` that `step` maps into themselves, and what it made of them."""
    return _least(start, step, either)


def least_facts(start: Facts, step: Callable[[Facts], tuple[R, Facts]]) -> tuple[R, Facts]:
    """Iterate to the least fixed point of facts, as `least_flags` does."""
    return _least(start, step, join_facts)


def _least(start: T, step: Callable[[T], tuple[R, T]], join: Callable[[T, T], T]) -> tuple[R, T]:
    known = start
    while True:
        made, after = step(known)
        after = join(known, after)
        if after == known:
            return made, known
        known = after


def function(like: Function, params: Sequence[Var], results: Sequence[Atom]) -> Function:
    """Return the function with the same equations and another signature; itself, if that is the one it has."""
    made = Function(like.name, tuple(params), like.equations, tuple(results))
    before, after = (*like.params, *like.results), (*made.params, *made.results)
    same = len(made.params) == len(like.params) and len(before) == len(after) and all(map(is_, before, after))
    return like if same else made


def residual_values(split: Split, inputs: Sequence[Atom], outputs: Sequence[Atom]) -> tuple[Atom, ...]:
    """The residuals as values, given those of the known params and of the results of the known half."""
    values = (*inputs, *outputs)
    return tuple([values[i] for i in split.residuals])


def move_batch_to_front(b: Builder, xs: Sequence[Atom], axes: Axes, flags: Flags, size: int) -> tuple[Atom, ...]:
    """The flagged operands with their batch axis in front, spread if they have none; the others as they
    are."""
    return tuple([at_axis(b, x, a, size, 0) if f else x for x, a, f in zip(xs, axes, flags, strict=True)])


def has_batch_axis(axes: Axes) -> Flags:
    """Which operands have a batch axis."""
    return tuple([a is not None for a in axes])


def front_axes(flags: Flags) -> Axes:
    """Axis 0 for the flagged operands, none for the others."""
    return tuple([0 if f else None for f in flags])


def filling(type: Tensor) -> Literal:
    """Return a placeholder for a residual that a branch does not compute; it is harmless in products, quotients and
    indices."""
    return splat(1 if type.dtype.is_inexact else 0, type)


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


def build_function(name: str, types: Sequence[Tensor], write: Callable[..., Atom | tuple[Atom, ...]]) -> Function:
    """A small function for a sample: `write(builder, *params)` gives its result or results."""
    b = Builder()
    found = write(b, *[b.param(t) for t in types])
    return b.finish(name, found if isinstance(found, tuple) else (found,))


def check_signature(op: str, body: Function, params: Sequence[Tensor]) -> None:
    """Raises IRTypeError unless the body takes parameters of these types."""
    if body.param_types != tuple(params):
        have, want = _listed(body.param_types), _listed(params)
        raise IRTypeError(f"{op}: the body {body.name} takes ({have}), not ({want})")


def check_results(op: str, body: Function, results: Sequence[Tensor]) -> None:
    """Raises IRTypeError unless the body returns results of these types."""
    if body.result_types != tuple(results):
        have, want = _listed(body.result_types), _listed(results)
        raise IRTypeError(f"{op}: the body {body.name} gives ({have}), not ({want})")


def _listed(types: Iterable[Tensor]) -> str:
    return ", ".join(map(str, types))

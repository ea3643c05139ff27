"""How much a body computes: what decides whether a choice or a short loop is written out, what is kept, and how the
program is compiled.

XLA computes pointwise operations together where nothing comes between them. A conditional or a loop does: beside a few
of them, to start one costs more than to compute both branches, or all steps one after another. Read next: `control`.
"""

from __future__ import annotations

import math
from types import MappingProxyType

from dsl.ir.equation_work import Whole
from dsl.ir.function import Equation, Function, Literal
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.control.branch import CondParams
from dsl.ops.control.scan import ScanParams
from dsl.ops.control.while_params import WhileParams
from dsl.ops.elementwise import DIV
from dsl.types.dtype import BOOL

FEW = 512.0
"""Additions that cost as much as a conditional, or the steps of a short loop."""

MANY = 96
"""Operations that take XLA as long as a loop."""

STEPS = 64
"""Steps that a loop is taken to make which decides for itself when to end."""

LONG = 1 << 14
"""Elements from which a reduction counts as a computation of so many: a loop over them is most of a program, however
little comes of it."""

MINOR = 10
"""Operations of libraries beside one of which it does not count how fast that is."""

CALL = 1 << 14
"""Operations of a product or a factor from which on a library computes it; XLA writes loops for smaller ones."""

_ADDITIONS = MappingProxyType({Cost.FREE: 0.0, Cost.CHEAP: 1.0, Cost.MODERATE: 8.0})


def is_small(body: Function, times: int = 1, often: float = 1.0) -> bool:
    """Return whether the body, written out so many times, each of which is computed so often, is less than what it
    takes to have a region for it."""
    runs = times * often
    return len(body.equations) * times <= MANY and math.isfinite(work(body, FEW / runs if runs else math.inf))


def is_selected(equation: Equation) -> bool:
    """Return whether a choice computes both of its branches, and selects: each is less than what it takes to choose
    before."""
    return isinstance(equation.params, CondParams) and math.isfinite(_both(equation, equation.params, math.inf))


def work(body: Function, most: float) -> float:
    """The additions that take as long as the body; infinite where that is not known, or more than `most`. What lies
    deep inside is not looked at once there are so many: a chain of choices would be gone through from each of them."""
    found = 0.0
    for equation in body.equations:
        found += _work(equation, most - found)
        if found > most:
            return math.inf
    return found


def _work(equation: Equation, most: float) -> float:
    op, size = equation.op, sum(y.type.size for y in equation.outputs)
    if isinstance(op, Op):
        return size if op.traits.moves else size * _ADDITIONS.get(op.traits.cost, math.inf)
    match equation.params:
        case CondParams() as params:
            return size + _both(equation, params, most - size)
        case ScanParams(length=length, body=body, counted=False):
            return length * work(body, most / length if length else math.inf)
        case _:
            return math.inf


def _both(equation: Equation, params: CondParams, most: float) -> float:
    """The work of both branches of a choice, if each is small."""
    if equation.inputs[0].type.dtype is not BOOL:
        return math.inf
    return sum([work(b, min(most, FEW)) if len(b.equations) <= MANY else math.inf for b in params.branches])


def is_computed_where_used(equation: Equation) -> bool:
    """Return whether the results of the equation are computed once for each use, in one pass with that."""
    return isinstance(equation.op, Op) and equation.op.traits.cost is not Cost.HIGH


def is_costly(equation: Equation) -> bool:
    """Return whether an operation of elements costs more than to wait for memory; a quotient by a number is a
    product."""
    is_product = equation.op is DIV and isinstance(equation.inputs[1], Literal)
    return isinstance(equation.op, Op) and equation.op.traits.cost is Cost.MODERATE and not is_product


def mean_elements(function: Function) -> int:
    """Return how many elements an operation computes, in the mean of all that XLA computes where they are used, or that
    compute as many as they read, and of long reductions: each counts as often as it runs."""
    computed, runs = _computed(function, {})
    return round(computed / runs) if runs else 0


def _computed(body: Function, known: dict[Function, tuple[float, float]]) -> tuple[float, float]:
    """The elements that the operations of a body compute, and how many operations run."""
    if body not in known:
        parts = [_computed_by(equation, known) for equation in body.equations]
        known[body] = sum(part[0] for part in parts), sum(part[1] for part in parts)
    return known[body]


def _computed_by(equation: Equation, known: dict[Function, tuple[float, float]]) -> tuple[float, float]:
    if isinstance(equation.op, Op):
        made = max([y.type.size for y in equation.outputs], default=0)
        read = max([x.type.size for x in equation.inputs], default=1)
        if is_computed_where_used(equation) or made >= read:
            return made, 1.0
        is_long = len(equation.inputs) == 1 and read >= LONG
        return (read, 1.0) if is_long else (0.0, 0.0)
    times = steps(equation)
    parts = [_computed(body, known) for body in equation.op.bodies(equation.params)]
    return times * sum(part[0] for part in parts), times * sum(part[1] for part in parts)


def is_beside_libraries(function: Function) -> bool:
    """Return whether the loops that XLA writes do little beside products, factors and the like, which are computed by
    libraries."""
    return _written(function, {}) * MINOR < Whole().of_all(function.equations).flops


def _written(body: Function, known: dict[Function, float]) -> float:
    """Return the operations of the loops that XLA writes for a body."""
    if body not in known:
        known[body] = sum([_written_for(equation, known) for equation in body.equations])
    return known[body]


def _written_for(equation: Equation, known: dict[Function, float]) -> float:
    if isinstance(equation.op, Op):
        flops = Whole().of(equation).flops
        return 0.0 if equation.op.flops is not None and flops >= CALL else flops
    return steps(equation) * sum([_written(body, known) for body in equation.op.bodies(equation.params)])


def steps(equation: Equation) -> float:
    """Return how often the bodies of an equation run."""
    match equation.params:
        case ScanParams(length=length):
            return float(length)
        case WhileParams():
            return float(STEPS)
        case _:
            return 1.0

"""How much a body computes: what decides whether a choice or a short loop is written out, and what is kept.

XLA computes pointwise operations together where nothing comes between them. A conditional or a loop does: beside a few
of them, to start one costs more than to compute both branches, or all steps one after another. Read next: `control`.
"""

from __future__ import annotations

import math
from types import MappingProxyType

from dsl.ir.function import Equation, Function
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.control.branch import CondParams
from dsl.ops.control.scan import ScanParams
from dsl.types.dtype import BOOL

FEW = 512.0
"""Additions that cost as much as a conditional, or the steps of a short loop."""

MANY = 96
"""Operations that take XLA as long as a loop."""

_ADDITIONS = MappingProxyType({Cost.FREE: 0.0, Cost.CHEAP: 1.0, Cost.MODERATE: 8.0})


def is_small(body: Function, times: int = 1, often: float = 1.0) -> bool:
    """Whether the body, written out so many times, each of which is computed so often, is less than what it takes to
    have a region for it."""
    return len(body.equations) * times <= MANY and work(body) * times * often <= FEW


def is_selected(equation: Equation) -> bool:
    """Whether a choice computes both of its branches, and selects: each is less than what it takes to choose before."""
    params = equation.params
    if not isinstance(params, CondParams) or equation.inputs[0].type.dtype is not BOOL:
        return False
    return all(map(is_small, params.branches))


def work(body: Function) -> float:
    """The additions that take as long as the body; infinite where that is not known."""
    return sum(map(_work, body.equations))


def _work(equation: Equation) -> float:
    op, size = equation.op, sum(y.type.size for y in equation.outputs)
    if isinstance(op, Op):
        return size if op.traits.moves else size * _ADDITIONS.get(op.traits.cost, math.inf)
    match equation.params:
        case CondParams(branches=branches) if is_selected(equation):
            return size + sum(map(work, branches))
        case ScanParams(length=length, body=body):
            return length * work(body)
        case _:
            return math.inf


def is_computed_where_used(equation: Equation) -> bool:
    """Whether the results of the equation are computed once for each use, in one pass with that."""
    return isinstance(equation.op, Op) and equation.op.traits.cost is not Cost.HIGH

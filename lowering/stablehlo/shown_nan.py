"""Bodies that show that an extreme was nan, whatever is put in its place.

XLA's libraries lose nan in a maximum. In a softmax that does not matter: where an element is nan, so is its
exponential, and the sum of its line, by which all of the line is divided. `shows_nan` follows what is made of an
extreme, and of the elements it was taken of, to the results. Read next: `reduce`, which asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np

from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Op
from dsl.ops.layout import REDUCE_SUM, RESHAPE, AxesParams, BroadcastParams
from dsl.types.dtype import DType
from lowering.stablehlo.work import is_computed_where_used

OTHERS = (0.0, 1.0, -1.0, inf)
"""What the other operands of an operation are taken to be, to find whether it keeps nan."""


class Kind(Enum):
    """Knowledge of the part of a value that belongs to a line with nan."""

    NOTHING = auto()
    PLACES = auto()
    """It is nan where the line is."""
    ALL = auto()
    """It is nan."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The axes of a value along which it differs by the line, without those of one element; what is known of it; and
    whether it is in doubt: another value than with the right extreme."""

    lines: tuple[int, ...]
    kind: Kind
    in_doubt: bool


def shows_nan(body: Function, equation: Equation) -> bool:
    """Return whether the results of a body are the same if an equation that takes extremes along axes gives any numbers
    for lines with nan."""
    assert isinstance(equation.params, AxesParams)
    (x,), (found,) = equation.inputs, equation.outputs
    kept, left = _lines(x.type.shape, equation.params.axes)
    marks: dict[Atom, Mark] = {x: Mark(kept, Kind.PLACES, False), found: Mark(left, Kind.NOTHING, True)}
    for later in body.equations[body.equations.index(equation) + 1 :]:
        given = [marks.get(each) for each in later.inputs]
        made = _mark(later, given) if len(later.outputs) == 1 else None
        if made is not None:
            marks[later.outputs[0]] = made
        elif any(mark is not None and mark.in_doubt for mark in given):
            return False
    return not any(y in marks and marks[y].in_doubt for y in body.results)


def _lines(shape: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes along which there are several lines, and which axes of the reduced array these are."""
    left = [axis for axis in range(len(shape)) if axis not in axes]
    several = [k for k, axis in enumerate(left) if shape[axis] > 1]
    return tuple([left[k] for k in several]), tuple(several)


def _mark(equation: Equation, given: Sequence[Mark | None]) -> Mark | None:
    """Return what is known of the result of an equation."""
    op, marks = equation.op, [mark for mark in given if mark is not None]
    if not marks or not isinstance(op, Op):
        return None
    (mark, *others), params = marks, equation.params
    if isinstance(params, BroadcastParams) and mark.kind is not Kind.PLACES:
        return Mark(tuple([params.dims[axis] for axis in mark.lines]), mark.kind, mark.in_doubt)
    if op is RESHAPE and mark.kind is not Kind.PLACES and _differ_by_ones(equation):
        return mark
    if op is REDUCE_SUM and isinstance(params, AxesParams) and mark.kind is Kind.PLACES:
        kept, left = _lines(equation.inputs[0].type.shape, params.axes)
        return Mark(left, Kind.ALL, False) if kept == mark.lines else None
    if any(other.lines != mark.lines for other in others) or not _keeps_nan(equation, op, given):
        return None
    kinds = {each.kind for each in marks}
    kind = next((k for k in (Kind.ALL, Kind.PLACES) if k in kinds), Kind.NOTHING)
    return Mark(mark.lines, kind, kind is not Kind.ALL and any(each.in_doubt for each in marks))


def _differ_by_ones(equation: Equation) -> bool:
    """Return whether an array only gets, or loses, last axes of one element."""
    short, long = sorted([equation.inputs[0].type.shape, equation.outputs[0].type.shape], key=len)
    return long == (*short, *[1] * (len(long) - len(short)))


def _keeps_nan(equation: Equation, op: Op[Any], given: Sequence[Mark | None]) -> bool:
    """Return whether an operation of elements gives nan where a marked operand is: the evaluator is asked."""
    result = equation.outputs[0].type
    alike = all(x.type == result for x in equation.inputs)
    if not alike or not result.dtype.is_float or op.traits.moves or not is_computed_where_used(equation):
        return False
    return _evaluates_to_nan(op, equation.params, result.dtype, tuple([mark is not None for mark in given]))


@lru_cache(maxsize=1024)
def _evaluates_to_nan(op: Op[Any], params: Any, dtype: DType, marked: tuple[bool, ...]) -> bool:
    types = (Tensor(dtype),) * len(marked)
    with np.errstate(all="ignore"):
        return all(
            np.isnan(op.evaluate(params, types, *[np.asarray(v, dtype.numpy) for v in values])[0])
            for values in _trials(marked)
        )


def _trials(marked: Sequence[bool]) -> list[list[float]]:
    """Return operands of which a marked one is nan."""
    others = product(OTHERS, repeat=len(marked) - 1)
    places = [k for k, is_marked in enumerate(marked) if is_marked]
    return [[*each[:k], nan, *each[k:]] for each in others for k in places]

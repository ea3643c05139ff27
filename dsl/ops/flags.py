"""Flags and facts of several values, and what is picked by them: tangents that are not zero, operands that are linear.

Knows no op. Read next: `dsl.ops.control.signature`, whose rules they make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TypeVar

from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Linear, Tangent, Zero
from dsl.ir.region import Axes, Facts, Flags

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


def has_batch_axis(axes: Axes) -> Flags:
    """Which operands have a batch axis."""
    return tuple([a is not None for a in axes])


def front_axes(flags: Flags) -> Axes:
    """Axis 0 for the flagged operands, none for the others."""
    return tuple([0 if f else None for f in flags])

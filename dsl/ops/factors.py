"""Which axes of an op can be partitioned together: rules that its declaration names as `sharding`.

Each rule numbers the axes of operands and results; axes with the same number are partitioned together. The law that
they keep is in `tests/dsl/ops/test_sharding_rules.py`. Read next: `dsl.transforms.layouts`, which uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from dsl.ir.function import Tensor
from dsl.ir.op import Factors, TypeRule
from dsl.ir.sizes import bound

Numbers: TypeAlias = tuple[int | None, ...]
Axes: TypeAlias = Callable[[Any], Sequence[int]]
Rule: TypeAlias = Callable[[Any, tuple[Tensor, ...]], Factors]


def whole_axes(rank: int) -> Numbers:
    """Return the numbers of an array that each device needs whole."""
    return (None,) * rank


def except_axes(axes: Axes, results: int = 1) -> Rule:
    """Return the rule of an op that mixes elements only along `axes(params)`.

    All operands and results have the same axes, but for scalar operands.
    """

    def rule(params: Any, types: tuple[Tensor, ...]) -> Factors:
        mixed, rank = set(axes(params)), max([t.rank for t in types])
        row = tuple([None if axis in mixed else axis for axis in range(rank)])
        return Factors(tuple([row if t.rank else () for t in types]), (row,) * results)

    return rule


def leading(trailing: Callable[[Any], int], type_rule: TypeRule[Any]) -> Rule:
    """Return the rule of an op over the last `trailing(params)` axes of its first operand.

    The axes before these are those of a batch, and lead in every operand and result.
    """

    def rule(params: Any, types: tuple[Tensor, ...]) -> Factors:
        batch = types[0].rank - trailing(params)
        rows = [[k if k < batch else None for k in range(t.rank)] for t in (*types, *type_rule(params, types))]
        return Factors(tuple(map(tuple, rows[: len(types)])), tuple(map(tuple, rows[len(types) :])))

    return rule


def nowhere(results: Callable[[Any], Sequence[Tensor]]) -> Rule:
    """Return the rule of an op whose inside is not known: each device needs all, and has all `results(params)`."""

    def rule(params: Any, types: tuple[Tensor, ...]) -> Factors:
        rows = [[whole_axes(t.rank) for t in several] for several in (types, results(params))]
        return Factors(tuple(rows[0]), tuple(rows[1]))

    return rule


def without_axes(params: Any, types: tuple[Tensor, ...]) -> Factors:
    """Number the axes of a reduction over `params.axes`: devices combine partial results along these."""
    rank = types[0].rank
    return Factors((tuple(range(rank)),), (tuple([a for a in range(rank) if a not in params.axes]),))


def without_operands(rank: Callable[[Any], int]) -> Rule:
    """Return the rule of an array of `rank(params)` axes that is made of nothing: each device makes its part."""
    return lambda params, types: Factors((), (tuple(range(rank(params))),))


def reshaped(source: Sequence[int], target: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Number the axes of two shapes of the same elements in row-major order.

    Where axes are merged or split, the first of them stays in one piece with the axis that they become or were.
    """
    numbers: tuple[list[int | None], list[int | None]] = ([None] * len(source), [None] * len(target))
    first, second = ([k for k, n in enumerate(shape) if n != 1] for shape in (source, target))
    i = j = 0
    while i < len(first) and j < len(second):
        numbers[0][first[i]] = numbers[1][second[j]] = i
        left, right = source[first[i]], target[second[j]]
        i, j = i + 1, j + 1
        while left != right and (i < len(first) if bound(left) < bound(right) else j < len(second)):
            if bound(left) < bound(right):
                left, i = left * source[first[i]], i + 1
            else:
                right, j = right * target[second[j]], j + 1
    return tuple(numbers[0]), tuple(numbers[1])

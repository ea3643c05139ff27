"""Sums of products: the same wherever the axes of the operands are, which are brought forward where that is cheaper."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops.contract import dot_general
from dsl.types.dtype import F64
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.cases import some
from tests.support.lowered import lower_here

SIZES = {"b": 2, "c": 3, "i": 4, "j": 5, "s": 6, "t": 7}


def products(*pairs: tuple[str, str]) -> Function:
    """For each pair of operands, whose axes are letters: over b and c one by one, summed over s and t."""
    b, results = Builder(), []
    for pair in pairs:
        x, y = (b.param(Tensor(F64, tuple(SIZES[axis] for axis in axes))) for axes in pair)
        places = [[[axes.index(k) for k in kind if k in axes] for axes in pair] for kind in ("st", "bc")]
        results.append(dot_general(b, x, y, (places[0][0], places[0][1]), (places[1][0], places[1][1])))
    return b.finish("products", results)


def test_axes_may_stand_anywhere() -> None:
    orders = [*product(map("".join, permutations("bis")), map("".join, permutations("bjs")))]
    orders += [("tbisc", "cjtbs"), ("sbt", "tbsj"), ("cib", "bcj")]
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=[SIZES[axis] for axis in axes]) for pair in orders for axes in pair]
    found = compile(lower_here(products(*orders)))(*arguments)
    for (x, y), a, b, result in zip(some(orders), arguments[::2], arguments[1::2], found, strict=True):
        letters = "".join(axis for axis in "bcij" if axis in x + y)
        np.testing.assert_allclose(np.asarray(result), np.einsum(f"{x},{y}->{letters}", a, b), rtol=1e-12)


def test_batch_axes_are_brought_forward_where_matrices_are_turned_too() -> None:
    for x, y, moved in (
        ("sbi", "sbj", 1),  # as derivatives of batches have it: the left matrices are turned
        ("ibs", "sbj", 0),
        ("ibs", "jbs", 1),
        ("sbi", "jbs", 2),
        ("bsi", "bjs", 0),
        ("si", "js", 0),
    ):
        assert lower(products((x, y))).text.count("optimization_barrier") == moved

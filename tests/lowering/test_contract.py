"""Sums of products: the same wherever the axes of the operands are, which are brought forward where that is cheaper."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops.contract import dot_general
from dsl.types.dtype import F32, F64, DType
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


def columns(dtype: DType, rows: int, count: int, moved: bool = True, summed: int = 70) -> Function:
    """A product whose left matrix is summed over its rows or its columns."""
    b = Builder()
    x = b.param(Tensor(dtype, (2, summed, rows) if moved else (2, rows, summed)))
    y = b.param(Tensor(dtype, (2, summed, count)))
    return b.finish("columns", [dot_general(b, x, y, ((1 if moved else 2,), (1,)), ((0,), (0,)))])


def test_left_matrices_of_f64_are_turned_for_enough_columns() -> None:
    for function, moved in (
        (columns(F64, 50, 64), 1),
        (columns(F64, 50, 63), 0),
        (columns(F64, 50, 64, moved=False), 0),
        (columns(F32, 50, 64), 0),
        (columns(F64, 500, 64, summed=400), 0),  # more elements than a cache holds
        (columns(F64, 500, 256, summed=400), 1),
    ):
        assert lower(function).text.count("optimization_barrier") == moved
        assert "optimization_barrier" not in lower(function, platform="cuda").text


def test_turned_matrices_have_the_same_product() -> None:
    function = columns(F64, 50, 64)
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=t.shape) for t in function.param_types)
    (found,) = compile(lower_here(function))(x, y)
    np.testing.assert_allclose(np.asarray(found), np.einsum("bsi,bsj->bij", x, y), rtol=1e-11)

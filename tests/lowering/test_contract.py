"""Sums of products: the same wherever the axes of the operands are, which are brought forward where that is cheaper."""

from __future__ import annotations

import math
import re
from itertools import permutations, product

import numpy as np
import pytest

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops.contract import dot_general
from dsl.types.dtype import F32, F64, DType
from lowering.stablehlo import contract
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.cases import some
from tests.support.lowered import lower_here
from tests.support.run import assert_leaves_close

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


def gram(axes: str, dtype: DType = F64, **sizes: int) -> Function:
    """The product of an array with itself over s and t, one by one over b and c."""
    b = Builder()
    x = b.param(Tensor(dtype, tuple(sizes[axis] for axis in axes)))
    summed, batch = ([axes.index(k) for k in kind if k in axes] for kind in ("st", "bc"))
    return b.finish("gram", [dot_general(b, x, x, (summed, summed), (batch, batch))])


PRODUCT = re.compile(r"contracting_dims = \[(\d)\].*: \(tensor<([\dx]+)xf\d+>.*-> tensor<([\dx]+)xf")


def multiplications(text: str) -> int:
    """Those of all products of matrices."""
    found = 0
    for axis, left, right in PRODUCT.findall(text):
        found += math.prod(map(int, right.split("x"))) * int(left.split("x")[int(axis)])
    return found


def test_large_symmetric_products_are_computed_in_blocks() -> None:
    """Two blocks save a quarter, three a third; the copies cost more for few rows, few columns, and small products."""
    for function, part in (
        (gram("si", i=512, s=512), 3 / 4),
        (gram("is", i=512, s=512), 3 / 4),
        (gram("si", i=512, s=511), 1),
        (gram("si", F32, i=512, s=1023), 1),
        (gram("si", F32, i=512, s=1024), 3 / 4),
        (gram("is", i=1536, s=256), 2 / 3),
        (gram("is", i=190, s=2000), 1),
        (gram("is", i=2000, s=190), 1),
    ):
        (x,), (y,) = function.param_types, function.result_types
        whole = x.size * y.shape[0]
        assert multiplications(lower(function).text) == part * whole
        assert multiplications(lower(function, platform="cuda").text) == whole


def test_blocks_of_a_product_are_not_all_kept() -> None:
    function = gram("is", i=1536, s=256)
    executable = compile(lower_here(function)).raw
    assert executable.get_compiled_memory_stats().temp_size_in_bytes < function.result_types[0].size * 8


def test_products_of_two_arrays_are_computed_whole() -> None:
    b = Builder()
    x, y = (b.param(Tensor(F64, (512, 512))) for _ in range(2))
    function = b.finish("two", [dot_general(b, x, y, ((1,), (1,)), ((), ()))])
    assert lower(function).text.count("dot_general") == 1


@pytest.mark.parametrize("blocks", [2, 3])
@pytest.mark.parametrize("dtype", [F32, F64])
def test_blocks_are_the_symmetric_product(monkeypatch: pytest.MonkeyPatch, blocks: int, dtype: DType) -> None:
    monkeypatch.setattr(contract, "LEAST", (1,) * (blocks - 1))
    monkeypatch.setattr(contract, "BROAD", 1)
    rng = np.random.default_rng(2)
    for axes in ("si", "is", "bsi", "sbi", "ibs", "isb", "tis", "cistb"):
        function = gram(axes, dtype, i=7, s=6, t=5, b=2, c=3)
        assert lower(function).text.count("dot_general") == blocks * (blocks + 1) // 2
        (x,) = (rng.normal(size=t.shape).astype(t.dtype.numpy) for t in function.param_types)
        x.flat[3], x.flat[20] = np.nan, np.inf
        (found,), (wanted,) = compile(lower_here(function))(x), evaluate(function, [x])
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5, atol=1e-5)


TRANSFORMED = """
def gram(x: f64[n, m]) -> f64[m, m] = x.T @ x
def scaled(x: f64[n, m]) -> f64[n, n] where m >= 1 =
    let y = sin(x)
    y @ y.T / m
def spread(x: f64[n, m]) -> f64[m, m] where n >= 1 =
    let centred = x - mean(x, axis=0)
    centred.T @ centred / n
def many(x: f64[k, n, m]) -> f64[k, m, m] where n >= 1 = vmap(spread)(x)
def slope(x: f64[n, m]) -> f64[n, m] where n >= 1 = grad(fn(y) -> sum(gram(y) * spread(y)))(x)
def pushed(x: f64[n, m], v: f64[n, m]) -> (f64[m, m], f64[m, m]) = jvp(gram, (x,), (v,))
def again(x: f64[n, n]) -> f64[n, n] = fold y = x for _ in range(3) do gram(y) / n
def chosen(x: f64[n, m], b: bool) -> f64[m, m] where n >= 1 = if b then gram(x) else spread(x)
"""


def test_transformed_symmetric_products_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "LEAST", (1, 1000))
    monkeypatch.setattr(contract, "BROAD", 1)
    program = dsl.program(TRANSFORMED)
    rng = np.random.default_rng(3)
    x, square, many = rng.normal(size=(9, 11)), rng.normal(size=(5, 5)), rng.normal(size=(3, 6, 7))
    for name, arguments in (
        *[(name, (x,)) for name in ("gram", "scaled", "spread", "slope")],
        *[("many", (many,)), ("pushed", (x, x + 1)), ("again", (square,)), ("chosen", (x, True))],
    ):
        function = getattr(program, name)
        assert_leaves_close(function(*arguments), function.interpret(*arguments), 1e-12, 1e-12)

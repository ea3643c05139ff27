"""Orders, bit for bit as the evaluator has them: ties, both zeros and nan among all dtypes, by users' compiler as well;
and their cost: few of many are found without a sort, and XLA sorts integers without a region of its own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops import builders
from dsl.ops.sort import sort, top_k
from dsl.types.dtype import BF16, BOOL, F32, F64, FLOATS, I32, I64, INTEGERS, U64, DType
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.compilation import FUSION_EMITTERS, HAS_FUSION_FLAG
from tests.support.lowered import lower_here

Array = np.ndarray[Any, Any]
Options = tuple[tuple[str, Any], ...]
QUICK: Options = ()
AS_FOR_USERS: Options = (
    ("xla_backend_optimization_level", 3),
    ("xla_llvm_disable_expensive_passes", False),
    *([(FUSION_EMITTERS, True)] if HAS_FUSION_FLAG else []),
)
FOR_USERS = tuple((dtype, AS_FOR_USERS) for dtype in (BF16, F32, F64, U64))
SHAPE = (3, 70)


def line(dtype: DType, size: int, seed: int = 0) -> Array:
    """Few different values, so that there are ties: ends of the range, both zeros, nan of both signs."""
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.integers(0, 2, size).astype(bool)
    if dtype.is_integer:
        ends = np.iinfo(np.dtype(dtype.numpy.name))
        some = [ends.min, ends.max, ends.min + 1, ends.max - 1, 0, 1, 2, ends.max // 2, ends.max // 2 + 1]
        wide = [1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1, (1 << 32) + 1] if dtype.bits == 64 else []
        return rng.choice(np.array([*some, *wide], dtype.numpy), size)
    numbers = [0.0, -0.0, 1.0, -1.0, 1.5, -1.5, 2**-24, -(2**-24), np.inf, -np.inf, np.nan, -np.nan]
    return rng.choice(np.array(numbers).astype(dtype.numpy), size)


def bits(x: Array) -> Array:
    """What is compared: nan is one, whatever its bits are."""
    if x.dtype.kind in "biu":
        return x
    wide = x.astype(np.float64)
    return np.where(np.isnan(wide), np.nan, wide).view(np.int64)


def ordered(dtype: DType, axis: int, keys: int) -> Function:
    """Every way to sort by one key or two."""
    b = Builder()
    x, y = b.param(Tensor(dtype, SHAPE)), b.param(Tensor(dtype, SHAPE))
    places = builders.iota(b, I32, SHAPE, axis)
    results: list[Atom] = [*sort(b, (x,), axis), *sort(b, (x, places, y), axis)]
    if keys == 2:
        results += sort(b, (x, y, places), axis, 2)
    return b.finish("ordered", results)


def largest(dtype: DType, ks: tuple[int, ...]) -> Function:
    b = Builder()
    x = b.param(Tensor(dtype, SHAPE))
    return b.finish("largest", [y for k in ks for y in top_k(b, x, k)])


def agree(function: Function, arrays: list[Array], options: Options) -> None:
    got = compile(lower_here(function), options=options)(*arrays)
    for wanted, y in zip(interp.evaluate(function, arrays), got, strict=True):
        np.testing.assert_array_equal(bits(np.asarray(y)), bits(np.asarray(wanted)))


@pytest.mark.parametrize(("dtype", "options"), [*((t, QUICK) for t in (*INTEGERS, *FLOATS, BOOL)), *FOR_USERS], ids=str)
def test_lines_are_sorted_as_the_evaluator_sorts_them(dtype: DType, options: Options) -> None:
    arrays = [line(dtype, 210, seed).reshape(SHAPE) for seed in (1, 2)]
    agree(ordered(dtype, 1, 2), arrays, options)
    agree(ordered(dtype, 0, 1), arrays, options)


@pytest.mark.parametrize(("dtype", "options"), [*((t, QUICK) for t in (*INTEGERS, *FLOATS)), *FOR_USERS], ids=str)
def test_the_largest_are_those_of_the_evaluator(dtype: DType, options: Options) -> None:
    agree(largest(dtype, (0, 1, 3, 8, 30, 70)), [line(dtype, 210).reshape(SHAPE)], options)


@pytest.mark.parametrize("dtype", [F32, F64, I32, I64, U64], ids=str)
@pytest.mark.parametrize("extent", [0, 1])
def test_lines_of_no_and_of_one_element(dtype: DType, extent: int) -> None:
    b = Builder()
    x = b.param(Tensor(dtype, (2, extent)))
    function = b.finish("f", [*sort(b, (x, x), 1), *sort(b, (x,), 0), *top_k(b, x, extent)])
    agree(function, [np.ones((2, extent), dtype.numpy)], QUICK)


@pytest.mark.parametrize("dtype", [dtype for dtype in (*INTEGERS, *FLOATS) if dtype is F32 or dtype.bits < 32], ids=str)
def test_few_of_many_are_found_without_a_sort(dtype: DType) -> None:
    b = Builder()
    text = lower(b.finish("f", top_k(b, b.param(Tensor(dtype, (4096,))), 8))).text
    assert "chlo.top_k" in text
    assert "stablehlo.sort" not in text


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, BOOL), ids=str)
def test_what_is_sorted_is_one_operand_of_integers_by_a_comparison_alone(dtype: DType) -> None:
    """The form that XLA sorts without calling a region for each comparison."""
    texts = [lower(ordered(dtype, axis, keys)).text for axis in (0, 1) for keys in (1, 2)]
    if not dtype.is_bool:
        texts.append(lower(largest(dtype, (70,))).text)
    for text in texts:
        sorts = re.findall(r'"stablehlo\.sort"\((.*?)\).*?\(\{\n(.*?)\n\}\) : \((.*?)\)', text, re.DOTALL)
        assert len(sorts) == text.count("stablehlo.sort") > 0
        for operands, region, type in sorts:
            assert "," not in operands
            assert re.search(r"x(i|ui)\d+>$", type)
            assert len(region.splitlines()) == 3, region

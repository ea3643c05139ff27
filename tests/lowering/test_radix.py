"""Sorts by digits, beside NumPy: long lines of every dtype along each axis, with nan, infinities and both zeros, of
lengths that are no multiple of what a step moves; keys that differ in few bits; and where they are used at all."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops import builders
from dsl.ops.sort import sort, top_k
from dsl.types.dtype import BF16, BOOL, F16, F32, F64, FLOATS, I8, I32, I64, INTEGERS, U16, U64, DType
from lowering.lowered import CPU
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.lowered import lower_here

Array = np.ndarray[Any, Any]
SHAPES = ((8193,), (11, 1030), (1030, 9))


def drawn(dtype: DType, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Numbers over the whole range, some of them equal, some special."""
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.is_integer:
        ends = np.iinfo(np.dtype(dtype.numpy.name))
        some = rng.integers(ends.min, ends.max, shape, np.dtype(dtype.numpy.name), endpoint=True)
        extreme = rng.choice(np.array([ends.min, ends.max, some.flat[0]], dtype.numpy), shape)
        return np.where(rng.random(shape) < 0.1, extreme, some)
    some = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 4, shape)
    special = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0], shape)
    return np.where(rng.random(shape) < 0.1, special, some).astype(dtype.numpy)


def bits(x: Array) -> Array:
    """What is compared: nan is one, whatever its bits are."""
    if x.dtype.kind in "biu":
        return x
    wide = x.astype(np.float64)
    return np.where(np.isnan(wide), np.nan, wide).view(np.int64)


def ordered(dtype: DType, shape: tuple[int, ...], axis: int, keys: int = 1) -> Function:
    """An array alone, and positions by one key or two."""
    b = Builder()
    xs = [b.param(Tensor(dtype, shape)) for _ in range(keys)]
    return b.finish("f", [*sort(b, xs[:1], axis), sort(b, (*xs, builders.iota(b, I32, shape, axis)), axis, keys)[-1]])


def agree(function: Function, arrays: list[Array]) -> None:
    got = compile(lower_here(function))(*arrays)
    for wanted, y in zip(interp.evaluate(function, arrays), got, strict=True):
        np.testing.assert_array_equal(bits(np.asarray(y)), bits(np.asarray(wanted)))


@pytest.mark.parametrize("dtype", (*INTEGERS, *FLOATS, BOOL), ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_long_lines_are_sorted_as_the_evaluator_sorts_them(dtype: DType, shape: tuple[int, ...]) -> None:
    axis = int(np.argmax(shape))
    agree(ordered(dtype, shape, axis), [drawn(dtype, shape)])


@pytest.mark.parametrize("dtype", [F32, F64, I64], ids=str)
def test_lines_are_sorted_by_several_keys(dtype: DType) -> None:
    first = np.random.default_rng(1).integers(0, 3, 8200).astype(dtype.numpy)
    agree(ordered(dtype, first.shape, 0, keys=2), [first, drawn(dtype, first.shape, 2)])


@pytest.mark.parametrize("dtype", [I32, F64, U64], ids=str)
def test_the_largest_of_long_lines(dtype: DType) -> None:
    b = Builder()
    x = b.param(Tensor(dtype, (8193,)))
    agree(b.finish("f", top_k(b, x, 5000)), [drawn(dtype, (8193,))])


@given(low=st.integers(0, 63), high=st.integers(0, 63), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_keys_that_differ_in_some_bits(low: int, high: int, seed: int) -> None:
    """Digits that all have in common are passed over."""
    rng = np.random.default_rng(seed)
    mask = np.uint64((1 << max(low, high) + 1) - (1 << min(low, high)))
    base = rng.integers(0, 1 << 64, dtype=np.uint64) & ~mask
    keys = base | (rng.integers(0, 1 << 64, 8192, dtype=np.uint64) & mask)
    (got, places) = map(np.asarray, KEYS(keys))
    np.testing.assert_array_equal(got, np.sort(keys))
    np.testing.assert_array_equal(places, np.argsort(keys, stable=True))


KEYS = compile(lower_here(ordered(U64, (8192,), 0)))


def test_equal_keys_are_moved_nowhere() -> None:
    for value in (0, 7, (1 << 64) - 1):
        got, places = KEYS(np.full(8192, value, np.uint64))
        assert (np.asarray(got) == value).all()
        np.testing.assert_array_equal(np.asarray(places), np.arange(8192))


@pytest.mark.parametrize(
    ("dtype", "shape", "is_used"),
    [
        (F32, (8192,), True),
        (F32, (8000,), False),
        (F32, (255, 255), False),
        (F32, (256, 256), True),
        (F64, (256, 256), False),
        (F64, (256, 512), True),
    ],
    ids=str,
)
def test_short_lines_and_few_elements_are_left_to_xla(dtype: DType, shape: tuple[int, ...], is_used: bool) -> None:
    function = ordered(dtype, shape, len(shape) - 1)
    assert ("stablehlo.sort" not in lower(function, platform=CPU).text) == is_used
    assert "stablehlo.sort" in lower(function, platform="cuda").text


def leaves(value: Any) -> list[Array]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [np.asarray(value)]


def same(found: list[Array], wanted: list[Array]) -> None:
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


@cache
def orders(dtype: DType) -> dsl.Function:
    each = ", ".join(f"{name}(x, descending={way})" for name in ("sort", "argsort") for way in ("false", "true"))
    function: dsl.Function = dsl.program(f"def orders(x: {dtype}[n]) = ({each})").orders
    return function


def pool(dtype: DType) -> st.SearchStrategy[list[Any]]:
    """Some values, of which lines are drawn: the fewer, the more ties."""
    if dtype.is_integer:
        ends = np.iinfo(np.dtype(dtype.numpy.name))
        return st.lists(st.integers(int(ends.min), int(ends.max)), min_size=1, max_size=300)
    return st.lists(st.floats(width=16 if dtype.bits == 16 else 64), min_size=1, max_size=300)


@given(data=st.data(), dtype=st.sampled_from((I8, U16, I64, U64, BF16, F16, F32, F64)), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_orders_are_those_of_numpy(data: st.DataObject, dtype: DType, seed: int) -> None:
    """nan, of any sign, comes after all numbers, equals keep their order, and both zeros are equal."""
    with np.errstate(over="ignore"):
        wide = np.float64 if dtype.is_float else dtype.numpy
        values = np.array(data.draw(pool(dtype)), wide).astype(dtype.numpy)
    x = np.random.default_rng(seed).choice(values, 8193)
    _, ranks = np.unique(x if x.dtype.kind in "biu" else x.astype(np.float64), return_inverse=True)
    forth, back = np.argsort(ranks, stable=True), np.argsort(-ranks, stable=True)
    same(leaves(orders(dtype)(x)), [x[forth], x[back], forth, back])


LIBRARY = """
def total(x: f64[n], w: f64[n]) -> f64 = sum(sort(x) * w)
def slope(x: f64[n], w: f64[n]) -> f64[n] = grad(total)(x, w)
def rows(x: f32[n, m]) -> f32[n, m] = vmap(fn row -> sort(row, descending=true))(x)
def ordered(keys: i32[k, n]) -> idx[n][n] = lexsort(keys)
def backwards(x: f64[n]) -> idx[n][n] = argsort(x, descending=true)
def few(x: i32[n]) -> i32[40] = unique(x, size=40, fill_value=-1)

def columns(x: f64[n, m]) = vmap(fn v -> (sort(v), argsort(v, descending=true)), in_axes=1)(x)
def turns(x: f64[n, m]) = scan s = 0.0 for row in x do (s + sort(row)[0], (sort(row), argsort(row)))
def while_low(x: f64[n]) where n >= 1 = iterate y = x while y[0] < 100.0 limit 9 do sort(2.0 * y, descending=true) + 1.0
def either(x: f64[n], c: bool) = if c then sort(x) else x[argsort(x, descending=true)]
def middle(x: f64[n], q: f64[3]) where n >= 1 = (median(x), quantile(x, q), nanmedian(x))
def places(x: f64[n], v: f64[m]) = (searchsorted(sort(x), v), searchsorted(sort(x), v, side="right"))
def tangent(x: f64[n], w: f64[n]) = jvp(fn x -> sort(x, descending=true), (x,), (w,))
def slopes(x: f64[n, m], w: f64[n, m]) = vmap(fn (x, w) -> grad(fn x -> sum(sort(x) * w))(x))(x, w)
def over_devices(x: f64[n, m]) = pmap(fn row -> (sort(row), argsort(row)))(x)
"""


def test_functions_of_the_library_over_long_lines() -> None:
    rng, program = np.random.default_rng(3), dsl.program(LIBRARY)
    x, w = rng.normal(size=8195), rng.normal(size=8195)
    np.testing.assert_array_equal(np.asarray(program.slope(x, w)), w[np.argsort(np.argsort(x))])
    lines = rng.normal(size=(9, 1111)).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(program.rows(lines)), np.sort(lines)[:, ::-1])
    keys = rng.integers(0, 9, (3, 8195)).astype(np.int32)
    np.testing.assert_array_equal(np.asarray(program.ordered(keys)), np.lexsort(keys))
    rounded = np.round(x, 1)
    np.testing.assert_array_equal(np.asarray(program.backwards(rounded)), np.argsort(-rounded, stable=True))
    few = rng.integers(-20, 20, 8195).astype(np.int32)
    np.testing.assert_array_equal(np.asarray(program.few(few)), np.unique(few))


@pytest.mark.parametrize(
    "name", ["columns", "turns", "while_low", "either", "middle", "places", "tangent", "slopes", "over_devices"]
)
def test_long_lines_in_maps_loops_branches_and_derivatives(name: str) -> None:
    """With ties, nan and infinities among the numbers."""
    f, rng = getattr(dsl.program(LIBRARY), name), np.random.default_rng(4)
    lines = np.round(drawn(F64, (3, 8197), 5), 1)
    arguments: dict[str, tuple[Any, ...]] = {
        "columns": (lines.T,),
        "turns": (lines,),
        "either": (lines[0], True),
        "middle": (lines[0], np.array([0.1, 0.5, 1.0])),
        "places": (lines[0], lines[1, :300]),
        "tangent": (lines[0], lines[1]),
        "slopes": (lines, rng.normal(size=lines.shape)),
        "over_devices": (lines[:2],),
    }
    args = arguments.get(name, (lines[0],))
    same(leaves(f(*args)), leaves(f.interpret(*args)))


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_the_keys_are_there_once_beside_the_two_halves(name: str) -> None:
    """The result counts as one half."""
    x = np.random.default_rng(0).integers(0, 99, 20_000).astype(np.int32)
    key = 2 if name == "argsort" else 1  # behind it, the position
    memory = dsl.program(f"def f(x: i32[n]) = {name}(x)").f.memory(x)
    assert memory.between <= (2 * key + 0.5) * x.nbytes

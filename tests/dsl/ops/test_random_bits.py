"""Random bits and keys agree with `jax.random` (partitionable threefry) to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ops.random import fold_in, key_of, random_bits, split
from dsl.types.dtype import BY_NAME, I32, U32

SHAPES = [(), (1,), (5,), (3, 4), (0,), (2, 0, 3), (7, 3, 2)]


def made(build: Callable[[Builder, Atom], Atom], seed: int) -> np.ndarray[Any, Any]:
    """`build` of the key of `seed`, evaluated."""
    b = Builder()
    key = b.param(Tensor(U32, (2,)))
    function = b.finish("f", [build(b, key)])
    return evaluate(function, [data(jax.random.key(seed))])[0]


def data(key: Any) -> np.ndarray[Any, Any]:
    return np.asarray(jax.random.key_data(key))


@pytest.fixture(autouse=True)
def partitionable() -> Any:
    with jax.threefry_partitionable(True):
        yield


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["u8", "u16", "u32"])
def test_bits(shape: tuple[int, ...], dtype: str) -> None:
    numpy = BY_NAME[dtype].numpy
    ours = made(lambda b, key: random_bits(b, key, shape, BY_NAME[dtype]), 42)
    theirs = np.asarray(jax.random.bits(jax.random.key(42), shape, numpy))
    assert ours.dtype == numpy
    np.testing.assert_array_equal(ours, theirs)


def test_bits_of_64() -> None:
    with jax.enable_x64(True):
        theirs = np.asarray(jax.random.bits(jax.random.key(7), (3, 2), np.uint64))
    ours = made(lambda b, key: random_bits(b, key, (3, 2), BY_NAME["u64"]), 7)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 2), (0,)])
def test_split(shape: tuple[int, ...]) -> None:
    ours = made(lambda b, key: split(b, key, shape), 3)
    np.testing.assert_array_equal(ours, data(jax.random.split(jax.random.key(3), shape)))


@pytest.mark.parametrize("number", [0, 1, 12345, 2**31 - 1])
def test_fold_in(number: int) -> None:
    b = Builder()
    key, folded = b.param(Tensor(U32, (2,))), b.param(Tensor(I32))
    function = b.finish("f", [fold_in(b, key, folded)])
    (ours,) = evaluate(function, [data(jax.random.key(9)), np.asarray(number, np.int32)])
    np.testing.assert_array_equal(ours, data(jax.random.fold_in(jax.random.key(9), number)))


@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1, -1])
def test_key(seed: int) -> None:
    b = Builder()
    function = b.finish("f", [key_of(b, b.param(Tensor(I32)))])
    (ours,) = evaluate(function, [np.asarray(seed, np.int32)])
    np.testing.assert_array_equal(ours, data(jax.random.key(np.int32(seed))))

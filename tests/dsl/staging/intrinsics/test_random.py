"""Draws agree with `jax.random` bit for bit, or to the last digits where XLA fuses differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.staging.intrinsics.random import RANDOM
from dsl.staging.values import Value, as_atom
from dsl.types.dtype import U32
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile

KEY = np.array([17, 123456789], np.uint32)
jax.config.update("jax_threefry_partitionable", True)


def drawn(name: str, *args: Value, **statics: Value) -> Any:
    """By XLA, after the evaluator has agreed."""
    b = Builder()
    key = b.param(Tensor(U32, (2,)))
    result = as_atom(RANDOM[name](b, key, *args, **statics))
    function = b.finish(name, [result])
    found = np.asarray(compile(lower(function))(KEY)[0])
    (evaluated,) = evaluate(function, [KEY])
    if found.dtype.kind in "iub":
        np.testing.assert_array_equal(evaluated, found)
    else:
        np.testing.assert_allclose(evaluated, found, rtol=1e-5, atol=1e-6)
    return found


def theirs(name: str, *args: Any, **options: Any) -> Any:
    function: Callable[..., Any] = getattr(jax.random, name)
    return np.asarray(jax.jit(lambda k: function(k, *args, **options))(jnp.asarray(KEY)))


def test_split_and_fold_in() -> None:
    np.testing.assert_array_equal(drawn("split", num=3), theirs("split", 3))
    np.testing.assert_array_equal(drawn("fold_in", 9), theirs("fold_in", 9))


@pytest.mark.parametrize("seed", [0, 1, -1, 2**31, 2**32 - 1])
def test_seeds(seed: int) -> None:
    b = Builder()
    key = as_atom(RANDOM["key"](b, seed))
    (ours,) = evaluate(b.finish("key", [key]), [])
    np.testing.assert_array_equal(ours, np.asarray(jax.random.PRNGKey(np.uint32(seed % 2**32))))

"""Arrays in libraries that know nothing of this one: einops by the array API, polars by NumPy."""

from __future__ import annotations

from typing import Any

import einops
import numpy as np
import polars
import pytest
from einops import array_api

import dsl

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("name", "arguments", "sizes"),
    [
        ("rearrange", ["a b c -> c (a b)"], {}),
        ("rearrange", ["a b (c d) -> d a b c"], {"d": 2}),
        *[("reduce", ["a b c -> c a", reduction], {}) for reduction in ("sum", "mean", "max", "min", "prod")],
        ("repeat", ["a b c -> a r b c"], {"r": 3}),
        ("repeat", ["a b c -> a b (c r)"], {"r": 2}),
    ],
)
def test_einops_of_arrays_is_that_of_numpy(name: str, arguments: list[str], sizes: dict[str, int]) -> None:
    found: Any = getattr(array_api, name)(dsl.array(X), *arguments, **sizes)
    assert isinstance(found, dsl.Array)
    np.testing.assert_allclose(found, getattr(einops, name)(X, *arguments, **sizes))


def test_einops_packs_and_unpacks() -> None:
    x = dsl.array(X)
    packed, shapes = array_api.pack([x, x[:, :, 0]], "a b *")
    np.testing.assert_array_equal(packed, np.concatenate([X, X[:, :, :1]], axis=2))
    first, second = array_api.unpack(packed, shapes, "a b *")
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(second, X[:, :, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.bool_, np.uint8])
def test_columns_of_polars_are_made_by_numpy(dtype: type) -> None:
    column = X[0, 0].astype(dtype)
    series = polars.Series("a", np.asarray(dsl.array(column)))
    assert series.to_numpy().dtype == dtype and series.to_list() == column.tolist()

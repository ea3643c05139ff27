"""Arrays in libraries that know nothing of this one: einops by the array API and by its backends, polars by Arrow."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import einops
import numpy as np
import polars
import pyarrow
import pytest
from einops import array_api

import dsl
import dsl.interop.einops

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
@pytest.mark.parametrize("functions", [array_api, einops])
def test_einops_of_arrays_is_that_of_numpy(
    functions: ModuleType, name: str, arguments: list[str], sizes: dict[str, int]
) -> None:
    found: Any = getattr(functions, name)(dsl.array(X), *arguments, **sizes)
    assert isinstance(found, dsl.Array) and found.dtype == X.dtype
    np.testing.assert_allclose(found, getattr(einops, name)(X, *arguments, **sizes))


@pytest.mark.parametrize("functions", [array_api, einops])
def test_einops_packs_and_unpacks(functions: Any) -> None:
    x = dsl.array(X)
    packed, shapes = functions.pack([x, x[:, :, 0]], "a b *")
    assert isinstance(packed, dsl.Array)
    np.testing.assert_array_equal(packed, np.concatenate([X, X[:, :, :1]], axis=2))
    first, second = functions.unpack(packed, shapes, "a b *")
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(second, X[:, :, 0])


def test_einops_has_sums_of_products_lists_and_the_means_of_floats_alone() -> None:
    x = dsl.array(X)
    found: Any = einops.einsum(x, dsl.array(X[0]), "a b c, b c -> a")
    assert isinstance(found, dsl.Array)
    np.testing.assert_allclose(found, np.einsum("abc,bc->a", X, X[0]))
    listed: Any = einops.rearrange([x[0], x[1]], "a b c -> c b a")
    assert isinstance(listed, dsl.Array)
    np.testing.assert_array_equal(listed, X.transpose(2, 1, 0))
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    assert einops.reduce(dsl.array(X, "bf16"), "a b c -> a", "mean").dtype == dsl.bf16.numpy
    with pytest.raises(RuntimeError, match="reduce_mean is not available"):
        einops.reduce(dsl.array(X, "i32"), "a b c -> a", "mean")


ARROW = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")


@pytest.mark.parametrize("dtype", ARROW)
@pytest.mark.parametrize("shape", [(24,), (4, 6), (2, 3, 4), (0, 3)])
def test_columns_of_polars_have_the_elements(dtype: str, shape: tuple[int, ...]) -> None:
    elements = X.reshape(-1)[: int(np.prod(shape))].reshape(shape)
    x = dsl.array(elements).astype(dtype)
    series = polars.Series("a", x)
    np.testing.assert_array_equal(series.to_numpy(), x)
    assert series.to_numpy().dtype == x.dtype
    frame = polars.DataFrame({"a": x, "b": [1] * shape[0]})
    assert frame["a"].equals(series)


def test_columns_of_arrow_share_the_elements() -> None:
    x = dsl.array(X)
    column = pyarrow.array(x[0])
    assert str(column.type) == "fixed_size_list<item: float>[4]"
    whole = dsl.array(X.reshape(24))
    assert pyarrow.array(whole).buffers()[1].address == np.asarray(whole).ctypes.data


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (dsl.array([1.0], "bf16"), "Arrow has no type for bfloat16"),
        (dsl.array([1.0j]), "Arrow has no type for complex64"),
        (dsl.array(1.0), "a scalar is not a column"),
    ],
)
def test_arrays_that_arrow_does_not_have_are_refused(x: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        polars.Series("a", x)

"""The evaluator against `jax.lax` on the CPU: ordinary samples, and the values where conventions differ."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dsl.ir.function import Tensor
from dsl.ir.op import Op
from dsl.ops.table import OPS
from dsl.types.dtype import BF16, BY_NAME, F16, Kind

Array = np.ndarray[Any, Any]

SAME_NAME = (
    *("neg", "sign", "abs", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "log", "log1p", "expm1", "sin", "cos"),
    *("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf"),
    *("erfc", "erf_inv", "lgamma", "floor", "ceil", "is_finite", "real", "imag", "conj", "add", "sub"),
    *("mul", "div", "rem", "atan2", "max", "min", "nextafter", "shift_left", "clamp", "complex"),
    *("shift_right_arithmetic", "shift_right_logical"),
)


def without_params(function: Callable[..., Any], params: Any, *xs: Array) -> Any:
    return function(*xs)


REFERENCE: Mapping[str, Callable[..., Any]] = {
    **{name: partial(without_params, getattr(lax, name)) for name in SAME_NAME},
    "and": lambda p, x, y: lax.bitwise_and(x, y),
    "or": lambda p, x, y: lax.bitwise_or(x, y),
    "xor": lambda p, x, y: lax.bitwise_xor(x, y),
    "not": lambda p, x: lax.bitwise_not(x),
    "popcount": lambda p, x: lax.population_count(x),
    "count_leading_zeros": lambda p, x: lax.clz(x),
    "round_nearest_afz": lambda p, x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "round_nearest_even": lambda p, x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "compare": lambda p, x, y: getattr(lax, p.direction)(x, y),
    "convert": lambda p, x: lax.convert_element_type(x, p.dtype.numpy),
    "integer_pow": lambda p, x: lax.integer_pow(x, p.exponent),
    "pow": lambda p, x, y: lax.pow(x, y) if np.issubdtype(x.dtype, np.inexact) else jnp.power(x, y),
    "polygamma": lambda p, x: lax.polygamma(np.full(x.shape, p.order, x.dtype), x) if p.order else lax.digamma(x),
    "select": lambda p, c, x, y: lax.select(c, x, y),
    "reduce_sum": lambda p, x: lax.reduce_sum(x, p.axes),
    "reduce_prod": lambda p, x: lax.reduce_prod(x, p.axes),
    "reduce_max": lambda p, x: lax.reduce_max(x, p.axes),
    "reduce_min": lambda p, x: lax.reduce_min(x, p.axes),
    "reduce_and": lambda p, x: lax.reduce_and(x, p.axes),
    "reduce_or": lambda p, x: lax.reduce_or(x, p.axes),
    "argmax": lambda p, x: lax.argmax(x, p.axis, p.dtype.numpy),
    "argmin": lambda p, x: lax.argmin(x, p.axis, p.dtype.numpy),
    "cumsum": lambda p, x: lax.cumsum(x, p.axis, p.reverse),
    "cumprod": lambda p, x: lax.cumprod(x, p.axis, p.reverse),
    "cummax": lambda p, x: lax.cummax(x, p.axis, p.reverse),
    "dot_general": lambda p, x, y: lax.dot_general(
        x,
        y,
        ((p.lhs_contract, p.rhs_contract), (p.lhs_batch, p.rhs_batch)),
        preferred_element_type=p.dtype.numpy,
    ),
    "slice": lambda p, x: lax.slice(x, p.starts, p.limits, p.strides),
    "pad": lambda p, x, v: lax.pad(x, v, list(zip(p.low, p.high, p.interior, strict=True))),
    "concatenate": lambda p, *xs: lax.concatenate(xs, p.axis),
    "sort": lambda p, *xs: lax.sort(xs, p.axis, num_keys=p.num_keys),
    "top_k": lambda p, x: lax.top_k(x, p.k),
    "dynamic_slice": lambda p, x, *s: lax.dynamic_slice(x, [np.maximum(v, v * 0) for v in s], p.sizes),
    "dynamic_update_slice": lambda p, x, u, *s: lax.dynamic_update_slice(x, u, [np.maximum(v, v * 0) for v in s]),
    "conv_general": lambda p, x, w: lax.conv_general_dilated(
        x,
        w,
        p.strides,
        list(zip(p.low, p.high, strict=True)),
        p.image_dilation,
        p.kernel_dilation,
        feature_group_count=p.groups,
    ),
    "fft": lambda p, x: lax.fft(x, p.kind, p.lengths),
    "cholesky": lambda p, x: lax.linalg.cholesky(x, symmetrize_input=False),
    "triangular_solve": lambda p, a, b: lax.linalg.triangular_solve(
        a,
        b,
        left_side=p.left,
        lower=p.lower,
        transpose_a=p.transform != "none",
        conjugate_a=p.transform == "adjoint",
        unit_diagonal=p.unit,
    ),
    "gather": lambda p, x, i: lax.gather(x, i, gather_dims(p), p.slice_sizes, mode=lax.GatherScatterMode.CLIP),
    "scatter_add": lambda p, x, i, u: lax.scatter_add(x, i, u, scatter_dims(p), mode="drop"),
    "scatter_mul": lambda p, x, i, u: lax.scatter_mul(x, i, u, scatter_dims(p), mode="drop"),
    "scatter_min": lambda p, x, i, u: lax.scatter_min(x, i, u, scatter_dims(p), mode="drop"),
    "scatter_max": lambda p, x, i, u: lax.scatter_max(x, i, u, scatter_dims(p), mode="drop"),
    "scatter_set": lambda p, x, i, u: lax.scatter(x, i, u, scatter_dims(p), mode="drop"),
}


def gather_dims(p: Any) -> Any:
    return lax.GatherDimensionNumbers(
        p.offset_dims, p.collapsed_dims, p.start_index_map, p.operand_batch_dims, p.index_batch_dims
    )


def scatter_dims(p: Any) -> Any:
    return lax.ScatterDimensionNumbers(
        p.offset_dims, p.collapsed_dims, p.start_index_map, p.operand_batch_dims, p.index_batch_dims
    )


@pytest.fixture(autouse=True)
def wide_numbers() -> Any:
    with jax.enable_x64(True):
        yield


def draw(rng: np.random.Generator, type: Tensor, domain: tuple[float, float]) -> Array:
    low, high = domain
    if type.dtype.is_bool:
        return rng.integers(0, 2, type.shape).astype(np.bool_)
    if type.dtype.is_integer:
        least = max(low, 0) if type.dtype.kind is Kind.UNSIGNED else low
        return rng.integers(int(np.ceil(least)), int(high) + 1, type.shape).astype(type.dtype.numpy)
    value = rng.uniform(low, high, type.shape)
    if type.dtype.is_complex:
        value = value + 1j * rng.uniform(low, high, type.shape)
    return np.asarray(value).astype(type.dtype.numpy)


def close(ours: tuple[Array, ...], theirs: Any, message: str) -> None:
    results = theirs if isinstance(theirs, list | tuple) else (theirs,)
    for mine, other in zip(ours, results, strict=True):
        reference = np.asarray(other)
        assert (mine.shape, mine.dtype) == (reference.shape, reference.dtype), message
        single = {np.dtype(np.float32), np.dtype(np.complex64)}
        half = {F16.numpy, BF16.numpy}
        tolerance = 2e-2 if mine.dtype in half else 2e-5 if mine.dtype in single else 1e-10
        if mine.dtype in half:
            mine, reference = mine.astype(np.float32), reference.astype(np.float32)
        np.testing.assert_allclose(mine, reference, rtol=tolerance, atol=tolerance, err_msg=message)


def some_dtypes(op: Op[Any]) -> list[Any]:
    """Samples of one dtype or two of each kind; the tests of the lowering run all."""
    few = {"bool", "i32", "u8", "f32", "f64", "c64"}
    return [s for s in op.samples if {t.dtype.name for t in s.inputs} <= few]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", REFERENCE)
def test_samples(name: str) -> None:
    op = OPS[name]
    assert isinstance(op, Op)
    for sample in some_dtypes(op):
        rng = np.random.default_rng(zlib.crc32(repr((name, sample.inputs)).encode()))
        arrays = (
            [np.asarray(x) for x in sample.draw(rng)]
            if sample.draw
            else [draw(rng, t, sample.domain) for t in sample.inputs]
        )
        ours = op.evaluate(sample.params, sample.inputs, *arrays)
        close(ours, REFERENCE[name](sample.params, *arrays), f"{name} {sample.params} {sample.inputs}")


FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 300.7, 1e30, -1e30, np.inf, -np.inf, np.nan]
INTS = [0, 1, -1, 2, -7, 100, 127, -128, 255, 2**31 - 1, -(2**31), 40]
AWKWARD = (
    *("neg", "sign", "abs", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "log", "log1p", "asin", "acos", "atan"),
    *("tanh", "asinh", "atanh", "logistic", "erf", "erfc", "floor", "ceil", "is_finite", "add", "sub", "mul"),
    *("div", "rem", "atan2", "max", "min", "nextafter", "and", "or", "xor", "not", "popcount", "convert"),
    *("count_leading_zeros", "round_nearest_afz", "round_nearest_even", "compare", "integer_pow", "shift_left"),
    *("shift_right_arithmetic", "shift_right_logical"),
)


@pytest.mark.parametrize("dtype", ["f32", "i32", "u8"])
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_values(name: str, dtype: str) -> None:
    """Elementwise ops on all pairs of values where conventions differ."""
    op = OPS[name]
    assert isinstance(op, Op)
    line = np.array(FLOATS if dtype == "f32" else INTS).astype(BY_NAME[dtype].numpy)
    for sample in op.samples:
        if {t.dtype.name for t in sample.inputs} != {dtype} or sample.inputs[0].shape != (2, 3):
            continue
        pairs = np.meshgrid(line, line)[: len(sample.inputs)]
        types = tuple(Tensor(t.dtype, x.shape) for t, x in zip(sample.inputs, pairs, strict=True))
        ours = op.evaluate(sample.params, types, *pairs)
        close(ours, REFERENCE[name](sample.params, *pairs), f"{name} {sample.params} {types}")

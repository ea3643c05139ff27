"""Arrays for the samples of ops."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from dsl.ir.op import Op, Sample
from dsl.types.dtype import C64, C128, F32, F64

Array = np.ndarray[Any, Any]


def draw(rng: np.random.Generator, type: Tensor, domain: tuple[float, float]) -> Array:
    """Random values of a type: bools, integers in the domain, floats in the domain, complex in its square."""
    low, high = domain
    dtype, shape = type.dtype, type.shape
    if dtype.is_bool:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        least = max(low, 0) if dtype.name.startswith("u") else low
        return rng.integers(int(np.ceil(least)), int(np.floor(high)) + 1, shape).astype(dtype.numpy)
    value = rng.uniform(low, high, shape)
    if dtype.is_complex:
        value = value + 1j * rng.uniform(low, high, shape)
    return np.asarray(value).astype(dtype.numpy)


def arrays_of(op: Op[Any], sample: Sample[Any], seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(zlib.crc32(repr((op.name, sample.inputs, seed)).encode()))
    if sample.draw is not None:
        return [np.asarray(x) for x in sample.draw(rng)]
    return [draw(rng, t, sample.domain) for t in sample.inputs]


def direction(rng: np.random.Generator, type: Tensor) -> Array:
    return draw(rng, type, (-1.0, 1.0))


def width(sample: Sample[Any]) -> int:
    order = [F64, C128, F32, C64]
    return min((order.index(t.dtype) for t in sample.inputs if t.dtype in order), default=9)


def distinct(op: Op[Any]) -> list[Sample[Any]]:
    """One sample per shapes and params, real and complex: of those that differ in dtype, the most precise."""
    chosen: dict[Any, Sample[Any]] = {}
    for sample in op.samples:
        key = (sample.params, tuple((t.shape, t.dtype.is_complex) for t in sample.inputs))
        rank = width(sample)
        known = chosen.get(key)
        if known is None or rank < width(known):
            chosen[key] = sample
    return list(chosen.values())


def run(op: Op[Any], sample: Sample[Any], arrays: list[Array]) -> tuple[Array, ...]:
    return op.evaluate(sample.params, sample.inputs, *arrays)


def inexact_positions(types: tuple[Tensor, ...]) -> list[int]:
    return [i for i, t in enumerate(types) if t.dtype.is_inexact]

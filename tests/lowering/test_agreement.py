"""Evaluator and XLA agree on every sample of every op, over its dtypes; the two tables of ops are the
same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.op import Op, RegionOp, Sample
from dsl.ops.table import OPS
from lowering.stablehlo.module import lower
from lowering.stablehlo.registry import RULES
from lowering.xla.compile import compile

Value = np.ndarray[Any, Any]
GROUP = 40
SILENT = [op for op in OPS.values() if getattr(op, "effect", None) is None]


def test_the_tables_of_ops_are_equal() -> None:
    assert set(RULES) == set(OPS)


def draw(type: Tensor, domain: tuple[float, float], rng: np.random.Generator) -> Value:
    """Random elements within the domain: whole numbers for integers, both parts for complex."""
    low, high = domain
    dtype = type.dtype
    if dtype.is_bool:
        return np.asarray(rng.random(type.shape) < 0.5)
    if dtype.is_integer:
        bottom = max(int(np.ceil(low)), 0) if dtype.name[0] == "u" else int(np.ceil(low))
        return np.asarray(rng.integers(bottom, int(high) + 1, type.shape)).astype(dtype.numpy)
    values = rng.uniform(low, high, type.shape)
    if dtype.is_complex:
        values = values + 1j * rng.uniform(low, high, type.shape)
    return np.asarray(values).astype(dtype.numpy)


def drawn(sample: Sample[Any], rng: np.random.Generator) -> list[Value]:
    if sample.draw is not None:
        return [np.asarray(x) for x in sample.draw(rng)]
    return [draw(t, sample.domain, rng) for t in sample.inputs]


def grouped(op: Op[Any] | RegionOp[Any]) -> Iterator[list[Sample[Any]]]:
    samples = iter(op.samples)
    while group := list(islice(samples, GROUP)):
        yield group


def joined(op: Op[Any] | RegionOp[Any], group: list[Sample[Any]]) -> Function:
    """One function that applies the op to all samples of a group: one compilation instead of many."""
    b = Builder()
    results: list[Atom] = []
    for sample in group:
        results += b.emit(op, sample.params, [b.param(type) for type in sample.inputs])
    return b.finish(op.name, results)


def tolerance(type: Tensor) -> tuple[float, float]:
    dtype = type.dtype.real
    if not dtype.is_float:
        return 0.0, 0.0
    return {"bf16": (2e-2, 2e-2), "f16": (4e-3, 4e-3), "f32": (2e-5, 2e-5), "f64": (1e-12, 1e-12)}[dtype.name]


def agree(label: str, wanted: Value, got: Value, type: Tensor) -> None:
    assert got.dtype == wanted.dtype == type.dtype.numpy, label
    assert got.shape == wanted.shape == type.shape, label
    relative, absolute = tolerance(type)
    wide = np.complex128 if type.dtype.is_complex else np.float64 if type.dtype.is_float else wanted.dtype
    np.testing.assert_allclose(
        got.astype(wide), wanted.astype(wide), rtol=relative, atol=absolute, err_msg=label
    )


@pytest.mark.parametrize("op", SILENT, ids=lambda op: op.name)
def test_evaluator_and_xla_agree(op: Op[Any] | RegionOp[Any]) -> None:
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    for group in grouped(op):
        function = joined(op, group)
        arrays = [x for sample in group for x in drawn(sample, rng)]
        wanted = interp.evaluate(function, arrays)
        got = compile(lower(function))(*arrays)
        for index, (x, y, type) in enumerate(zip(wanted, got, function.result_types, strict=True)):
            agree(f"{op.name}, result {index} of {function.result_types}", x, np.asarray(y), type)

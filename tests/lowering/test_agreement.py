"""Evaluator and XLA agree on every sample of every op, over its dtypes; the two tables of ops are the
same."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.op import NotEvaluable, Op, RegionOp, Sample
from dsl.ops.table import OPS
from dsl.transforms.expand import expand
from dsl.types.dtype import DType
from lowering.lowered import calls_library
from lowering.stablehlo.module import lower
from lowering.stablehlo.registry import RULES
from lowering.xla.backends import choice
from lowering.xla.compile import UNFUSED, compile
from lowering.xla.execute import Executable
from tests.support.cases import some
from tests.support.lowered import lower_here

Value = np.ndarray[Any, Any]
GROUP = 40
PHASES = ("eig", "eigh", "svd")
"""Ops with vectors of which each library chooses the phase."""
ON_CPU = choice().devices[0].platform == "cpu"
SILENT = [
    op
    for op in OPS.values()
    if getattr(op, "effect", None) is None and not isinstance(op.evaluate, NotEvaluable) and any(op.samples)
]


def test_the_tables_of_ops_are_equal() -> None:
    assert set(RULES) == {*OPS}


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


def agree(label: str, wanted: Value, got: Value, type: Tensor, up_to_phase: bool = False) -> None:
    assert got.dtype == wanted.dtype == type.dtype.numpy, label
    assert got.shape == wanted.shape == type.shape, label
    relative, absolute = tolerance(type)
    wide = np.complex128 if type.dtype.is_complex else np.float64 if type.dtype.is_float else wanted.dtype
    x, y = wanted.astype(wide), got.astype(wide)
    if up_to_phase:
        x, y = np.abs(x), np.abs(y)
    np.testing.assert_allclose(y, x, rtol=relative, atol=absolute, err_msg=label)


def calls(op: Op[Any] | RegionOp[Any]) -> Iterator[tuple[Function, list[Value]]]:
    """A function for each group of samples, with its arguments."""
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    for group in grouped(op):
        yield joined(op, group), [x for sample in group for x in drawn(sample, rng)]


def agree_with_the_evaluator(function: Function, program: Executable, arrays: list[Value]) -> None:
    wanted = interp.evaluate(function, arrays)
    up_to_phase = function.name in PHASES and not ON_CPU
    for index, (x, y, type) in enumerate(zip(some(wanted), program(*arrays), function.result_types, strict=True)):
        agree(f"{function.name}, result {index} of {function.result_types}", x, np.asarray(y), type, up_to_phase)


@pytest.mark.parametrize("op", SILENT, ids=lambda op: op.name)
def test_evaluator_and_xla_agree(op: Op[Any] | RegionOp[Any]) -> None:
    for function, arrays in some(calls(op)):
        agree_with_the_evaluator(function, compile(lower_here(expand(function))), arrays)


@pytest.mark.cpu
@pytest.mark.parametrize("op", SILENT, ids=lambda op: op.name)
def test_programs_that_are_not_fused_have_the_same_values(op: Op[Any] | RegionOp[Any]) -> None:
    """Long code is compiled without some passes of XLA, which others rest on."""
    function, arrays = next(calls(op))
    agree_with_the_evaluator(function, compile(lower_here(expand(function)), options=UNFUSED), arrays)


@pytest.mark.cpu
@pytest.mark.parametrize("op", SILENT, ids=lambda op: op.name)
def test_programs_for_gpus_have_the_same_values(op: Op[Any] | RegionOp[Any]) -> None:
    """Programs that call no library run on a CPU, too."""
    function, arrays = next(calls(op))
    lowered = lower(expand(function), platform="cuda")
    if not calls_library(lowered.text, "cuda"):
        agree_with_the_evaluator(function, compile(lowered), arrays)


# --- the edges of the dtypes ---

POINTWISE = [
    "abs",
    "acos",
    "acosh",
    "add",
    "and",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "convert",
    "cos",
    "cosh",
    "count_leading_zeros",
    "div",
    "erf",
    "erf_inv",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "integer_pow",
    "is_finite",
    "lgamma",
    "log",
    "log1p",
    "logistic",
    "max",
    "min",
    "mul",
    "neg",
    "nextafter",
    "not",
    "or",
    "popcount",
    "pow",
    "rem",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "scale",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "xor",
]
ALONG = [
    "argmax",
    "argmin",
    "cummax",
    "cumprod",
    "cumsum",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "sort",
    "top_k",
]
EITHER_ZERO = {"max", "min", "clamp", "nextafter"}
"""Of 0.0 and -0.0, which are equal, these may give either."""
SMALL_POWERS = {"pow"}
"""XLA reads six bits of an integer exponent; the language takes larger ones apart before it gets there."""


def edges(dtype: DType) -> Value:
    """Where arithmetic is special: zeros, ends of the range, infinities, nan, halves."""
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_integer:
        info = np.iinfo(np.dtype(dtype.numpy.name))
        ends = [info.max, info.max - 1, info.min, info.min + 1]
        return np.array([0, 1, 2, 3, 8, *ends, *([-1, -7] if info.min else [])], dtype.numpy)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.5, 1e-3, 30.0, -30.0, np.inf, -np.inf, np.nan]
    return np.array(numbers).astype(dtype.numpy)


def crossed(sample: Sample[Any]) -> list[Value]:
    """Every combination of edges of the operands, thinned out to some hundreds."""
    grids = np.meshgrid(*[np.arange(len(edges(t.dtype))) for t in sample.inputs], indexing="ij")
    step = max(1, grids[0].size // 400) | 1
    return [edges(t.dtype)[g.reshape(-1)[::step]] for t, g in zip(sample.inputs, grids, strict=True)]


def representatives(op: Op[Any] | RegionOp[Any]) -> list[Sample[Any]]:
    """One sample of real numbers for each combination of params and dtypes."""
    real = [s for s in op.samples if not any(t.dtype.is_complex for t in (*s.inputs, *results(op, s)))]
    return list({(s.params, tuple(t.dtype for t in s.inputs)): s for s in reversed(real)}.values())


def results(op: Op[Any] | RegionOp[Any], sample: Sample[Any]) -> tuple[Tensor, ...]:
    return op.type_rule(sample.params, sample.inputs)


def at_the_edges(
    op: Op[Any] | RegionOp[Any], make: Callable[[Sample[Any]], list[Value]]
) -> Iterator[tuple[str, Value, Value, Tensor]]:
    """What evaluator and XLA make of edge values: one function for all dtypes."""
    b = Builder()
    arrays: list[Value] = []
    outputs: list[Atom] = []
    labels: list[str] = []
    for sample in representatives(op):
        values = make(sample)
        places = [b.param(Tensor(t.dtype, v.shape)) for t, v in zip(sample.inputs, values, strict=True)]
        outs = b.emit(op, sample.params, places)
        arrays += values
        outputs += outs
        labels += [f"{op.name} {sample.params} {values}"] * len(outs)
    function = b.finish(op.name, outputs)
    got = compile(lower_here(function))(*arrays)
    yield from zip(
        labels,
        interp.evaluate(function, arrays),
        [np.asarray(y) for y in got],
        function.result_types,
        strict=True,
    )


@pytest.mark.parametrize("name", POINTWISE)
def test_evaluator_and_xla_agree_at_the_edges(name: str) -> None:
    for label, wanted, got, type in some(at_the_edges(OPS[name], crossed)):
        if name in SMALL_POWERS and type.dtype.is_integer:
            continue
        agree(label, wanted, got, type)
        if type.dtype.is_float and name not in EITHER_ZERO:
            zeros = (wanted == 0) & (got == 0)
            np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(wanted[zeros]), err_msg=label)


@pytest.mark.parametrize("name", ALONG)
def test_reductions_and_orders_agree_at_the_edges(name: str) -> None:
    rng = np.random.default_rng(zlib.crc32(name.encode()))

    def make(sample: Sample[Any]) -> list[Value]:
        return [np.asarray(rng.choice(edges(t.dtype), t.shape)) for t in sample.inputs]

    for label, wanted, got, type in some(at_the_edges(OPS[name], make)):
        agree(label, wanted, got, type)

"""Every rule of every op on its samples: a new op is covered by declaring samples.

Types against the evaluator, jvp against finite differences, transpose by the dot-product test, batching
against a loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.op import Linear, NotDifferentiable, NotEvaluable, NotLinear, Op, Sample, Tangent, Zero
from dsl.ir.verify import verify
from dsl.ops.elementwise import mul
from dsl.ops.layout import REDUCE_SUM, REV
from dsl.ops.rule_helpers import materialise, splat
from dsl.ops.table import OPS
from dsl.ops.unary import SIN
from dsl.records import replace
from dsl.types.dtype import BF16, C64, C128, F16, F32, F64
from tests.support.cases import some
from tests.support.op_samples import arrays_of, direction, distinct, inexact_positions, run

Array = np.ndarray[Any, Any]
FIRST_ORDER = [op for op in OPS.values() if isinstance(op, Op)]
PURE = [op for op in FIRST_ORDER if op.effect is None and not isinstance(op.evaluate, NotEvaluable)]


@pytest.mark.parametrize("op", PURE, ids=lambda op: op.name)
def test_evaluation_has_the_types_of_the_type_rule(op: Op[Any]) -> None:
    assert op.samples
    for sample in op.samples:
        types = op.type_rule(sample.params, sample.inputs)
        results = run(op, sample, arrays_of(op, sample))
        assert isinstance(results, tuple)
        assert [(r.dtype, r.shape) for r in results] == [(t.dtype.numpy, t.shape) for t in types], sample


ANY_OPERANDS = ("optimization_barrier",)


@pytest.mark.parametrize("op", [o for o in FIRST_ORDER if o.name not in ANY_OPERANDS], ids=lambda op: op.name)
def test_wrong_operands_break_the_type_rule(op: Op[Any]) -> None:
    sample = op.samples[0]
    with pytest.raises(IRTypeError):
        op.type_rule(sample.params, (*sample.inputs, Tensor(F32, (5, 7, 11)), Tensor(F64, (1,) * 9)))


def tangent_program(op: Op[Any], sample: Sample[Any], active: tuple[int, ...]) -> Function:
    """Primals, then tangents of the active inputs -> outputs, then their tangents (zeros materialised)."""
    b = Builder()
    xs = tuple(b.param(t) for t in sample.inputs)
    ts: list[Tangent] = [Zero(t) for t in sample.inputs]
    for i in active:
        ts[i] = b.param(sample.inputs[i])
    ys = b.emit(op, sample.params, xs)
    assert not isinstance(op.jvp, NotDifferentiable)
    tangents = op.jvp(b, sample.params, xs, ys, tuple(ts))
    assert [t.type for t in tangents] == [y.type for y in ys]
    function = b.finish("tangent", [*ys, *[materialise(t) for t in tangents]])
    verify(function)
    return function


PRECISION = {F64: (1e-6, 1e-5), C128: (1e-6, 1e-5), F32: (1e-2, 3e-2), C64: (1e-2, 3e-2)}


def smooth_samples(op: Op[Any]) -> Iterator[Sample[Any]]:
    for sample in distinct(op):
        types = (*sample.inputs, *op.type_rule(sample.params, sample.inputs))
        if inexact_positions(sample.inputs) and not {BF16, F16} & {t.dtype for t in types}:
            yield sample


CONSTANT = ("stop_gradient",)
UP_TO_PHASE = ("eigh", "eig", "svd")
DIFFERENTIABLE = [op for op in PURE if not isinstance(op.jvp, NotDifferentiable) and op.name not in CONSTANT]
SMOOTH = [op for op in DIFFERENTIABLE if any(smooth_samples(op))]


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_jvp_agrees_with_finite_differences(op: Op[Any]) -> None:
    for sample in some(smooth_samples(op)):
        if op.name in UP_TO_PHASE and sample.inputs[0].dtype.is_complex:
            continue
        places = inexact_positions(sample.inputs)
        for active in {tuple(places), *[(i,) for i in some(places)]}:
            check_jvp(op, sample, active)


def check_jvp(op: Op[Any], sample: Sample[Any], active: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    arrays = arrays_of(op, sample)
    types = (*sample.inputs, *op.type_rule(sample.params, sample.inputs))
    step, tolerance = max(PRECISION.get(t.dtype, (0.0, 0.0)) for t in types)
    along = {i: direction(rng, sample.inputs[i]) for i in active}
    function = tangent_program(op, sample, active)
    count = len(function.results) // 2
    tangents = evaluate(function, [*arrays, *along.values()])[count:]
    ahead, behind = (
        run(op, sample, [moved(x, along.get(i), sign * step) for i, x in enumerate(arrays)]) for sign in (1, -1)
    )
    for t, up, down, y in zip(tangents, ahead, behind, function.results[:count], strict=True):
        if y.type.dtype.is_inexact:
            expected = (up.astype(np.complex128) - down) / (2 * step)
            np.testing.assert_allclose(t, expected, rtol=tolerance, atol=tolerance, err_msg=f"{op.name} {sample}")


def moved(x: Array, along: Array | None, step: float) -> Array:
    return x if along is None else (x + step * along).astype(x.dtype)


@pytest.mark.parametrize("op", [op for op in PURE if not isinstance(op.jvp, NotDifferentiable)], ids=lambda op: op.name)
def test_jvp_keeps_structural_zeros(op: Op[Any]) -> None:
    for sample in some(distinct(op)):
        b = Builder()
        xs = tuple(b.param(t) for t in sample.inputs)
        ys = b.emit(op, sample.params, xs)
        assert not isinstance(op.jvp, NotDifferentiable)
        before = len(b.equations)
        tangents = op.jvp(b, sample.params, xs, ys, tuple(Zero(t) for t in sample.inputs))
        assert all(isinstance(t, Zero) and t.type == y.type for t, y in zip(tangents, ys, strict=True))
        assert len(b.equations) == before


JOINTLY_LINEAR = ("add", "sub", "pad", "concatenate", "complex", "scatter_add", "dynamic_update_slice")


@pytest.mark.parametrize("op", [op for op in PURE if not isinstance(op.transpose, NotLinear)], ids=lambda op: op.name)
def test_transpose_is_the_adjoint(op: Op[Any]) -> None:
    tried = 0
    for sample in some(smooth_samples(op)):
        places = inexact_positions(sample.inputs)
        groups: set[tuple[int, ...]] = {(i,) for i in places}
        if op.name in JOINTLY_LINEAR:
            groups.add(tuple(places))
        for linear in groups:
            results = op.type_rule(sample.params, sample.inputs)
            if all(t.dtype.is_inexact for t in results):
                tried += check_transpose(op, sample, linear)
                check_transpose_of_zero(op, sample, linear)
    assert tried


def check_transpose(op: Op[Any], sample: Sample[Any], linear: tuple[int, ...]) -> bool:
    assert not isinstance(op.transpose, NotLinear)
    rng = np.random.default_rng(2)
    b = Builder()
    inputs: list[Atom | Linear] = [b.param(t) for t in sample.inputs]
    for i in linear:
        inputs[i] = Linear(sample.inputs[i])
    out_types = op.type_rule(sample.params, sample.inputs)
    cts = tuple(b.param(t) for t in out_types)
    back = op.transpose(b, sample.params, tuple(inputs), cts)
    assert len(back) == len(inputs)
    if any(back[i] is None for i in linear):
        return False
    wanted = [back[i] for i in linear]
    assert [t.type for t in wanted if t is not None] == [sample.inputs[i] for i in linear]
    assert all(t is None for i, t in enumerate(back) if i not in linear)
    function = b.finish("back", [materialise(t) for t in wanted if t is not None])
    verify(function)
    arrays = arrays_of(op, sample)
    along = {i: direction(rng, sample.inputs[i]) for i in linear}
    weights = [direction(rng, t) for t in out_types]
    pulled = evaluate(function, [*arrays, *weights])
    there = run(op, sample, [along.get(i, x) for i, x in enumerate(arrays)])
    origin = run(op, sample, [np.zeros_like(x) if i in along else x for i, x in enumerate(arrays)])
    left = sum(pair(w, y.astype(np.complex128) - z) for w, y, z in zip(weights, there, origin, strict=True))
    right = sum(pair(p, along[i]) for p, i in zip(pulled, linear, strict=True))
    np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-4, err_msg=f"{op.name} {sample} {linear}")
    return True


def pair(ct: Array, t: Array) -> float:
    return float(np.sum(ct.astype(np.complex128) * t).real)


def check_transpose_of_zero(op: Op[Any], sample: Sample[Any], linear: tuple[int, ...]) -> None:
    assert not isinstance(op.transpose, NotLinear)
    b = Builder()
    inputs = [Linear(t) if i in linear else b.param(t) for i, t in enumerate(sample.inputs)]
    cts = tuple(Zero(t) for t in op.type_rule(sample.params, sample.inputs))
    back = op.transpose(b, sample.params, tuple(inputs), cts)
    assert not b.equations
    assert all(t is None or isinstance(t, Zero) for t in back)


BATCHED = [op for op in PURE if any(s.inputs for s in op.samples)]


@pytest.mark.parametrize("op", BATCHED, ids=lambda op: op.name)
def test_batching_agrees_with_a_loop(op: Op[Any]) -> None:
    for sample in some(distinct(op)):
        for axes in some(batch_axes(sample)):
            check_batch(op, sample, axes)


def batch_axes(sample: Sample[Any]) -> Iterator[tuple[int | None, ...]]:
    """Each input alone at each place, all at the front, all at the back, and front and back mixed."""
    ranks = [t.rank for t in sample.inputs]
    none: list[int | None] = [None] * len(ranks)
    for i, rank in enumerate(ranks):
        for axis in range(rank + 1):
            yield (*none[:i], axis, *none[i + 1 :])
    if len(ranks) > 1:
        yield tuple(0 for _ in ranks)
        yield tuple(ranks)
        yield tuple(rank if i % 2 else 0 for i, rank in enumerate(ranks))
    if len(ranks) > 2:
        for left, right in itertools.combinations(range(len(ranks)), 2):
            yield tuple(ranks[i] if i == left else 0 if i == right else None for i in range(len(ranks)))


def check_batch(op: Op[Any], sample: Sample[Any], axes: tuple[int | None, ...], size: int = 3) -> None:
    b = Builder()
    params = []
    for t, axis in zip(sample.inputs, axes, strict=True):
        shape = t.shape if axis is None else (*t.shape[:axis], size, *t.shape[axis:])
        params.append(b.param(Tensor(t.dtype, shape)))
    outputs, out_axes = op.batch(b, sample.params, tuple(params), axes, size)
    function = b.finish("batched", outputs)
    verify(function)
    each = [arrays_of(op, sample, seed) for seed in range(size)]
    stacked = [each[0][i] if axis is None else np.stack([e[i] for e in each], axis) for i, axis in enumerate(axes)]
    together = evaluate(function, stacked)
    for seed in range(size):
        alone = run(op, sample, [each[0 if axis is None else seed][i] for i, axis in enumerate(axes)])
        for whole, axis, expected in zip(together, out_axes, alone, strict=True):
            actual = whole if axis is None else np.take(whole, seed, axis)
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5, err_msg=f"{op.name} {sample} {axes}")
            assert actual.dtype == expected.dtype


@pytest.mark.parametrize("op", BATCHED, ids=lambda op: op.name)
def test_a_batch_of_nothing_is_nothing(op: Op[Any]) -> None:
    """All inputs mapped, and each alone, along an axis without elements: a batch of each result, without elements."""
    sample = op.samples[0]
    count = len(sample.inputs)
    for mapped in {(0,) * count, *(tuple([0 if j == i else None for j in range(count)]) for i in range(count))}:
        b = Builder()
        pairs = zip(sample.inputs, mapped, strict=True)
        params = [b.param(t if axis is None else Tensor(t.dtype, (0, *t.shape))) for t, axis in pairs]
        outputs, axes = op.batch(b, sample.params, tuple(params), mapped, 0)
        verify(b.finish("batched", outputs))
        for found, axis, wanted in zip(some(outputs), axes, op.type_rule(sample.params, sample.inputs), strict=True):
            assert axis is not None or wanted == found.type
            if axis is not None:
                shape = found.type.shape
                assert (shape[axis], (*shape[:axis], *shape[axis + 1 :])) == (0, wanted.shape)


@pytest.mark.parametrize("op", list(OPS.values()), ids=lambda op: op.name)
def test_an_op_says_what_it_does(op: Any) -> None:
    assert op.doc.endswith(".") and op.doc[0] != " "
    assert OPS[op.name] is op


# --- the checks themselves are shown to fail --------------------------------------------------------------


def halved(rule: Any) -> Any:
    """A jvp or transpose rule whose results are wrong by a factor."""

    def wrong(b: Builder, *args: Any) -> tuple[Any, ...]:
        return tuple(mul(b, t, splat(0.5, t.type)) if isinstance(t, Var) else t for t in rule(b, *args))

    return wrong


def test_a_wrong_derivative_is_caught() -> None:
    broken = replace(SIN, jvp=halved(SIN.jvp))
    with pytest.raises(AssertionError):
        test_jvp_agrees_with_finite_differences(broken)


def test_a_wrong_transpose_is_caught() -> None:
    broken = replace(REDUCE_SUM, transpose=halved(REDUCE_SUM.transpose))
    with pytest.raises(AssertionError):
        test_transpose_is_the_adjoint(broken)


def test_a_wrong_batch_axis_is_caught() -> None:
    def wrong(b: Builder, *args: Any) -> Any:
        outputs, axes = REV.batch(b, *args)
        return outputs, tuple(0 for _ in axes)

    with pytest.raises(AssertionError):
        test_batching_agrees_with_a_loop(replace(REV, batch=wrong))


def test_a_wrong_dtype_of_evaluation_is_caught() -> None:
    broken = replace(SIN, evaluate=lambda params, types, x: (np.sin(x.astype(np.float64)),))
    with pytest.raises(AssertionError):
        test_evaluation_has_the_types_of_the_type_rule(broken)


def test_a_rule_that_materialises_zeros_is_caught() -> None:
    rule: Any = REV.jvp

    def wrong(b: Builder, params: Any, xs: Any, ys: Any, ts: Any) -> Any:
        return rule(b, params, xs, ys, tuple(materialise(t) for t in ts))

    with pytest.raises(AssertionError):
        test_jvp_keeps_structural_zeros(replace(REV, jvp=wrong))

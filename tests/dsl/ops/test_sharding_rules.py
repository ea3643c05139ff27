"""What ops say of their axes, held against their samples: a part of the operands makes a part of the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.ir.build import Builder
from dsl.ir.function import Equation, Tensor, Var
from dsl.ir.op import Factors, Op, RegionOp, Sample
from dsl.ir.region import CannotTransform
from dsl.ops.factors import reshaped
from dsl.ops.layout import REDUCE_SUM, AxesParams
from dsl.ops.named_axes import NamedAxisParams
from dsl.ops.sharding.with_sharding import WITH_SHARDING, ShardingParams
from dsl.ops.table import OPS
from dsl.transforms.layouts import factors_of, sizes_of, spread_of
from tests.support.cases import some, some_of_example
from tests.support.op_samples import arrays_of, distinct, run

Array = np.ndarray[Any, Any]
FIRST_ORDER = [op for op in OPS.values() if isinstance(op, Op)]
EVALUATED = [op for op in FIRST_ORDER if op.effect is None and op.name != "stablehlo"]
EACH = pytest.mark.parametrize("op", FIRST_ORDER, ids=lambda op: op.name)
OPERANDS = [op for op in FIRST_ORDER if any(sample.inputs for sample in op.samples)]


def factors(op: Op[Any], sample: Sample[Any]) -> Factors:
    found = factors_of(equation(op, sample))
    assert found is not None, f"{op.name} says nothing of its axes"
    return found


def equation(op: Op[Any], sample: Sample[Any]) -> Equation:
    outputs = op.type_rule(sample.params, sample.inputs)
    inputs, results = ([Var(t) for t in types] for types in (sample.inputs, outputs))
    return Equation(op, sample.params, tuple(inputs), tuple(results), None)


@EACH
def test_every_axis_is_spoken_of_once(op: Op[Any]) -> None:
    assert op.samples
    for sample in op.samples:
        found, outputs = factors(op, sample), op.type_rule(sample.params, sample.inputs)
        assert [len(row) for row in found.operands] == [t.rank for t in sample.inputs]
        assert [len(row) for row in found.results] == [t.rank for t in outputs]
        for row in (*found.operands, *found.results):
            named = [factor for factor in row if factor is not None]
            assert len(set(named)) == len(named), (sample, found)


# ------------------------------------------------------------ the parts of the operands make those of the results


def partitions(op: Op[Any]) -> Iterator[tuple[Sample[Any], Factors, int, int]]:
    """Each factor of a sample, and the fewest parts that divide all its axes."""
    for sample in distinct(op):
        found = factors(op, sample)
        for factor in sorted({each for row in (*found.operands, *found.results) for each in row if each is not None}):
            sizes = sizes_of(factor, found, equation(op, sample))
            parts = next((p for p in range(2, min(sizes) + 1) if all(n % p == 0 for n in sizes)), None)
            if parts is not None:
                yield sample, found, factor, parts


def part(x: Array, row: Sequence[int | None], factor: int, number: int, parts: int) -> tuple[slice, ...]:
    """The index of a part of an array."""
    index = [slice(None)] * x.ndim
    if factor in row:
        step = x.shape[row.index(factor)] // parts
        index[row.index(factor)] = slice(number * step, (number + 1) * step)
    return tuple(index)


PARTITIONED = [op for op in EVALUATED if any(partitions(op))]


@pytest.mark.parametrize("op", PARTITIONED, ids=lambda op: op.name)
def test_a_part_of_the_results_is_made_of_that_of_the_operands(op: Op[Any]) -> None:
    """Whatever is in the other parts of the operands."""
    for sample, found, factor, parts in some(partitions(op)):
        if not any(factor in row for row in found.results):
            continue
        xs, others = arrays_of(op, sample), arrays_of(op, sample, seed=1)
        whole = run(op, sample, xs)
        for number in some(range(parts)):
            changed = [np.array(x) for x in (others if sample.inputs else [])]
            for k, (x, row) in enumerate(zip(xs, found.operands, strict=True)):
                if factor in row:
                    index = part(x, row, factor, number, parts)
                    changed[k][index] = x[index]
                else:
                    changed[k] = x
            for y, z, row in zip(some(whole), run(op, sample, changed), found.results, strict=True):
                if factor in row:
                    index = part(y, row, factor, number, parts)
                    np.testing.assert_allclose(z[index], y[index], rtol=1e-9, err_msg=f"{sample} {found} {factor}")
                else:
                    np.testing.assert_allclose(z, y, rtol=1e-9, err_msg=f"{sample} {found} {factor}")


@pytest.mark.parametrize("op", PARTITIONED, ids=lambda op: op.name)
def test_partial_results_combine_to_the_whole(op: Op[Any]) -> None:
    """By the reduction itself, or a sum."""
    for sample, found, factor, parts in some(partitions(op)):
        if any(factor in row for row in found.results):
            continue
        xs = arrays_of(op, sample)
        pieces = []
        for number in range(parts):
            cut = [x[part(x, row, factor, number, parts)] for x, row in zip(xs, found.operands, strict=True)]
            types = tuple([Tensor(t.dtype, x.shape) for t, x in zip(sample.inputs, cut, strict=True)])
            pieces.append(op.evaluate(sample.params, types, *cut))
        for k, y in enumerate(some(run(op, sample, xs))):
            stacked = np.stack([piece[k] for piece in pieces])
            combine = op if isinstance(sample.params, AxesParams) else REDUCE_SUM
            type = Tensor(op.type_rule(sample.params, sample.inputs)[k].dtype, stacked.shape)
            (combined,) = combine.evaluate(AxesParams((0,)), (type,), stacked)
            each = float(ml_dtypes.finfo(y.dtype).eps) if type.dtype.is_inexact else 0.0  # a rounding of each piece
            room = (parts + 1) * each * np.abs(stacked).max(initial=0).astype(np.float64)
            np.testing.assert_allclose(combined, y, rtol=8 * each, atol=room, err_msg=f"{sample} {found} {factor}")


def test_most_ops_have_factors_that_are_checked() -> None:
    checked = {op.name for op in EVALUATED for _ in partitions(op)}
    assert len(checked) > 0.9 * len([op for op in EVALUATED if op in OPERANDS])
    assert {"dot_general", "gather", "sort", "lu", "fft", "conv_general", "reshape", "all_gather"} <= checked


# ------------------------------------------------------------ a batch can be partitioned


@pytest.mark.parametrize("op", OPERANDS, ids=lambda op: op.name)
def test_a_batch_is_partitioned_along_its_axis_and_nothing_is_sent(op: Op[Any]) -> None:
    if op.place is not None or op.effect == "io":  # it says itself how an array lies, or one device gets all
        return
    axis = NamedAxisParams("batch", 2)
    for sample in some(distinct(op)):
        b = Builder()
        params = [b.param(Tensor(t.dtype, (2, *t.shape))) for t in sample.inputs]
        cut = [WITH_SHARDING(b, ShardingParams((axis,), (0,)), x)[0] for x in params]
        try:
            outputs, axes = op.batch(b, sample.params, tuple(cut), (0,) * len(cut), 2)
        except CannotTransform:
            assert op.effect is not None
            continue
        function = b.finish("batched", outputs)
        if any(isinstance(equation.op, RegionOp) for equation in function.equations):
            continue  # calls one after the other
        spread = spread_of(function)
        assert [spread.layout(y) for y in function.results if isinstance(y, Var)] == [{axis: a} for a in axes], function
        assert not any(each.said.sent for each in spread.parts), function


# ------------------------------------------------------------ reshapes

SHAPES = st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=4)


@given(SHAPES, st.data())
def test_a_reshape_keeps_parts_in_one_piece(shape: list[int], data: st.DataObject) -> None:
    count = int(np.prod(shape))
    target: list[int] = []
    while np.prod(target) < count and len(target) < 5:
        left = count // int(np.prod(target))
        target.append(data.draw(st.sampled_from([n for n in range(1, left + 1) if left % n == 0])))
    target.append(count // int(np.prod(target)))
    x = np.arange(count).reshape(shape)
    source_row, target_row = reshaped(shape, target)
    cuts = [
        (factor, parts)
        for factor in {each for each in source_row if each is not None}
        for parts in range(2, 1 + count)
        if shape[source_row.index(factor)] % parts == 0 and target[target_row.index(factor)] % parts == 0
    ]
    for factor, parts in some_of_example(cuts):
        for number in some(range(parts)):
            whole, piece = x.reshape(target), x[part(x, source_row, factor, number, parts)]
            wanted = whole[part(whole, target_row, factor, number, parts)]
            assert sorted(piece.ravel()) == sorted(wanted.ravel())


def test_axes_that_stay_merge_or_split_keep_their_first() -> None:
    assert reshaped((2, 3, 4), (2, 12)) == ((0, 1, None), (0, 1))
    assert reshaped((6, 4), (2, 3, 4)) == ((0, 1), (0, None, 1))
    assert reshaped((1, 5), (5, 1)) == ((None, 0), (0, None))
    assert reshaped((), (1, 1)) == ((), (None, None))


# ------------------------------------------------------------ costs of many axes


def test_the_cost_of_a_product_of_many_axes() -> None:
    names = [f"a{k}" for k in range(14)], [f"b{k}" for k in range(13)]
    left, right = (", ".join([*each]) for each in names)
    m = dsl.program(
        f"def f(x: f32[{left}, n], y: f32[n, {right}]) -> f32[{left}, {right}] =\n"
        "    tensordot(with_sharding(x, mesh(data=2), {data = 0}), y, axes=1)\n"
    )
    sizes = {name: 2 if name == "a0" else 1 for name in (*names[0], *names[1])}
    found = dsl.cost(m.f, {"data": 2}, n=8, **sizes)
    assert (found.flops, found.sent) == (2 * 8, {})
    contracted = dsl.program(
        f"def f(x: f32[{left}, n], y: f32[n, {right}]) -> f32[{left}, {right}] =\n"
        "    tensordot(with_sharding(x, mesh(data=2), {data = 14}), y, axes=1)\n"
    )
    assert dsl.cost(contracted.f, {"data": 2}, n=8, **sizes).sent == {"data": 2 * 4 * 2 * 1 // 2}


def test_what_is_printed_of_a_partitioned_array_is_gathered() -> None:
    m = dsl.program(
        "def f(x: f32[n]) -> f32[n] ! io =\n"
        "    let y = with_sharding(2.0 * x, mesh(data=2), {data = 0})\n"
        '    print("{}", y)\n'
        "    y\n"
    )
    assert dsl.cost(m.f, {"data": 2}, n=8).sent == {"data": 8 * 4 // 2}

"""What ops say of themselves, held against their samples: an optimisation may rely on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dsl.ir.op import NotLinear, Op, Sample
from dsl.ir.traits import Cost, Traits
from dsl.ops.elementwise import ADD, DIV, SUB
from dsl.ops.layout import REDUCE_SUM
from dsl.ops.table import OPS
from dsl.ops.unary import EXP
from dsl.records import replace
from dsl.types.dtype import BF16, F16
from tests.support.cases import some
from tests.support.op_samples import arrays_of, distinct, run

Array = np.ndarray[Any, Any]
PURE = [op for op in OPS.values() if isinstance(op, Op) and op.effect is None]
LINEAR = [op for op in PURE if not isinstance(op.transpose, NotLinear)]


@pytest.mark.parametrize("op", [o for o in PURE if o.traits.commutative], ids=lambda op: op.name)
def test_operands_may_be_exchanged(op: Op[Any]) -> None:
    for sample in some(op.samples):
        x, y, *rest = arrays_of(op, sample)
        assert all(map(same, run(op, sample, [x, y, *rest]), run(op, sample, [y, x, *rest]))), sample


@pytest.mark.parametrize("op", [o for o in PURE if o.traits.moves], ids=lambda op: op.name)
def test_numbers_are_those_of_the_operands(op: Op[Any]) -> None:
    for sample in some(op.samples):
        arrays = arrays_of(op, sample)
        given = np.concatenate([np.zeros(1), *map(sizes, arrays)])
        for result in some(run(op, sample, arrays)):
            assert np.isin(sizes(result), given).all(), sample


@pytest.mark.parametrize("op", [o for o in PURE if o.traits.cost is not Cost.HIGH], ids=lambda op: op.name)
def test_to_compute_it_once_more_reads_no_more_than_it_writes(op: Op[Any]) -> None:
    for sample in some(op.samples):
        (result,) = op.type_rule(sample.params, sample.inputs)
        read = [t.size for t in sample.inputs]
        assert all(size <= result.size for size in read), sample
        assert op.traits.cost is not Cost.FREE or len(read) < 2, sample


@pytest.mark.parametrize("op", [o for o in PURE if o.traits.multilinear], ids=lambda op: op.name)
def test_linear_in_each(op: Op[Any]) -> None:
    for sample in some(smooth(op)):
        for place in some(op.traits.multilinear):
            check_linear(op, sample, [place])


@pytest.mark.parametrize("op", [o for o in LINEAR if not o.traits.multilinear], ids=lambda op: op.name)
def test_linear_in_all_together(op: Op[Any]) -> None:
    for sample in some(smooth(op)):
        check_linear(op, sample, [i for i, t in enumerate(sample.inputs) if t.dtype.is_inexact])


def smooth(op: Op[Any]) -> list[Sample[Any]]:
    """The samples with inexact operands and results, none of them of half precision."""
    found = []
    for sample in distinct(op):
        dtypes = [t.dtype for t in (*sample.inputs, *op.type_rule(sample.params, sample.inputs))]
        inexact = all(t.dtype.is_inexact for t in op.type_rule(sample.params, sample.inputs))
        if inexact and any(d.is_inexact for d in dtypes[: len(sample.inputs)]) and not {BF16, F16} & set(dtypes):
            found.append(sample)
    return found


def check_linear(op: Op[Any], sample: Sample[Any], places: Sequence[int]) -> None:
    """f(x + 2 y) is f(x) + 2 f(y) in the operands at `places`, the others fixed."""
    xs = arrays_of(op, sample)
    ys = [y if i in places else x for i, (x, y) in enumerate(zip(xs, arrays_of(op, sample, seed=1), strict=True))]
    both = [x + 2 * y if i in places else x for i, (x, y) in enumerate(zip(xs, ys, strict=True))]
    results = [run(op, sample, each) for each in (xs, ys, both)]
    for fx, fy, f in zip(*results, strict=True):
        single = {np.dtype(np.float32), np.dtype(np.complex64)} & {f.dtype, *[x.dtype for x in xs]}
        close = 1e-4 if single else 1e-9
        np.testing.assert_allclose(f, fx + 2 * fy, rtol=close, atol=close, err_msg=f"{op.name} {sample}")


def same(x: Array, y: Array) -> bool:
    """Bit by bit; NumPy rounds the two parts of a complex product differently."""
    if x.dtype.kind == "c":
        return bool(np.allclose(x, y, rtol=1e-6))
    return x.dtype == y.dtype and x.tobytes() == y.tobytes()


def sizes(x: Array) -> Array:
    """The real numbers in an array, without their signs; minus one of an unsigned number is what wraps to it."""
    flat = np.asarray(x).ravel()
    if flat.dtype.kind == "c":
        flat = np.concatenate([flat.real, flat.imag])
    if flat.dtype.kind == "u":
        flat = flat.view(f"i{flat.dtype.itemsize}")
    return np.abs(flat.astype(np.float64))


# --- what is said and not so is caught --------------------------------------------------------------------


def test_a_difference_does_not_commute() -> None:
    with pytest.raises(AssertionError):
        test_operands_may_be_exchanged(replace(SUB, traits=Traits(commutative=True)))


def test_a_sum_moves_nothing() -> None:
    with pytest.raises(AssertionError):
        test_numbers_are_those_of_the_operands(replace(ADD, traits=Traits(moves=True)))


def test_a_reduction_is_not_cheap() -> None:
    with pytest.raises(AssertionError):
        test_to_compute_it_once_more_reads_no_more_than_it_writes(replace(REDUCE_SUM, traits=Traits(cost=Cost.CHEAP)))


def test_a_quotient_is_not_linear_in_its_divisor() -> None:
    with pytest.raises(AssertionError):
        test_linear_in_each(replace(DIV, traits=Traits(multilinear=(0, 1))))


def test_a_quotient_is_not_linear_in_both_together() -> None:
    with pytest.raises(AssertionError):
        test_linear_in_all_together(replace(DIV, traits=Traits()))


def test_what_has_a_transpose_is_linear() -> None:
    with pytest.raises(AssertionError):
        test_linear_in_all_together(replace(EXP, transpose=ADD.transpose))

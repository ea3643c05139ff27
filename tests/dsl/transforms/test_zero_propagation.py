"""The pass that weakens products: it knows every zero by selection, and leaves no more to absorb than there is."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import NotLinear, Op, Sample
from dsl.ops.builders import (
    add,
    broadcast_in_dim,
    compare,
    convert,
    cos,
    dot_general,
    exp,
    iota,
    log,
    maximum,
    mul,
    reduce_sum,
    select,
    sin,
    splat,
    sqrt,
    zeros,
)
from dsl.ops.contract import DOT_GENERAL, masked_product
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.elementwise import SCALE, scale
from dsl.ops.table import OPS
from dsl.ops.zero_flow import ANYTHING, WILD, ZERO
from dsl.records import replace
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.region_map import innermost_first
from dsl.transforms.zero_propagation import absorb, after
from dsl.types.dtype import F32, F64, I32
from tests.support.cases import some
from tests.support.derivative import grad

VECTOR = Tensor(F64, (3,))
LINEAR = [
    op
    for op in OPS.values()
    if isinstance(op, Op) and not isinstance(op.transpose, NotLinear) and op.samples and op is not SCALE
]


def operands(op: Op[Any], sample: Sample[Any]) -> list[np.ndarray[Any, Any]]:
    """Numbers that cancel nowhere, in the places where floats are."""
    rng = np.random.default_rng(zlib.crc32(repr((op.name, sample.inputs)).encode()))
    drawn = sample.draw(rng) if sample.draw is not None else [None] * len(sample.inputs)
    return [
        rng.uniform(0.5, 2.0, t.shape).astype(t.dtype.numpy)
        if t.dtype.is_inexact
        else np.asarray(rng.integers(0, 2, t.shape) if x is None else x).astype(t.dtype.numpy)
        for x, t in zip(drawn, sample.inputs, strict=True)
    ]


@pytest.mark.parametrize("op", LINEAR, ids=lambda op: str(op.name))
def test_a_zero_that_a_linear_op_gives_is_foreseen(op: Op[Any]) -> None:
    """Where nothing is zero, no result is; one zero operand makes no zero result, if the rule does not say so."""
    for sample in some(op.samples):
        if not any(t.dtype.is_float for t in sample.inputs):
            continue
        arrays = operands(op, sample)
        outputs = op.type_rule(sample.params, sample.inputs)
        b = Builder()
        inputs = [b.param(t) for t in sample.inputs]
        op(b, sample.params, *inputs)
        for cleared in (None, *range(len(arrays))):
            given = [np.zeros_like(x) if k == cleared else x for k, x in enumerate(arrays)]
            facts = tuple([ANYTHING if k == cleared or 0 in x.shape else WILD for k, x in enumerate(arrays)])
            found = op.evaluate(sample.params, sample.inputs, *given)
            says = after(op, b.equations[0], facts)
            for y, t in zip(some(found), outputs, strict=True):
                if t.dtype.is_inexact and (np.asarray(y) == 0).any():
                    assert says & ZERO, (op.name, sample, cleared)


def names(function: Function) -> set[str]:
    return {e.op.name for body in innermost_first(function) for e in body.equations}


def total(write: Callable[[Builder, Atom], Atom]) -> Function:
    b = Builder()
    x = b.param(VECTOR)
    return b.finish("f", [reduce_sum(b, write(b, x), (0,))])


def guarded(b: Builder, x: Atom) -> Atom:
    return select(b, compare(b, "gt", x, zeros(x.type)), sqrt(b, log(b, x)), zeros(x.type))


def test_without_a_choice_products_are_plain() -> None:
    done = run(grad(total(lambda b, x: mul(b, exp(b, x), sqrt(b, log(b, x)))), (0,)), LOWERING, check=True)
    assert not names(done) & {"scale", "select", "compare"}


def test_what_is_chosen_absorbs_on_one_side() -> None:
    done = run(grad(total(guarded), (0,)), LOWERING, check=True)
    assert "scale" not in names(done)
    assert sum(e.op.name == "select" for e in done.equations) == 3


def test_two_choices_absorb_on_both_sides() -> None:
    b = Builder()
    x, y = b.param(VECTOR), b.param(VECTOR)
    first = select(b, compare(b, "gt", x, y), x, zeros(x.type))
    second = select(b, compare(b, "lt", x, y), y, zeros(x.type))
    f = b.finish("f", [scale(b, first, second)])
    assert absorb(f, WILD) is f


def test_a_finite_factor_needs_no_absorbing() -> None:
    """The share of a maximum is made of literals, and what is above it of zeros by selection."""
    done = run(grad(total(lambda b, x: maximum(b, cos(b, guarded(b, x)), zeros(x.type))), (0,)), LOWERING)
    assert "scale" not in names(done)


def after_scaling(write: Callable[[Builder, Atom, Atom], Atom]) -> list[Equation]:
    """The equations of scale(write(x, y), exp(y))."""
    b = Builder()
    x, y = b.param(VECTOR), b.param(VECTOR)
    return list(absorb(b.finish("f", [scale(b, write(b, x, y), exp(b, y))]), WILD).equations)


@pytest.mark.parametrize(
    ("write", "absorbs"),
    [
        (lambda b, x, y: x, False),
        (lambda b, x, y: select(b, compare(b, "gt", x, y), x, zeros(x.type)), True),
        (lambda b, x, y: select(b, compare(b, "gt", x, y), x, splat(1, x.type)), False),
        (lambda b, x, y: convert(b, compare(b, "gt", x, y), F64), True),
        (lambda b, x, y: mul(b, x, convert(b, compare(b, "gt", x, y), F64)), True),
        (lambda b, x, y: exp(b, convert(b, compare(b, "gt", x, y), F64)), False),
    ],
)
def test_what_a_zero_can_get_to(write: Callable[[Builder, Atom, Atom], Atom], absorbs: bool) -> None:
    assert (after_scaling(write)[-1].op.name == "select") is absorbs


def loop(b: Builder, start: Atom, x: Atom) -> tuple[Atom, ...]:
    inner = Builder()
    carry, step = inner.param(Tensor(F64)), inner.param(Tensor(F64))
    made = scale(inner, carry, exp(inner, step))
    body = inner.finish("step", (made, made))
    return SCAN(b, ScanParams(body, 0, 1, 3), start, x)


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_loop_that_starts_at_a_literal_zero_absorbs(start: float) -> None:
    b = Builder()
    x = b.param(VECTOR)
    f = b.finish("f", loop(b, splat(start, Tensor(F64)), x))
    done = absorb(f, WILD)
    assert ("select" in names(done)) is (start == 0)
    arrays = [np.array([1.0, np.inf, np.nan])]
    for mine, plain in zip(evaluate(done, arrays), evaluate(f, arrays), strict=True):
        np.testing.assert_array_equal(mine, plain)


DOTS = [sample for sample in DOT_GENERAL.samples if sample.inputs[0].dtype is F32 and 0 not in sample.inputs[1].shape]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("sample", DOTS, ids=lambda sample: str(sample.params.lhs_contract))
def test_what_only_zeros_meet_is_left_out_of_a_sum(sample: Sample[Any], side: int) -> None:
    """Zeros of one operand where the other is wild, which is for whole slices of the axes that meet."""
    p = sample.params
    axes = [(*p.lhs_contract, *p.lhs_batch), (*p.rhs_contract, *p.rhs_batch)]
    shape = [sample.inputs[0].shape[a] for a in axes[0]]
    rng = np.random.default_rng(0)
    out = rng.random(shape) < 0.5 if shape else np.array(True)
    arrays = []
    for k, (type, met, value) in enumerate(zip(sample.inputs, axes, (0.0, np.inf), strict=True)):
        moved = np.moveaxis(rng.uniform(1, 2, type.shape), met, range(len(met)))
        moved[out] = value if side == 0 else (np.nan if k == 0 else 0.0)
        arrays.append(np.moveaxis(moved, range(len(met)), met).astype(np.float32))
    b = Builder()
    x, y = [b.param(t) for t in sample.inputs]
    (total,) = DOT_GENERAL(b, replace(p, absorbs=True), x, y)
    whole = b.finish("f", [total])
    b = Builder()
    x, y = [b.param(t) for t in sample.inputs]
    kept = b.finish("f", [masked_product(b, p, x, y, side == 0, side == 1)])
    (expected,), (found,) = evaluate(whole, arrays), evaluate(kept, arrays)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_only_what_a_choice_left_out_shelters_a_sum() -> None:
    def slope(write: Callable[[Builder, Atom, Atom], Atom]) -> set[str]:
        b = Builder()
        x, y = b.param(VECTOR), b.param(VECTOR)
        product = dot_general(b, x, y, ((0,), (0,)))
        return names(run(grad(b.finish("f", [write(b, product, reduce_sum(b, x, (0,)))]), (0,)), LOWERING))

    one = Tensor(F64)
    assert "reduce_or" not in slope(lambda b, product, sum: mul(b, sum, maximum(b, product, sum)))
    assert "select" in slope(lambda b, product, sum: select(b, compare(b, "gt", sum, zeros(one)), product, zeros(one)))


def test_a_condition_that_is_the_same_in_each_run_chooses_nothing() -> None:
    """A triangle is a place, as a slice is; turns of a loop and what was given are known when the program runs."""

    def slope(condition: Callable[[Builder, Atom, Atom], Atom]) -> set[str]:
        def turn() -> Function:
            b = Builder()
            x, sum, at = b.param(VECTOR), b.param(VECTOR), b.param(Tensor(I32))
            product = dot_general(b, x, sin(b, x), ((0,), (0,)))
            chosen = select(b, condition(b, at, x), broadcast_in_dim(b, product, (3,), ()), zeros(VECTOR))
            return b.finish("turn", [add(b, sum, chosen)])

        def looped(b: Builder, x: Atom) -> Atom:
            places = iota(b, I32, (4,), 0)
            return SCAN(b, ScanParams(turn(), 1, 1, 4), x, zeros(VECTOR), places)[0]

        return names(run(grad(total(looped), (0,)), LOWERING))

    def below(b: Builder, x: Atom, bound: int) -> Atom:
        return compare(b, "lt", x, splat(bound, x.type))

    def turns(b: Builder, at: Atom, x: Atom) -> Atom:
        return broadcast_in_dim(b, below(b, at, 2), (3,), ())

    assert "reduce_or" not in slope(lambda b, at, x: below(b, iota(b, I32, (3,), 0), 2))
    assert "reduce_or" in slope(lambda b, at, x: below(b, x, 2))
    assert "reduce_or" in slope(turns)

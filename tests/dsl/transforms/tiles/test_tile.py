"""Large values become tiles, and nothing else changes: every op, random programs, and what must stay as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Factors, Op, Sample
from dsl.ir.verify import verify
from dsl.ir.walk import equations
from dsl.ops.builders import (
    argmax,
    compare,
    convert,
    cumsum,
    dot_general,
    exp,
    iota,
    maximum,
    mul,
    neg,
    reduce_max,
    select,
    sub,
    tanh,
)
from dsl.ops.control.scan import ScanParams
from dsl.ops.elementwise import add, div
from dsl.ops.layout import broadcast_in_dim, reduce_sum, reshape, transpose
from dsl.ops.table import OPS
from dsl.transforms.dce import eliminate
from dsl.transforms.estimate import peak_of
from dsl.transforms.layouts import factors_of
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.tiles.resize import can_be_cut, is_separable, lengths, part, resized
from dsl.transforms.tiles.tile import tile
from dsl.types.dtype import F64, I32
from tests.support.cases import some
from tests.support.derivative import grad
from tests.support.op_samples import arrays_of, distinct
from tests.support.op_samples import run as run_op
from tests.support.programs import number, program

FIRST_ORDER = [op for op in OPS.values() if isinstance(op, Op) and op.effect is None]
ROWS, COLUMNS = Tensor(F64, (6,)), Tensor(F64, (5,))


# ------------------------------------------------------------ an op on a part of its operands


def resizings(op: Op[Any]) -> Iterator[tuple[Sample[Any], Equation, Factors, int]]:
    """The factors along which an equation of a sample can be tiled."""
    for sample in distinct(op):
        outputs = op.type_rule(sample.params, sample.inputs)
        equation = Equation(op, sample.params, tuple(map(Var, sample.inputs)), tuple(map(Var, outputs)), None)
        factors = factors_of(equation)
        if factors is None or not can_be_cut(equation):
            continue
        named = {factor for row in factors.results for factor in row if factor is not None}
        for factor in sorted(named):
            sizes = lengths(equation, factors, factor)
            if len(sizes) == 1 and max(sizes) > 1 and is_separable(equation, factors, factor):
                yield sample, equation, factors, factor


def taken(x: np.ndarray[Any, Any], row: Sequence[int | None], factor: int) -> np.ndarray[Any, Any]:
    """All but the first of the elements along the axis with a factor."""
    return x.take(range(1, x.shape[row.index(factor)]), row.index(factor)) if factor in row else x


TILED = [op for op in FIRST_ORDER if any(resizings(op))]


@pytest.mark.parametrize("op", TILED, ids=lambda op: op.name)
def test_a_tile_of_the_operands_makes_that_of_the_results(op: Op[Any]) -> None:
    for sample, equation, factors, factor in some(resizings(op)):
        (size,) = lengths(equation, factors, factor)
        params = resized(equation, factors, factor, size - 1)
        if params is None:
            continue
        xs = arrays_of(op, sample)
        tiles = [taken(np.asarray(x), row, factor) for x, row in zip(xs, factors.operands, strict=True)]
        types = [part(t, row, factor, size - 1) for t, row in zip(sample.inputs, factors.operands, strict=True)]
        found = op.evaluate(params, tuple(types), *tiles)
        for y, z, row in zip(found, run_op(op, sample, xs), factors.results, strict=True):
            np.testing.assert_allclose(y, taken(z, row, factor), rtol=2e-6, err_msg=f"{sample} {factor}")


def test_ops_of_elements_and_reductions_are_tiled() -> None:
    assert {"add", "select", "convert", "broadcast_in_dim", "transpose", "reduce_sum", "argmax"} <= {
        op.name for op in TILED
    }
    assert "iota" not in {op.name for op in TILED}


# ------------------------------------------------------------ programs


def pairs(b: Builder, x: Atom, y: Atom) -> tuple[Atom, Atom]:
    """The elements of both for all pairs."""
    shape = (x.type.shape[0], y.type.shape[0])
    return broadcast_in_dim(b, x, shape, (0,)), broadcast_in_dim(b, y, shape, (1,))


def loops(f: Function) -> list[ScanParams]:
    return [e.params for e in equations(f) if isinstance(e.params, ScanParams)]


def values(f: Function, seed: int = 0) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, t.shape).astype(t.dtype.numpy) for t in f.param_types]


def tiled(f: Function, size: int = 6) -> Function:
    found = eliminate(tile(f, size))
    verify(found)
    for y, z in zip(evaluate(found, values(f)), evaluate(f, values(f)), strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-12, atol=1e-14)
    return found


def softmax(b: Builder, x: Atom, y: Atom) -> Atom:
    """The mean of `y` for each `x`, weighted by closeness: sums of rows that go on in the same rows."""
    p, q = pairs(b, x, y)
    d = neg(b, mul(b, sub(b, p, q), sub(b, p, q)))
    e = exp(b, sub(b, d, broadcast_in_dim(b, reduce_max(b, d, (1,)), d.type.shape, (0,))))
    weights = div(b, e, broadcast_in_dim(b, reduce_sum(b, e, (1,)), d.type.shape, (0,)))
    return reduce_sum(b, mul(b, weights, q), (1,))


MANY = (Tensor(F64, (40,)), Tensor(F64, (60,)))


def test_rows_that_belong_together_run_in_one_loop() -> None:
    f = program(MANY, softmax)
    found = tiled(f, 256)
    (loop,) = loops(found)
    assert (loop.length, loop.carry) == (10, 0)
    assert peak_of(found) < peak_of(f) / 4


def test_the_last_tile_may_be_smaller() -> None:
    f = program((Tensor(F64, (41,)), Tensor(F64, (60,))), softmax)
    (loop,) = loops(tiled(f, 256))
    assert loop.length == 10


def test_the_derivative_runs_tile_by_tile() -> None:
    f = run(grad(program(MANY, lambda b, x, y: reduce_sum(b, softmax(b, x, y), (0,))), (0, 1)), LOWERING)
    found = tiled(f, 256)
    assert loops(found)
    assert peak_of(found) < peak_of(f) / 3


def test_parts_of_a_sum_are_added() -> None:
    """Over all elements, over the tiled axis, and the largest of all."""

    def write(b: Builder, x: Atom, y: Atom) -> tuple[Atom, ...]:
        p, q = pairs(b, x, y)
        d = tanh(b, mul(b, tanh(b, sub(b, p, q)), exp(b, q)))
        return reduce_sum(b, d, (0, 1)), reduce_sum(b, d, (0,)), reduce_max(b, d, (0, 1)), reduce_sum(b, d, (1,))

    (loop,) = loops(tiled(program(MANY, write), 128))
    assert loop.length >= 8


def test_a_value_that_is_needed_outside_is_kept() -> None:
    def write(b: Builder, x: Atom, y: Atom) -> tuple[Atom, ...]:
        d = sub(b, *pairs(b, x, y))
        e = exp(b, mul(b, tanh(b, d), exp(b, d)))
        return reduce_sum(b, mul(b, e, tanh(b, e)), (1,)), transpose(b, d, (1, 0))

    assert loops(tiled(program(MANY, write), 128))


def test_numbers_that_count_along_the_axis_are_no_part_of_a_tile() -> None:
    """The positions of the tiled rows come from outside, where they count from the first row."""

    def write(b: Builder, x: Atom, y: Atom) -> Atom:
        p, q = pairs(b, x, y)
        shape = p.type.shape
        before = compare(b, "lt", iota(b, I32, shape, 0), iota(b, I32, shape, 1))
        return reduce_sum(b, select(b, before, exp(b, mul(b, p, tanh(b, q))), number(0.0, p.type)), (1,))

    tiled(program(MANY, write), 64)


def test_both_axes_may_be_used() -> None:
    """A value and its transpose agree on no axis."""

    def write(b: Builder, x: Atom) -> Atom:
        d = exp(b, mul(b, *pairs(b, x, x)))
        return reduce_sum(b, mul(b, exp(b, add(b, d, transpose(b, d, (1, 0)))), d), (1,))

    tiled(program((Tensor(F64, (50,)),), write), 64)


def test_what_a_cache_holds_stays() -> None:
    f = program(MANY, softmax)
    assert tile(f, 1 << 20) is f


def test_one_pass_over_arrays_stays() -> None:
    """Nothing large is written: it is read once, and left to the compiler to fuse."""

    def write(b: Builder, x: Atom, y: Atom) -> tuple[Atom, ...]:
        return reduce_sum(b, mul(b, sub(b, x, y), sub(b, x, y)), (1,)), add(b, x, y)

    f = program((Tensor(F64, (40, 60)), Tensor(F64, (40, 60))), write)
    assert tile(f, 64) is f


def test_a_loop_that_spares_no_more_than_it_moves_stays() -> None:
    """Rows less their mean have two uses: written once, and so is the result."""

    def write(b: Builder, x: Atom) -> Atom:
        mean = broadcast_in_dim(b, reduce_sum(b, x, (1,)), (40, 60), (0,))
        centred = sub(b, x, mean)
        return mul(b, centred, broadcast_in_dim(b, reduce_sum(b, mul(b, centred, centred), (1,)), (40, 60), (0,)))

    f = program((Tensor(F64, (40, 60)),), write)
    assert tile(f, 64) is f


def test_a_product_of_matrices_stays() -> None:
    def write(b: Builder, x: Atom, y: Atom) -> Atom:
        return dot_general(b, x, y, ((1,), (1,)), ((), ()))

    f = program((Tensor(F64, (40, 60)), Tensor(F64, (50, 60))), write)
    assert tile(f, 64) is f


def attention(b: Builder, q: Atom, k: Atom, v: Atom) -> Atom:
    scores = dot_general(b, q, k, ((1,), (1,)))
    e = exp(b, sub(b, scores, broadcast_in_dim(b, reduce_max(b, scores, (1,)), scores.type.shape, (0,))))
    weights = div(b, e, broadcast_in_dim(b, reduce_sum(b, e, (1,)), scores.type.shape, (0,)))
    return dot_general(b, weights, v, ((1,), (0,)))


def test_attention_runs_in_tiles_of_enough_rows() -> None:
    f = program((Tensor(F64, (400, 4)), Tensor(F64, (50, 4)), Tensor(F64, (50, 3))), attention)
    (loop,) = loops(tiled(f, 1000))
    assert loop.length == 20
    assert tile(f, 500) is f, "a tile of ten rows"


# ------------------------------------------------------------ random programs


def random_program(random: Random) -> Function:
    """Values of several ranks that grow out of one another, and sums of some of them."""
    b = Builder()
    full = (6, 5, 4)
    pool: list[Atom] = [b.param(ROWS), b.param(COLUMNS), b.param(Tensor(F64, full[2:])), b.param(Tensor(F64, full))]
    axes: dict[Atom, tuple[int, ...]] = dict(zip(pool, [(0,), (1,), (2,), (0, 1, 2)], strict=True))
    kept: list[Atom] = []
    for _ in range(random.randrange(12, 30)):
        x = random.choice(pool)
        held = axes[x]
        match random.randrange(6):
            case 0:
                target = tuple(sorted({*held, *random.sample(range(3), 2)}))
                y, got = broadcast_in_dim(b, x, [full[a] for a in target], [target.index(a) for a in held]), target
            case 1:
                y, got = random.choice((tanh, exp, neg))(b, tanh(b, x)), held
            case 2:
                others = [z for z in pool if axes[z] == held]
                y, got = random.choice((mul, sub, add, maximum))(b, x, random.choice(others)), held
            case 3 if held:
                drop = random.sample(range(len(held)), random.randrange(1, len(held) + 1))
                y, got = random.choice((reduce_sum, reduce_max))(b, x, sorted(drop)), _without(held, drop)
            case 4 if held:
                found = convert(b, argmax(b, x, len(held) - 1, I32), F64)
                y, got = found, held[:-1]
            case _ if held:
                shape = x.type.shape
                turned = cumsum(b, transpose(b, x, range(x.type.rank)[::-1]), 0)
                y, got = reshape(b, transpose(b, turned, range(x.type.rank)[::-1]), shape), held
            case _:
                continue
        pool.append(y)
        axes[y] = got
        if random.random() < 0.1:
            kept.append(y)
    return b.finish("f", [*kept, pool[-1]])


def _without(held: tuple[int, ...], drop: Sequence[int]) -> tuple[int, ...]:
    return tuple([a for k, a in enumerate(held) if k not in drop])


@pytest.mark.parametrize("block", range(4))
def test_random_programs_compute_the_same(block: int) -> None:
    made = 0
    for seed in some(range(120 * block, 120 * block + 120)):
        random = Random(seed)
        f = eliminate(random_program(random))
        made += len(loops(tiled(f, random.choice((1, 2, 3, 5, 7)))))
    assert made > 2

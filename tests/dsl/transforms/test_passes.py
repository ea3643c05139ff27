"""The clean-up passes: exact, linear in the size of the program, and effective."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Literal, Tensor
from dsl.ir.verify import verify
from dsl.ops.annotations import stop_gradient
from dsl.ops.contract import dot_general
from dsl.ops.control import CALL, COND, SCAN, CallParams, CondParams, ScanParams
from dsl.ops.dynamic import dynamic_slice
from dsl.ops.elementwise import add, compare, convert, div, mul, neg, scale, select, sub
from dsl.ops.extent import slice_axis
from dsl.ops.index import WindowParams
from dsl.ops.layout import BROADCAST_IN_DIM, BroadcastParams, PermutationParams, reduce_sum, reshape, rev, transpose
from dsl.ops.power import integer_pow
from dsl.ops.selection import maximum, minimum
from dsl.ops.unary import exp, sin
from dsl.transforms.cse import merge
from dsl.transforms.dce import eliminate
from dsl.transforms.inline import inline
from dsl.transforms.pipeline import LOWERING, TIDY, run
from dsl.transforms.simplify import simplify
from dsl.transforms.vmap import vmap
from dsl.types.dtype import BOOL, F32, F64, I32
from tests.support.derivative import grad
from tests.support.programs import MATRIX, SCALAR, VECTOR, number, program

JAX_SIZES = (4, 13, 38, 94, 213, 466)
"""Equations of the n-th derivative of sin(x) * exp(x ** 2) as JAX 0.10 writes it, n = 0 … 5."""

COUNT = Tensor(I32)


def names(f: Function) -> list[str]:
    return [e.op.name for e in f.equations]


Write = Callable[[Builder, Atom], Atom]

GONE: dict[str, tuple[Tensor, Write]] = {
    "x * 1": (SCALAR, lambda b, x: mul(b, x, number(1.0))),
    "1 * x": (SCALAR, lambda b, x: mul(b, number(1.0), x)),
    "x + -0.0": (SCALAR, lambda b, x: add(b, x, number(-0.0))),
    "x - 0.0": (SCALAR, lambda b, x: sub(b, x, number(0.0))),
    "x / 1": (SCALAR, lambda b, x: div(b, x, number(1.0))),
    "x + 0 of integers": (COUNT, lambda b, x: add(b, x, Literal(0, COUNT))),
    "--x": (SCALAR, lambda b, x: neg(b, neg(b, x))),
    "transposes": (MATRIX, lambda b, x: transpose(b, transpose(b, x, (1, 0)), (1, 0))),
    "reshapes": (MATRIX, lambda b, x: reshape(b, reshape(b, x, (3, 2)), (2, 3))),
    "reversals": (VECTOR, lambda b, x: rev(b, rev(b, x, (0,)), (0,))),
    "same type": (SCALAR, lambda b, x: convert(b, x, F64)),
    "one choice": (SCALAR, lambda b, x: select(b, compare(b, "lt", x, number(0.0)), x, x)),
    "known choice": (SCALAR, lambda b, x: select(b, Literal(True, Tensor(BOOL)), x, sin(b, x))),
}


@pytest.mark.parametrize("case", GONE)
def test_neutral_operations_go(case: str) -> None:
    type, write = GONE[case]
    f = program([type], write)
    done = run(f, TIDY, check=True)
    assert names(done) == []
    assert done.results == done.params


KEPT: dict[str, Write] = {
    "x + 0.0": lambda b, x: add(b, x, number(0.0)),
    "x - -0.0": lambda b, x: sub(b, x, number(-0.0)),
    "0.0 - x": lambda b, x: sub(b, number(0.0), x),
    "x * 0.0": lambda b, x: mul(b, x, number(0.0)),
    "x - x": lambda b, x: sub(b, x, x),
    "x / x": lambda b, x: div(b, x, x),
}
SPECIAL = (-0.0, 0.0, 1.5, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize("case", KEPT)
def test_what_is_not_exact_stays(case: str) -> None:
    f = program([SCALAR], KEPT[case])
    done = simplify(f)
    assert len(done.equations) == 1


@pytest.mark.parametrize("case", [*KEPT, *[k for k, (t, _) in GONE.items() if t is SCALAR]])
def test_rewrites_keep_every_bit(case: str) -> None:
    f = program([SCALAR], KEPT[case] if case in KEPT else GONE[case][1])
    done = run(f, TIDY)
    for x in SPECIAL:
        (before,), (after,) = evaluate(f, [np.asarray(x)]), evaluate(done, [np.asarray(x)])
        assert repr(before) == repr(after)


@pytest.mark.parametrize(("direction", "op", "kept"), [("gt", maximum, 1), ("lt", minimum, 1), ("ge", maximum, 3)])
def test_what_chooses_the_larger_is_the_larger(direction: str, op: Callable[..., Atom], kept: int) -> None:
    def write(b: Builder, x: Atom, y: Atom) -> Atom:
        return select(b, compare(b, direction, x, y), x, stop_gradient(b, op(b, x, y)))

    f = program([SCALAR, SCALAR], write)
    done = run(f, LOWERING, check=True)
    assert len(done.equations) == kept
    for pair in product(SPECIAL, SPECIAL):
        (before,), (after,) = (evaluate(g, [np.asarray(x) for x in pair]) for g in (f, done))
        assert repr(before) == repr(after)


@pytest.mark.parametrize(("direction", "op", "kept"), [("ne", maximum, 1), ("ne", minimum, 1), ("gt", maximum, 4)])
def test_what_is_zero_anyway_is_not_made_zero(direction: str, op: Callable[..., Atom], kept: int) -> None:
    def write(b: Builder, x: Atom) -> Atom:
        return mul(b, op(b, x, number(0.0)), convert(b, compare(b, direction, x, number(0.0)), F64))

    f = program([SCALAR], write)
    done = run(f, LOWERING, check=True)
    assert len(done.equations) == kept
    for x in SPECIAL:
        (before,), (after,) = (evaluate(g, [np.asarray(x)]) for g in (f, done))
        assert repr(before) == repr(after)


def test_literals_are_folded_in_their_own_precision() -> None:
    single = Tensor(F32)
    f = program([], lambda b: add(b, Literal(0.1, single), Literal(0.2, single)))
    (result,) = simplify(f).results
    assert isinstance(result, Literal)
    assert result.value == float(np.float32(0.1) + np.float32(0.2))
    wraps = program([], lambda b: mul(b, Literal(2**30, COUNT), Literal(4, COUNT)))
    (result,) = simplify(wraps).results
    assert isinstance(result, Literal)
    assert result.value == 0
    down = program([], lambda b: convert(b, Literal(0.1, SCALAR), F32))
    (result,) = simplify(down).results
    assert isinstance(result, Literal)
    assert result.value == float(np.float32(0.1))


def test_the_product_of_derivatives_folds_with_a_known_side() -> None:
    f = program([SCALAR], lambda b, x: (scale(b, number(1.0), x), scale(b, x, number(2.0)), scale(b, number(0.0), x)))
    done = run(f, TIDY, check=True)
    assert names(done) == ["mul"]


def test_moves_of_moves_are_one_move() -> None:
    b = Builder()
    x = b.param(VECTOR)
    (rows,) = BROADCAST_IN_DIM(b, BroadcastParams((2, 3), (1,)), x)
    (more,) = BROADCAST_IN_DIM(b, BroadcastParams((2, 4, 3), (0, 2)), rows)
    f = b.finish("f", (more,))
    done = run(f, TIDY, check=True)
    assert names(done) == ["broadcast_in_dim"]
    value = np.arange(3.0)
    np.testing.assert_array_equal(evaluate(done, [value])[0], evaluate(f, [value])[0])


@given(st.permutations(range(3)), st.booleans())
@settings(max_examples=12)
def test_the_cotangents_of_parts_are_joined(order: list[int], whole: bool) -> None:
    """Those of an array that is taken apart, in whatever order: nothing is padded with zeros and added."""
    ends = (0, 1, 4, 6)

    def write(b: Builder, x: Atom) -> Atom:
        total = reduce_sum(b, sin(b, x), (0, 1)) if whole else number(0.0)
        for k in order:
            part = slice_axis(b, x, 1, ends[k], ends[k + 1])
            total = add(b, total, reduce_sum(b, mul(b, number(k + 1.0, part.type), exp(b, part)), (0, 1)))
        return total

    plain = grad(program([Tensor(F64, (2, 6))], write), (0,))
    done = run(plain, TIDY, check=True)
    assert "pad" not in names(done)
    assert names(done).count("concatenate") == 1
    x = [np.linspace(-1, 1, 12).reshape(2, 6)]
    np.testing.assert_array_equal(evaluate(done, x)[0], evaluate(plain, x)[0])


APART: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "a gap": ((0, 2), (3, 6)),
    "an overlap": ((0, 4), (3, 6)),
    "every other": ((0, 2), (2, 6)),
}


@pytest.mark.parametrize("case", APART)
def test_parts_that_are_not_beside_each_other_are_added(case: str) -> None:
    stride = 2 if case == "every other" else 1

    def write(b: Builder, x: Atom) -> Atom:
        parts = [slice_axis(b, x, 0, start, stop, stride) for start, stop in APART[case]]
        return add(b, *[reduce_sum(b, sin(b, part), (0,)) for part in parts])

    plain = grad(program([Tensor(F64, (6,))], write), (0,))
    done = run(plain, TIDY, check=True)
    assert names(done).count("pad") == 2
    x = [np.arange(6.0)]
    np.testing.assert_array_equal(evaluate(done, x)[0], evaluate(plain, x)[0])


def transposed(f: Function) -> list[tuple[int, ...]]:
    return [e.params.permutation for e in run(f, TIDY, check=True).equations if isinstance(e.params, PermutationParams)]


def test_products_find_the_axes_of_their_operands_where_they_are() -> None:
    """All that is left to move is the axis that both have and a sum of products has in front."""
    f = program([MATRIX, VECTOR], lambda b, a, x: dot_general(b, a, x, ((1,), (0,))))
    each = vmap(f, (None, 0), (0,), 4)
    both = vmap(each, (0, 1), (1,), 5)
    assert transposed(each) == []
    assert transposed(both) == [(1, 0, 2)]
    for g, moved in ((each, set[tuple[int, ...]]()), (both, {(1, 0, 2)})):
        axes = range(len(g.results[0].type.shape))
        total = program(
            g.param_types, lambda b, *xs, g=g, axes=axes: reduce_sum(b, sin(b, *CALL(b, CallParams(g), *xs)), axes)
        )
        assert {*transposed(grad(inline(total), (0, 1)))} == moved


@given(st.permutations(range(3)), st.permutations(range(3)))
@settings(max_examples=15)
def test_products_of_transposed_operands_keep_their_values(left: list[int], right: list[int]) -> None:
    def write(b: Builder, x: Atom, y: Atom) -> Atom:
        x, y = transpose(b, x, left), transpose(b, y, right)
        return dot_general(b, x, y, ((left.index(0),), (right.index(0),)), ((left.index(1),), (right.index(1),)))

    f = program([Tensor(F64, (2, 3, 4)), Tensor(F64, (2, 3, 5))], write)
    assert transposed(f) == []
    arrays = [np.linspace(-1, 1, 24).reshape(2, 3, 4), np.linspace(0, 2, 30).reshape(2, 3, 5)]
    np.testing.assert_allclose(evaluate(run(f, TIDY), arrays)[0], evaluate(f, arrays)[0], rtol=1e-14)


@pytest.mark.parametrize(("at", "starts"), [(("i", 0, "i"), (0, 2)), ((0, "i", 0), (1,)), ((1, "i", 0), (0, 1))])
def test_mapped_windows_have_starts_only_where_they_move(at: Sequence[str | int], starts: Sequence[int]) -> None:
    def write(b: Builder, x: Atom, i: Atom) -> Atom:
        place = [i if start == "i" else Literal(int(start), COUNT) for start in at]
        return dynamic_slice(b, x, place, (1, 2, 2))

    f = program([Tensor(F64, (3, 4, 5)), COUNT], write)
    mapped = run(vmap(f, (None, 0), (0,), 4), LOWERING, check=True)
    (gather,) = [e for e in mapped.equations if e.op.name == "gather"]
    assert isinstance(gather.params, WindowParams) and gather.params.start_index_map == starts
    x, places = np.arange(60.0).reshape(3, 4, 5), np.arange(-1, 3)
    (found,) = evaluate(mapped, [x, np.asarray(places, np.int32)])
    for y, place in zip(found, places, strict=True):
        np.testing.assert_array_equal(y, evaluate(f, [x, np.asarray(place, np.int32)])[0])


def test_a_product_keeps_a_transpose_that_orders_its_results() -> None:
    f = program(
        [Tensor(F64, (2, 3, 4)), VECTOR], lambda b, x, y: dot_general(b, transpose(b, x, (2, 1, 0)), y, ((1,), (0,)))
    )
    assert transposed(f) == [(2, 1, 0)]


def test_equal_equations_become_one_at_every_depth() -> None:
    def inner(b: Builder, h: Atom, x: Atom) -> Atom:
        return add(b, mul(b, sin(b, h), x), mul(b, x, sin(b, h)))

    params = ScanParams(program([SCALAR, SCALAR], inner), 0, 1, 3)

    def write(b: Builder, x: Atom, v: Atom) -> Atom:
        return add(b, *[SCAN(b, params, exp(b, x), v)[0] for _ in range(2)])

    done = run(program([SCALAR, VECTOR], write), TIDY, check=True)
    assert names(done) == ["exp", "scan", "add"]
    (loop,) = [e.params for e in done.equations if isinstance(e.params, ScanParams)]
    assert names(loop.body) == ["sin", "mul", "add"]


def test_signs_of_zero_are_told_apart() -> None:
    f = program([SCALAR], lambda b, x: (div(b, x, number(0.0)), div(b, x, number(-0.0))))
    assert len(merge(f).equations) == 2


def test_dead_carries_outputs_and_operands_go() -> None:
    def step(b: Builder, k: Atom, live: Atom, dead: Atom, x: Atom, y: Atom) -> tuple[Atom, ...]:
        return mul(b, live, x), add(b, dead, mul(b, k, y)), sin(b, live), exp(b, y)

    params = ScanParams(program([SCALAR] * 5, step), 1, 2, 3)
    f = program(
        [SCALAR, SCALAR, SCALAR, VECTOR, VECTOR],
        lambda b, *xs: (lambda r: (r[0], r[2]))(SCAN(b, params, *xs)),
    )
    done = eliminate(f)
    verify(done)
    (loop,) = done.equations
    assert isinstance(loop.params, ScanParams)
    assert (loop.params.consts, loop.params.carry, len(loop.inputs), len(loop.outputs)) == (0, 1, 2, 2)
    assert done.params == f.params


def test_a_known_branch_is_taken_and_a_call_of_nothing_goes() -> None:
    same = program([SCALAR], lambda b, x: x, "same")
    other = program([SCALAR], lambda b, x: exp(b, x), "other")

    def write(b: Builder, x: Atom) -> Atom:
        (y,) = COND(b, CondParams((other, same)), Literal(True, Tensor(BOOL)), x)
        return CALL(b, CallParams(same), y)[0]

    done = run(program([SCALAR], write), TIDY, check=True)
    assert done.results == done.params


def test_calls_are_inlined_if_small_or_single() -> None:
    def long(b: Builder, x: Atom) -> Atom:
        for _ in range(20):
            x = sin(b, x)
        return x

    big, small = program([SCALAR], long, "big"), program([SCALAR], sin, "small")

    def use(times: int, body: Function) -> Function:
        def write(b: Builder, x: Atom) -> Atom:
            for _ in range(times):
                (x,) = CALL(b, CallParams(body), x)
            return x

        return program([SCALAR], write)

    for times, body, count in ((1, big, 0), (2, big, 2), (5, small, 0)):
        done = inline(use(times, body))
        verify(done)
        assert names(done).count("call") == count
        x = [np.asarray(0.3)]
        np.testing.assert_array_equal(evaluate(done, x)[0], evaluate(use(times, body), x)[0])


def test_derivatives_of_any_order_stay_smaller_than_those_of_jax() -> None:
    f = program([SCALAR], lambda b, x: mul(b, sin(b, x), exp(b, integer_pow(b, x, 2))))
    sizes = []
    for _ in JAX_SIZES:
        sizes.append(len(f.equations))
        f = run(grad(f, (0,)), TIDY, check=True)
    assert all(own <= theirs for own, theirs in zip(sizes, JAX_SIZES, strict=True)), sizes


def chain(length: int) -> Function:
    ops: Sequence[Write] = (sin, lambda b, x: mul(b, x, x), exp, neg)

    def write(b: Builder, x: Atom) -> Atom:
        y = x
        for i in range(length - 1):
            y = ops[i % 4](b, y)
        return reduce_sum(b, y, (0,))

    return program([VECTOR], write)


def test_long_chains_take_time_in_proportion() -> None:
    def seconds(f: Function) -> float:
        best = math.inf
        for _ in range(3):
            start = time.process_time()
            mapped = vmap(run(grad(f, (0,)), TIDY), (0,), (0,), 2)
            run(mapped, LOWERING)
            best = min(best, time.process_time() - start)
        return best

    short, long = chain(250), chain(2500)
    assert seconds(long) < 40 * seconds(short)
    verify(run(vmap(grad(long, (0,)), (0,), (0,), 2), LOWERING))

"""Small residuals of a loop are kept in one array of each dtype, and derivatives stay what they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor, Var
from dsl.ir.region import Split
from dsl.ops.builders import add, convert, mul, neg, reduce_sum
from dsl.ops.residuals.joined_residuals import SMALL, joined
from dsl.types.dtype import F32, F64, I32
from tests.support.cases import some

TYPES = [Tensor(dtype, shape) for dtype in (F64, F32, I32) for shape in [(), (3,), (2, 2), (SMALL,), (SMALL + 1,)]]
ROUGH = """
def walk(p: f64, n: i32) -> f64 =
    let (x, y, _) = fold (x, y, k) = (p, 1.0, 0) for _ in range(200) do
        let (u, v) = (sin(x * y), cos(x - y) * f64(k))
        (x + 0.01 * u * sin(v), y * exp(-0.01 * u) + 0.01 * p / (2.0 + v * v), k + n)
    x * y
def slope(p: f64, n: i32) -> f64 = grad(fn p -> walk(p, n))(p)
def bend(p: f64, n: i32) -> f64 = grad(fn p -> slope(p, n))(p)
"""


@st.composite
def splits(draw: Any) -> tuple[Split, set[Var]]:
    """A known half that computes something of its parameters; an unknown half that adds up residuals, in an order that
    matters; what is at hand."""
    b, late = Builder(), Builder()
    params = [b.param(t) for t in draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=6))]
    made = [neg(b, x) for x in params if draw(st.booleans())]
    first = [x for x in made if draw(st.booleans())]
    values = [*params, *first, *[x for x in made if x not in first]]
    places = draw(st.lists(st.sampled_from(range(len(values))), max_size=8))
    known = b.finish("known", values[len(params) :])
    own = [late.param(values[i].type) for i in places]
    total: Atom = late.param(Tensor(F64))
    for x in own:
        number = convert(late, x, F64)
        whole = reduce_sum(late, number, range(number.type.rank)) if number.type.rank else number
        total = add(late, mul(late, total, total), whole)
    at_hand = {x for x in params if draw(st.booleans())}
    flags = (*[False for _ in first], True)
    return Split(known, late.finish("unknown", [total]), flags, tuple(places)), at_hand


def run(split: Split) -> Any:
    """The known results, and the unknown one."""
    arrays = [np.arange(p.type.size, dtype=p.type.dtype.numpy).reshape(p.type.shape) / 8 for p in split.known.params]
    arrays = [x.astype(p.type.dtype.numpy) for x, p in zip(arrays, split.known.params, strict=True)]
    found = evaluate(split.known, arrays)
    values = (*arrays, *found)
    return *found[: split.out_unknown.count(False)], *evaluate(
        split.unknown, [*[values[i] for i in split.residuals], np.asarray(0.5)]
    )


@given(splits())
def test_joining_changes_no_result(made: tuple[Split, set[Var]]) -> None:
    split, at_hand = made
    for x, y in some(zip(run(joined(split, at_hand)), run(split), strict=True)):
        np.testing.assert_array_equal(x, y)


@given(splits())
def test_of_small_residuals_there_is_one_of_each_dtype(made: tuple[Split, set[Var]]) -> None:
    split, at_hand = joined(made[0], made[1]), made[1]
    values = (*split.known.params, *split.known.results)
    kept = {values[i] for i in split.residuals} - at_hand
    small = Counter(x.type.dtype for x in kept if isinstance(x, Var) and x.type.size <= SMALL and x.type.rank != 1)
    assert max(small.values(), default=0) <= 1


def test_a_loop_keeps_many_numbers_in_few_arrays() -> None:
    text = dsl.program(ROUGH).slope.lower(0.7, 1).stablehlo.text
    assert "tensor<200x2xf64>" in text
    assert "tensor<200xf64>" not in text


def test_derivatives_through_joined_residuals() -> None:
    program, step = dsl.program(ROUGH), 1e-5
    for value, derivative in [(program.walk, program.slope), (program.slope, program.bend)]:
        expected = (value(0.7 + step, 1) - value(0.7 - step, 1)) / (2 * step)
        np.testing.assert_allclose(derivative(0.7, 1), expected, rtol=1e-6)

"""Patterns of derivatives hold every entry that is not zero, for every op; colours tell all entries apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.interp import evaluate
from dsl.ir import columns as cs
from dsl.ir.build import Builder
from dsl.ir.columns import Sets
from dsl.ir.function import Function
from dsl.ir.op import NotDifferentiable, NotEvaluable, Op, RegionOp, Sample
from dsl.ops.table import OPS
from dsl.transforms.dependence import colours
from dsl.transforms.dependence.compressed import pattern_of
from dsl.transforms.linearize import Linearized, linearize
from tests.support.cases import some, some_of_example
from tests.support.op_samples import arrays_of, distinct

Array = np.ndarray[Any, Any]


def is_followed(op: Op[Any] | RegionOp[Any]) -> bool:
    """Whether the op has a derivative, and NumPy runs it."""
    if isinstance(op, RegionOp):
        return op.name not in ("named_map", "sharded", "custom_vjp")
    return not isinstance(op.jvp, NotDifferentiable) and not isinstance(op.evaluate, NotEvaluable) and op.effect is None


def samples(op: Any) -> list[Sample[Any]]:
    small = [each for each in distinct(op) if sum(t.size for t in each.inputs) <= 60]
    return [each for each in small if any(t.dtype.is_inexact for t in each.inputs)]


CASES = {op.name: op for op in OPS.values() if is_followed(op) and samples(op)}


def single(op: Any, sample: Sample[Any]) -> Function:
    b = Builder()
    params = [b.param(t) for t in sample.inputs]
    return b.finish("one", b.emit(op, sample.params, params))


def jacobian(made: Linearized, arrays: list[Array]) -> Array:
    """All coefficients of a linear function, by one run for each element of its arguments."""
    there = [*arrays, *evaluate(made.primal, arrays)]
    residuals = [there[k] for k in made.residuals]
    types = [p.type for p in made.linear.params[len(residuals) :]]
    rows: list[Array] = []
    for k, t in enumerate(types):
        for place in range(t.size):
            tangents = [np.zeros(t.shape, t.dtype.numpy) for t in types]
            tangents[k].flat[place] = 1.0
            found = evaluate(made.linear, [*residuals, *tangents])
            rows.append(np.concatenate([np.zeros(0), *[np.asarray(x).ravel() for x in found]]))
    size = sum(r.type.size for r in made.linear.results)
    return np.array(rows).reshape(len(rows), size).T


def as_matrix(pattern: Sets, columns: int) -> Array:
    found = np.zeros((pattern.rows, columns), np.bool_)
    found[pattern.row_of, pattern.columns] = True
    return found


@pytest.mark.parametrize("name", CASES)
def test_patterns_hold_all_entries(name: str) -> None:
    for sample in some(samples(CASES[name])):
        check_pattern(CASES[name], sample)


def check_pattern(op: Any, sample: Sample[Any]) -> None:
    function, arrays = single(op, sample), arrays_of(op, sample)
    flags = tuple([t.dtype.is_inexact for t in sample.inputs])
    made = linearize(function, flags)
    wanted = jacobian(made, arrays)
    columns = sum(t.size for t, flag in zip(sample.inputs, flags, strict=True) if flag)
    rows = [r.type.size for r, flag in zip(function.results, made.nonzero, strict=True) if flag]
    known = [None if flag else x for x, flag in zip(arrays, flags, strict=True)]
    for given_values in ([None] * len(arrays), known):
        found = as_matrix(pattern_of(function, made, flags, len(function.results), given_values), columns)
        kept = np.repeat(list(made.nonzero), [r.type.size for r in function.results])
        assert found[kept].shape == (sum(rows), columns)
        assert not (np.nan_to_num(wanted) != 0)[~found[kept]].any()
        assert not found[~kept].any()


def test_most_ops_are_followed() -> None:
    assert len(CASES) > 70


def pairs(n: int, m: int, count: int, random: np.random.Generator) -> tuple[Array, Array]:
    return random.integers(0, n, count), random.integers(0, m, count)


SIZES = st.integers(1, 13), st.integers(1, 13), st.integers(0, 40), st.integers(0, 2**31)


@given(*SIZES)
@settings(max_examples=60, deadline=None)
def test_colours_of_columns_and_rows_tell_entries_apart(n: int, m: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pattern = cs.of_pairs(*pairs(n, m, count, random), n)
    plan = colours.of_matrix(pattern, m)
    matrix = as_matrix(pattern, m) * random.normal(size=(n, m))
    ahead = np.array([matrix[:, plan.column_colours == k].sum(axis=1) for k in range(plan.forward)]).reshape(-1, n)
    back = np.array([matrix[plan.row_colours == k].sum(axis=0) for k in range(plan.backward)]).reshape(-1, m)
    read = [
        back[colour, place] if by_row else ahead[colour, place]
        for colour, place, by_row in zip(plan.colour, plan.place, plan.by_row, strict=True)
    ]
    np.testing.assert_allclose(read, matrix[pattern.row_of, pattern.columns], rtol=1e-12)
    assert plan.forward + plan.backward <= min(n, m)


def symmetric(n: int, count: int, random: np.random.Generator) -> Sets:
    row, column = pairs(n, n, count, random)
    return cs.of_pairs(np.concatenate((row, column)), np.concatenate((column, row)), n)


@given(SIZES[0], SIZES[2], SIZES[3])
@settings(max_examples=60, deadline=None)
def test_stars_tell_the_entries_of_symmetric_matrices_apart(n: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pattern = symmetric(n, count, random)
    plan = colours.of_symmetric(pattern)
    lower = random.normal(size=(n, n))
    matrix = as_matrix(pattern, n) * (lower + lower.T)
    products = np.array([matrix[:, plan.column_colours == k].sum(axis=1) for k in range(plan.forward)])
    read = [products[colour, place] for colour, place in zip(plan.colour, plan.place, strict=True)]
    np.testing.assert_allclose(read, matrix[pattern.row_of, pattern.columns], rtol=1e-12)


@given(SIZES[0], SIZES[2], SIZES[3])
@settings(max_examples=40, deadline=None)
def test_paths_of_four_have_three_colours(n: int, count: int, seed: int) -> None:
    pattern = symmetric(n, count, np.random.default_rng(seed))
    colour = colours.star_colours(pattern)
    near = as_matrix(pattern, n) & ~np.eye(n, dtype=bool)
    for v, w in some_of_example(zip(*np.nonzero(near), strict=True)):
        assert colour[v] != colour[w]
        for x in np.flatnonzero(near[w]):
            for y in np.flatnonzero(near[x]):
                assert len({v, w, x, y}) < 4 or len({colour[k] for k in (v, w, x, y)}) > 2


@given(st.integers(0, 6), st.integers(1, 6), st.integers(0, 20), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_sets_are_matrices(n: int, m: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    count = count if n else 0
    found = cs.of_pairs(*pairs(max(n, 1), m, count, random), n)
    matrix = as_matrix(found, m)
    other = cs.of_pairs(*pairs(max(n, 1), m, count, random), n)
    sources = random.integers(-1, max(n, 1), 5) if n else np.full(5, -1)
    targets = random.integers(-1, 4, n)
    taken = np.array([matrix[k] if k >= 0 else np.zeros(m, bool) for k in sources])
    np.testing.assert_array_equal(as_matrix(cs.taken(found, sources), m), taken)
    gathered = np.array([matrix[targets == k].any(axis=0) for k in range(4)])
    np.testing.assert_array_equal(as_matrix(cs.gathered(found, targets, 4), m), gathered)
    np.testing.assert_array_equal(as_matrix(cs.union([found, other], n), m), matrix | as_matrix(other, m))
    np.testing.assert_array_equal(
        as_matrix(cs.stacked([found, other]), m), np.concatenate((matrix, as_matrix(other, m)))
    )

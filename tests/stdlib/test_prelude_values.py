"""The values of the prelude beside those of `jax.numpy`, through XLA and through the reference evaluator.

A case is a definition in the language at symbolic sizes and what JAX does for the same arguments; results must agree
in shape, dtype and value.
"""

from __future__ import annotations

import pytest

import dsl
from tests.support.library import Case, compare, unmentioned, written
from tests.support.prelude_arrays import CREATION, PRODUCTS, SHAPES, SORTING
from tests.support.prelude_more import NAMES
from tests.support.prelude_numbers import MIXED, REDUCTIONS, binary, unary
from tests.support.prelude_numpy import NUMPY

SEGMENTS = ["segment_prod", "segment_mean", "segment_logsumexp", "segment_softmax"]
"""Compared in `test_segments`."""
OTHERS = ["histogram2d", *SEGMENTS, "zero_with_derivative", "implicit_solution", "fold_in"]
CASES = (*unary(), *binary(), *MIXED, *REDUCTIONS, *CREATION, *SHAPES, *PRODUCTS, *SORTING, *NAMES, *NUMPY)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(written(CASES))


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_as_jax(program: dsl.Program, case: Case) -> None:
    compare(program, case)


@pytest.mark.parametrize("module", ("prelude",))
def test_every_definition_is_compared(module: str) -> None:
    assert unmentioned(module, written(CASES)) == OTHERS

"""Cases that fail are made simpler: they still fail, in a bounded number of attempts, always in the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.core.core import Signature
from dsl.interactive.properties import MOST, TRIES, Case, drawn, shrunk


@pytest.fixture(scope="module")
def signature() -> Signature:
    program = dsl.program("""
        def f(x: f32[n, m], y: i32[m + n], p: {a: c64[n], b: bool}, static k: int) -> f32 = 0.0
    """)
    found: Signature = program.f.signature
    return found


PREDICATES: list[Callable[[Case], bool]] = [
    lambda case: float(np.sum(np.abs(case.arguments()["x"]))) > 1.0,
    lambda case: case.arguments()["y"].any(),
    lambda case: case.arguments()["x"].shape[0] >= 2 and case.arguments()["k"] >= 2,
    lambda case: abs(complex(np.sum(case.arguments()["p"]["a"])).imag) > 0.1,
    lambda case: bool(case.arguments()["p"]["b"]) and case.arguments()["y"].size > 3,
]


@given(st.integers(0, 10_000), st.sampled_from(PREDICATES))
def test_simpler_cases_fail_as_well(signature: Signature, seed: int, fails: Callable[[Case], bool]) -> None:
    case, tried = drawn(signature, seed), list[Case]()
    if not fails(case):
        return

    def counted(candidate: Case) -> bool:
        tried.append(candidate)
        return fails(candidate)

    simple = shrunk(case, counted)
    assert fails(simple) and len(tried) <= TRIES
    assert all(simple.sizes[name] <= count <= MOST for name, count in case.sizes.items())
    assert simple.statics["k"] <= case.statics["k"]
    again = shrunk(drawn(signature, seed), fails)
    assert (again.sizes, again.statics) == (simple.sizes, simple.statics)
    assert all(np.array_equal(a, b) for a, b in zip(again.arrays, simple.arrays, strict=True))


@pytest.mark.parametrize(
    ("fails", "sizes", "statics"),
    list(zip(PREDICATES, ((1, 2), (1, 1), (2, 1), (1, 1), (1, 3)), (1, 1, 2, 1, 1), strict=True)),
)
def test_the_smallest_case_is_found(
    signature: Signature, fails: Callable[[Case], bool], sizes: tuple[int, int], statics: int
) -> None:
    failing = [case for case in (drawn(signature, seed) for seed in range(40)) if fails(case)]
    assert failing
    found = [shrunk(case, fails) for case in failing]
    best = [(tuple(case.sizes.values()), case.statics["k"]) for case in found]
    assert (sizes, statics) in best, best


def test_one_element_becomes_simple(signature: Signature) -> None:
    case = next(c for c in (drawn(signature, s) for s in range(100)) if np.max(c.arguments()["x"]) > 1.2)
    simple = shrunk(case, lambda c: bool(np.max(c.arguments()["x"]) > 1.2)).arguments()
    assert simple["x"].tolist() == [[2.0]] and not simple["y"].any() and not simple["p"]["b"] and simple["k"] == 1

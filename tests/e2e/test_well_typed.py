"""A few random programs of all constructs; `make fuzz` judges twenty thousand."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from tests.support.well_typed import batches
from tests.support.well_typed.batches import Batch, batch
from tests.support.well_typed.patterns import Array
from tests.support.well_typed.rules import grammar
from tests.support.well_typed.trees import Node


def test_xla_and_the_evaluator_agree() -> None:
    made = batch(3, 8)
    why = batches.problem(made, 3)
    assert why is None, f"{why}\n{made.text}"


@pytest.mark.parametrize(
    ("inner", "result", "difference", "same"),
    [
        ("f32", "f32", 1e-4, True),
        ("f32", "f32", 1e-2, False),
        ("f16", "f32", 1e-2, True),
        ("f16", "f32", 1e-1, False),
        ("f16", "i32", 1, False),
    ],
)
def test_results_agree_as_nearly_as_the_narrowest_dtype(inner: str, result: str, difference: float, same: bool) -> None:
    given = Node(Array(inner), "", "x", "", {}, ())
    cast = Node(Array(result), "dtypes", "cast(A, f32)", "", {"A": given}, ())
    one = np.asarray(1, getattr(dsl, result).numpy)
    assert batches.agree(cast, one, one + difference) == same


def test_programs_are_of_all_families() -> None:
    found = {inner.family for seed in range(3) for node in batch(seed, 20).functions for inner in node}
    assert found == {"", *[family[0].family for family in grammar()]}


def test_a_problem_is_told_of_a_small_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def has_a_loop(made: Batch, seed: int) -> str | None:
        return "a loop" if any("fold" in node.expression() for node in made.functions) else None

    monkeypatch.setattr(batches, "problem", has_a_loop)
    large = batch(1, 20)
    ((less, why), *_) = batches.problems(large, 1)
    assert why == "a loop"
    assert len(less.functions) == 1
    looping = [n.expression() for n in large.functions if "fold" in n.expression()]
    assert len(less.functions[0].expression()) < min(map(len, looping))

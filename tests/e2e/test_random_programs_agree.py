"""A few random programs by XLA, by the evaluator and by NumPy; `make fuzz` runs two thousand."""

from __future__ import annotations

import pytest

from tests.e2e.random_programs import random_program


@pytest.mark.parametrize("seed", range(8))
def test_xla_the_evaluator_and_numpy_agree(seed: int) -> None:
    program = random_program(seed)
    problem = program.problem(seed)
    assert problem is None, f"{program.text}\n{problem}"

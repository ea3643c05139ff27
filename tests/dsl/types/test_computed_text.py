"""How values that are computed of others are written: an operand made by an operator stands in parentheses."""

from __future__ import annotations

import pytest

import dsl


@pytest.mark.parametrize("written", ["1.0 / (2 * k)", "2.0 * (k + 1)", "1.0 / k", "(1.0 / k) * 2.0"])
def test_a_condition_is_written_as_it_is_computed(written: str) -> None:
    program = dsl.program(
        f"static def share(k: int) -> float = {written}\ndef f(x: f32[n], static k: int) -> f32[n] = share(k) * x\n"
    )
    (shown,) = program.f.type.rpartition("holds(f32, ")[2:]
    assert shown.startswith(written)

"""A part of the library called where formulas break; `make fuzz` calls all of it, more often."""

from __future__ import annotations

from tests.stdlib.corner_calls import callable_functions, failures


def test_functions_of_the_library_run_at_their_corners() -> None:
    chosen = list(callable_functions("stats").items())[::9]
    assert len(chosen) > 4
    assert [failure for name, function in chosen for failure in failures(name, function, 1, compiled=0)] == []

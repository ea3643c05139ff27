"""Cases of a test, of which there must be some."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import assume

T = TypeVar("T")


def some(cases: Iterable[T]) -> tuple[T, ...]:
    """Return the cases; fail where there are none, for a loop over them would check nothing."""
    found = tuple(cases)
    assert found, "there are no cases to check"
    return found


def some_of_example(cases: Iterable[T]) -> tuple[T, ...]:
    """Return the cases of an example of Hypothesis, which makes another example where there are none."""
    found = tuple(cases)
    assume(found)
    return found

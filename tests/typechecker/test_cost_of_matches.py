"""The work of a `match` grows with its arms, not with their square."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import dsl
from tests.support.python_calls import python_calls


def of_variants(count: int) -> str:
    names = [f"V{k}" for k in range(count)]
    arms = [f"    {name} -> {k}.0" for k, name in enumerate(names)]
    return "\n".join([f"enum E = {' | '.join(names)}", "def f(static e: E) -> f32 = match e with", *arms, ""])


def of_literals(count: int) -> str:
    arms = [f"    {k} -> {k}.0" for k in range(count)]
    return "\n".join(["def f(static e: int) -> f32 = match e with", *arms, "    _ -> 0.0", ""])


def of_pairs(count: int) -> str:
    arms = [f'    ("{k}", {k + 1}) -> {k}.0' for k in range(count)]
    return "\n".join(["def f(static e: (str, int)) -> f32 = match e with", *arms, "    _ -> 0.0", ""])


def steps(text: str) -> int:
    """The functions of Python that a check runs."""
    return python_calls(lambda: dsl.program(text))


@pytest.mark.parametrize("write", [of_variants, of_literals, of_pairs])
def test_eight_times_as_many_arms_take_about_eight_times_as_long(
    write: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSL_CACHE", "off")
    steps(write(10))
    few, many = (steps(write(count)) for count in (50, 400))
    assert many < 10 * few

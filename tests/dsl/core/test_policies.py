"""Policies of `checkpoint` as text, and numbers of bytes."""

from __future__ import annotations

import pytest

from dsl.core.policies import EXAMPLE, POLICY_NAMES, Policy, bytes_of, is_budget, policy_of
from dsl.types.facts import Known, OpaqueProp
from dsl.types.shape import StaticName


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        (EXAMPLE, 64 << 20),
        ("budget:1kB", 1000),
        ("budget: 1.5 GiB ", 3 << 29),
        ("budget:16B", 16),
        ("budget:2m", 2 * 10**6),
    ],
)
def test_budgets(text: str, budget: int) -> None:
    assert policy_of(text) == Policy("budget", budget)
    assert is_budget(text) == Known(True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "budget",
        "budget:",
        "budget:64",
        "budget:0B",
        "budget:-1kB",
        "budget:1XB",
        "Budget:1kB",
        "dots:1kB",
        "1kB",
        "dot",
    ],
)
def test_what_is_no_policy(text: str) -> None:
    assert policy_of(text) is None
    assert is_budget(text) == Known(False)


def test_words_are_policies_and_no_budgets() -> None:
    assert [policy_of(word) for word in POLICY_NAMES] == [Policy(word) for word in POLICY_NAMES]
    assert [is_budget(word) for word in POLICY_NAMES] == [Known(False)] * len(POLICY_NAMES)


def test_a_text_that_is_not_known_stays_a_condition() -> None:
    found = is_budget(StaticName(1, "p"))
    assert isinstance(found, OpaqueProp)
    assert str(found) == 'p to be a budget, as "budget:64MiB" is'
    assert found.evaluate is not None
    assert found.evaluate("budget:1kB") == Known(True)


def test_bytes() -> None:
    given = {"16GiB": 16 << 30, "512 MB": 512 * 10**6, "4096": 4096, "1.5k": 1500}
    assert {each: bytes_of(each) for each in given} == given

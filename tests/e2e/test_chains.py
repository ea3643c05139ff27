"""A slice of `tests.e2e.chains`: up to three transformations of random programs, in every order."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.e2e.chains import judge
from tests.support.cases import some
from tests.support.compositions import KINDS, chain


@pytest.mark.parametrize("block", range(10))
def test_chains_of_transformations(block: int) -> None:
    for seed in some(range(6 * block, 6 * block + 6)):
        judge(seed, compiled=seed % 10 == 0)


def test_chains_are_of_all_kinds_and_orders() -> None:
    found = Counter(tuple([step.kind for step in chain(seed).steps]) for seed in range(500))
    names = {make.__name__ for make in KINDS}
    assert {kinds[0] for kinds in found} == names
    assert {pair for kinds in found for pair in pairwise(kinds)} == {
        (first, second) for first in names for second in names
    }
    text = "".join(chain(seed).text for seed in range(100))
    words = ("fold", "scan", "limit", "match", "where(", "rng(", "with accum", "with state", "with checks", ".at[")
    assert [word for word in words if word not in text] == []

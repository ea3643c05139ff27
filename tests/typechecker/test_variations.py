"""A few fillings of every template of `variations`; `make fuzz` judges all of them."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from tests.typechecker.test_corpus import Case, judge
from tests.typechecker.variations import variations

EACH = 3


def _slice() -> list[Case]:
    by_template: dict[str, list[Case]] = defaultdict(list)
    for case in variations():
        by_template[case.name.rpartition("/")[0]].append(case)
    return [c for name, cases in by_template.items() for c in Random(name).sample(cases, min(EACH, len(cases)))]


@pytest.mark.parametrize("case", _slice(), ids=lambda case: case.name)
def test_variation(case: Case) -> None:
    verdict = judge(case)
    assert verdict.right, f"\n{verdict}\n\n{case.texts['']}"

"""Whatever is accepted may be imported: what importers see of it is written down, whatever it is."""

from __future__ import annotations

from random import Random

import pytest

from dsl.records import replace
from tests.typechecker.test_corpus import CORPUS, Case, judge
from tests.typechecker.variations import variations

EACH = 40


def _slice() -> list[Case]:
    corpus = [case for case in CORPUS if not case.markers and len(case.texts) == 1]
    varied = [case for case in variations() if not case.markers]
    return [case for cases in (corpus, varied) for case in Random(0).sample(cases, EACH)]


@pytest.mark.parametrize("case", _slice(), ids=lambda case: case.name)
def test_imported(case: Case) -> None:
    (text,) = case.texts.values()
    verdict = judge(replace(case, texts={"": "import imported\n", "imported": text}))
    assert verdict.right, f"\n{verdict}\n\n{text}"

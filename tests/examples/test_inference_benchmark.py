"""The posteriors of `make bench ONLY=inference`: both sides have each of them, and a row says what was found."""

from __future__ import annotations

import dsl
from benchmarks.inference import rival
from benchmarks.inference.__main__ import HERE, Judged, line, posteriors
from tests.support.cases import some


def test_both_sides_have_the_posteriors() -> None:
    program = dsl.load(HERE / "posteriors.dsl")
    found = list(posteriors())
    assert [each.name for each in found] == list(rival.MODELS)
    for posterior in some(found):
        assert callable(getattr(program, f"chains_of_{posterior.name}"))
        assert posterior.means.shape == posterior.errors.shape and (posterior.errors > 0).all()


def test_a_row_has_the_ratios_of_both_sides() -> None:
    ours, theirs = Judged(1.0, 1.002, 0.05, 0.2, 0), Judged(2.0, 1.004, 0.1, 0.4, 1)
    assert line("schools", ours, theirs).split("|")[-1].split() == ["0.50", "0.50"]

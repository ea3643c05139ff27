"""Each mistake of `benchmarks/mistakes` is refused with its code on its line, and `docs/mistakes.md` is made of them.

As a script this writes the page anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from benchmarks.mistakes.cases import TOPICS, Mistake, mistakes
from benchmarks.mistakes.run import LIBRARIES, OUTCOMES
from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from typechecker import CheckCache

PAGE = Path(__file__).parents[2] / "docs" / "mistakes.md"
MISTAKES = mistakes()
CACHE = CheckCache()
HEADINGS: Mapping[str, str] = MappingProxyType(
    {"layers": "Layers", "optimizers": "Optimizers", "models": "Probabilistic models"}
)
HEAD = """# Mistakes, and when each system reports them

{count} mistakes in layers, optimizers and models, each written in puredsl and with Equinox, Optax and NumPyro. puredsl
reports {found} of them by `dsl check`, for all sizes and before anything runs; the other {holes} are listed at the end.
Of the same {found}, the other libraries report {raised}, when the line runs on arrays of sizes that show the mistake;
in {silent} cases the script runs to its end without a word. Some of these scripts mean something else there and are
right in another context, such as a network that is applied twice with the same parameters.

The programs and scripts are in `benchmarks/mistakes`. A test checks the code and the line of each error, and
`python -m benchmarks.mistakes.run` runs the scripts, here with {versions}.
The last column has the lines of the program, and of the script.
"""
TABLE = "\n| mistake | `dsl check` | the other libraries | lines |\n|---|---|---|---|\n"
HOLES = """
## Not reported before the run

These programs are accepted. A scale has no type of its own, so a value that may be negative shows in the run only,
where `prob.checked_parameters` checks it. A size of 1 stretches in arithmetic. A value that is bound and not used is
not an error, and a gradient that is zero everywhere is a gradient.

| mistake | the other libraries | lines |
|---|---|---|
"""


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _theirs(outcome: Mapping[str, str]) -> str:
    """The words of the other libraries, as a cell of a table."""
    if "raises" in outcome:
        words = outcome["says"].replace("|", "\\|")
        return f"`{outcome['raises']}` in the run" + (f": {words}" if words else "")
    return f"a warning in the run: {outcome['warns']}" if "warns" in outcome else "nothing"


def _sizes(mistake: Mistake) -> str:
    return f"{_lines(mistake.ours)}, {_lines(mistake.theirs)}"


def _row(mistake: Mistake, outcomes: Mapping[str, Any]) -> str:
    theirs = _theirs(outcomes[mistake.title])
    said = "" if mistake.code is None else f"| [{mistake.code}](errors/{mistake.code}.md) "
    return f"| {mistake.title} {said}| {theirs} | {_sizes(mistake)} |\n"


def page(cases: Sequence[Mistake]) -> str:
    outcomes = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    found = [case for case in cases if case.code is not None]
    raised = sum(bool(outcomes[case.title]) for case in found)
    versions = ", ".join(f"{name} {outcomes['versions'][name]}" for name in LIBRARIES)
    numbers = {"count": len(cases), "found": len(found), "holes": len(cases) - len(found)}
    text = HEAD.format(**numbers, raised=raised, silent=len(found) - raised, versions=versions)
    for topic in TOPICS:
        rows = [_row(case, outcomes) for case in found if case.topic == topic]
        text += f"\n## {HEADINGS[topic]}\n{TABLE}" + "".join(rows)
    return text + HOLES + "".join(_row(case, outcomes) for case in cases if case.code is None)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.title.replace(" ", "_"))
def test_reported(mistake: Mistake) -> None:
    source = Source("mistake.dsl", mistake.program)
    result = check_source(source, cache=CACHE)
    told = [(d.code, source.row(d.primary.span.start) + 1) for d in result.diagnostics]
    assert told == ([] if mistake.code is None else [(mistake.code, mistake.line)])


def test_there_are_sixty() -> None:
    assert sum(mistake.code is not None for mistake in MISTAKES) == 60
    assert len({mistake.title for mistake in MISTAKES}) == len(MISTAKES)


def test_the_page_is_made_of_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(MISTAKES)


if __name__ == "__main__":
    PAGE.write_text(page(MISTAKES), encoding="utf-8")

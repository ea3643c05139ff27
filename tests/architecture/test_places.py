"""How many places an addition takes: CONTRIBUTING names them, and three examples are searched for in the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "adr" / "0012-few-places.md"
PRODUCT = ("dsl", "lowering", "typechecker", "stdlib")
MOST = {"op": 5, "effect": 6, "transformation": 6}
NAMES = {
    "op": r"round_nearest_afz|round_away|ROUND_AWAY",
    "transformation": r"(?i:value_and_jacfwd)(?!\(fn |\(\w\)\()",  # a call of it is no place where it is added
    "effect": r"from dsl\.types\.effect import .*\bDIV\b|RAND, CHECK, IO, DIV",
}
PLACE = re.compile(r"^\d\. `([^`]+)`", re.MULTILINE)


def section(page: Path, title: str) -> str:
    """What stands under the heading, or in the item, that begins with `title`."""
    _, _, rest = page.read_text(encoding="utf-8").partition(title)
    assert rest, title
    return re.split(r"^(?:## |- \*|\*\*)", rest, maxsplit=1, flags=re.MULTILINE)[0]


def files_with(pattern: str) -> set[str]:
    sources = [p for folder in PRODUCT for kind in ("*.py", "*.dsl") for p in (ROOT / folder).rglob(kind)]
    found = [p for p in sources if re.search(pattern, p.read_text(encoding="utf-8"))]
    return {str(p.relative_to(ROOT)) for p in found}


def examples(kind: str) -> list[str]:
    article = "An" if kind[0] in "oe" else "A"
    return PLACE.findall(section(RECORD, f"## {article} {kind}:"))


@pytest.mark.parametrize("kind", MOST)
def test_the_example_stands_in_the_places_of_the_record(kind: str) -> None:
    assert files_with(NAMES[kind]) == set(examples(kind))
    assert len(examples(kind)) <= MOST[kind]


@pytest.mark.parametrize("kind", MOST)
def test_contributing_names_no_more_places(kind: str) -> None:
    places = re.findall(r"\(\d\) `([^`]+)`", section(ROOT / "CONTRIBUTING.md", f"- *A new {kind}*"))
    assert 0 < len(places) <= MOST[kind]
    assert [p for p in places if not (ROOT / p).exists()] == []


def test_a_further_place_is_found() -> None:
    assert files_with(r"round_nearest_even") - {"dsl/ops/unary.py"}

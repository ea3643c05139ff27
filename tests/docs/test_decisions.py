"""Decision records: numbered without gaps, and linked both ways where a later one amends an earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "adr"
TITLE = re.compile(r"# (\d+)\. \S")
AMENDMENT = re.compile(r"(Amends|Amended by) \[decision (\d+)\]\(([\w.-]+)\): \w.*\.", re.DOTALL)
LINK = re.compile(r"\[decision\s+(\d+)\]\(([^)]*)\)")


class Amendment(Struct, frozen=True):
    """The later of two records amends the earlier one."""

    earlier: str
    later: str


def records(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9]*.md"))


def heads(path: Path) -> list[str]:
    """Return the paragraphs between the title of a record and its decision."""
    _, *paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    start = next((k for k, text in enumerate(paragraphs) if text.startswith("**Decided.**")), len(paragraphs))
    return paragraphs[:start]


def amendments(path: Path, word: str) -> set[Amendment]:
    """Return the amendments that a record states about itself with one of the two words."""
    stated = [match for text in heads(path) if (match := AMENDMENT.fullmatch(text)) and match[1] == word]
    if word == "Amends":
        return {Amendment(match[3], path.name) for match in stated}
    return {Amendment(path.name, match[3]) for match in stated}


def one_sided(folder: Path) -> list[str]:
    """Return the amendments that only one of the two records states."""
    later = set().union(*[amendments(path, "Amends") for path in records(folder)])
    earlier = set().union(*[amendments(path, "Amended by") for path in records(folder)])
    return sorted(f"{each.earlier} < {each.later}" for each in later ^ earlier)


def backwards(folder: Path) -> list[str]:
    """Return the records that are amended by an earlier one, or by themselves."""
    stated = [each for path in records(folder) for word in ("Amends", "Amended by") for each in amendments(path, word)]
    return sorted({f"{each.earlier} < {each.later}" for each in stated if each.earlier >= each.later})


def malformed(folder: Path) -> list[str]:
    """Return the paragraphs above a decision that do not have the form of an amendment, and amendments below it."""
    return [
        f"{path.name}: {text.splitlines()[0]}"
        for path in records(folder)
        for place, text in enumerate(path.read_text(encoding="utf-8").split("\n\n")[1:])
        if (AMENDMENT.fullmatch(text.strip()) is None) == (place < len(heads(path)))
    ]


def misnumbered(folder: Path) -> list[str]:
    """Return the records whose number is not the next one, in the name of the file and in the title."""
    return [
        path.name
        for number, path in enumerate(records(folder), 1)
        if not path.name.startswith(f"{number:04}-")
        or (title := TITLE.match(path.read_text(encoding="utf-8"))) is None
        or int(title[1]) != number
    ]


def pages(root: Path) -> Iterator[Path]:
    yield from sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def misleading(root: Path) -> list[str]:
    """Return the links to a decision whose target does not exist or has another number."""
    return [
        f"{page.relative_to(root).as_posix()}: decision {number}"
        for page in pages(root)
        for number, target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).is_file() or not Path(target).name.startswith(f"{int(number):04}-")
    ]


def test_records_are_numbered_without_gaps() -> None:
    assert misnumbered(RECORDS) == []


def test_amendments_stand_under_the_title_in_one_form() -> None:
    assert malformed(RECORDS) == []


def test_both_records_state_an_amendment() -> None:
    assert one_sided(RECORDS) == []


def test_later_records_amend_earlier_ones() -> None:
    assert backwards(RECORDS) == []


def test_the_record_of_maps_over_devices_names_that_of_meshes() -> None:
    amendment = Amendment("0017-maps-over-devices.md", "0019-meshes.md")
    assert amendment in amendments(RECORDS / amendment.earlier, "Amended by")
    assert amendment in amendments(RECORDS / amendment.later, "Amends")


def test_links_lead_to_the_decisions_that_they_name() -> None:
    assert misleading(ROOT) == []


FIRST = "# 1. One\n\nAmended by [decision 2](0002-b.md): two.\n\n**Decided.** One.\n"
SECOND = "# 2. Two\n\nAmends [decision 1](0001-a.md): two.\n\n**Decided.** Two.\n"


def write(root: Path, first: str, second: str) -> Path:
    folder = root / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0001-a.md").write_text(first, encoding="utf-8")
    (folder / "0002-b.md").write_text(second, encoding="utf-8")
    return folder


def faults(root: Path, first: str, second: str) -> dict[str, list[str]]:
    folder = write(root, first, second)
    checks = (misnumbered, malformed, one_sided, backwards)
    found = {check.__name__: check(folder) for check in checks} | {"misleading": misleading(root)}
    return {name: wrong for name, wrong in found.items() if wrong}


def test_two_records_that_name_each_other_are_right(tmp_path: Path) -> None:
    assert faults(tmp_path, FIRST, SECOND) == {}


BOTH = "0001-a.md < 0002-b.md"
WRONG = [
    (FIRST, "# 2. Two\n\n**Decided.** Two.\n", {"one_sided": [BOTH]}),
    ("# 1. One\n\n**Decided.** One.\n", SECOND, {"one_sided": [BOTH]}),
    (FIRST, SECOND.replace("# 2.", "# 3."), {"misnumbered": ["0002-b.md"]}),
    (
        FIRST.replace("Amended by", "Changed by"),
        SECOND,
        {"malformed": ["0001-a.md: Changed by [decision 2](0002-b.md): two."], "one_sided": [BOTH]},
    ),
    (
        FIRST,
        f"{SECOND}\nAmends [decision 1](0001-a.md): two.",
        {"malformed": ["0002-b.md: Amends [decision 1](0001-a.md): two."]},
    ),
    (
        FIRST.replace("Amended by", "Amends"),
        SECOND.replace("Amends", "Amended by"),
        {"backwards": ["0002-b.md < 0001-a.md"]},
    ),
    (
        FIRST.replace("0002-b", "0002-c"),
        SECOND,
        {
            "one_sided": [BOTH, "0001-a.md < 0002-c.md"],
            "misleading": ["docs/adr/0001-a.md: decision 2"],
        },
    ),
    (FIRST, f"{SECOND}\nSee [decision 2](0001-a.md).\n", {"misleading": ["docs/adr/0002-b.md: decision 2"]}),
]


@pytest.mark.parametrize(("first", "second", "expected"), WRONG)
def test_the_guards_can_fail(tmp_path: Path, first: str, second: str, expected: dict[str, list[str]]) -> None:
    assert faults(tmp_path, first, second) == expected

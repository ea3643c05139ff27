"""Variations: classes of wrong programs, and of right ones beside them, as templates that are filled in in all ways.

A file of `variations/` is like one of the corpus; lines `#: hole = a | b | c` say what may stand for a `<hole>` in its
programs, and those of `everywhere.txt` in the programs of all files; any other `hole.txt` is text that stands for the
hole of its name. `variations()` gives every filling of each;
a wrong one has its errors on the lines that are marked, as in the corpus, and on no others. As a script
(`python -m tests.typechecker.variations`) this judges all of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from dsl.records import replace
from tests.typechecker.test_corpus import Case, judge, programs

FOLDER = Path(__file__).parent / "variations"
_HOLE = re.compile(r"<(\w+)>")
_VALUES = re.compile(r"^#: (\w+) = (.*)$", re.MULTILINE)


def variations() -> Iterator[Case]:
    """Every filling of every template, file by file."""
    texts = {file.stem: [file.read_text(encoding="utf-8").rstrip()] for file in sorted(FOLDER.glob("*.txt"))}
    everywhere = {**texts, **_holes(FOLDER / "everywhere.txt")}
    for file in sorted(FOLDER.glob("*.dsl")):
        holes = {**everywhere, **_holes(file)}
        for case in programs(file):
            yield from _filled(case, holes)


def _holes(file: Path) -> dict[str, list[str]]:
    return {name: values.split(" | ") for name, values in _VALUES.findall(file.read_text(encoding="utf-8"))}


def _filled(case: Case, holes: Mapping[str, list[str]]) -> Iterator[Case]:
    (text,) = case.texts.values()
    for number, made in enumerate(_fillings(text, holes)):
        yield replace(case, name=f"{case.name}/{number}", texts={"": made})


def _fillings(text: str, holes: Mapping[str, list[str]]) -> Iterator[str]:
    """What is put in may have holes of its own."""
    names = sorted(set(_HOLE.findall(text)))
    if not names:
        yield text
        return
    for values in product(*[holes[name] for name in names]):
        made = text
        for name, value in zip(names, values, strict=True):
            made = made.replace(f"<{name}>", value)
        yield from _fillings(made, holes)


def main() -> int:
    """Judges all variations; the number of those that are judged wrongly."""
    failures = 0
    counts = {True: 0, False: 0}
    for case in variations():
        verdict = judge(case)
        counts[bool(case.markers)] += 1
        if not verdict.right:
            failures += 1
            print(f"{case.name}\n{verdict}\n{case.texts['']}\n")
    print(f"{counts[True]} wrong and {counts[False]} right programs, {failures} judged wrongly")
    return failures


if __name__ == "__main__":
    sys.exit(min(1, main()))

"""Mutation testing of the checker: `python -m tests.mutation.report [filter] [every]`, or `make mutation`.

Takes realistic programs that are accepted, makes the mutants of each (every k-th of them for `every` k), and prints a
table by operator: how many are refused, how many are other right programs, and every one that is broken, which is a
mistake of the checker.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.mutation.judge import Judged, Original, Verdict, judge, original
from tests.mutation.mutants import OPERATORS, mutants
from tests.typechecker.test_corpus import CORPUS
from typechecker.declarations.modules import library_modules

EXAMPLES = Path(__file__).parents[2] / "examples"
TOPICS = ("realistic", "loops", "effects", "mutation_keys")
SHORTEST = 4  # lines
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


def programs() -> Iterator[tuple[str, str]]:
    """Names and texts: the realistic part of the corpus, its longer programs of loops, effects and keys, examples in
    one file."""
    for case in CORPUS:
        long = case.file.stem == "realistic" or case.texts[""].count("\n") >= SHORTEST
        if case.file.parent.name == "accept" and case.file.stem in TOPICS and set(case.texts) == {""} and long:
            yield case.name, case.texts[""]
    for path in sorted(EXAMPLES.rglob("*.dsl")):
        text = path.read_text(encoding="utf-8")
        if set(IMPORTED.findall(text)) <= {*library_modules()}:
            yield path.stem, text


def judged(before: Original, every: int = 1) -> Iterator[Judged]:
    """The verdict on each mutant, or on every so many."""
    for mutant in islice(mutants(before.text), len(before.text) % every, None, every):
        yield judge(before, mutant)


def table(counts: Counter[tuple[str, Verdict]]) -> Iterator[str]:
    yield f"{'':20}{'mutants':>9}" + "".join(f"{v.value:>14}" for v in Verdict) + f"{'refused':>10}"
    for name in (*OPERATORS, "all"):
        row = [sum(n for (o, v), n in counts.items() if v is verdict and name in (o, "all")) for verdict in Verdict]
        if total := sum(row):
            yield f"{name:20}{total:9}" + "".join(f"{n:14}" for n in row) + f"{row[0] / total:9.1%}"


def main(every: int, pattern: str) -> int:
    counts: Counter[tuple[str, Verdict]] = Counter()
    chosen = [(name, text) for name, text in programs() if pattern in name]
    began = time.perf_counter()
    for name, text in chosen:
        for found in judged(original(name, text), every):
            counts[found.mutant.operator, found.verdict] += 1
            if found.verdict is Verdict.BROKEN:
                print(f"{name}, line {found.mutant.line}: {found.mutant.operator}: {found.why}", flush=True)
    print(*table(counts), sep="\n")
    broken = sum(n for (_, v), n in counts.items() if v is Verdict.BROKEN)
    print(f"{counts.total()} mutants of {len(chosen)} programs, {broken} broken, {time.perf_counter() - began:.0f} s")
    return min(1, broken)


if __name__ == "__main__":
    words = sys.argv[1:]
    every = next((int(word) for word in words if word.isdigit()), 1)
    sys.exit(main(every, next((word for word in words if not word.isdigit()), "")))

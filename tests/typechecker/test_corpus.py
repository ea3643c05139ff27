"""The corpus: programs the checker must accept, and programs it must refuse at exactly the marked lines.

`cases/accept/*.dsl` and `cases/reject/*.dsl` hold one topic each and many programs, every one introduced by
a line `#### name`; `#### name module=foo` adds the module `foo` to the program of that name. A line of a
rejected program on which an error must be reported ends in `#! E04`: a family or a whole code, `E03|E02`
where either is right, several after one another where a line has several errors. Those errors and no others
are expected; their words show nothing of the inside, the names that their helps write are there, and the edits that
they offer remove them. A program of `cases/reject/mended.dsl` is right when what is offered first has been carried out.
`cases/pending.txt` lists programs that are not yet judged rightly; they must still fail, so that the list can only
shrink. As a script (`python tests/typechecker/test_corpus.py [-v] [filter]`) this
prints what is judged wrongly, and a table of topics.
"""

from __future__ import annotations

import re
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dsl.core.verify import verify
from dsl.diagnostics.message import Diagnostic, Severity
from tests.support.cases import some
from tests.support.corpus import ProgramText, read_programs
from tests.support.leaks import leaks_of
from tests.support.names_in_helps import unknown_names
from tests.support.offered_edits import after_its_helps, assert_edits_remove_their_errors

CASES = Path(__file__).parent / "cases"
_MARKER = re.compile(r"#! (?P<wanted>(?:(?:E|\|)\w+\s*)+)$")


@dataclass(frozen=True, slots=True)
class Marker:
    """An error that must be reported: in which module, on which line of it, with which families or codes."""

    module: str
    line: int
    codes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {'|'.join(self.codes)}".removeprefix(":")


@dataclass(frozen=True, slots=True)
class Reported:
    """An error that was reported."""

    module: str
    line: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.code} {self.message}".removeprefix(":")

    def answers(self, marker: Marker) -> bool:
        place = (self.module, self.line) == (marker.module, marker.line)
        return place and any(self.code.startswith(code) for code in marker.codes)


@dataclass(frozen=True, slots=True)
class Case(ProgramText):
    """One program, and the errors it must give."""

    markers: tuple[Marker, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the checker's answer differs from the expected one; nothing in it means that it does not."""

    missing: tuple[Marker, ...]
    unexpected: tuple[Reported, ...]
    repeated: int = 0  # errors beyond the first of their line
    crash: str = ""

    @property
    def right(self) -> bool:
        return not (self.missing or self.unexpected or self.crash)

    def __str__(self) -> str:
        lines = [f"not reported: {marker}" for marker in self.missing]
        lines += [f"unexpected:   {error}" for error in self.unexpected]
        return "\n".join([*lines, self.crash] if self.crash else lines)


def programs(file: Path) -> Iterator[Case]:
    """The programs of one file, in order."""
    for program in read_programs(file):
        markers = tuple(m for module, text in program.texts.items() for m in _markers(module, text))
        yield Case(f"{file.parent.name}/{file.stem}/{program.name}", file, program.line, program.texts, markers)


def _markers(module: str, text: str) -> Iterator[Marker]:
    for row, line in enumerate(text.splitlines(), start=1):
        if found := _MARKER.search(line):
            for wanted in found["wanted"].split():
                yield Marker(module, row, tuple(wanted.split("|")))


def corpus() -> tuple[Case, ...]:
    """All programs, the accepted ones first."""
    return tuple(case for file in sorted(CASES.glob("*/*.dsl")) for case in programs(file))


def pending() -> Mapping[str, str]:
    """The names in `cases/pending.txt`, each with the reason beside it."""
    lines = (CASES / "pending.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.partition(" ") for line in lines if line.strip() and not line.startswith("#"))
    return {name: reason.strip() for name, _, reason in entries}


def judge(case: Case) -> Verdict:
    """Check a program; every marker is answered by an error, and every error answers a marker. What is accepted is well
    formed."""
    try:
        result = case.check()
        errors = _errors([d for d in result.diagnostics if d.severity is Severity.ERROR])
        if result.program is not None:
            own = [m.name for m in result.program.modules.values() if not m.source.name.startswith("<stdlib>")]
            verify(result.program, *own)
    except Exception:
        return Verdict((), (), crash=traceback.format_exc(limit=-3))
    missing = tuple(m for m in case.markers if not any(error.answers(m) for error in errors))
    unexpected = tuple(e for e in errors if not any(e.answers(marker) for marker in case.markers))
    return Verdict(missing, unexpected, repeated=len(errors) - len({(e.module, e.line) for e in errors}))


def _errors(diagnostics: list[Diagnostic]) -> list[Reported]:
    found = []
    for d in diagnostics:
        source, start, _ = d.primary.span
        module = "" if source.name == "main.dsl" else source.name.removesuffix(".dsl")
        found.append(Reported(module, source.position(start)[0], d.code, d.message))
    return found


CORPUS = corpus()
PENDING = pending()


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_program(case: Case) -> None:
    verdict = judge(case)
    if case.name in PENDING:
        assert not verdict.right, f"{case.name} is judged rightly now: remove it from cases/pending.txt"
    else:
        assert verdict.right, f"\n{verdict}\n\n{_show(case)}"
    assert [*leaks_of(case)] == []
    assert [*unknown_names(case)] == []
    assert_edits_remove_their_errors(case)
    assert case.file.stem != "mended" or after_its_helps(case).errors() == []


def test_every_pending_name_is_a_program() -> None:
    assert sorted(set(PENDING) - {case.name for case in CORPUS}) == []


def test_pending_names_have_reasons() -> None:
    assert [name for name, reason in PENDING.items() if not reason] == []


def test_markers_stand_in_rejected_programs_only() -> None:
    wrong = [c.name for c in CORPUS if bool(c.markers) != (c.file.parent.name == "reject")]
    assert wrong == []


def test_no_program_stands_twice() -> None:
    """Two accepted programs with one text, or two refused ones, would count for two and test one thing."""
    seen: dict[tuple[str, str], str] = {}
    for case in some(CORPUS):
        text = "\n".join(f"{module}\n{text}" for module, text in case.texts.items())
        assert seen.setdefault((case.file.parent.name, text), case.name) == case.name


def test_corpus_is_large() -> None:
    accepted = sum(case.file.parent.name == "accept" for case in CORPUS)
    assert accepted >= 200
    assert len(CORPUS) - accepted >= 400


def _show(case: Case) -> str:
    """The program as it stands in its file, with the line numbers the verdict speaks of."""
    lines = [f"{case.file}:{case.line}"]
    for module, text in case.texts.items():
        lines += [f"  module {module}"] if module else []
        lines += [f"{row:4} | {line}" for row, line in enumerate(text.splitlines(), start=1)]
    return "\n".join(lines)


def _report(pattern: str, *, verbose: bool) -> int:
    """Print every program whose name contains `pattern` and is judged wrongly; the number of them."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    wrong = repeated = 0
    began = time.perf_counter()
    for case in CORPUS:
        if pattern not in case.name:
            continue
        verdict = judge(case)
        repeated += verdict.right and verdict.repeated > 0
        topic = case.name.rpartition("/")[0]
        table[topic][0] += verdict.right
        table[topic][1] += 1
        if verdict.right and case.name in PENDING:
            print(f"{case.name}: right, though pending")
        elif not verdict.right and (verbose or case.name not in PENDING):
            wrong += 1
            print(f"{case.name}\n    " + str(verdict).replace("\n", "\n    "))
            if verbose:
                print(_show(case) + "\n")
    for topic, (right, total) in table.items():
        print(f"{topic:32} {right:4} of {total:4}")
    right, total = (sum(column) for column in zip(*table.values(), strict=True)) if table else (0, 0)
    print(f"{'all':32} {right:4} of {total:4}  in {time.perf_counter() - began:.1f} s")
    print(f"{repeated} programs are judged rightly, with several errors on a line")
    return wrong


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-v"]
    sys.exit(min(1, _report(words[0] if words else "", verbose="-v" in sys.argv)))

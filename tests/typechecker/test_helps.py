"""Suggestions work: carrying out the edits of a help removes the error that it belongs to.

Every program of the corpus that must be refused is checked, and every edit that the checker offers for one
of its errors is applied to the text. That error is gone then, and the program gives strictly fewer errors:
at once, or after carrying out what is offered for the errors that came to light. Read next: `test_corpus`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.records import replace
from tests.support.corpus import ProgramText, read_programs

REFUSED = sorted((Path(__file__).parent / "cases" / "reject").glob("*.dsl"))


class Program(ProgramText):
    """A program whose errors offer edits. They are asked for more than once, and found once."""

    def errors(self) -> list[Diagnostic]:
        return _errors(tuple(self.texts.items()))

    def mended(self, edits: tuple[Edit, ...]) -> Program:
        texts = dict(self.texts)
        for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
            module = edit.span.source.name.removesuffix(".dsl").removeprefix("main")
            text = texts[module]
            assert edit.span.source.text == self.texts[module], "an edit of another text"
            texts[module] = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return replace(self, texts=texts)


@lru_cache(maxsize=16)
def _errors(texts: tuple[tuple[str, str], ...]) -> list[Diagnostic]:
    return ProgramText("", Path(), 1, dict(texts)).errors()


def programs(file: Path) -> Iterator[Program]:
    for program in read_programs(file):
        yield Program(f"{file.stem}/{program.name}", file, program.line, program.texts)


def offered(program: Program) -> Iterator[tuple[Diagnostic, Help]]:
    for error in program.errors():
        for advice in error.help:
            if advice.edits:
                yield error, advice


PROGRAMS = [program for file in REFUSED for program in programs(file)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_edits_remove_their_error(program: Program) -> None:
    before = Counter(map(shown, program.errors()))
    for error, advice in offered(program):
        mended = program.mended(advice.edits)
        after = Counter(map(shown, mended.errors()))
        assert after[shown(error)] < before[shown(error)], said(mended, error)
        mended = carried_on(mended, before)
        assert len(mended.errors()) < before.total(), said(mended, error)


def carried_on(program: Program, before: Counter[str], rounds: int = 4) -> Program:
    """The program after what is offered for errors that were not there before."""
    for _ in range(rounds):
        new = [advice for error, advice in offered(program) if shown(error) not in before]
        if not new:
            break
        program = program.mended(new[0].edits)
    return program


def shown(error: Diagnostic) -> str:
    return f"{error.code} {error.message}"


def test_many_errors_offer_edits() -> None:
    missing = {"E0201", "E0301", "E0302", "E0306", "E0401", "E0601", "E0603", "E0701"}
    others: set[str] = set()
    for program in Random(0).sample(PROGRAMS, len(PROGRAMS)):
        found = {error.code for error, _ in offered(program)}
        others |= found - missing
        missing -= found
        if not missing and len(others) >= 15:
            return
    pytest.fail(f"no edit is offered for {missing}, and for {others} alone beside them")


def test_an_edit_that_does_not_help_is_seen() -> None:
    program = Program("f", Path("f.dsl"), 1, {"": "def f(x: f32) -> f32 = meen(x)\n"})
    (error,) = program.errors()
    useless = program.mended((Edit(error.primary.span, "maen"),))
    assert [e.code for e in useless.errors()] == ["E0201"]
    useful = program.mended(error.help[0].edits)
    assert useful.errors() == []


def said(mended: Program, error: Diagnostic) -> str:
    left = "\n".join(f"  {shown(e)}" for e in mended.errors())
    return f"{shown(error)}\n" + "\n".join(mended.texts.values()) + "gives\n" + left

"""Suggestions that work: carrying out the edits of a help removes the error that it belongs to.

Every edit that the checker offers for an error of a program is applied to the text. That error is gone then, and the
program gives strictly fewer errors: at once, or after carrying out what is offered for the errors that came to light.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from tests.support.corpus import ProgramText


def assert_edits_remove_their_errors(program: ProgramText) -> None:
    before = Counter(map(shown, program.errors()))
    for error, advice in offered(program):
        less = mended(program, advice.edits)
        after = Counter(map(shown, less.errors()))
        assert after[shown(error)] < before[shown(error)], said(less, error)
        assert_goes_on(program, error, advice, less)
        less = carried_on(less, before)
        assert len(less.errors()) < before.total(), said(less, error)


def assert_goes_on(program: ProgramText, error: Diagnostic, advice: Help, less: ProgramText) -> None:
    """What is offered after an edit does not lead back to the program before it."""
    for _, following in offered(less):
        assert mended(less, following.edits).texts != program.texts, (
            f"{advice.text}\nis taken back by\n{following.text}"
        )


def offered(program: ProgramText) -> Iterator[tuple[Diagnostic, Help]]:
    for error in program.errors():
        for advice in error.help:
            if advice.edits:
                yield error, advice


def mended(program: ProgramText, edits: tuple[Edit, ...]) -> ProgramText:
    texts = dict(program.texts)
    for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
        module = edit.span.source.name.removesuffix(".dsl").removeprefix("main")
        text = texts[module]
        assert edit.span.source.text == program.texts[module], "an edit of another text"
        texts[module] = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return ProgramText(program.name, program.file, program.line, texts)


def after_its_helps(program: ProgramText, rounds: int = 4) -> ProgramText:
    """The program after what is offered first, again and again."""
    for _ in range(rounds):
        _, advice = next(offered(program), (None, None))
        program = program if advice is None else mended(program, advice.edits)
    return program


def carried_on(program: ProgramText, before: Counter[str], rounds: int = 4) -> ProgramText:
    """The program after what is offered for errors that were not there before."""
    for _ in range(rounds):
        new = [advice for error, advice in offered(program) if shown(error) not in before]
        if not new:
            break
        program = mended(program, new[0].edits)
    return program


def shown(error: Diagnostic) -> str:
    return f"{error.code} {error.message}"


def said(less: ProgramText, error: Diagnostic) -> str:
    left = "\n".join(f"  {shown(e)}" for e in less.errors())
    return f"{shown(error)}\n" + "\n".join(less.texts.values()) + "gives\n" + left

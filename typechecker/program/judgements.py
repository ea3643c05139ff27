"""Judgements of the transformations in a definition: those that are refused for an instance of it.

Staging instances of every suspect takes long, and an edit concerns few of them: a judgement is an analysis like others,
and is kept while what it has looked at is the same. Read next: `suspects`; `rechecking`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.program.assembly import Judge, led_to
from typechecker.program.suspects import Suspects


def judging(
    program: ProgramChecker, main: str, judge: Judge
) -> Callable[[ProgramChecker, core.Function], Iterable[Diagnostic]]:
    """The analysis that finds the refused transformations in a definition of a program that begins with a module."""
    suspects, aside = Suspects(program), program.library.reads.noted_in

    def statics() -> list[tuple[str, str]]:
        with aside(set()):
            own = [info for module in program.modules.own.values() for info in module.definitions.values()]
        return [(info.module, info.name) for info in own if info.head.static]

    def refused(program: ProgramChecker, function: core.Function) -> Iterable[Diagnostic]:
        if function.static or not suspects.is_suspect(function):
            return ()
        for key in statics():
            program.checked(*key)  # types mention them
        with aside(set()):
            return tuple(judge(led_to(program, main, [function]), [function]))

    return refused

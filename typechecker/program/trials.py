"""A definition as a help would write it, or as it would be if its author had written on: what is wrong in it then, and
the types of its expressions.

It is checked like any other, and known to nothing. Calls of its name are those of the one in whose place it would
stand; where it calls itself, it takes that place meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import read_pieces
from dsl.syntax.top_level_split import piece_at
from typechecker.declarations.entities import Definition, State, Task
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.outcomes import Memo
from typechecker.env.reports import Reports
from typechecker.errors.repairs.trees import OFFERED
from typechecker.program.bodies import check_body


def faults(program: ProgramChecker, module: str, node: ast.Def) -> Counter[str] | None:
    """The errors in a definition; those of others, which it is the first to ask for, are reported as theirs. None if
    others that call it are still to be checked: they would be checked against what is only tried."""
    _, found = _tried(program, module, node)
    if found is None:
        return None
    source = node.span.source
    for diagnostic in found:
        if diagnostic.primary.span.source is not source:
            program.reports.add(diagnostic)
    return Counter([f"{d.code} {d.message}" for d in found if d.primary.span.source is source])


class Trial(Struct, frozen=True):
    """Another text of a definition, and its check: None if it could not be read."""

    node: ast.Def
    info: Definition | None


def trial(program: ProgramChecker, module: str, text: str, offset: int) -> Trial | None:
    """The definition at an offset of a text that is tried instead of a module's, which has been checked. None for
    another declaration, and where others that call it have not been checked."""
    source = Source(OFFERED, text)
    piece = piece_at(source, offset)
    reading = read_pieces(source, [] if piece is None else [piece])
    node = next(iter(reading.module.declarations), None)
    if not isinstance(node, ast.Def):
        return None
    if reading.diagnostics:
        return Trial(node, None)
    program.memo = Memo()
    program.modules.begin(module)
    with program.library.reads.noted_in(set()):
        info, found = _tried(program, module, node)
    program.modules.begin(None)
    return None if found is None else Trial(node, info)


def _tried(program: ProgramChecker, module: str, node: ast.Def) -> tuple[Definition, Sequence[Diagnostic] | None]:
    """A definition, and all that is reported when it is checked."""
    name, source = node.name.name, node.span.source
    # its variables have numbers of their own, as no other declaration of the program has them
    other = program.modules[module].definitions.get(name)
    cycle = other.cycle if other is not None else frozenset()
    info = Definition(module, name, node, cycle=cycle, _task=Task.of(module, f"{name}\0{source.text}"))
    if other is not None and cycle and not _is_alone(program, module, other):
        return info, None
    before, program.reports = program.reports, Reports()
    try:
        with _in_place_of(program, module, info, other) if other is not None and cycle else nullcontext():
            check_body(program, info)
    finally:
        found, program.reports = program.reports.all, before
    return info, found


@contextmanager
def _in_place_of(program: ProgramChecker, module: str, info: Definition, other: Definition) -> Iterator[None]:
    """A definition that stands where another one does, so that its calls of this name are recursive ones; nothing else
    is checked meanwhile that could call it."""
    definitions = program.modules[module].definitions
    definitions[info.name] = info
    try:
        yield
    finally:
        definitions[info.name] = other


def _is_alone(program: ProgramChecker, module: str, info: Definition) -> bool:
    """Return whether all other definitions through which it recurs have been checked, or are being checked."""
    others = [program.modules[module].definitions[name] for name in info.cycle if name != info.name]
    return all(d.state not in (State.NEW, State.SIGNATURE, State.BODY) for d in others)

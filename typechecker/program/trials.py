"""A definition as a help would write it: what is wrong in it then.

It is checked like any other, and known to nothing. Calls of its name are those of the one in whose place it would
stand; where it calls itself, it takes that place meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from dsl.syntax import ast
from typechecker.declarations.entities import Definition, State, Task
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.reports import Reports
from typechecker.program.bodies import check_body


def faults(program: ProgramChecker, module: str, node: ast.Def) -> Counter[str] | None:
    """The errors in a definition; those of others, which it is the first to ask for, are reported as theirs. None if
    others that call it are still to be checked: they would be checked against what is only tried."""
    name, source = node.name.name, node.span.source
    # its variables have numbers of their own, as no other declaration of the program has them
    other = program.modules[module].definitions.get(name)
    cycle = other.cycle if other is not None else frozenset()
    if other is not None and cycle and not _is_alone(program, module, other):
        return None
    info = Definition(module, name, node, cycle=cycle, _task=Task.of(module, f"{name}\0{source.text}"))
    before, program.reports = program.reports, Reports()
    try:
        with _in_place_of(program, module, info, other) if other is not None and cycle else nullcontext():
            check_body(program, info)
    finally:
        found, program.reports = program.reports.all, before
    for diagnostic in found:
        if diagnostic.primary.span.source is not source:
            program.reports.add(diagnostic)
    return Counter([f"{d.code} {d.message}" for d in found if d.primary.span.source is source])


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

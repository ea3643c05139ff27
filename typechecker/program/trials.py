"""A definition as a help would write it: what is wrong in it then.

It is checked like any other, beside the one in whose place it would stand, and known to nothing: calls of its name are
those of the other one.
"""

from __future__ import annotations

from collections import Counter

from dsl.syntax import ast
from typechecker.declarations.entities import Definition, Task
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.reports import Reports
from typechecker.program.bodies import check_body


def faults(program: ProgramChecker, module: str, node: ast.Def) -> Counter[str]:
    """The errors in a definition; those of others, which it is the first to ask for, are reported as theirs."""
    name, source = node.name.name, node.span.source
    # its variables have numbers of their own, as no other declaration of the program has them
    info = Definition(module, name, node, _task=Task.of(module, f"{name}\0{source.text}"))
    before, program.reports = program.reports, Reports()
    try:
        check_body(program, info)
    finally:
        found, program.reports = program.reports.all, before
    for diagnostic in found:
        if diagnostic.primary.span.source is not source:
            program.reports.add(diagnostic)
    return Counter([f"{d.code} {d.message}" for d in found if d.primary.span.source is source])

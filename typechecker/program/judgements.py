"""Judgements of the transformations in a module. That of a definition is kept while it leads to the same definitions.

Staging instances of every suspect takes long, and an edit concerns few of them. A declaration that an edit does not
concern keeps its Core, so that what a definition leads to is compared by identity. Read next: `suspects`; `rechecking`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

from dsl.core import core
from dsl.core.reachability import expressions_of
from dsl.core.walk import subexpressions
from dsl.diagnostics.message import Diagnostic
from typechecker.declarations.entities import Definition, Judgement, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.program.assembly import Judge, led_to
from typechecker.program.suspects import Suspects

Key: TypeAlias = tuple[str, str]
"""A module and a name in it."""


def refused(program: ProgramChecker, module: Module, judge: Judge) -> Iterator[Diagnostic]:
    """The transformations of a module that are refused for an instance of their definition; each place once."""
    told: set[Hashable] = set()
    suspects = Suspects(program).of(module)
    statics = _statics(program) if suspects else ()
    for info in suspects:
        for found in _judged(program, module, info, statics, judge):
            if _place(found) not in told:
                told.add(_place(found))
                yield found


def _place(found: Diagnostic) -> Hashable:
    return found.code, found.primary.span, *(label.span for label in found.secondary)


def _judged(
    program: ProgramChecker, module: Module, info: Definition, statics: Sequence[object], judge: Judge
) -> Sequence[Diagnostic]:
    function = program.checked(module.name, info.name)
    assert function is not None, "a suspect has a body"
    parts = (*_parts(program, module, info), *statics)
    known = info.judgement
    if known is None or [*map(id, known.parts)] != [*map(id, parts)]:
        found = tuple(judge(led_to(program, module.name, [function]), [function]))
        known = info.judgement = Judgement(parts, found)
    return known.found


def _statics(program: ProgramChecker) -> list[object]:
    """The static functions of the program's own modules, which types mention."""
    own = (module for module in program.modules.values() if not program.is_library(module))
    bodies = (program.checked(module.name, name) for module in own for name in module.definitions)
    return [body for body in bodies if body is not None and body.static]


def _parts(program: ProgramChecker, module: Module, info: Definition) -> list[object]:
    """The Core of the definitions and constants of the program's own modules that a definition leads to."""
    reached: dict[Key, object] = {}
    todo: list[Key] = [(module.name, info.name)]
    while todo:
        key = todo.pop()
        owner = program.modules[key[0]]
        if key in reached or program.is_library(owner):
            continue
        constant = program.checked_constant(*key)
        reached[key] = program.checked(*key) if constant is None else constant
        todo += _mentioned(owner.definitions.get(key[1]), reached[key])
    return list(reached.values())


def _mentioned(info: Definition | None, found: object) -> Sequence[Key]:
    """Return the names in the Core of a definition, or of a constant; those of a definition are looked for once."""
    match found:
        case core.Function() if info is not None:
            if info.mentions is None or info.mentions[0] is not found:
                info.mentions = found, _globals(expressions_of(found))
            return info.mentions[1]
        case core.Constant(value=value):
            return _globals([value])
        case _:
            return ()


def _globals(expressions: Sequence[core.Expr]) -> tuple[Key, ...]:
    nodes = (node for each in expressions for node in subexpressions(each) if isinstance(node, core.Global))
    return tuple(dict.fromkeys([(node.module, node.name) for node in nodes]))

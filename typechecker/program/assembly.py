"""Checked programs, put together of what the checker knows of modules.

Read next: `dsl.core.reachability`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import TypeAlias

from dsl.core import core
from dsl.core.reachability import expressions_of, reachable
from dsl.core.walk import subexpressions
from dsl.diagnostics.message import Diagnostic
from dsl.records import replace
from typechecker.declarations.entities import PRELUDE, Library, Module, with_imports
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.program import bodies

Judge: TypeAlias = Callable[[core.Program, Sequence[core.Function]], Iterable[Diagnostic]]
"""The transformations that are refused in some definitions of a program."""


def check_wanted(program: ProgramChecker) -> None:
    """Check the bodies of library definitions that programs use."""
    while program.library.wanted:
        _, info = program.library.wanted.popitem()
        bodies.check_body(program, info)


def assembled(program: ProgramChecker, main: str) -> core.Program:
    """The program that begins with a module."""
    return reachable(core.Program(main, _modules(program)))


def _modules(program: ProgramChecker) -> dict[str, core.Module]:
    """All modules of a program, with the definitions that have been checked."""
    own = program.modules.own
    of_library = with_imports(program.library.modules, [PRELUDE, *(n for module in own.values() for n in module.used)])
    return {module.name: _assembled(module) for module in (*of_library.values(), *own.values())}


def _assembled(module: Module) -> core.Module:
    return core.Module(
        module.name,
        module.source,
        {name: info.checked for name, info in module.definitions.items() if info.checked is not None},
        module.checked_constants,
        module.enum_infos,
        module.alias_types,
        module.tree.doc,
    )


def led_to(program: ProgramChecker, main: str, functions: Sequence[core.Function]) -> core.Program:
    """The part of a program that some definitions lead to, and its static functions, which types mention. What Python
    applies has the name of a definition that it leads to."""
    reached = set[tuple[str, str]]()
    todo = [each for function in functions for each in expressions_of(function)]
    while todo:
        for node in subexpressions(todo.pop()):
            if isinstance(node, core.Global) and (node.module, node.name) not in reached:
                reached.add((node.module, node.name))
                todo += _expressions(program, node.module, node.name)
        if not todo:
            todo += [each for key in _static_wanted(program.library) for each in _expressions(program, *key)]
    reached |= {(each.module, each.name) for each in functions}
    return core.Program(main, {name: _reached(module, reached) for name, module in _modules(program).items()})


def _expressions(program: ProgramChecker, module: str, name: str) -> list[core.Expr]:
    """The expressions that a name of a program leads to: those of a definition, or the value of a constant."""
    constant = program.checked_constant(module, name)
    if constant is not None:
        return [constant.value]
    found = program.checked(module, name)
    return [] if found is None else expressions_of(found)


def _static_wanted(library: Library) -> list[tuple[str, str]]:
    """Take the static functions out of what programs use of the library."""
    found = [key for key, info in library.wanted.items() if info.head.static]
    for key in found:
        del library.wanted[key]
    return found


def _reached(module: core.Module, reached: Set[tuple[str, str]]) -> core.Module:
    kept = {name: f for name, f in module.functions.items() if f.static or (module.name, name) in reached}
    constants = {name: each for name, each in module.constants.items() if (module.name, name) in reached}
    return replace(module, functions=kept, constants=constants)

"""Checked programs, put together of what the checker knows of modules.

Read next: `dsl.core.reachability`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from dsl.core import core
from dsl.core.reachability import reachable
from dsl.diagnostics.message import Diagnostic
from typechecker.declarations.entities import PRELUDE, Module, with_imports
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.program import bodies

Judge: TypeAlias = Callable[[core.Program, Sequence[core.Function]], Iterable[Diagnostic]]
"""The transformations that are refused in some definitions of a program."""


def check_wanted(program: ProgramChecker) -> None:
    """Check the bodies of library definitions that programs use."""
    while program.library.wanted:
        _, info = program.library.wanted.popitem()
        bodies.check_body(program, info)


def assembled(program: ProgramChecker, main: str, names: Mapping[str, Collection[str]] | None = None) -> core.Program:
    """The program that begins with a module; of its own modules those definitions alone that have the `names`."""
    own = program.modules.own.values()
    of_library = with_imports(program.library.modules, [PRELUDE, *(name for module in own for name in module.used)])
    made = {name: _assembled(module, None) for name, module in of_library.items()}
    made |= {module.name: _assembled(module, None if names is None else names[module.name]) for module in own}
    return reachable(core.Program(main, made))


def _assembled(module: Module, names: Collection[str] | None) -> core.Module:
    functions = {name: info.checked for name, info in module.definitions.items() if info.checked is not None}
    constants = module.checked_constants
    if names is not None:
        functions = {name: each for name, each in functions.items() if name in names}
        constants = {name: each for name, each in constants.items() if name in names}
    return core.Module(
        module.name,
        module.source,
        functions,
        constants,
        module.enum_infos,
        module.alias_types,
        module.tree.doc,
    )

"""The checker's front: a source text in, diagnostics and the checked program out.

Every definition of the program is checked, called or not; those of the library when they are used. Modules come from
`typechecker.modules`; which rule an expression follows is `typechecker.dispatch`'s to say.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.diagnostics.source import Source, Span
from typechecker import (
    bodies,
    effects,
    errors,
    specials,
)
from typechecker.dispatch import rules
from typechecker.modules import Resolver, declare, library, resolver
from typechecker.outside import Step, check_transformed
from typechecker.program import PRELUDE, Module, ProgramChecker
from typechecker.references import order, references
from typechecker.signature import fresh_context
from typechecker.typexpr import Alias, elaborate

RECURSION = 12_000


Transformable: TypeAlias = Callable[[str, str, Sequence[Step]], tuple[Diagnostic, ...]]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What checking found: all diagnostics in order of place, and the program if there was no error.

    `transformable` then says what is wrong with transformations of a definition (by module and name) from outside.
    """

    diagnostics: tuple[Diagnostic, ...]
    program: core.Program | None
    transformable: Transformable | None = None

    @property
    def ok(self) -> bool:
        return self.program is not None


# ---------------------------------------------------------------- entry points


def check_source(
    source: Source, modules: Mapping[str, Source] | None = None, folder: Path | None = None
) -> CheckResult:
    """Check a text. `modules` are further modules by name; others are looked for in `folder`, on DSLPATH, and in the
    library."""
    with _deep_recursion():
        return _check(source, resolver(modules or {}, folder))


def check_file(path: str | os.PathLike[str]) -> CheckResult:
    """Check a file (UTF-8); modules are looked for beside it. Raises OSError or UnicodeDecodeError if it cannot be
    read."""
    place = Path(path)
    return check_source(Source(str(path), place.read_text(encoding="utf-8")), None, place.parent)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for deep programs, and no garbage collector walking a tree that only grows."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, RECURSION))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


def _check(source: Source, resolve: Resolver) -> CheckResult:
    program = ProgramChecker(rules(), specials.table())
    prelude = library(PRELUDE)
    if prelude is not None:
        declare(program, PRELUDE, prelude, resolve, ())
    name = Path(source.name).stem if source.name.endswith(".dsl") else "<main>"
    main = declare(program, name, source, resolve, ())
    for module in [m for m in reversed(program.modules.values()) if m is main or not program.is_library(m)]:
        _check_module(program, module)
    if not _has_errors(program):
        _check_wanted(program)
    diagnostics = _of_source(program, source)
    failed = any(d.severity is Severity.ERROR for d in diagnostics)
    if failed:
        return CheckResult(diagnostics, None)
    return CheckResult(diagnostics, _assembled(program, main), partial(_transformed, program))


def _transformed(
    program: ProgramChecker, module: str, name: str, steps: Sequence[Step]
) -> tuple[Diagnostic, ...]:
    with _deep_recursion():
        return check_transformed(program, module, name, steps)


def _has_errors(program: ProgramChecker) -> bool:
    return any(d.severity is Severity.ERROR for d in program.reports.sorted())


def _of_source(program: ProgramChecker, source: Source) -> tuple[Diagnostic, ...]:
    """The diagnostics of the text itself first, then of the modules it imports."""
    found = program.reports.sorted()
    own = [d for d in found if d.primary.span.source is source]
    return (*own, *(d for d in found if d.primary.span.source is not source))


# ---------------------------------------------------------------- checking all


def _check_module(program: ProgramChecker, module: Module) -> None:
    for alias in module.aliases.values():
        _check_alias(program, module, alias)
    for name in module.enums:
        bodies.enum(program, module, name)
    for name in module.effects:
        ctx = fresh_context(program, module.name, name, module.scope.child())
        effects.operation_signature(ctx, module.name, name)
    for name in order(module):
        if name in module.definitions:
            bodies.check_body(program, module.definitions[name])
        else:
            bodies.constant(program, module, name)


def _check_alias(program: ProgramChecker, module: Module, alias: Alias) -> None:
    """An alias is checked with its parameters standing for themselves; each must be used."""
    from_scope = alias.scope.child()
    ctx = fresh_context(program, module.name, alias.name, from_scope)
    used = set(references(alias.value))
    seen: dict[str, Span] = {}
    for param in alias.params:
        name = param.name.name
        if name in seen:
            program.reports.add(errors.duplicate_name("parameter", name, param.span, seen[name]))
        seen[name] = param.span
        if name not in used:
            program.reports.add(errors.unused_alias_parameter(name, alias.name, param.span))
    if alias.cyclic:
        return
    specials_of = bodies.alias_scope(ctx, alias)
    elaborate(specials_of, alias.value)


def _check_wanted(program: ProgramChecker) -> None:
    """Bodies of library definitions that the program uses."""
    done = 0
    while done < len(program.wanted):
        bodies.check_body(program, program.wanted[done])
        done += 1


def _assembled(program: ProgramChecker, main: Module) -> core.Program:
    modules = {}
    for name, module in program.modules.items():
        functions = {n: d.checked for n, d in module.definitions.items() if d.checked is not None}
        modules[name] = core.Module(
            name, module.source, functions, module.checked_constants, module.enum_infos, module.tree.doc
        )
    return core.Program(main.name, modules)

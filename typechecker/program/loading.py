"""Loading: the modules of a program found, declared and checked, each after those it imports.

Every definition of a module is checked, called or not; those of the library when they are asked for. What a cache has
of a module is taken from there if it still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from pathlib import Path

from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.library_text import text_of
from dsl.syntax.parse import parse
from dsl.syntax.sources import Resolver, library, library_name
from dsl.types.walk import shapes_in
from typechecker import analyses
from typechecker.analyses.endless_recursion import EndlessRecursion
from typechecker.declarations.cache import CheckCache, Kept
from typechecker.declarations.dependencies import order, references
from typechecker.declarations.entities import PRELUDE, Module, Task
from typechecker.declarations.enums import enum_of
from typechecker.declarations.modules import Cycle, Found, declare, declare_library, imported_modules
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.records import outlined
from typechecker.env.outcomes import Memo
from typechecker.env.reports import Reports
from typechecker.env.scope import DistinctNames, Scope
from typechecker.errors import names as name_errors
from typechecker.program import bodies
from typechecker.program.assembly import Judge, assembled, check_wanted
from typechecker.program.suspects import Suspects, holds_obstacle
from typechecker.types.type_expressions import Alias, elaborate


class Loading:
    """One program on its way in. `imported` is what was found under each name that it imports, `checked` the modules
    that were checked, by name and in order; the others of its own were kept."""

    def __init__(
        self, program: ProgramChecker, resolve: Resolver, cache: CheckCache | None, judge: Judge | None
    ) -> None:
        self._program = program
        self._resolve = resolve
        self._cache = cache
        self._judge = judge
        self._found: dict[str, Found] = {}
        self.imported: dict[str, Source | None] = {}
        self.checked: list[str] = []

    def main(self, source: Source) -> Module:
        """The module that a program begins with, after all that it imports. A file of the library is that module, with
        every definition checked."""
        self.library(PRELUDE)
        of_library = library_name(source)
        if of_library is not None:
            return self._whole_library_module(of_library)
        name = Path(source.name).stem if source.name.endswith(".dsl") else "<main>"
        return self._module(name, source, ())

    def _whole_library_module(self, name: str) -> Module:
        module = self.library(name)
        assert module is not None
        for info in module.definitions.values():
            bodies.check_body(self._program, info)
        read = copy(module)
        read.tree, _ = parse(module.source)
        read.found = self._program.reports.all
        return read

    def _find(self, dotted: str, path: tuple[str, ...]) -> Found:
        """Resolve an import; `path` is the file of the importing module."""
        if dotted in path:
            return Cycle((*path[path.index(dotted) :], dotted))
        if dotted not in self._found:
            source = self.imported[dotted] = self._resolve(dotted)
            if source is None:
                self._found[dotted] = None
            elif source is library(dotted):
                self._found[dotted] = self.library(dotted)
            else:
                self._found[dotted] = self._module(dotted, source, path)
        return self._found[dotted]

    def library(self, dotted: str) -> Module | None:
        """A module of the library: declared once, and what it imports is of the library too."""
        modules = self._program.library.modules
        source = library(dotted)
        if dotted not in modules and source is not None:
            known = outlined(self._program.library.records, source)
            module = modules[dotted] = _empty(dotted, source, text_of(source, known.parts).tree, ())
            found = {name: self.library(name) for name in imported_modules(module.tree)}
            declare_library(self._program, module, known, found)
        return modules.get(dotted)

    def _module(self, dotted: str, source: Source, path: tuple[str, ...]) -> Module:
        """A module, checked now or before. Its name is another than that of a module of the library."""
        name = dotted if library(dotted) is None else f"./{dotted}"
        kept = None if self._cache is None else self._cache.get(name, source)
        if kept is None:
            module = _empty(name, source, *parse(source))
        else:
            module = _empty(name, kept.module.source, kept.module.tree, kept.module.problems)
        found = {other: self._find(other, (*path, dotted)) for other in imported_modules(module.tree)}
        if kept is not None and kept.holds(found, self._program.modules):
            self._program.modules.add(kept.module)
            return kept.module
        self._check(module, found)
        return module

    def _check(self, module: Module, found: Mapping[str, Found]) -> None:
        program = self._program
        self.checked.append(module.name)
        program.reports = Reports()
        program.modules.add(module)
        program.modules.begin(module.name)
        program.memo = Memo()
        if module.source.in_library:
            declare_library(program, module, outlined(program.library.records, module.source), found)
        else:
            declare(program, module, found)
        _check_declarations(program, module)
        _judge(program, module, self._judge)
        _check_sums(program, module)
        _check_data_sizes(program, module)
        _check_recursion(program, module)
        module.found = program.reports.all
        if self._cache is not None:
            self._cache.put(Kept.of(module, found, program.modules))
        program.modules.begin(None)


def _empty(name: str, source: Source, tree: ast.Module, problems: tuple[Diagnostic, ...]) -> Module:
    """A module of which nothing is known but its text."""
    return Module(name, source, tree, Scope(None, module=name), problems)


# ---------------------------------------------------------------- checking all


_SUMMING = ("psum", "reduce_scatter")
"""A program that says none of these sums nothing along an axis."""


def _judge(program: ProgramChecker, module: Module, judge: Judge | None) -> None:
    """Report the transformations of a module that are refused for an instance of their definition."""
    module.followed = holds_obstacle(program, module) or any(program.modules[name].followed for name in module.used)
    if not module.followed or judge is None:
        return
    asked = Suspects(program)
    found = asked.of(module)
    if found:
        check_wanted(program)
        names = {name: asked.clean(each) for name, each in program.modules.own.items()}
        for diagnostic in judge(assembled(program, module.name, names), found):
            program.reports.add(diagnostic)


def _check_sums(program: ProgramChecker, module: Module) -> None:
    """Sums along an axis, in a module that says so or uses one that does."""
    said = any(word in module.source.text for word in _SUMMING)
    module.sums = said or any(program.modules[name].sums for name in module.used)
    if module.sums:
        check_wanted(program)
        _report_all(program, module, analyses.check_reductions)


def _check_data_sizes(program: ProgramChecker, module: Module) -> None:
    """Check the uses of sizes that data decide, in this module or in its imports, if there are any."""
    module.decides = any(info.decides for info in module.definitions.values())
    for constant in module.checked_constants.values():
        for found in analyses.check_constant(program, constant.value):
            program.reports.add(found)
    if module.decides or any(program.modules[name].decides for name in module.used):
        check_wanted(program)
        _report_all(program, module, analyses.check_data_sizes)


def _report_all(
    program: ProgramChecker,
    module: Module,
    analysis: Callable[[ProgramChecker, core.Function], Iterable[Diagnostic]],
) -> None:
    """Report the findings of an analysis in each definition of a module; of duplicates, the one with fewer labels."""
    checked = [info.checked for info in module.definitions.values() if info.checked is not None]
    told: list[set[object]] = []
    for found in sorted([each for one in checked for each in analysis(program, one)], key=lambda d: len(d.secondary)):
        places: set[object] = {found.code, found.primary.span, *(label.span for label in found.secondary)}
        if not any(known <= places or {found.code, found.primary.span} <= known for known in told):
            told.append(places)
            program.reports.add(found)


def _check_recursion(program: ProgramChecker, module: Module) -> None:
    """Calls of recursive definitions that do not end; those of such a call are not told of again."""
    own = module.definitions.values()
    module.recurs = any(info.recursive and not info.head.static for info in own) or any(
        program.modules[name].recurs for name in module.used
    )
    if not module.recurs:
        return
    recursion = EndlessRecursion(program)
    for info in [module.definitions[name] for name in order(module) if name in module.definitions]:
        for found in [] if info.checked is None or info.faulty else recursion.found(info.checked):
            program.reports.add(found)
            info.faulty = True


def _check_declarations(program: ProgramChecker, module: Module) -> None:
    for alias in module.aliases.values():
        with program.declaring(Task.of(module.name, alias.name), alias.span):
            _check_alias(program, module, alias)
            if program.task.replay.reported:
                program.memo.exploding.add(alias.span)
    for name in module.enums:
        enum_of(program, module, name)
    for name in module.effects:
        bodies.check_operation(program, module.effects[name])
    for name in order(module):
        if name in module.definitions:
            bodies.check_body(program, module.definitions[name])
        else:
            bodies.constant(program, module, name)


def _check_alias(program: ProgramChecker, module: Module, alias: Alias) -> None:
    """An alias is checked with its parameters standing for themselves; each must be used."""
    from_scope = alias.scope.child()
    ctx = program.fresh_context(module.name, alias.name, from_scope)
    used = set(references(alias.value))
    if not alias.cyclic:
        found = module.alias_types[alias.name] = elaborate(bodies.alias_scope(ctx, alias), alias.value)
        for shape in shapes_in(found):
            used |= {var.name for var in shape.vars()} | {var.name for var in shape.shape_vars()}
    distinct = DistinctNames("parameter", program.reports.add)
    for param in alias.params:
        name = param.name.name
        distinct.add_at(name, param.span)
        if name not in used:
            program.reports.add(name_errors.unused_alias_parameter(param.span, name=name, alias=alias.name))

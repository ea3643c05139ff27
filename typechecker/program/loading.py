"""Loading: the modules of a program found, declared and checked, each after those it imports.

Every definition of a module is checked, called or not; those of the library when they are asked for. What a cache has
of a module is taken from there if it still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from pathlib import Path

from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.library_text import text_of
from dsl.syntax.parse import parse
from dsl.syntax.sources import Resolver, library, library_name
from dsl.syntax.versions import Version
from dsl.types.walk import shapes_in
from typechecker import analyses, errors
from typechecker.analyses.endless_recursion import EndlessRecursion
from typechecker.declarations.cache import CheckCache, Kept
from typechecker.declarations.dependencies import order, references
from typechecker.declarations.entities import PRELUDE, Module, Topic
from typechecker.declarations.enums import enum_of
from typechecker.declarations.modules import Cycle, Found, declare, declare_library, imported_modules
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.reads import Reads, Table
from typechecker.declarations.records import outlined
from typechecker.env.outcomes import Memo
from typechecker.env.reports import Reports
from typechecker.env.scope import DistinctNames, Scope
from typechecker.program import bodies
from typechecker.program.assembly import Judge
from typechecker.program.judgements import judging
from typechecker.program.rechecking import TABLES, Rechecking
from typechecker.program.suspects import Suspects
from typechecker.types.predicates import holds_error
from typechecker.types.type_expressions import Alias, elaborate


class Loading:
    """One program on its way in. `imported` is what was found under each name that it imports, `checked` the modules
    that were checked, by name and in order; the others of its own were kept."""

    def __init__(
        self,
        program: ProgramChecker,
        resolve: Resolver,
        cache: CheckCache | None,
        judge: Judge | None,
        enough: Callable[[], bool] = bool,
    ) -> None:
        self._program = program
        self._resolve = resolve
        self._cache = cache
        self._judge = judge
        self._enough = enough
        self._found: dict[str, Found] = {}
        self.imported: dict[str, Source | None] = {}
        self._source: Source | None = None
        self.checked: list[str] = []
        self.rechecked: list[str] = []

    def main(self, source: Source) -> Module:
        """The module that a program begins with, after all that it imports. A file of the library is that module, with
        every definition checked."""
        self.library(PRELUDE)
        self._source = source
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
        kept = None if self._cache is None else self._cache.get(name, source, self._judge is not None)
        same = kept is not None and (kept.module.source is source or not isinstance(source, Version))
        if isinstance(source, Version) and (kept is None or not same or kept.module.waiting):
            module = _edited(name, source, self._program.library.reads, kept)
        elif kept is None:
            module = _empty(name, source, *parse(source))
        else:
            module = _empty(name, kept.module.source, kept.module.tree, kept.module.problems)
        found = {other: self._find(other, (*path, dotted)) for other in imported_modules(module.tree)}
        done = kept is not None and same and not kept.module.waiting
        if kept is not None and done and kept.holds(found, self._program.modules):
            self._program.modules.add(kept.module)
            return kept.module
        serves = kept is not None and kept.module.repeatable and kept.serves(found, self._program.modules)
        with self._program.library.reads.noted_in(set()):
            self._check(module, found, kept if serves else None)
        return module

    def _check(self, module: Module, found: Mapping[str, Found], before: Kept | None) -> None:
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
        if isinstance(module.source, Version):
            enough = self._enough if module.source is self._source else bool
            earlier = None if before is None else before.module
            rechecking = Rechecking(program, module, earlier, _check_declared, enough)
            rechecking.check(_in_order)
            self.rechecked += rechecking.checked
            findings: Findings = rechecking.findings
        else:
            for name in _in_order(module):
                _check_declared(program, module, name)
            findings = partial(_findings, program, module)
        _analyse(program, module, self._judge, findings)
        module.found = tuple([d.placed for d in program.reports.all]) if module.reports else program.reports.all
        if self._cache is not None:
            self._cache.put(Kept.of(module, found, program.modules, before), self._judge is not None)
        program.modules.begin(None)


def _edited(name: str, source: Version, reads: Reads, before: Kept | None) -> Module:
    """A version of an edited text of which nothing is known yet; its tables note who looks at them. The scopes of what
    is kept of an earlier version lead to the same names."""
    tree, problems = source.document.read(source)[:2]
    module = _empty(name, source, tree, problems)
    for kind in TABLES:
        setattr(module, kind, Table(kind, reads))
    if before is not None:
        module.scope = before.module.scope
    module.scope.names = Table("names", reads)
    return module


def _empty(name: str, source: Source, tree: ast.Module, problems: tuple[Diagnostic, ...]) -> Module:
    """A module of which nothing is known but its text."""
    return Module(name, source, tree, Scope(None, module=name), problems)


# ---------------------------------------------------------------- checking all


_SUMMING = ("psum", "reduce_scatter")
"""A program that says none of these sums nothing along an axis."""


Analysis = Callable[[ProgramChecker, core.Function], Iterable[Diagnostic]]
Findings = Callable[[Analysis], Iterable[Diagnostic]]
"""The findings of an analysis in each definition of a module."""


def _findings(program: ProgramChecker, module: Module, analysis: Analysis) -> Iterator[Diagnostic]:
    checked = [info.checked for info in module.definitions.values() if info.checked is not None]
    return (found for one in checked for found in analysis(program, one))


def _topics(program: ProgramChecker, module: Module) -> frozenset[Topic]:
    """The topics of a module that has been checked, and of those that it uses."""
    own = module.definitions.values()
    found = {
        Topic.OBSTACLES: Suspects(program).has_obstacle(module),
        Topic.SUMS: any(word in module.source.text for word in _SUMMING),
        Topic.DATA_SIZES: any(info.decides for info in own),
        Topic.RECURSION: any(info.recursive and not info.head.static for info in own),
    }
    used = [program.modules[name].topics for name in module.used]
    return frozenset([topic for topic, holds in found.items() if holds]).union(*used)


def _analyse(program: ProgramChecker, module: Module, judge: Judge | None, findings: Findings) -> None:
    """Report what follows from the bodies of all definitions together."""
    topics = module.topics = _topics(program, module)
    if Topic.OBSTACLES in topics and judge is not None and not program.is_library(module):
        for found in findings(judging(program, module.name, judge)):
            program.reports.add(found)
    if Topic.SUMS in topics:
        _report_all(program, findings(analyses.check_reductions))
    for constant in module.checked_constants.values():
        for found in analyses.check_constant(program, constant.value):
            program.reports.add(found)
    if Topic.DATA_SIZES in topics:
        _report_all(program, findings(analyses.check_data_sizes))
    if Topic.RECURSION in topics:
        _check_recursion(program, module)


def _report_all(program: ProgramChecker, findings: Iterable[Diagnostic]) -> None:
    """Report findings; of duplicates, the one with fewer labels."""
    told: list[set[object]] = []
    for found in sorted(findings, key=lambda d: len(d.secondary)):
        places: set[object] = {found.code, found.primary.span, *(label.span for label in found.secondary)}
        if not any(known <= places or {found.code, found.primary.span} <= known for known in told):
            told.append(places)
            program.reports.add(found)


def _check_recursion(program: ProgramChecker, module: Module) -> None:
    """Calls of recursive definitions that do not end; those of such a call are not told of again."""
    recursion = EndlessRecursion(program)
    for info in [module.definitions[name] for name in order(module) if name in module.definitions]:
        for found in [] if info.checked is None or info.faulty else recursion.found(info.checked):
            program.reports.add(found)
            info.faulty, module.repeatable = True, False


def _in_order(module: Module) -> list[str]:
    """The names that a module declares, in the order in which they are checked."""
    return [*module.aliases, *module.enums, *module.effects, *order(module)]


def _check_declared(program: ProgramChecker, module: Module, name: str) -> None:
    """Check what a module declares under a name."""
    if name in module.definitions:
        bodies.check_body(program, module.definitions[name])
    elif name in module.constants:
        bodies.constant(program, module, name)
    elif name in module.enums:
        enum_of(program, module, name)
    elif name in module.effects:
        bodies.check_operation(program, module.effects[name])
    elif name in module.aliases:
        alias = module.aliases[name]
        with program.declaring(module.task(name), alias.span):
            _check_alias(program, module, alias)
            if program.task.replay.reported:
                program.memo.exploding.add(alias.span)


def _check_alias(program: ProgramChecker, module: Module, alias: Alias) -> None:
    """An alias is checked with its parameters standing for themselves; each must be used."""
    from_scope = alias.scope.child()
    ctx = program.fresh_context(module.name, alias.name, from_scope)
    used, is_known = set(references(alias.value)), True
    if not alias.cyclic:
        found = module.alias_types[alias.name] = elaborate(bodies.alias_scope(ctx, alias), alias.value)
        for shape in shapes_in(found):
            used |= {var.name for var in shape.vars()} | {var.name for var in shape.shape_vars()}
        is_known = not holds_error(found)
    distinct = DistinctNames("parameter", program.reports.add)
    for param in alias.params:
        name = param.name.name
        distinct.add_at(name, param.span)
        if name not in used and is_known:
            program.reports.add(errors.names.unused_alias_parameter(param.span, name=name, alias=alias.name))

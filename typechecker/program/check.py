"""The checker's front: a source text in, diagnostics and the checked program out.

Modules come from `typechecker.program.loading`, which checks them; which rule an expression follows is
`typechecker.program.dispatch`'s to say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path

from msgspec import Struct, field

from dsl.core import core
from dsl.core.application import Actual, Applicable, Application
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.diagnostics.source import Source
from dsl.syntax.sources import Resolver, resolver
from dsl.types.process_settings import deep_recursion
from typechecker.builtins import table
from typechecker.declarations.cache import CheckCache
from typechecker.declarations.entities import Library, Module
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.recorded import keep
from typechecker.declarations.records import open_records
from typechecker.env.reports import Reports, in_order
from typechecker.program import trials
from typechecker.program.assembly import Judge, assembled, check_wanted
from typechecker.program.dispatch import rules
from typechecker.program.judgements import judging
from typechecker.program.loading import Loading
from typechecker.program.repetitions import told_once
from typechecker.transforms.from_python import check_application

RECURSION = 12_000


class CheckResult(Struct, frozen=True, dict=True):
    """The result of checking: all diagnostics in source order, and the program if there was no error.

    The program is put together when it is asked for, and what it leads to of the library is checked then: editors never
    wait for that. `applicable` says what it finds in a definition as it is applied from outside.
    `checked` names the modules that were checked for it, in order: the others but those of the library were kept.
    `rechecked` names the declarations of edited texts that were checked, in order.
    `imported` is what was found under each name that the text, and what it imports outside the library, imports.
    `main` and `modules` are what is known of the text and of all others by name, whatever is wrong with them. `trial`
    checks the definition at an offset of another text, and nothing else.
    """

    diagnostics: tuple[Diagnostic, ...]
    assemble: Callable[[], core.Program] | None
    applicable: Applicable | None = None
    checked: tuple[str, ...] = ()
    rechecked: tuple[str, ...] = ()
    imported: Mapping[str, Source | None] = field(default_factory=dict)
    main: Module | None = None
    modules: Mapping[str, Module] = field(default_factory=dict)
    trial: Callable[[str, int], trials.Trial | None] = lambda text, offset: None

    @property
    def ok(self) -> bool:
        return self.assemble is not None

    @cached_property
    def program(self) -> core.Program | None:
        """The checked program, with what it leads to of the library."""
        return None if self.assemble is None else self.assemble()


# ---------------------------------------------------------------- entry points


def check_source(
    source: Source,
    modules: Mapping[str, Source] | None = None,
    folder: Path | None = None,
    cache: CheckCache | None = None,
    judge: Judge | None = None,
    enough: Callable[[], bool] = bool,
) -> CheckResult:
    """Check a text. `modules` are further modules by name; others are looked for in `folder`, on DSLPATH, and in the
    library. Modules that `cache` has from an earlier check are not checked again, nor those declarations of a version
    of an edited text that no edit concerns. `judge` says which transformations of a definition are refused:
    `dsl.witnesses` has one. When `enough` says so, declarations of that version which were not edited themselves are
    put off, and what was known of them counts: a further check goes on with them."""
    resolve = resolver(modules or {}, folder)
    if cache is None:
        with deep_recursion(RECURSION):
            return _check(source, resolve, Library(open_records(os.environ)), None, judge)
    with cache.library.turn, deep_recursion(RECURSION):
        try:
            return _check(source, resolve, cache.library, cache, judge, enough)
        except BaseException:
            cache.clear()
            raise


def check_file(
    path: str | os.PathLike[str], cache: CheckCache | None = None, judge: Judge | None = None
) -> CheckResult:
    """Check a file (UTF-8); modules are looked for beside it. Raises OSError or UnicodeDecodeError if it cannot be
    read."""
    place = Path(path)
    return check_source(Source(str(path), place.read_text(encoding="utf-8")), None, place.parent, cache, judge)


def _check(
    source: Source,
    resolve: Resolver,
    library: Library,
    cache: CheckCache | None,
    judge: Judge | None,
    enough: Callable[[], bool] = bool,
) -> CheckResult:
    program = ProgramChecker(rules(), table.table(), library)
    loading = Loading(program, resolve, cache, judge, enough)
    main = loading.main(source)
    keep(library)
    checked = dict.fromkeys([*program.modules.own.values(), main])
    found = told_once(in_order([d for module in checked for d in module.found]), checked)
    diagnostics = tuple(sorted(found, key=lambda d: d.primary.span.source is not main.source))  # of imports last
    failed = any(d.severity is Severity.ERROR for d in diagnostics)

    def assemble() -> core.Program:
        with library.turn, deep_recursion(RECURSION):
            _complete(program)
            keep(library)
            return assembled(program, main.name)

    def applicable(term: core.Expr, given: Mapping[str, core.Expr], actual: Actual | None) -> Application:
        with library.turn, deep_recursion(RECURSION):
            _complete(program)
            return check_application(program, term, given, actual, partial(_judged, program, main, judge))

    def trial(text: str, offset: int) -> trials.Trial | None:
        with library.turn, deep_recursion(RECURSION):
            return trials.trial(program, main.name, text, offset)

    return CheckResult(
        diagnostics,
        None if failed else assemble,
        None if failed else applicable,
        tuple(loading.checked),
        tuple(loading.rechecked),
        loading.imported,
        main,
        program.modules,
        trial,
    )


def _judged(
    program: ProgramChecker, main: Module, judge: Judge | None, function: core.Function
) -> Iterable[Diagnostic]:
    """The transformations that are refused in a definition as Python applies it."""
    return () if judge is None else judging(program, main.name, judge)(program, function)


def _complete(program: ProgramChecker) -> None:
    """Check what a program without errors leads to of the library, where nothing is wrong."""
    program.reports = Reports()
    check_wanted(program)
    program.reports.expect_none()

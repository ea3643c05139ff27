"""The front of checks: the checker, with a judge of transformations. Read next: `judging`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typechecker
from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.late_names import LateModule

if TYPE_CHECKING:
    from dsl.witnesses import judging
    from typechecker import CheckCache, CheckResult
else:
    judging = LateModule("dsl.witnesses.judging")  # it loads NumPy and the ops, which few checks need


def check_source(
    source: Source,
    modules: Mapping[str, Source] | None = None,
    folder: Path | None = None,
    cache: CheckCache | None = None,
    enough: Callable[[], bool] = bool,
) -> CheckResult:
    """Check a text, as `typechecker.check_source` does, and its transformations."""
    return typechecker.check_source(source, modules=modules, folder=folder, cache=cache, judge=judge, enough=enough)


def check_file(path: str | os.PathLike[str], cache: CheckCache | None = None) -> CheckResult:
    """Check a file, as `typechecker.check_file` does, and its transformations."""
    return typechecker.check_file(path, cache, judge)


def judge(program: core.Program, functions: Sequence[core.Function]) -> Iterable[Diagnostic]:
    """The transformations in these definitions that are refused."""
    return judging.judge(program, functions)

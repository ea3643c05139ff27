"""What the checker says of a program that splits, folds and draws from keys."""

from __future__ import annotations

import textwrap

from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from typechecker import check_source

IMPORTS = "from random import split, fold_in, normal\n"


def diagnostics(text: str) -> list[Diagnostic]:
    source = Source("main.dsl", IMPORTS + textwrap.dedent(text).strip("\n") + "\n")
    return [d for d in check_source(source, cache=known_library()).diagnostics if d.severity is Severity.ERROR]

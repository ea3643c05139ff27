"""Write the record of the whole library into the package: `python -m typechecker.program.write_library`.

The wheel is built with it, so that no check of a user elaborates a signature or a body of the library. Read next:
`typechecker.declarations.records`.
"""

from __future__ import annotations

from pathlib import Path

import stdlib
from dsl.code_mark import release_mark
from dsl.syntax.sources import resolver
from dsl.types.process_settings import deep_recursion
from typechecker.builtins import table
from typechecker.declarations.entities import Library
from typechecker.declarations.modules import library_modules
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.recorded import recorded
from typechecker.declarations.records import FILE, recorded_outline, write_file
from typechecker.program.bodies import check_body
from typechecker.program.check import RECURSION
from typechecker.program.dispatch import rules
from typechecker.program.loading import Loading


def whole_library() -> Library:
    """The library with every definition checked."""
    found = Library()
    program = ProgramChecker(rules(), table.table(), found)
    loading = Loading(program, resolver({}, None), None, None)
    with deep_recursion(RECURSION):
        for name in library_modules():
            loading.library(name)
        for module in found.modules.values():
            for info in module.definitions.values():
                check_body(program, info)
    program.reports.expect_none()
    return found


def main() -> None:
    library = whole_library()
    outlines = [recorded_outline(module.source) for module in library.modules.values()]
    write_file(Path(stdlib.FOLDER) / FILE, release_mark(), [*outlines, *recorded(library.fresh)])


if __name__ == "__main__":
    main()

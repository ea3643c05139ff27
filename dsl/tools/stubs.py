"""`dsl stubs`: beside each program a `.pyi` with the types that Python sees.

Read next: `dsl.host.python_types.stubs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsl.diagnostics.atomic import write_atomically
from dsl.host.programs.program import core_of, load
from dsl.host.python_types.stubs import stub_of


def write_stubs(paths: Sequence[Path]) -> int:
    """Check each program and write its stub. Raises `DslError` with what is wrong in the first that has errors."""
    for path in paths:
        core = core_of(load(path))
        target = path.with_suffix(".pyi")
        write_atomically(target, stub_of(core.modules[core.main]).encode("utf-8"))
        print(f"wrote {target}")
    return 0

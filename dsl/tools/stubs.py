"""`dsl stubs`: beside each program a `.pyi` with the types that Python sees, and on request a Python module.

Read next: `dsl.host.python_types.stubs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.files import file_error
from dsl.host.programs.program import core_of, load
from dsl.host.python_types.stubs import stub_of

MARK = "# Made by `dsl stubs --module`"
MODULE = f"""{MARK} from the program beside this file, whose names it has.

from pathlib import Path

import dsl

_program = dsl.load(Path(__file__).with_suffix(".dsl"))
__all__ = dir(_program)
__doc__ = dsl.doc(_program)
__getattr__ = _program.__getattr__
"""


def write_stubs(paths: Sequence[Path], module: bool) -> int:
    """Check each program and write its stub, with a `module` of Python beside it if asked for. Raises `DslError` with
    what is wrong in the first that has errors, and `InputError` E0966 for a module that somebody else has written."""
    for path in paths:
        core = core_of(load(path))
        _write(path.with_suffix(".pyi"), stub_of(core.modules[core.main]))
        if module:
            _write(_own(path.with_suffix(".py")), MODULE)
    return 0


def _own(path: Path) -> Path:
    if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
        raise file_error("E0966", path, f"`{path}` is another module", "rename it, or the program")
    return path


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode("utf-8"))
    print(f"wrote {path}")

"""`dsl.install_importer()`: after it, `import model` finds `model.dsl` on `sys.path`.

Python modules of the same name come first. Read next: `program`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from dsl.host.programs.program import doc, load


class ProgramLoader(Loader):
    """Makes a module whose attributes are those of a program."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exec_module(self, module: ModuleType) -> None:
        program = load(self.path)
        module.__doc__ = doc(program)
        module.__dict__["__program__"] = program
        module.__dict__["__all__"] = dir(program)
        module.__dict__["__getattr__"] = program.__getattr__


class Finder(MetaPathFinder):
    """Finds `.dsl` files where Python finds nothing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for entry in sys.path if path is None else path:
            found = Path(entry or ".") / f"{name.rpartition('.')[2]}.dsl"
            if found.is_file():
                return ModuleSpec(name, ProgramLoader(found), origin=str(found))
        return None


def install_importer() -> None:
    """Lets `import` find programs. Doing it twice is the same as once."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder())

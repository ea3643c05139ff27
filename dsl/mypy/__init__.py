"""The plugin of mypy: programs in strings and files are checked while mypy runs, and calls of them are typed.

    [tool.mypy]
    plugins = ["dsl.mypy"]

This module says only which names of Python concern it: the checker is imported when one of them is used in a file that
mypy has not seen before. Read next: `hooks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mypy.nodes import MypyFile
from mypy.options import Options
from mypy.plugin import (
    AttributeContext,
    FunctionContext,
    MethodContext,
    MethodSigContext,
    Plugin,
    ReportConfigContext,
)
from mypy.types import FunctionLike, Type

from dsl.mypy.imports import LOADER, Programs, imported_modules, prepare

PROGRAM = "dsl.host.programs.program.Program."
CALL = "dsl.host.functions.function.Function.__call__"
FUNCTIONS = (
    *("dsl.host.programs.program.program", "dsl.host.programs.program.load", "dsl.host.programs.define.define"),
    "dsl.host.programs.library.library_program",
)
PRIORITY = 10  # what mypy says of an import that is no cycle's first
_FILES = re.compile(r"""["']([^"'\n]+\.dsl)["']""")


class DslPlugin(Plugin):
    """The mypy plugin."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._programs = Programs(options)

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """The first look at a file: its imports of programs are read as loading them."""
        return [(PRIORITY, LOADER, -1)] if prepare(file, self._programs) else []

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _hook(fullname.rpartition(".")[2]) if fullname in FUNCTIONS else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        return partial(_hook("attribute"), fullname.removeprefix(PROGRAM)) if fullname.startswith(PROGRAM) else None

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], FunctionLike] | None:
        return _hook("signature") if fullname == CALL else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return _hook("result") if fullname == CALL else None

    def report_config_data(self, ctx: ReportConfigContext) -> Any:
        """The programs in files that a module names, and who checks them: when they change, it is checked again."""
        source = Path(ctx.path)
        if source.suffix != ".py" or "site-packages" in source.parts or not source.is_file():
            return None
        text = source.read_text("utf-8", "replace")
        named = [source_file(name, ctx.path) for name in _FILES.findall(text)]
        imported = [self._programs.path(name, ctx.id, ctx.path) for name in imported_modules(text, ctx.id, ctx.path)]
        found = [path.resolve() for path in (*named, *imported) if path is not None]
        digests = [[str(path), sha256(path.read_bytes()).hexdigest()] for path in sorted(found)]
        return [version("puredsl"), *digests] if digests else None


def source_file(name: str, module: str) -> Path | None:
    """The file of a program that a module of Python names: from the folder that mypy runs in, or beside the module."""
    candidates = (Path(name), Path(module).parent / name)
    return next((path for path in candidates if path.is_file()), None)


def _hook(name: str) -> Any:
    return getattr(import_module("dsl.mypy.hooks"), name)


def plugin(_: str) -> type[Plugin]:
    """Return the plugin class; mypy's entry point."""
    return DslPlugin

"""`dsl.program` and `dsl.load`: text to a checked program, whose public functions are attributes. Nothing
runs.

Read next: `function`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dsl.core import core
from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.files import read_source
from dsl.diagnostics.message import Diagnostic, Severity
from dsl.diagnostics.source import Source
from dsl.host.function import Function
from dsl.host.variants import Variant
from dsl.staging.stage import session
from dsl.staging.stager import Session
from dsl.staging.values import DefValue
from typechecker import check_source


class Program:
    """A checked module with all it imports. `program.f` is the function `f`, `program.Relu` a variant."""

    def __init__(self, checked: core.Program, warnings: tuple[Diagnostic, ...] = ()) -> None:
        self.core = checked
        self.warnings = warnings

    @cached_property
    def session(self) -> Session:
        """What specialisations of this program share."""
        return session(self.core)

    @property
    def module(self) -> core.Module:
        return self.core.modules[self.core.main]

    @property
    def doc(self) -> str | None:
        return self.module.doc

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The public `def`s by name."""
        found = self.module.functions.items()
        return MappingProxyType({n: Function(self, DefValue(d)) for n, d in found if d.public})

    @cached_property
    def variants(self) -> Mapping[str, Variant]:
        """The variants of all enums by name."""
        return MappingProxyType(
            {v.name: Variant.of(enum, v) for enum in self.module.enums.values() for v in enum.variants}
        )

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            if name in self.functions:
                return self.functions[name]
            if name in self.variants:
                return self.variants[name]
        raise AttributeError(f"the program has no public `{name}`", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions, *self.variants]

    def __repr__(self) -> str:
        return f"<program {self.module.source.name}: {', '.join(self.functions) or 'no public function'}>"


def program(text: str) -> Program:
    """Checks program text (dedented first). Raises `DslError` with all that is wrong; runs nothing."""
    dedented = textwrap.dedent(text)
    return checked(Source("<string>", dedented, column_offset=_removed(text, dedented)), None)


def _removed(text: str, dedented: str) -> int:
    """How many columns dedenting took off every line."""
    for before, after in zip(text.splitlines(), dedented.splitlines(), strict=False):
        if after.strip():
            return len(before) - len(after)
    return 0


def load(path: str | PathLike[str]) -> Program:
    """Reads and checks a file. Raises `DslError` with all that is wrong; runs nothing."""
    return checked(read_source(path), Path(path).resolve().parent)


def checked(source: Source, directory: Path | None) -> Program:
    result = check_source(source, folder=directory)
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    if errors or result.program is None:
        raise error_for(result.diagnostics)
    return Program(result.program, tuple(result.diagnostics))

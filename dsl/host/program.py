"""`dsl.program` and `dsl.load`: text to a checked program, whose public functions are attributes. Nothing
runs.

Read next: `function`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from dsl.core import core
from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.files import read_source
from dsl.diagnostics.message import Diagnostic, Severity
from dsl.diagnostics.source import Source
from dsl.host.function import Function
from dsl.host.results.variants import Variant
from dsl.staging.env.stager import Session
from dsl.staging.stage import session
from dsl.staging.values import DefValue, FunctionValue, RecordValue, Transformed, TupleValue, Value
from typechecker import CheckCache, Option, Reference, Step, check_source

Transformable: TypeAlias = Callable[[str, str, Sequence[Step], Mapping[str, Reference]], Sequence[Diagnostic]]


NOTHING: Mapping[str, FunctionValue] = MappingProxyType({})


class Program:
    """A checked module with all it imports. `program.f` is the function `f`, `program.Relu` a variant."""

    def __init__(
        self,
        checked: core.Program,
        warnings: tuple[Diagnostic, ...] = (),
        outside: Transformable | None = None,
    ) -> None:
        self.core = checked
        self.warnings = warnings
        self._outside = outside

    @cached_property
    def session(self) -> Session:
        """What specialisations of this program share."""
        return session(self.core)

    def refuse(self, value: FunctionValue, given: Mapping[str, FunctionValue] = NOTHING) -> None:
        """Raises what the checker says of transformations of a definition that no call could use, or of the functions
        that are given for its parameters."""
        whole = _referred(value)
        functions = {name: _referred(function) for name, function in given.items()}
        if self._outside is not None and whole is not None and None not in functions.values():
            known = {name: function for name, function in functions.items() if function is not None}
            found = self._outside(whole.module, whole.name, whole.steps, known)
            if found:
                raise error_for(found)

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


def _referred(value: Value) -> Reference | None:
    """A definition and the transformations of it, innermost first."""
    steps: list[Step] = []
    while isinstance(value, Transformed):
        steps.append(Step(value.kind, tuple([(n, _written(v)) for n, v in value.options])))
        value = value.function
    if not isinstance(value, DefValue):
        return None
    return Reference(value.definition.module, value.definition.name, tuple(steps[::-1]))


def _written(value: Value) -> Option:
    """An option as the checker reads it."""
    match value:
        case TupleValue(parts):
            return tuple([_written(part) for part in parts])
        case RecordValue(fields):
            return {name: _written(part) for name, part in fields}
        case int() | float() | str() | bool() | None:
            return value
        case DefValue() | Transformed():
            return _referred(value)
        case _:
            return None


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
    result = check_source(source, folder=directory, cache=_checks())
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    if errors or result.program is None:
        raise error_for(result.diagnostics)
    return Program(result.program, tuple(result.diagnostics), result.transformable)


@cache
def _checks() -> CheckCache:
    """The modules that programs of this process were made of: those that stay the same are not checked again."""
    return CheckCache()

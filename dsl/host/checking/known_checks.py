"""Checks of texts, kept on disk: what another process has found out loads neither the parser nor the checker.

A check depends on the text, on the texts that its imports find, on the library, and on the code of the checker. The
record of one is found by the digest of its text, of the library and the code; it says what each import found, and
holds if each finds the same now. The program has a record of its own, written when nobody waits for it. Whatever is
wrong with a record, the text is checked. Read next: `dsl.core.codec.decode`, `dsl.disk_cache`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from dsl import witnesses
from dsl.code_mark import code_mark, digest
from dsl.core.codec.decode import MALFORMED, decode
from dsl.core.codec.encode import Unwritable, encode
from dsl.diagnostics.diagnostic import DslError, InternalError
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.disk_cache import open_cache
from dsl.host.checking.deferred import deferred
from dsl.syntax.sources import library, resolver
from dsl.types.process_settings import paused_collector

if TYPE_CHECKING:
    from dsl.core.application import Actual, Application
    from dsl.core.core import Expr, Program
    from typechecker import CheckCache, CheckResult

KIND = "check"
LIMIT = 1 << 27
"""Bytes of all records together."""

Imports: TypeAlias = Mapping[str, Source | None]
Found: TypeAlias = tuple[Diagnostic, ...]


class Check:
    """The result of checking a source, computed when it is needed. `cache` provides modules that this process has
    checked; imports are searched in `modules` first."""

    def __init__(
        self,
        source: Source,
        folder: Path | None,
        cache: Callable[[], CheckCache | None],
        modules: Mapping[str, Source] = MappingProxyType({}),
    ) -> None:
        self._source = source
        self._folder = folder
        self._cache = cache
        self._modules = modules
        self._store = open_cache(os.environ, KIND, LIMIT)
        self._key = "" if self._store is None else digest(code_mark(), *_identity(source))

    @cached_property
    def diagnostics(self) -> Found:
        """Everything that is wrong, in order of place."""
        known: Found | None = self._recorded(self._key)
        return self._fresh.diagnostics if known is None else known

    @property
    def result(self) -> CheckResult:
        """Run the checker now, for what records do not hold: the modules and their names."""
        return self._fresh

    @cached_property
    def program(self) -> Program | None:
        """The checked program, if nothing is wrong with it. Its record is written when nobody waits for it."""
        key = digest(self._key, "program")
        known: Program | None = self._recorded(key)
        if known is not None:
            return known
        with self._checking():
            found = self._fresh.program
        if found is not None and self._store is not None:
            deferred().add(partial(self._keep, key, found))
        return found

    def recalled(self, *question: object) -> Any:
        """Return the cached answer to a question about the checked program, or None."""
        key = self._key_of(*question)
        return None if key is None else self._read(key)

    def keep(self, answer: object, *question: object) -> None:
        """Keep an answer for other processes, if it and the question can be written."""
        key = self._key_of(*question)
        if key is not None:
            self._keep(key, answer)

    def application(self, function: Expr, given: Mapping[str, Expr], actual: Actual | None) -> Application:
        """Return the checker's result for a definition as Python applies it (an `Applicable`)."""
        known: Application | None = self.recalled(function, given, actual)
        if known is not None:
            return known
        assert self._fresh.applicable is not None
        with self._checking():
            found = self._fresh.applicable(function, given, actual)
        self.keep(found, function, given, actual)
        return found

    @cached_property
    def _fresh(self) -> CheckResult:
        """Run the checker and record its result."""
        with self._checking(), paused_collector():
            result = witnesses.check_source(
                self._source, modules=self._modules, folder=self._folder, cache=self._cache()
            )
        self._imports = result.imported
        self._keep(self._key, result.diagnostics)
        return result

    @contextmanager
    def _checking(self) -> Iterator[None]:
        """Turns what the checker must not raise into an `InternalError`; files that cannot be read are none."""
        try:
            yield
        except (DslError, InternalError, MemoryError, OSError, UnicodeError):
            raise
        except Exception as fault:
            message = f"`{self._source.name}` could not be checked: {type(fault).__name__}: {fault}"
            raise InternalError(message) from fault

    # ------------------------------------------------------------ records

    def _recorded(self, key: str) -> Any:
        return None if "_fresh" in self.__dict__ else self._read(key)

    def _read(self, key: str) -> Any:
        """Return a cached record, or None if it is missing or invalid."""
        payload = None if self._store is None else self._store.get(key)
        if payload is None:
            return None
        with suppress(*MALFORMED):
            imports, value = payload.decode().split("\n")
            texts = self._texts(json.loads(imports))
            return None if texts is None else decode(value, texts)
        return None

    def _texts(self, imports: Mapping[str, Any]) -> Callable[[str], Source] | None:
        """The texts of a record by name; none where imports find others than they did."""
        resolve = resolver(self._modules, self._folder)
        self._imports = {dotted: resolve(dotted) for dotted in imports}
        return self._named if _marks(self._imports) == imports else None

    def _named(self, name: str) -> Source:
        kind, _, dotted = name.partition(" ")
        source = self._source if not kind else self._imports[dotted] if kind == "import" else library(dotted)
        if source is None:
            raise LookupError(name)
        return source

    def _names(self) -> Callable[[Source], str | None]:
        """The names of texts in a record. A text that was checked before may be another object."""
        names = {_identity(s): f"import {n}" for n, s in self._imports.items() if s is not None}
        names[_identity(self._source)] = ""
        return lambda s: f"library {Path(s.name).stem}" if s.in_library else names.get(_identity(s))

    def _keep(self, key: str, value: object) -> None:
        with suppress(Unwritable):
            if self._store is not None:
                texts = json.dumps(_marks(self._imports)), encode(value, self._names())
                self._store.put(key, "\n".join(texts).encode())

    def _key_of(self, *asked: object) -> str | None:
        with suppress(Unwritable):
            return None if self._store is None else digest(self._key, encode(asked, self._names()))
        return None


def _marks(imports: Imports) -> dict[str, list[str] | None]:
    """Return the resolution of each import, as far as a check can determine it."""
    return {dotted: None if s is None else [s.name, digest(s.text)] for dotted, s in imports.items()}


def _identity(source: Source) -> tuple[str, ...]:
    return source.name, str(source.line_offset), str(source.column_offset), source.text

"""Checked modules kept from one check to the next, and their interfaces: all that an importer can see of one, as a
digest.

An interface is what names mean, signatures with the results, effects and conditions that were inferred for them, the
bodies of functions that callers unfold, and the values of constants; no places and no other bodies. Who looks at more
depends on the whole module (`Modules.enter`).

A module is used again if its text is the same and so is all that its check has looked at: what each import finds, the
interfaces of the modules it saw something of, and the whole of those it saw more of. Since a variable is told apart by
its declaration, and no check leaves a trace in another, it is then what checking it again would give, to the last
number and the last word. Read next: `loading`.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping

from msgspec import Struct

from dsl.diagnostics.source import Source
from dsl.syntax.versions import Version
from typechecker.declarations.entities import Library, Module, Modules
from typechecker.declarations.fingerprint import interface
from typechecker.declarations.modules import Cycle, Found
from typechecker.declarations.records import open_records

MOST = 400


class Kept(Struct, frozen=True):
    """A checked module and what its check has looked at."""

    module: Module
    found: Mapping[str, str | Cycle | None]
    interfaces: Mapping[str, str]
    whole: tuple[Module, ...]

    @staticmethod
    def of(module: Module, found: Mapping[str, Found], modules: Modules, before: Kept | None = None) -> Kept:
        """Return the record of a check that has just ended, including the locations in its reports. What a check
        `before` has looked at counts if declarations were kept from it."""
        reported = _sources(module)
        whole = {m.name: m for m in modules.own.values() if m.name in modules.entered or m.source in reported}
        earlier = frozenset() if before is None else modules.own.keys() & before.interfaces.keys()
        whole |= {m.name: m for m in (() if before is None else before.whole) if m.name in modules.own}
        whole.pop(module.name, None)
        seen = (modules.seen | earlier) - whole.keys() - {module.name}
        interfaces = {name: interface(modules, modules.own[name]) for name in seen}
        return Kept(module, _names(found), interfaces, tuple(whole.values()))

    def holds(self, found: Mapping[str, Found], modules: Modules) -> bool:
        """Return whether checking the module in this program would give the same."""
        own = modules.own
        return (
            self.serves(found, modules)
            and _names(found) == self.found
            and all(m.name in own for m in self.whole)
            and all(name in own for name in self.interfaces)
        )

    def serves(self, found: Mapping[str, Found], modules: Modules) -> bool:
        """Return whether what the check has looked at outside the module is the same, where that is still imported."""
        own, names = modules.own, _names(found)
        return (
            not self.module.shared
            and all(names.get(dotted, what) == what for dotted, what in self.found.items())
            and all(own.get(m.name, m) is m for m in self.whole)
            and all(n not in own or interface(modules, own[n]) == known for n, known in self.interfaces.items())
        )


class CheckCache:
    """Checked modules by name and text, or edited text, and the library as far as it was needed. It holds the modules
    used last, and may serve several threads."""

    def __init__(self) -> None:
        self.library = Library(open_records(os.environ))
        self._kept: OrderedDict[tuple[object, ...], Kept] = OrderedDict()

    def get(self, name: str, source: Source, judged: bool) -> Kept | None:
        """Return the cached module for this source, whose transformations were judged or not; it may be stale. For a
        version of an edited text, it is that of the version that was checked last."""
        key = _key(name, source, judged)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, kept: Kept, judged: bool) -> None:
        self._kept[_key(kept.module.name, kept.module.source, judged)] = kept
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget everything, as after a check that did not end."""
        self._kept.clear()
        self.library = Library(self.library.records, turn=self.library.turn)


def _key(name: str, source: Source, judged: bool) -> tuple[object, ...]:
    if isinstance(source, Version):
        return name, judged, source.document
    return name, judged, source.name, source.text, source.line_offset, source.column_offset, source.find, source.pieces


def _names(found: Mapping[str, Found]) -> Mapping[str, str | Cycle | None]:
    return {dotted: what.name if isinstance(what, Module) else what for dotted, what in found.items()}


def _sources(module: Module) -> set[Source]:
    """The texts that the reports of a module point into."""
    labels = (label for d in module.found for label in (d.primary, *d.secondary))
    edits = (edit for d in module.found for advice in d.help for fix in advice.fixes for edit in fix.edits)
    return {place.span.source for places in (labels, edits) for place in places}

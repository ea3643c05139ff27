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
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from hashlib import blake2b

from msgspec import Struct

from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record
from dsl.syntax import ast
from dsl.syntax.versions import Version
from dsl.types.dtype import DType
from dsl.types.facts import OpaqueProp
from dsl.types.size import Opaque, Size
from typechecker.declarations.entities import Definition, Interface, Library, Module, Modules, with_imports
from typechecker.declarations.modules import Cycle, Found
from typechecker.declarations.records import open_records
from typechecker.env.values import Closure, Term
from typechecker.types.predicates import holds_static

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


# ---------------------------------------------------------------- interfaces


def interface(modules: Modules, module: Module) -> str:
    """The digest of what importers see of a module that has been checked."""
    own = _own(module)
    if not own.evaluated:
        return own.digest
    reached = with_imports(modules.own, [module.name])  # what recurs may call into any of them
    return _digest(_own(reached[name]).digest for name in sorted(reached))


def _own(module: Module) -> Interface:
    """Return a module's own contribution to its interface; computed once."""
    if module.interface is None:
        written = _Written()
        for part in _parts(module):
            written.add(part)
        evaluated = written.evaluated or any(seen_of(info).evaluated for info in module.definitions.values())
        module.interface = Interface(_digest(written.parts), evaluated)
    return module.interface


def seen_of(info: Definition) -> Interface:
    """The digest of what callers see of a definition that has been checked; computed once."""
    if info.interface is None:
        written = _Written()
        for part in _definition(info):
            written.add(part)
        info.interface = Interface(_digest(written.parts), written.evaluated)
    return info.interface


def digest_of(value: object) -> str:
    """The digest of a value, equal for equal values."""
    written = _Written()
    written.add(value)
    return _digest(written.parts)


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _parts(module: Module) -> Iterator[object]:
    yield module.topics
    yield module.imports
    yield module.borrowed
    yield frozenset(module.scope.names)
    yield frozenset([name for name, alias in module.aliases.items() if alias.cyclic])
    yield module.enum_infos
    for node in module.tree.declarations:
        if isinstance(node, ast.TypeAliasDecl | ast.EnumDecl | ast.EffectDecl):
            yield node.span.text
    yield {name: seen_of(info) for name, info in module.definitions.items()}
    yield module.values


def _definition(info: Definition) -> Iterator[object]:
    """A definition with its text, of which the body is part if a call may be unfolded."""
    span, found = info.node.span, info.signature
    unfolded = info.node.static or found is None or holds_static(found.result)
    yield span.text if unfolded else span.source.text[span.start : info.node.body.span.start].rstrip()
    yield info.state, info.broken, info.recursive
    yield found, info.known, info.inferred, info.defaults, info.conduct
    yield {prop: tuple([place.text for place in places]) for prop, places in info.origins.items()}


class _Written:
    """Values as texts, equal for equal values; `evaluated` if a recursive function among them can be evaluated."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.evaluated = False

    def add(self, value: object) -> None:
        match value:
            case None | bool() | int() | float() | complex() | str():
                self.parts.append(repr(value))
            case Span() | Source() | Callable():
                pass
            case Closure(node):
                self.parts.append(repr(node.span.text))
            case DType(name) | Enum(name=name):
                self.parts.append(name)
            case tuple() | list():
                self._all("", value)
            case Size(terms):
                self._all("Size", terms)
            case Mapping():
                self._all("", sorted(value.items(), key=self._text))
            case frozenset():
                self._all("", sorted(value, key=self._text))
            case Term(_, kind, known):
                self._all("Term", (kind, known))
            case _ if is_record(value):
                self.evaluated |= isinstance(value, Opaque | OpaqueProp) and value.evaluate is not None
                self._all(type(value).__name__, [getattr(value, f.name) for f in fields(value)])
            case _:
                raise TypeError(f"no text for {type(value).__name__}")

    def _all(self, name: str, values: Iterable[object]) -> None:
        self.parts.append(f"{name}(")
        for value in values:
            self.add(value)
        self.parts.append(")")

    @staticmethod
    def _text(value: object) -> str:
        written = _Written()
        written.add(value)
        return " ".join(written.parts)

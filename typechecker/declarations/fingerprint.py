"""Interfaces: all that an importer can see of a checked module, as a digest.

That is what its names mean, signatures with the results, effects and conditions that were inferred for them, the
bodies of functions that callers unfold, and the values of constants; no places and no other bodies. Who looks at more
depends on the whole module (`Modules.enter`). Read next: `cache`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record
from dsl.syntax import ast
from dsl.types.dtype import DType
from dsl.types.facts import OpaqueProp
from dsl.types.size import Opaque, Size
from typechecker.declarations.entities import Definition, Interface, Module, Modules, with_imports
from typechecker.env.values import Closure, Term
from typechecker.types.predicates import holds_static


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
    yield sorted(topic.name for topic in module.topics)
    yield sorted(module.imports.items())
    yield sorted(module.borrowed.items())
    yield sorted(module.scope.names)
    yield sorted(name for name, alias in module.aliases.items() if alias.cyclic)
    yield sorted(module.enum_infos.items())
    for node in module.tree.declarations:
        if isinstance(node, ast.TypeAliasDecl | ast.EnumDecl | ast.EffectDecl):
            yield node.span.text
    for name, info in sorted(module.definitions.items()):
        yield name
        seen = seen_of(info)
        yield (seen.digest, seen.evaluated)
    for name, term in sorted(module.values.items()):
        yield name
        yield term


def _definition(info: Definition) -> Iterator[object]:
    """A definition with its text, of which the body is part if a call may be unfolded."""
    span, found = info.node.span, info.signature
    unfolded = info.node.static or found is None or holds_static(found.result)
    yield span.text if unfolded else span.source.text[span.start : info.node.body.span.start].rstrip()
    yield (info.state.name, info.broken, info.recursive)
    yield found
    yield info.known
    yield sorted(map(str, info.inferred))
    yield sorted([(str(prop), [place.text for place in places]) for prop, places in info.origins.items()])
    yield sorted(info.defaults.items())
    yield sorted(info.conduct.writes)
    yield sorted(map(str, info.conduct.deferred.parallel))
    yield sorted(map(str, info.conduct.again))
    yield sorted((str(effect), kind) for effect, (kind, _) in info.conduct.deferred.backwards.items())


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
            case DType(name):
                self.parts.append(name)
            case tuple() | list():
                self._all("", value)
            case Size(terms):
                self._all("Size", terms)
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

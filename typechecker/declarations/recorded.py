"""Definitions of the library as an earlier check has left them.

The numbers of a declaration depend on nothing but itself, so that a record means the same in every process. A
signature and a body are two records: most checks need signatures alone. Reading one wants what it mentions, as
checking would. Read next: `records`, `dsl.core.codec.decode`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from dsl.code_mark import digest
from dsl.core import core
from dsl.core.codec.decode import MALFORMED, ROOTS, Maker, decode
from dsl.core.codec.encode import Unwritable, encode
from dsl.core.statics.calls import StaticCall
from dsl.diagnostics.source import Source, Span
from dsl.syntax.library_text import Written
from dsl.types.facts import Prop
from dsl.types.type import DTypeVar, Element, EnumType, Type
from typechecker.declarations.entities import Definition, Library, State
from typechecker.declarations.enums import enum_of
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.effect_book import Conduct
from typechecker.env.scope import BindingKind
from typechecker.env.values import Term

_ROOTS = (*ROOTS, "typechecker.env.effect_book", "typechecker.env.values", __name__)
"""The modules whose classes a record may name."""


class Signed(Struct, frozen=True):
    """A definition whose signature is known; `names` are those in scope in its body, `following` the next number of
    its check."""

    following: int
    signature: core.Signature
    defaults: Mapping[str, Term]
    dtypes: Mapping[DTypeVar, Element]
    facts: tuple[Prop, ...]
    demands: tuple[tuple[Prop, Span], ...]
    names: tuple[tuple[str, Term, Span | None, BindingKind], ...]


class Bodied(Struct, frozen=True):
    """A definition whose body is checked; `following` is the next number of its check."""

    following: int
    function: core.Function
    conduct: Conduct


# ---------------------------------------------------------------- reading


def recall_signature(program: ProgramChecker, info: Definition) -> bool:
    """Fill in what the record of a signature says; False where there is no record."""
    found = _read(program, info, "signature")
    if not isinstance(found, Signed):
        return False
    scope = program.modules[info.module].scope.child()
    for name, term, span, kind in found.names:
        scope.bind(name, term, span, kind)
    info.begin(found.following)
    info.signature, info.scope = found.signature, scope
    info.defaults, info.dtypes = dict(found.defaults), found.dtypes
    info.facts, info.demands = found.facts, found.demands
    info.state = State.BODY
    return True


def recall_body(program: ProgramChecker, info: Definition, signature: core.Signature) -> bool:
    """Fill in what the record of a body says; False where there is no record, or none for this signature: how many
    numbers a check takes depends on what was known before it."""
    found = _read(program, info, "body")
    if not isinstance(found, Bodied) or found.function.signature != signature:
        return False
    info.begin(found.following)
    info.checked, info.conduct, info.state = found.function, found.conduct, State.DONE
    return True


def _read(program: ProgramChecker, info: Definition, part: str) -> Any:
    text = program.library.records.get(_name(info, part))
    if text is None:
        return None
    with suppress(*MALFORMED):
        return decode(text, partial(_text, program), _ROOTS, _makers(program, info))
    return None


def _text(program: ProgramChecker, name: str) -> Source:
    """The text of a module of the library. Raises LookupError where the program has no such module."""
    return program.library.modules[name].source


def _makers(program: ProgramChecker, info: Definition) -> Mapping[str, Maker]:
    """Return the constructors of nodes that refer to other declarations."""

    def call(module: str, name: str, shown: str, result: Type) -> StaticCall:
        called = program.definition(module, name)
        program.want(called)
        compute = program.rules.computing(program, info.module, info.name, called, result)
        return StaticCall(module, name, shown, result, compute=compute)

    def named(span: Span, type_: Type, module: str, name: str) -> core.Global:
        program.want_named(module, name)
        return core.Global(span, type_, module, name)

    def enum(module: str, name: str) -> EnumType:
        enum_of(program, program.modules[module], name)
        return EnumType(module, name)

    return {_class(StaticCall): call, _class(core.Global): named, _class(EnumType): enum}


def _class(found: type) -> str:
    return f"{found.__module__}:{found.__qualname__}"


def _name(info: Definition, part: str) -> str:
    """The name of a record, with a mark of the text of the module: tests write libraries of their own."""
    assert isinstance(info.written, Written)
    return f"{info.module}.{info.name} {part} {_mark(info.written.source)}"


@lru_cache(maxsize=64)
def _mark(source: Source) -> str:
    return digest(source.text)


# ---------------------------------------------------------------- writing


def keep(library: Library) -> None:
    """Keep what was found out of the library since the last time."""
    if library.records.takes:
        for name, text in recorded(library.fresh):
            library.records.put(name, text)
    library.fresh.clear()


def recorded(fresh: Mapping[tuple[str, str], Definition]) -> Iterator[tuple[str, str]]:
    """The records of definitions, by name; whoever has no written form is checked again by the next process."""
    for info in fresh.values():
        for part, made in (("signature", _signed), ("body", _body)):
            with suppress(Unwritable):
                yield _name(info, part), encode(made(info), _source, _ROOTS)


def _signed(info: Definition) -> Signed:
    if info.signature is None or info.scope is None or info.broken or info.cells or info.undetermined:
        raise Unwritable(info.name)
    names = tuple([(name, b.term, b.span, b.kind) for name, b in info.scope.names.items()])
    return Signed(info.following, info.signature, info.defaults, info.dtypes, info.facts, info.demands, names)


def _body(info: Definition) -> Bodied:
    """The body, of which nothing is known but its Core and its effects: signatures of the library say the rest."""
    if info.checked is None or info.state is not State.DONE or info.faulty or info.known or info.inferred:
        raise Unwritable(info.name)
    return Bodied(info.following, info.checked, info.conduct)


def _source(source: Source) -> str | None:
    return Path(source.name).stem if source.in_library else None

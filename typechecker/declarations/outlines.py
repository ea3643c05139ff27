"""Outlines of the texts of the library, as records: where their definitions are, and which of these call themselves.

Looking through a text for them takes longer than all else that a short check asks of the library. Read next:
`records`, `dsl.syntax.library_text`.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import MsgspecError, Struct

from dsl.code_mark import digest
from dsl.diagnostics.source import Source
from dsl.syntax.library_text import Parts, library_text, parts_of
from typechecker.declarations.dependencies import cycles_of
from typechecker.declarations.records import Records


class Outline(Struct, frozen=True):
    """The parts of a text, and the groups of definitions from which calls lead back to each other, by their places
    among all."""

    parts: Parts
    cycles: tuple[tuple[int, ...], ...]


def outlined(records: Records, source: Source) -> Outline:
    """The outline of a text by its record; where there is none, the text is looked through, and a record is kept."""
    name = _name(source)
    known = _read(records.get(name))
    if known is not None:
        return known
    made = outline(source)
    if records.takes:
        records.put(name, _text(made))
    return made


def outline(source: Source) -> Outline:
    """The outline of a text, looked through. Where definitions share a name, calls lead to the first."""
    definitions = library_text(source).definitions
    places = {written.name: place for place, written in reversed(list(enumerate(definitions)))}
    graph = {
        place: [places[word] for word in written.words if word in places] for place, written in enumerate(definitions)
    }
    return Outline(parts_of(source), tuple([tuple(sorted(cycle)) for cycle in cycles_of(graph)]))


def recorded_outline(source: Source) -> tuple[str, str]:
    """The record of an outline, with its name."""
    return _name(source), _text(outline(source))


def _name(source: Source) -> str:
    return f"{Path(source.name).stem} outline {digest(source.text)}"


def _text(made: Outline) -> str:
    return msgspec.json.encode(made).decode()


def _read(text: str | None) -> Outline | None:
    with suppress(MsgspecError):
        return None if text is None else msgspec.json.decode(text, type=Outline)
    return None

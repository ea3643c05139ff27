"""A text that is edited: its versions, and the declarations that they share.

A declaration is parsed once, in the version in which it appears, and keeps the places that it has there;
`Version.located` finds these places in the newest version. So an edit costs one parse of what it touches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.build import Builder
from dsl.syntax.library_text import words_in
from dsl.syntax.parse import Reading, parse, read_pieces, refused
from dsl.syntax.suppress_cascades import without_cascades
from dsl.syntax.top_level_split import Piece, cut

_Key = tuple[str, str | None]


class Slot(Struct, eq=False, dict=True):
    """A declaration of an edited text, as it was parsed in a version: its `piece` there, and where it begins in the
    newest version, or None if that no longer has it."""

    version: Version
    piece: Piece
    reading: Reading
    now: int | None = None

    @property
    def key(self) -> _Key:
        """Return the text of the declaration and of its doc comment."""
        return _key(self.version, self.piece)

    @property
    def node(self) -> ast.Declaration | None:
        """Return the declaration, or None if not even its head could be read."""
        return next(iter(self.reading.module.declarations), None)

    @cached_property
    def words(self) -> Set[str]:
        """Return the words in the declaration."""
        return words_in(self.version, self.piece.start, self.piece.end)

    @cached_property
    def called(self) -> Set[str]:
        """Return the words in a definition or a type after its name."""
        node = self.node
        start = node.name.span.end if isinstance(node, ast.Def | ast.TypeAliasDecl) else self.piece.start
        return words_in(self.version, start, self.piece.end)


def _key(source: Source, piece: Piece) -> _Key:
    return source.text[piece.start : piece.end], piece.doc


class Contents(Struct, eq=False):
    """The contents of a version that has been read: its declarations, where each begins in it, and the result of the
    parser for the whole."""

    slots: tuple[Slot, ...] = ()
    begins: tuple[int, ...] = ()
    reading: Reading | None = None


@dataclass(frozen=True, eq=False)
class Version(Source):
    """One state of an edited text."""

    document: Document = field(default_factory=lambda: Document(""), repr=False)
    contents: Contents = field(default_factory=Contents, repr=False)

    @property
    def placed(self) -> Source:
        """Return the newest version."""
        return self.document.newest or self

    def located(self, start: int, end: int) -> Span:
        """Return the span of these characters in the newest version."""
        newest = self.document.newest
        if newest is None or newest is self:
            return Span(self, start, end)
        begin = self._now(newest, start)
        return Span(newest, begin, max(begin, self._now(newest, end, max(start, end - 1))))

    def _now(self, newest: Version, offset: int, inside: int | None = None) -> int:
        """Return where a character is in the newest version: as near as is known if its declaration is gone."""
        slot, begin = self.slot_at(offset if inside is None else inside)
        moved = offset if slot is None or slot.now is None else offset + slot.now - begin
        return min(max(moved, 0), len(newest.text))

    def slot_at(self, offset: int) -> tuple[Slot | None, int]:
        """Return the declaration at a character, or the one before it, and where it begins in this version."""
        begins = self.contents.begins
        if not begins:
            return None, 0
        at = max(bisect_right(begins, offset) - 1, 0)
        return self.contents.slots[at], begins[at]


class Document:
    """A text that is edited. `parsed` counts the declarations that were parsed so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.newest: Version | None = None
        self.parsed = 0

    def version(self, text: str) -> Version:
        """Return the newest version if it has this text, otherwise one that becomes the newest when it is read."""
        if self.newest is not None and self.newest.text == text:
            return self.newest
        return Version(self.name, text, document=self)

    def read(self, version: Version) -> Reading:
        """Parse a version, which is the newest from now on, but for the declarations of the one before."""
        if version.contents.reading is not None and self.newest is version:
            return version.contents.reading
        builder = Builder(version)
        pieces, doc = ([], None) if refused(version, builder) else cut(version)
        waiting = self._waiting()
        slots = [self._slot(version, piece, waiting) for piece in pieces]
        contents = version.contents
        contents.slots, contents.begins = tuple(slots), tuple([piece.start for piece in pieces])
        self.newest = version
        contents.reading = _reading(version, doc, builder.diagnostics)
        return contents.reading

    def restore(self, version: Version) -> None:
        """Make a version that was read before the newest again: another text was only tried."""
        for slot in () if self.newest is None else self.newest.contents.slots:
            slot.now = None
        for slot, begin in zip(version.contents.slots, version.contents.begins, strict=True):
            slot.now = begin
        self.newest = version

    def _waiting(self) -> defaultdict[_Key, deque[Slot]]:
        """Return the declarations of the newest version by their texts, each of them gone until it is found again."""
        waiting: defaultdict[_Key, deque[Slot]] = defaultdict(deque)
        for slot in () if self.newest is None else self.newest.contents.slots:
            slot.now = None
            waiting[slot.key].append(slot)
        return waiting

    def _slot(self, version: Version, piece: Piece, waiting: defaultdict[_Key, deque[Slot]]) -> Slot:
        known = waiting[_key(version, piece)]
        if known and version.text[piece.start] not in " \t":
            slot = known.popleft()
        else:
            slot = Slot(version, piece, read_pieces(version, [piece]))
            self.parsed += 1
        slot.now = piece.start
        return slot


def _reading(version: Version, doc: str | None, first: list[Diagnostic]) -> Reading:
    """The whole of a version, put together from its declarations. The syntax errors keep the places of the versions
    that they were found in."""
    readings = [slot.reading for slot in version.contents.slots]
    declarations = tuple([node for reading in readings for node in reading.module.declarations])
    broken = tuple([name for reading in readings for name in reading.module.broken])
    problems = [*first, *(d for reading in readings for d in reading.diagnostics)]
    placed = [(d.placed, d) for d in problems]
    told = {id(d) for d in without_cascades([here for here, _ in placed])}
    kept = tuple([d for here, d in placed if id(here) in told])
    return Reading(ast.Module(version, declarations, doc, broken), kept, ())


def slot_of(span: Span) -> Slot | None:
    """Return the declaration of an edited text that a place is in; None for any other text."""
    return span.source.slot_at(span.start)[0] if isinstance(span.source, Version) else None


def module_of(source: Source) -> ast.Module:
    """Return the tree of a text; that of a version of an edited one is known if it was read."""
    known = source.contents.reading if isinstance(source, Version) else None
    return parse(source)[0] if known is None else known.module

"""Texts of the library, of which each definition is read when it is asked for.

What a check wants to know of every definition is told by its text alone: its name, whether it is a primitive of the
compiler, and which words are in it. The grammar sees the definitions that a program uses. A test holds what is told
against what reading gives.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from msgspec import Struct

from dsl.diagnostics.diagnostic import error_for
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.heads import STRING, Head, head_of_text, head_of_tree
from dsl.syntax.parse import read_pieces
from dsl.syntax.top_level_split import Piece, cut, join_attributes

_HEAD = re.compile(r"(?:static +)?def +(\w+)")
_PRIMITIVE = re.compile(r"=\s+intrinsic\.(\w+)\(")
_BRACKET = re.compile(rf"{STRING}|#.*|([()])")
_WORD = re.compile(rf"{STRING}|#.*|intrinsic\.\w+|\w+=(?!=)|->\s*\w+\s*=(?!=)|([^\W\d]\w*)")
"""Words; what a text, a comment, a primitive, an argument's name and a result that is a name have in them is left
out."""


def words_in(source: Source, start: int, end: int) -> Set[str]:
    """All words that a part of a text may mention, in their order; more, but never less."""
    found = dict.fromkeys(_WORD.findall(source.text, start, end))
    found.pop("", None)
    return found.keys()


@dataclass(frozen=True, eq=False)
class Written:
    """A definition as it stands in a text of the library; what follows its name begins at `rest`. `primitive` is the
    intrinsic that it is, if its body is a call of one and nothing else."""

    source: Source
    piece: Piece
    name: str
    rest: int
    primitive: str | None

    @property
    def attributes(self) -> tuple[ast.Attribute, ...]:
        """The lines above it that begin with `@`."""
        return self.piece.attributes

    @cached_property
    def head(self) -> Head:
        """Return the part of the definition that is needed before its types."""
        place = Span(self.source, self.rest - len(self.name), self.rest)
        return head_of_text(self.source, place, Span(self.source, self.piece.start, self.piece.end))

    @property
    def words(self) -> Set[str]:
        """All that it may mention."""
        return words_in(self.source, self.rest, self.piece.end)

    @cached_property
    def node(self) -> ast.Def:
        """Parse the definition. The sources of the library have no errors."""
        reading = read_pieces(self.source, [self.piece])
        if reading.diagnostics:
            raise error_for(reading.diagnostics)
        (node,) = reading.module.declarations
        assert isinstance(node, ast.Def)
        return node


def tree_of(definition: ast.Def | Written) -> ast.Def:
    """The tree of a definition; that of one of the library is read when it is asked for."""
    return definition.node if isinstance(definition, Written) else definition


def head_of(definition: ast.Def | Written) -> Head:
    """Return the part of a definition that is needed before its types."""
    return definition.head if isinstance(definition, Written) else head_of_tree(definition)


class LibraryText(Struct, frozen=True):
    """A text: its module without the definitions, and these."""

    tree: ast.Module
    definitions: tuple[Written, ...]


class Parts(Struct, frozen=True):
    """Where the parts of a text are: `definitions`, each with its name, the end of that, and the intrinsic that it is;
    `others` are all other declarations."""

    doc: str | None
    definitions: tuple[tuple[Piece, str, int, str | None], ...]
    others: tuple[Piece, ...]


def library_text(source: Source) -> LibraryText:
    """A text of the library, whose parts are looked for."""
    return text_of(source, parts_of(source))


@lru_cache(maxsize=64)
def parts_of(source: Source) -> Parts:
    """The parts of a text, which does not change while a process lives."""
    pieces, doc = cut(source)
    definitions: list[tuple[Piece, str, int, str | None]] = []
    others: list[Piece] = []
    for piece in join_attributes(source, pieces):
        head = _HEAD.match(source.text, piece.start)
        if head is None:
            others.append(piece)
        else:
            definitions.append((piece, head[1], head.end(), _primitive(source.text, head.end(), piece.end)))
    return Parts(doc, tuple(definitions), tuple(others))


@lru_cache(maxsize=64)
def text_of(source: Source, parts: Parts) -> LibraryText:
    """The text whose parts are known; each of its definitions is read once."""
    reading = read_pieces(source, parts.others)
    if reading.diagnostics:
        raise error_for(reading.diagnostics)
    tree = ast.Module(source, reading.module.declarations, parts.doc)
    return LibraryText(tree, tuple([Written(source, *each) for each in parts.definitions]))


def _primitive(text: str, start: int, end: int) -> str | None:
    found = _PRIMITIVE.search(text, start, end)
    if found is None:
        return None
    behind = text[_closing(text, found.end() - 1, end) : end]
    return found[1] if not behind.partition("#")[0].strip() else None


def _closing(text: str, opening: int, end: int) -> int:
    """Behind the bracket that closes the one at `opening`; `end` if there is none."""
    depth = 0
    for found in _BRACKET.finditer(text, opening, end):
        depth += {"(": 1, ")": -1, None: 0}[found[1]]
        if depth == 0 and found[1]:
            return found.end()
    return end

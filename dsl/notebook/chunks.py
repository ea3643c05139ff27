"""The text of a notebook: the declarations of its cells, put together into one module.

A declaration is replaced by a later one of the same name. Places in the module are those of the cells. Knows nothing of
checks. Read next: `cells`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dsl.diagnostics.source import Piece, Source, Span
from dsl.syntax import ast
from dsl.syntax.walk import declared_names

NAME = "<notebook>"


class Chunk(Struct, frozen=True, eq=False):
    """A declaration of a cell with the comments above it: the names that it binds, its text as stretches of the text of
    the cell, and the module that it imports, if it is an import."""

    names: tuple[str, ...]
    cell: Source
    stretches: tuple[tuple[int, int], ...]
    imports: str | None = None


class Text(Struct, frozen=True, eq=False):
    """A module made of chunks; `starts` are their places in its source."""

    chunks: tuple[Chunk, ...]
    starts: tuple[int, ...]
    source: Source

    def chunk_at(self, offset: int) -> Chunk:
        """The chunk that a character of the module belongs to."""
        return self.chunks[max(0, bisect_right(self.starts, offset) - 1)]

    def chunk_of(self, place: Span) -> Chunk:
        """The chunk that a place in a cell belongs to."""
        return next(
            chunk
            for chunk in self.chunks
            if chunk.cell is place.source and any(start <= place.start < end for start, end in chunk.stretches)
        )


def chunks_of(tree: ast.Module) -> tuple[Chunk, ...]:
    """The declarations of a cell, each with what stands above it."""
    found: list[Chunk] = []
    end = 0
    for declaration in tree.declarations:
        start, end = end, _end_of_line(tree.source, declaration.span.end)
        found += _chunks(tree.source, declaration, start, end)
    return tuple(found)


def _end_of_line(cell: Source, offset: int) -> int:
    found = cell.text.find("\n", offset)
    return len(cell.text) if found < 0 else found + 1


def _chunks(cell: Source, declaration: ast.Declaration, start: int, end: int) -> Iterator[Chunk]:
    """A declaration as chunks; an import of several names is one for each, so that each can be replaced alone."""
    names = declared_names(declaration)
    match declaration:
        case ast.FromImport(path=path, names=imported):
            head = declaration.span.start, cell.text.index("import", path[-1].span.end) + len("import ")
            for (name, alias), bound in zip(imported, names, strict=True):
                stretch = name.span.start, (alias or name).span.end
                yield Chunk((bound,), cell, (head, stretch), _dotted(path))
        case ast.Import(path=path):
            yield Chunk(names, cell, ((start, end),), _dotted(path))
        case _:
            yield Chunk(names, cell, ((start, end),))


def _dotted(path: Sequence[ast.Ident]) -> str:
    return ".".join([part.name for part in path])


def joined(chunks: Sequence[Chunk]) -> Text:
    """The module of some chunks, whose places are those of their cells."""
    parts: list[str] = []
    pieces: list[Piece] = []
    starts: list[int] = []
    length = 0
    for chunk in chunks:
        starts.append(length)
        for start, end in chunk.stretches:
            pieces.append(Piece(length, chunk.cell, start))
            parts.append(chunk.cell.text[start:end])
            length += end - start
        parts.append("\n")
        length += 1
    return Text(tuple(chunks), tuple(starts), Source(NAME, "".join(parts), pieces=tuple(pieces)))

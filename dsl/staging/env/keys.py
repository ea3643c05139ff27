"""Where fresh keys come from: the key of the handler, folded with the place of the draw.

Inside a loop or a comprehension the index of the step is folded in first, so every step draws its own.
The number of a place is made from the text around the draw and the calls that led there, so a draw
added elsewhere changes no other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from zlib import crc32

from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops.random import fold_in
from dsl.staging.values import literal
from dsl.types.dtype import U32


@dataclass(slots=True)
class Source:
    """A source of keys: `key`, then the indices to fold into it. `drawn` counts draws by their place."""

    key: Atom
    indices: tuple[Atom, ...] = ()
    drawn: dict[int, int] = field(default_factory=dict)


Keys: TypeAlias = tuple[Source, ...]
"""The sources of all handlers around a place, from the outermost."""


def inside(keys: Keys, index: Atom) -> Keys:
    """The sources in a body that runs once for every `index`."""
    return tuple([Source(source.key, (*source.indices, index)) for source in keys])


def place(span: Span, calls: Sequence[Span]) -> int:
    """A number for a draw, from the lines of the calls that led to it and its own."""
    text = "\n".join([_line(call) for call in (*calls[1:], span)])
    return crc32(text.encode())


def _line(span: Span) -> str:
    """The line a span starts in, without what is around it."""
    return span.source.line(span.source.row(span.start)).strip()


def draw(b: Builder, source: Source, place: int) -> Atom:
    """A key of its own for every draw: draws at the same place are told apart by their order."""
    count = source.drawn[place] = source.drawn.get(place, -1) + 1
    key = source.key
    for index in source.indices:
        key = fold_in(b, key, index)
    key = fold_in(b, key, literal(place, U32))
    return fold_in(b, key, literal(count, U32)) if count else key

"""The programs in a file: the whole of a `.dsl` file, and the strings given to `dsl.program` in a `.py` file.

Knows nothing of the language. Read next: `analysis`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from dsl.diagnostics.source import Source
from dsl.syntax.sources import embedded_source

QUOTES = ('"""', "'''", '"', "'")


class Part(Struct, frozen=True):
    """A program in a file, and the folder in which the modules it imports are looked for; a string has none."""

    source: Source
    folder: Path | None

    @property
    def in_string(self) -> bool:
        """Return whether it is in a string of Python."""
        return self.folder is None


def parts(path: Path, source: Source) -> tuple[Part, ...]:
    """The programs in a file with this text, in order of place."""
    text = source.text
    if path.suffix != ".py":
        return (Part(source, path.parent),)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple([Part(source, None) for source in _strings(str(path), text, tree)])


def _strings(name: str, text: str, tree: ast.Module) -> Iterator[Source]:
    callees = set(_callees(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str(value)) as written], keywords=[]):
                if ast.unparse(function) in callees:
                    yield from _source(name, text, written, value)


def _callees(tree: ast.Module) -> Iterator[str]:
    """Yield the names by which a Python module calls `dsl.program`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (f"{alias.asname or alias.name}.program" for alias in names if alias.name == "dsl")
            case ast.ImportFrom(module="dsl", names=names):
                yield from (alias.asname or alias.name for alias in names if alias.name == "program")


def _source(name: str, text: str, node: ast.Constant, value: str) -> Iterator[Source]:
    """The program in a string whose characters stand in the file as they are; one that begins behind its quotes ends on
    the same line."""
    written = ast.get_source_segment(text, node) or ""
    bare = written.lstrip("rRuU")
    quote = next((quote for quote in QUOTES if bare.startswith(quote)), "")
    inside = bare[len(quote) : len(bare) - len(quote)]
    first = inside.startswith("\\\n")
    if inside[2 if first else 0 :] != value or not (first or value.startswith("\n") or "\n" not in value):
        return
    before = text.splitlines()[node.lineno - 1].encode()[: node.col_offset].decode()
    column = 0 if "\n" in value else len(before) + len(written) - len(bare) + len(quote)
    yield embedded_source(name, value, node.lineno - 1 + first, column)

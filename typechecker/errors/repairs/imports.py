"""Names of modules of the library, as a text imports them or may import them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast
from dsl.syntax.parse import parse


def imports(source: Source) -> Iterator[ast.Import | ast.FromImport]:
    """Yield the imports of a text, each read by itself; their spans are places in the text."""
    start = 0
    for line in source.text.splitlines(keepends=True):
        if line.startswith(("import ", "from ")):
            tree, problems = parse(Source(source.name, line))
            span = Span(source, start, start + len(line.rstrip()))
            for node in () if problems else tree.declarations:
                match node:
                    case ast.Import(path, alias):
                        yield ast.Import(path, alias, span)
                    case ast.FromImport(path, names):
                        yield ast.FromImport(path, names, span)
                    case _:
                        pass
        start += len(line)


class Imported(Struct, frozen=True):
    """How a name of a module of the library is written in a text, what imports it there, and that in words."""

    name: str
    edits: tuple[Edit, ...] = ()
    said: str = ""


def imported(source: Source, module: str, name: str) -> Imported:
    """A name of a module of the library, as a text imports it or may import it."""
    whole = False
    for node in imports(source):
        path = ".".join([part.name for part in node.path])
        match node:
            case ast.FromImport(_, names) if path == module:
                if any(there.name == name and here is None for there, here in names):
                    return Imported(name)
                text, end = node.span.text, Span(source, node.span.end, node.span.end)
                return Imported(name, (Edit(end, f", {name}"),), f", with `{text}, {name}` at the top")
            case ast.Import(_, None) if path == module:
                whole = True
            case _:
                pass
    if whole:
        return Imported(f"{module}.{name}")
    line = f"from {module} import {name}"
    return Imported(name, (Edit(Span(source, 0, 0), f"{line}\n"),), f", with `{line}` at the top")

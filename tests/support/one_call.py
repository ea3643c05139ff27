"""A program of one call for each definition of each public function of the library, overloads one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.library_text import LibraryText, library_text
from dsl.syntax.sources import library
from typechecker.declarations.modules import library_modules

PRELUDE = "prelude"


class OneCall(Struct, frozen=True):
    """A text of one definition that calls a function of the library; its parameters are those without a default."""

    module: str
    name: str
    number: int
    text: str


def every_call() -> Iterator[OneCall]:
    """A call of every definition, in the order of the library."""
    for module in library_modules():
        source = library(module)
        assert source is not None
        seen: dict[str, int] = {}
        text = library_text(source)
        for written in text.definitions:
            if not written.name.startswith("_"):
                number = seen[written.name] = seen.get(written.name, 0) + 1
                yield OneCall(module, written.name, number, _text(module, text, written.node))


def _qualified(module: str, text: LibraryText, effects: Span) -> str:
    """The effects as another module writes them."""
    own = {each.name.name for each in text.tree.declarations if isinstance(each, ast.EffectDecl)}
    return re.sub(r"\w+", lambda m: f"{module}.{m[0]}" if m[0] in own else m[0], effects.text)


def _text(module: str, text: LibraryText, node: ast.Def) -> str:
    needed = [param for param in node.params if param.default is None]
    generics = f"[{', '.join(g.span.text for g in node.generics)}]" if node.generics else ""
    passed = ", ".join(f"{p.name.name}={p.name.name}" if p.keyword_only else p.name.name for p in needed)
    path = node.name.name if module == PRELUDE else f"{module}.{node.name.name}"
    start = "" if module == PRELUDE else f"import {module}\n"
    static = "static " if node.static else ""
    effects = f" ! {_qualified(module, text, node.effects.span)}" if node.effects is not None else ""
    params = ", ".join(p.span.text for p in needed)
    return f"{start}{static}def called{generics}({params}){effects} = {path}({passed})\n"

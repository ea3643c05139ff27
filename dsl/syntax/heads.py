"""Heads of definitions: what is asked of one before its types, from its tree or, in the library, from its text alone.

The characters of a text of the library tell its head without the grammar. A test holds what they tell against what
reading gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from dsl.diagnostics.source import Source, Span
from dsl.syntax import ast

STRING = r'"(?:[^"\\]|\\.)*"'
_BRACKET_OR_COMMA = re.compile(rf"{STRING}|#.*|([(\[{{])|([)\]}}])|(,)")
_PARAM = re.compile(r"(?:[\s,]|#.*)*(static\s+)?(\w+)\s*(?::\s*(.*?)\s*)?(?:(?<![=<>!])=(?!=).*)?\Z", re.DOTALL)
_STAR = re.compile(r"[\s,]*\*\s*\Z")
_RESULT = re.compile(r"\s*->")
_OPERATION = re.compile(
    r"(?<![=<>!])=\s+(\w+)\s*(\+|-|\*\*|\*|//|/|%|@|&|\||\^|<<|>>|\band\b|\bor\b)\s*(\w+)\s*(?:#.*)?\Z"
)


class HeadParam(Struct, frozen=True):
    """A parameter: the text of its type, "" where there is none; `required` if it has no default."""

    name: str
    static: bool
    keyword_only: bool
    required: bool
    type: str


class Head(Struct, frozen=True):
    """`place` is that of the name, `whole` that of the definition; `stated` if it says what its result is. `operator`
    is that of a body that combines the two parameters by it, and does nothing else."""

    place: Span
    whole: Span
    static: bool
    stated: bool
    params: tuple[HeadParam, ...]
    operator: str | None


def head_of_tree(node: ast.Def) -> Head:
    """The head of a definition that was read."""
    params = tuple([_param_of_tree(param) for param in node.params])
    return Head(node.name.span, node.span, node.static, node.result is not None, params, _operator_of_tree(node))


def _param_of_tree(param: ast.Param) -> HeadParam:
    type_ = "" if param.type is None else param.type.span.text
    return HeadParam(param.name.name, param.static, param.keyword_only, param.default is None, type_)


def _operator_of_tree(node: ast.Def) -> str | None:
    match node:
        case ast.Def(body=ast.Binary(op, ast.Name(left), ast.Name(right)), params=(first, second)):
            return op if (left, right) == (first.name.name, second.name.name) else None
        case _:
            return None


def head_of_text(source: Source, place: Span, whole: Span) -> Head:
    """The head of a definition of the library, whose name is at `place`."""
    text = source.text
    cuts = list(_cuts(text, text.index("(", place.end)))
    params = tuple(_params(text, cuts))
    static = text.startswith("static", whole.start)
    stated = _RESULT.match(text, cuts[-1] + 1) is not None
    return Head(place, whole, static, stated, params, _operator_of_text(text, cuts[-1], whole.end, params))


def _cuts(text: str, opening: int) -> Iterator[int]:
    """The bracket at `opening`, the commas between its parts, and the bracket that closes it."""
    depth = 0
    for found in _BRACKET_OR_COMMA.finditer(text, opening):
        opens, closes, comma = found.groups()
        depth += bool(opens) - bool(closes)
        if found.start() == opening or depth == 0 or (comma and depth == 1):
            yield found.start()
        if depth == 0:
            return


def _params(text: str, cuts: list[int]) -> Iterator[HeadParam]:
    keyword_only = False
    for start, end in pairwise(cuts):
        part = text[start + 1 : end]
        if _STAR.match(part):
            keyword_only = True
        elif (found := _PARAM.match(part)) is not None:
            static, name, type_ = found.groups()
            required = found.end(3 if type_ else 2) == len(part.rstrip())
            yield HeadParam(name, bool(static), keyword_only, required, type_ or "")


def _operator_of_text(text: str, start: int, end: int, params: tuple[HeadParam, ...]) -> str | None:
    found = _OPERATION.search(text, start, end) if len(params) == 2 else None
    return found[2] if found and [found[1], found[3]] == [param.name for param in params] else None

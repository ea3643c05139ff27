"""What the text of a definition of the library tells is what reading it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import stdlib
from dsl.diagnostics.diagnostic import DslSyntaxError
from dsl.diagnostics.source import LIBRARY, Source
from dsl.syntax import ast
from dsl.syntax.heads import head_of_tree
from dsl.syntax.library_text import library_text
from dsl.syntax.parse import parse
from dsl.syntax.sources import library
from typechecker.declarations.dependencies import intrinsic_call, mentions

MODULES = sorted(path.stem for path in Path(stdlib.FOLDER).glob("*.dsl"))


def primitive(node: ast.Def) -> str | None:
    body = node.body
    if not isinstance(body, ast.Call) or not intrinsic_call(body) or not isinstance(body.function, ast.Field):
        return None
    return body.function.name.name


@pytest.mark.parametrize("name", MODULES)
def test_the_text_tells_what_reading_gives(name: str) -> None:
    source = library(name)
    assert source is not None
    whole, problems = parse(source)
    parts = library_text(source)
    assert problems == ()
    definitions = [node for node in whole.declarations if isinstance(node, ast.Def)]
    names = {node.name.name for node in definitions}
    assert parts.tree.declarations == tuple(d for d in whole.declarations if not isinstance(d, ast.Def))
    assert parts.tree.doc == whole.doc
    for written, node in zip(parts.definitions, definitions, strict=True):
        assert written.name == node.name.name
        assert written.primitive == primitive(node)
        assert names & set(mentions(node)) <= written.words
        assert written.attributes == whole.attributes.get(node.name.span, ())
        assert written.head == head_of_tree(node)
        assert written.node == node


TEXT = """
def calls(x: f32) -> f32 = intrinsic.exp(x, "a) b") # )
def twice(x: f32) -> f32 = intrinsic.exp(x) + intrinsic.exp(x)
def names(x: f32, s: str = "calls") -> f32 = twice(x=calls(x)) # names
def several(x: f32) -> f32 =
    intrinsic.exp(
        x)
static def broken(x: int) -> int = x +
"""


def test_brackets_texts_and_comments() -> None:
    found = {w.name: w for w in library_text(Source(f"{LIBRARY}/made.dsl", TEXT)).definitions}
    assert {name: w.primitive for name, w in found.items()} == {
        "calls": "exp",
        "twice": None,
        "names": None,
        "several": "exp",
        "broken": None,
    }
    assert found["names"].words == {"x", "f32", "s", "str", "twice", "calls"}
    with pytest.raises(DslSyntaxError):
        _ = found["broken"].node

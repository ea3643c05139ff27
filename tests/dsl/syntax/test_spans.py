"""Spans cover what was written, no more and no less."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

import pytest

from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record
from dsl.syntax import ast
from dsl.syntax.parse import parse, parse_expression
from tests.support.cases import some

CORPUS = Path(__file__).parent / "corpus"


@runtime_checkable
class Node(Protocol):
    @property
    def span(self) -> Span: ...


def nodes(value: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Every node with the nodes directly inside it."""
    inner: list[Node] = []
    todo: list[object] = [getattr(value, f.name) for f in fields(value)] if is_record(value) else []
    while todo:
        part = todo.pop()
        if isinstance(part, Span):
            continue
        if isinstance(part, tuple):
            todo.extend(part)
        elif is_record(part) and isinstance(part, Node):
            inner.append(part)
    yield value, inner
    for part in inner:
        yield from nodes(part)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.dsl")), ids=lambda path: path.stem)
def test_a_node_lies_within_its_parent_and_has_no_blank_at_its_ends(path: Path) -> None:
    module, _ = parse(Source("x", path.read_text(encoding="utf-8")))
    for declaration in some(module.declarations):
        for node, inner in some(nodes(declaration)):
            span = node.span
            assert span.text == span.text.strip() and span.text
            for part in inner:
                assert span.start <= part.span.start <= part.span.end <= span.end


SPANS = [
    ("a + b * c", ["a + b * c", "a", "b * c", "b", "c"]),
    ("(a + b) * c", ["(a + b) * c", "(a + b)", "a", "b", "c"]),
    ("f(x, y=1)", ["f(x, y=1)", "f", "x", "x", "y=1", "y", "1"]),
    ("x[1:, None]", ["x[1:, None]", "x", "1:", "1", "None"]),
    ("x.y.0", ["x.y.0", "x.y", "x", "y"]),
    ("-x", ["-x", "x"]),
    ("let a = 1\na", ["let a = 1\na", "let a = 1", "a", "1", "a"]),
    ("fn (a, b) -> a", ["fn (a, b) -> a", "a", "a", "b", "b", "a"]),
]


@pytest.mark.parametrize(("text", "expected"), SPANS, ids=[text for text, _ in SPANS])
def test_spans_of_expressions(text: str, expected: list[str]) -> None:
    node, _ = parse_expression(Source("x", text))
    found = sorted(
        ((n.span.start, -n.span.end, n.span.text) for n, _ in nodes(node)),
    )
    assert sorted(found) == found and sorted(t for _, _, t in found) == sorted(expected)


def test_a_definition_reaches_from_its_first_word_to_the_end_of_its_body() -> None:
    text = "## doc\nstatic def f(x: int) -> int =\n    let y = x\n    (y + 1)  # end\n"
    (f,) = parse(Source("x", text))[0].declarations
    assert isinstance(f, ast.Def)
    assert f.span.text == "static def f(x: int) -> int =\n    let y = x\n    (y + 1)"

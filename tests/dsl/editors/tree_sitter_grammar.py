"""The grammar for tree-sitter reads programs as the parser does: the library, the examples, the blocks of the docs.
`make tree-sitter` generates its parser and runs this."""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from dsl.diagnostics.source import Source
from dsl.editors.tree_sitter import ZED
from dsl.syntax import ast
from dsl.syntax.parse import parse, parse_with_tokens
from dsl.syntax.walk import nodes

tree_sitter: Any = import_module("tree_sitter")
ROOT = Path(__file__).parents[3]
BUILT = ROOT / "out" / "tree-sitter-puredsl"
FOLDERS = ("stdlib", "examples", "tests/typechecker/cases/accept", "dsl")
TEXTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.dsl"))
BLOCK = re.compile(r"^```(?:dsl|text)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LEADING = re.compile(r"\A(?:\s|#[^\n]*)*")
CASE = re.compile(r"^=+\n(.+)\n=+\n(.*?)\n---\n(.*?)(?=^==|\Z)", re.MULTILINE | re.DOTALL)
KINDS: Mapping[str, type[Any]] = {
    "definition": ast.Def,
    "block": ast.Block,
    "if_expr": ast.If,
    "match_expr": ast.Match,
    "lambda_expr": ast.Lambda,
    "loop": ast.Loop,
    "iterate": ast.Iterate,
    "with_expr": ast.With,
    "prefixed": ast.Unary,
    "binary": ast.Binary,
}
"""Nodes of both trees that have the same places."""

MORE = ("block", "binary")
"""The parser has no node for a block of one expression, and its comparisons are chains."""

LAYOUT = ("INDENT", "NEWLINE", "DEDENT")


@pytest.fixture(scope="module")
def language() -> Any:
    function = ctypes.CDLL(str(BUILT / "puredsl.so")).tree_sitter_puredsl
    function.restype = ctypes.c_void_p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of languages that no package brings
        return tree_sitter.Language(function())


@pytest.fixture(scope="module")
def parser(language: Any) -> Any:
    return tree_sitter.Parser(language)


def below(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from below(child)


def grouped(node: Any) -> Any:
    """A node with the parentheses around it, which belong to it in the parser's tree."""
    return grouped(node.parent) if node.parent is not None and node.parent.type == "group" else node


def bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the blanks and comments at its edges."""
    inside = text[start:end]
    return start + len(inside) - len(LEADING.sub("", inside)), start + len(inside.rstrip())


def places(text: str, found: Iterator[Any]) -> set[tuple[int, int]]:
    """The places of nodes by characters."""
    encoded = text.encode()
    if len(encoded) == len(text):
        return {(node.start_byte, node.end_byte) for node in found}
    return {(len(encoded[: n.start_byte].decode()), len(encoded[: n.end_byte].decode())) for n in found}


def blocks() -> Iterator[tuple[str, str]]:
    """The blocks of the docs that the parser reads without an error."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for number, found in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
            tree, problems = parse(Source(page.name, found[1]))
            if tree.declarations and not problems:
                yield f"{page.stem}-{number}", found[1]


def texts() -> Iterator[tuple[str, str]]:
    yield from ((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in TEXTS)
    yield from blocks()


READ = dict(texts())


def test_there_are_texts() -> None:
    assert len(READ) > 500


@pytest.mark.parametrize("name", READ)
def test_programs_are_read_as_the_parser_reads_them(name: str, parser: Any) -> None:
    text = READ[name]
    root = parser.parse(text.encode()).root_node
    assert not root.has_error, str(next(node for node in below(root) if node.is_error or node.is_missing).start_point)
    leaves = [node for node in below(root) if not node.children and node.type != "comment"]
    source = Source(name, text)
    attributed = [node for node in below(root) if node.type == "attribute"]
    inside = {leaf.id for node in attributed for leaf in below(node)}
    tokens = [token for _, found in parse_with_tokens(source).tokens for token in found]
    seen = {(token.start, token.end) for token in tokens if token.kind not in LAYOUT}
    assert places(text, iter([leaf for leaf in leaves if leaf.id not in inside])) == seen
    tree, _ = parse(source)
    for kind, type_ in KINDS.items():
        own = {node.span[1:] for node in nodes(tree.declarations) if isinstance(node, type_)}
        found = places(text, iter([grouped(node) for node in below(root) if node.is_named and node.type == kind]))
        here, there = {bare(text, *place) for place in own}, {bare(text, *place) for place in found}
        assert here <= there if kind in MORE else here == there, kind


@pytest.mark.parametrize(
    "text", ["def f(x: f32) = (x\n", "def f(x) = x +\n", "def = 3\n", "let a = [1, 2\nlet b = 3\n", "x = 3\n"]
)
def test_what_is_wrong_is_an_error(text: str, parser: Any) -> None:
    assert parser.parse(text.encode()).root_node.has_error


@pytest.mark.parametrize("wrong", ["def f(x: f32) = x 3", "def f(x: f32) =", "def f(x) =\n    let y = )\n    y"])
def test_an_error_reaches_no_other_declaration(wrong: str, parser: Any) -> None:
    text = f"{wrong}\n\ndef g(x: f32) =\n    let y = x\n    y\n"
    root = parser.parse(text.encode()).root_node
    assert any(node.type == "definition" and node.text.startswith(b"def g") for node in below(root))


@pytest.mark.parametrize("found", [*CASE.finditer((BUILT / "test" / "corpus" / "layout.txt").read_text())])
def test_corpus(found: re.Match[str], parser: Any) -> None:
    text, wanted = found[2].strip("\n") + "\n", re.sub(r"\s+", " ", found[3]).replace(" )", ")").strip()
    assert re.sub(r"\w+: ", "", str(parser.parse(text.encode()).root_node)) == wanted


@pytest.mark.parametrize(
    "path",
    [BUILT / "queries" / "highlights.scm", *sorted((ZED / "languages" / "puredsl").glob("*.scm"))],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_queries_are_of_this_grammar(path: Path, language: Any) -> None:
    assert tree_sitter.Query(language, path.read_text(encoding="utf-8")).pattern_count > 0


def test_colours(language: Any, parser: Any) -> None:
    text = "## Twice.\ndef f(x: f32[n], s: S) ! check =\n    assert sum(x) > 0.0\n    x.at[s.place] # end\n"
    query = tree_sitter.Query(language, (BUILT / "queries" / "highlights.scm").read_text(encoding="utf-8"))
    found = tree_sitter.QueryCursor(query).matches(parser.parse(text.encode()).root_node)
    colour = {}
    for _, captures in sorted(found, key=itemgetter(0)):
        colour.update({node.text.decode(): name for name, inside in captures.items() for node in inside})
    wanted = {
        "## Twice.": "comment.documentation",
        "def": "keyword",
        "f": "function",
        "x": "variable.parameter",
        "f32": "type.builtin",
        "assert": "keyword",
        "sum": "function.call",
        ">": "operator",
        "0.0": "number",
        "place": "property",
        "# end": "comment",
    }
    assert {text: colour[text] for text in wanted} == wanted

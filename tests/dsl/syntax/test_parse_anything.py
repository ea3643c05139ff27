"""No text makes the parser raise, hang, or point outside of the text."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.source import Source
from dsl.syntax.layout import longest_path
from dsl.syntax.parse import MAX_DEPTH, parse, parse_expression, parse_with_tokens
from dsl.syntax.show import show, too_deep
from tests.support.cases import some

WORDS = [
    "def",
    "static",
    "type",
    "enum",
    "effect",
    "import",
    "from",
    "as",
    "let",
    "fn",
    "if",
    "then",
    "else",
    "match",
    "with",
    "do",
    "fold",
    "scan",
    "iterate",
    "while",
    "for",
    "in",
    "assert",
    "and",
    "or",
    "not",
    "true",
    "false",
    "none",
    "where",
    "limit",
    "reverse",
    "unroll",
    "rng",
    "checks",
    "state",
    "accum",
    "handler",
    "x",
    "f",
    "_",
    "3",
    "2.5",
    "1.",
    ".5",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ".",
    "=",
    "==",
    "->",
    "|>",
    "|",
    "!",
    "!=",
    "+",
    "-",
    "*",
    "**",
    "@",
    "?",
    "...",
    ":=",
    "+=",
    '"',
    '"a"',
    "#",
    "'",
    ";",
    "$",
    "\x00",
    "\ud800",
    "\u2264",
    "None",
    "elif",
    "\n",
    "\n    ",
    "\n        ",
    "\t",
]
EVERY_FORM = (Path(__file__).parent / "corpus" / "every_form.dsl").read_text(encoding="utf-8")


def check(text: str) -> None:
    source = Source("x", text)
    module, found = parse(source)
    show(module.declarations)
    for diagnostic in found:
        span = diagnostic.primary.span
        assert 0 <= span.start <= span.end <= len(text)
    starts = [diagnostic.primary.span.start for diagnostic in found]
    assert starts == sorted(starts)
    parse_expression(source)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=200))
def test_random_characters(text: str) -> None:
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=50), st.booleans())
def test_random_words(words: list[str], in_body: bool) -> None:
    check(("def f(x: f32) =\n    " if in_body else "") + " ".join(words))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(EVERY_FORM) - 1), st.sampled_from(["", *WORDS])), max_size=8))
def test_damaged_programs(damage: list[tuple[int, str]]) -> None:
    text = EVERY_FORM
    for at, word in damage:
        text = text[:at] + word + text[at + 1 :]
    check(text)


EXTREMES = {
    "parentheses": "def f() = " + "(" * 10_000 + "x" + ")" * 10_000,
    "open parentheses": "def f() = " + "(\n" * 10_000,
    "signs": "def f() = " + "- " * 10_000 + "x",
    "terms": "def f() = " + " + ".join(["x"] * 9_000),
    "powers": "def f() = " + " ** ".join(["x"] * 9_000),
    "fields": "def f() = x" + ".a" * 9_000,
    "lambdas": "def f() = " + "fn x -> " * 9_000 + "x",
    "conditions": "def f() = " + "if x then y else " * 4_000 + "x",
    "arrows": "def f(x: " + "A -> " * 9_000 + "B) = x",
    "one long line": "def f() = " + "1 + " * 2_500_000 + "x",
    "blocks": "def f() =\n" + "".join(" " * i + "if x then\n" for i in range(1, 500)) + " " * 501 + "x",
    "garbage": "\x00\ud800" * 30_000,
    "many errors": "def f() =\n" + "    let a = = 3\n" * 2_000 + "    a",
    "open heads": "def f(\n" * 2_000,
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_are_refused_in_good_time(name: str) -> None:
    started = time.perf_counter()
    module, found = parse(Source("x", EXTREMES[name]))
    assert found
    assert time.perf_counter() - started < 20
    assert all(too_deep(declaration, MAX_DEPTH) is None for declaration in module.declarations)


def test_a_sum_of_nine_hundred_terms_is_read() -> None:
    module, found = parse(Source("x", "def f() = " + " + ".join(["x"] * 900)))
    assert not found and len(module.declarations) == 1


CASES = Path(__file__).parents[2] / "typechecker" / "cases"
NESTED = """def f(x: f32) -> f32 =
    if x > 0.0 then
        let y = (((x + 1.0)))
        match y with
            0 -> g(fn (z) -> h(z, {a: [z, z.0]}))
            _ -> y
    else if x < 1.0 then
        x
    else
        with state s = [k[0].a for k in x] do
            while s < 1.0 do
                s := s + 1.0
"""


@pytest.mark.parametrize("file", sorted(CASES.rglob("*.dsl")), ids=lambda file: file.stem)
def test_a_tree_has_no_more_levels_than_its_longest_path_has_tokens(file: Path) -> None:
    texts = [NESTED, *re.split(r"^####.*\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[::5]]
    readings = [parse_with_tokens(Source("a.dsl", text)) for text in texts]
    for module, piece, tokens in some([(each.module, *part) for each in readings for part in each.tokens]):
        nodes = {node.span.start: node for node in module.declarations}
        assert too_deep(nodes.get(piece.start), longest_path(token.kind for token in tokens)) is None

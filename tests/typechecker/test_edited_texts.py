"""Edits of a text: what is checked after each, and that the result is that of a check of the whole."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from benchmarks.editor_program import program
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.syntax.versions import Document
from typechecker import CheckCache, CheckResult, check_source

TEXT = program(190)
WORDS = ("(", ")", "[", "]", "{", "}", "=", ",", ":", "x", "1", " ", ".", "f32", "where n >= 2", "-> f32")
LINES = (
    "# c",
    "",
    "let more = 3",
    "def extra(x: f32) -> f32 = x",
    "enum Extra = Aa | Bb",
    "import nn",
    "    let y = x",
)


class Editor:
    """A text that is edited, and its checks."""

    def __init__(self, text: str) -> None:
        self.document, self.cache, self.text = Document("edited.dsl"), CheckCache(), text
        self.check(text)

    def check(self, text: str) -> CheckResult:
        """Check another text in place of the last."""
        self.text = text
        return check_source(self.document.version(text), None, None, self.cache)

    def edit(self, old: str, new: str) -> tuple[int, tuple[str, ...]]:
        """How many declarations are parsed after an edit, and which are checked; the text is as before then."""
        before, text = self.document.parsed, self.text
        assert old in text
        checked = self.check(text.replace(old, new, 1)).rechecked
        parsed = self.document.parsed - before
        self.check(text)
        return parsed, checked


def places(span: Span) -> object:
    source = span.source
    start, end = source.position(span.start), source.position(span.end)
    return (start, end) if source.name == "edited.dsl" else source.name


def shown(found: Diagnostic) -> object:
    labels = tuple([(places(label.span), label.text) for label in found.secondary])
    edits = tuple([(places(edit.span), edit.text) for help in found.help for edit in help.edits])
    return found.code, found.message, places(found.primary.span), labels, tuple([h.text for h in found.help]), edits


@pytest.fixture(scope="module")
def editor() -> Editor:
    return Editor(TEXT)


EDITS = {
    "a body": ("x + 0.1 * slope_1(a, x)", "x + 0.2 * slope_1(a, x)", 1, {"solved_1"}),
    "an unknown name": ("x + 0.1 * slope_1(a, x)", "x + 0.1 * slop_1(a, x)", 1, {"solved_1"}),
    "a comment": ("# A collection", "# Another\n# collection", 0, set()),
    "a doc comment": ("## One affine layer", "## An affine layer", 1, {"dense"}),
    "an incomplete line": ("x + 0.1 * slope_1(a, x)", "x + 0.1 * slope_1(a, ", 1, {"solved_1"}),
    "a new definition": ("## Halve", "def more(x: f32) -> f32 = x\n\n## Halve", 1, {"more"}),
    "a signature": (
        "def slope_1(a: f32[d, d], y: f32[d]) ->",
        "def slope_1(a: f32[d, d], y: f32[d], k: f32 = 1.0) ->",
        1,
        {"slope_1", "curve_1", "solved_1"},
    ),
    "a field": ("out: Layer[2 * c * 4, o]", "out: Layer[2 * c * 2 * 2, o]", 1, {"Net_0"}),
    "a variant": ("enum Mode_1 = Plain_1 |", "enum Mode_1 = Plain_1 | Other_1 |", 1, {"Mode_1", "scaled_1", "run_1"}),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_only_what_an_edit_concerns_is_parsed_and_checked(editor: Editor, edit: tuple[str, str, int, set[str]]) -> None:
    old, new, parsed, checked = edit
    found = editor.edit(old, new)
    assert found[0] == parsed
    assert checked <= set(found[1])
    assert len(found[1]) <= max(len(checked), 6)
    if old != "out: Layer[2 * c * 4, o]":
        assert set(found[1]) == checked


def test_a_check_that_is_put_off_goes_on_with_the_next() -> None:
    editor = Editor(TEXT)
    text = TEXT.replace("type Layer[i, o] = {w: f32[o, i], b: f32[o]}", "type Layer[i, o] = {w: f32[o, i], c: f32[o]}")
    version = editor.document.version(text)
    seen: list[str] = []
    before = -1
    while True:
        found = check_source(version, None, None, editor.cache, partial(next, iter([False]), True))
        assert found.main is not None
        seen += found.rechecked
        if not found.main.waiting:
            break
        assert len(seen) > before
        before = len(seen)
    whole = check_source(Source("edited.dsl", text))
    assert [*map(shown, found.diagnostics)] == [*map(shown, whole.diagnostics)] != []
    assert {"Layer", "dense", "scores_0", "scores_1"} <= set(seen)


def edited(random: Random, text: str) -> str:
    """A text with an edit such as people make."""
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    line = lines[at]
    column = random.randrange(len(line) + 1)
    match random.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, random.choice(LINES))
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = line[:column]
        case 4:
            lines[at:at] = lines[other : other + random.randrange(1, 5)]
        case 5:
            lines[at] = line[:column] + random.choice(WORDS) + line[column:]
        case _:
            words = [word for word in text.split() if word.isidentifier()]
            lines[at] = line.replace(random.choice(words), random.choice(words))
    return "\n".join(lines)


FILES = sorted(Path(__file__).parent.glob("cases/*/*.dsl"))
STARTS = [TEXT[: TEXT.index("block 1")], *(text for file in FILES if len(text := file.read_text()) < 5000)]


@pytest.mark.parametrize("seed", range(12))
def test_after_any_edits_the_result_is_that_of_a_check_of_the_whole(seed: int) -> None:
    random = Random(seed)
    texts = [random.choice(STARTS)]
    editor, whole = Editor(texts[0]), CheckCache()
    for _ in range(4):
        texts.append(edited(random, texts[-1]) if random.random() < 0.8 else random.choice(texts))
        found = editor.check(texts[-1])
        expected = check_source(Source("edited.dsl", texts[-1]), None, None, whole)
        assert [*map(shown, found.diagnostics)] == [*map(shown, expected.diagnostics)]

"""One mistake with a name is one diagnostic, which shows all places of a declaration where it is made."""

from __future__ import annotations

import pytest

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax.versions import Document
from tests.support.known_library import known_library
from typechecker import check_source

TYPO = """
def v(alpha: f32) -> f32 =
    let b = alhpa * 2.0
    alhpa + b
"""


def found(source: Source) -> list[Diagnostic]:
    return [*check_source(source, cache=known_library()).diagnostics]


def test_a_name_that_is_wrong_twice_is_one_error_with_both_places() -> None:
    (one,) = found(Source("main.dsl", TYPO))
    assert (one.code, one.primary.span.text) == ("E0201", "alhpa")
    assert [label.span.text for label in one.secondary] == ["alhpa"]


def test_its_help_changes_all_places() -> None:
    source = Source("main.dsl", TYPO)
    (one,) = found(source)
    text = source.text
    for edit in sorted(one.help[0].edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert "alhpa" not in text
    assert found(Source("main.dsl", text)) == []


def test_an_import_that_is_missing_is_added_once() -> None:
    (one,) = found(Source("main.dsl", "def w(k: key) -> f32 = normal(k) + normal(k)\n"))
    assert [len(option.edits) for option in one.help[0].options] == [1] * len(one.help[0].options)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: f32) -> f32 = x + foo\ndef g(x: f32) -> f32 = x + foo\n",
        "def f(x: f32) -> f32 = foo + bar\n",
        "def f(x: f32[n], y: f32[m]) -> f32[n, m] = x.unsqueeze(1) + y.unsqueeze(0)\n",
        "def f(x: f32[n], y: f32[m]) -> f32[n] = (x + y) * (x + y)\n",
    ],
    ids=["two declarations", "two names", "two helps", "no names"],
)
def test_other_mistakes_stay_apart(text: str) -> None:
    assert len(found(Source("main.dsl", text))) == 2


def test_an_edited_text_tells_the_same() -> None:
    document = Document("main.dsl")
    for text in (TYPO, f"let one = 1.0\n{TYPO}"):
        (one,) = found(document.version(text))
        assert (one.code, len(one.secondary)) == ("E0201", 1)

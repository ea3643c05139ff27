"""Every call of a row of words names just the values that its sentences speak of; each guard is shown to fail."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

from dsl.diagnostics.source import Source, Span
from typechecker.errors.templates import Template

CHECKER = Path(__file__).parents[3] / "typechecker"
SHOWS_TYPES = {"type", "plain", "described", "effect", "effects"}


def rows() -> dict[str, Template]:
    modules = [importlib.import_module(f"typechecker.errors.{path.stem}") for path in CHECKER.glob("errors/*.py")]
    found = {(name, row) for module in modules for name, row in vars(module).items() if isinstance(row, Template)}
    assert len(dict(found)) == len(found), "two rows of one name"
    return dict(found)


def fields(row: Template) -> list[tuple[str, str]]:
    """The values that a row speaks of, each with how it is shown."""
    tries = [each.replace("{}", "{{}}") for each in row.tries]
    words = "".join([row.message, row.label, row.other, row.note, row.help or "", row.fix or "", *tries])
    parsed = [(name, spec or "") for _, name, spec, _ in Formatter().parse(words) if name is not None]
    return [(name.partition(".")[0].partition("[")[0], spec) for name, spec in parsed if name != "text"]


NEVER_A_VALUE = {"other", "edits", "secondary", "help"}


def mistakes(text: str, known: Mapping[str, Template]) -> Iterator[str]:
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        misspelled = isinstance(call.func, ast.Attribute) and call.func.attr == "misspelled"
        row = call.func.value if misspelled and isinstance(call.func, ast.Attribute) else call.func
        name = getattr(row, "attr", getattr(row, "id", ""))
        if name not in known:
            continue
        wanted = {field for field, _ in fields(known[name])} - ({"name"} if misspelled else set())
        typed = bool(known[name].tries) or any(spec in SHOWS_TYPES for _, spec in fields(known[name]))
        if {keyword.arg for keyword in call.keywords} - NEVER_A_VALUE != wanted:
            yield f"{name}: other values than its sentences have"
        if any(keyword.arg == "other" for keyword in call.keywords) and not known[name].other:
            yield f"{name}: a second place without words for it"
        if not misspelled and len(call.args) != 1 + typed:
            yield f"{name}: {'no context for its types' if typed else 'a context that it does not need'}"


def test_calls_give_what_the_sentences_name() -> None:
    known = rows()
    texts = [text for path in CHECKER.rglob("*.py") if "errors" in (text := path.read_text())]
    assert [found for text in texts for found in mistakes(text, known)] == []


def test_wrong_calls_are_found() -> None:
    known = {"row": Template("E0307", "`{name}` takes {wanted:argument}, not {kind:type}")}
    assert list(mistakes("e.row(span, ctx, name=a, wanted=1, kind=k)", known)) == []
    assert list(mistakes("e.row(span, ctx, name=a, wanted=1)", known)) == ["row: other values than its sentences have"]
    assert list(mistakes("row(span, name=a, wanted=1, kind=k)", known)) == ["row: no context for its types"]
    assert list(mistakes("row(span, ctx, other=at, name=a, wanted=1, kind=k)", known)) == [
        "row: a second place without words for it"
    ]
    known = {"row": Template("E0307", "`{op}`", tries=("write `{}`", "A {op} B => B {op} A"))}
    assert list(mistakes("e.row(span, ctx, op=o)", known)) == []
    assert list(mistakes("e.row(span, op=o)", known)) == ["row: no context for its types"]
    known = {"row": Template("E0201", "`{name}` of `{owner}`, {text}", fix="{written}")}
    assert list(mistakes("row(span, edits=e, name=a, owner=o, written=w)", known)) == []
    assert list(mistakes("row.misspelled(span, a, names, owner=o, written=w)", known)) == []
    assert list(mistakes("row.misspelled(span, a, names)", known)) == ["row: other values than its sentences have"]


def test_values_are_shown_as_their_names_say() -> None:
    row = Template(
        "E0307", "`{name}` takes {wanted:axis|axes}", "one of {known:listed}", other="first", note="{x:example}"
    )
    place = Span(Source("text", "f(x)"), 0, 1)
    found = row(place, other=place, name="f", wanted=2, known=["a", "b"], x=None)
    assert (found.message, found.primary.text) == ("`f` takes 2 axes", "one of a, b")
    assert found.secondary == () and found.notes == ()


def test_a_help_is_left_out_with_what_it_speaks_of() -> None:
    row = Template("E0307", "`{name}` in `{text}`", help="write `{better}`", fix="{better}")
    place = Span(Source("text", "f(x)"), 0, 1)
    assert row(place, name="f", better=None).help == ()
    (help,) = row(place, name="f", better="g").help
    assert (help.text, [(edit.span, edit.text) for edit in help.edits]) == ("write `g`", [(place, "g")])


def test_the_name_that_was_meant_is_offered() -> None:
    row = Template("E0201", "undefined `{name}`", help="declare `{name}`")
    place = Span(Source("text", "meen(x)"), 0, 7)
    (near,), (far,) = row.misspelled(place, "meen", ["mean", "max"]).help, row.misspelled(place, "meen", ["sum"]).help
    assert (near.text, near.edits[0].span.text, far.text) == ("did you mean `mean`?", "meen", "declare `meen`")

"""The errors a user catches: their classes, and what they carry."""

from __future__ import annotations

import pickle

import pytest

from dsl.diagnostics import diagnostic as module
from dsl.diagnostics.codes import FAMILIES
from dsl.diagnostics.diagnostic import Diagnostic, DslError, Label, error_class, error_for
from dsl.diagnostics.source import Source, Span


def message(code: str, at: int = 0) -> Diagnostic:
    return Diagnostic(code, f"about {code}", Label(Span(Source("f.dsl", "some text"), at, at + 1)))


@pytest.mark.parametrize(
    ("code", "name", "builtin"),
    [
        ("E0101", "DslSyntaxError", None),
        ("E0201", "NameResolutionError", None),
        ("E0301", "DslTypeError", TypeError),
        ("E0401", "ShapeError", ValueError),
        ("E0501", "StageError", None),
        ("E0601", "MutationError", None),
        ("E0701", "EffectError", None),
        ("E0801", "TransformError", None),
        ("E0901", "ArgumentError", TypeError),
        ("E0940", "CheckError", None),
        ("E0960", "InputError", None),
        ("E1001", "DeviceError", None),
        ("W01", "DslError", None),
    ],
)
def test_each_family_has_its_class(code: str, name: str, builtin: type[Exception] | None) -> None:
    kind = error_class(code)
    assert kind.__name__ == name
    assert issubclass(kind, DslError)
    assert builtin is None or issubclass(kind, builtin)


def test_every_family_and_every_class_is_covered() -> None:
    classes = {error_class(f"{family}{n:02}") for family in FAMILIES if family != "W" for n in range(100)}
    exported = {getattr(module, name) for name in module.__all__}
    assert classes == {c for c in exported if isinstance(c, type) and issubclass(c, DslError)} - {DslError}


def test_the_first_error_chooses_the_class_and_all_are_kept() -> None:
    found = [message("W01"), message("E0401"), message("E0101")]
    error = error_for(found)
    assert type(error).__name__ == "ShapeError"
    assert error.diagnostics == tuple(found)
    assert error.code == "E0401"


def test_the_text_of_an_error_is_the_printed_form_of_all() -> None:
    text = str(error_for([message("E0401"), message("E0101", 5)]))
    assert text.startswith("error[E0401]: about E0401\n  --> f.dsl:1:1\n")
    assert "\n\nerror[E0101]: about E0101\n  --> f.dsl:1:6\n" in text


def test_an_error_says_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        DslError([])


def test_an_error_survives_the_way_between_processes() -> None:
    copy = pickle.loads(pickle.dumps(error_for([message("E0401")])))
    assert str(copy) == str(error_for([message("E0401")]))


def test_the_same_is_said_once() -> None:
    here = Label(Span(Source("f.dsl", "a @ a"), 0, 1), "a is f32[n, m]")
    there = Label(Span(Source("f.dsl", "a @ a"), 4, 5), "a is f32[n, m]")
    assert Diagnostic("E0401", "shapes do not match", here, (here, here)).secondary == (here,)
    assert Diagnostic("E0401", "shapes do not match", here, (here, there, here)).secondary == (here, there)

"""The diagnostics of a module in order: what the help of one writes anew is not told beside it."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Source, Span
from typechecker.env.reports import in_order

TEXT = Source("f.dsl", "int(n / 2) + m / 2")


def error(start: int, end: int, *edits: Edit) -> Diagnostic:
    return Diagnostic("E0305", "wrong", Label(Span(TEXT, start, end)), help=(Help("write this", edits),))


def test_what_a_help_writes_anew_is_told_once() -> None:
    whole = error(0, 3, Edit(Span(TEXT, 0, 10), "n // 2"))
    inside, beside = error(4, 9), error(13, 18)
    assert in_order([beside, inside, whole]) == [whole, beside]


def test_what_a_help_writes_again_stays() -> None:
    whole = error(0, 3, Edit(Span(TEXT, 0, 10), "i32(n / 2)"))
    assert in_order([error(4, 9), whole]) == [whole, error(4, 9)]

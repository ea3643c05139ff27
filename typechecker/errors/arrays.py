"""E04: what functions of arrays ask of their static options."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types.size import Size
from typechecker.errors.words import make


def option_needs(name: str, option: str, wanted: str, span: Span) -> Diagnostic:
    return make("E0407", f"`{option}` of `{name}` must be {wanted}", span, "is something else")


def sizes_of_call(name: str, left: Size, right: Size, span: Span) -> Diagnostic:
    return make("E0401", f"shapes do not match in `{name}`", span, f"`{left}` and `{right}` must be equal")


def rank_needed(name: str, wanted: str, span: Span) -> Diagnostic:
    return make("E0401", f"`{name}` needs {wanted}", span, "another number of axes")

"""What is said to a user about a program: data only. `render` draws it, `codes` lists the codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from dsl.diagnostics.source import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Label:
    """A few words about one place."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement that makes the help apply by itself: `span` becomes `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Help:
    """A piece of advice, with the edits that carry it out where they are known."""

    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message: a code of `codes`, one primary place, secondary places, notes and help."""

    code: str
    message: str
    primary: Label
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[Help, ...] = ()

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR


class DslError(Exception):
    """Every error a user sees. `diagnostics` holds all of them, in order of place; `str` is their printed form."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    @property
    def code(self) -> str:
        return self.diagnostics[0].code

    def __str__(self) -> str:
        from dsl.diagnostics.render import render_plain  # drawing stays out of the data's import graph

        return "\n".join(render_plain(d) for d in self.diagnostics)

"""Diagnostics as data: no message text and no rendering.

Read next: `render` draws it, `codes` lists the codes, `diagnostic` holds the errors that carry it.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from dsl.diagnostics.source import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


class Label(Struct, frozen=True):
    """A few words about one place."""

    span: Span
    text: str = ""

    @property
    def placed(self) -> Label:
        return Label(self.span.placed, self.text)


class Edit(Struct, frozen=True):
    """A replacement that makes the help apply by itself: `span` becomes `text`."""

    span: Span
    text: str

    @property
    def placed(self) -> Edit:
        return Edit(self.span.placed, self.text)


class Help(Struct, frozen=True):
    """A piece of advice, with the edits that carry it out where they are known."""

    text: str
    edits: tuple[Edit, ...] = ()

    @property
    def placed(self) -> Help:
        return Help(self.text, tuple([edit.placed for edit in self.edits]))


class Diagnostic(Struct, frozen=True):
    """One message: a code of `codes`, one primary place, secondary places (each is said once), notes and help."""

    code: str
    message: str
    primary: Label
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[Help, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "secondary", tuple(dict.fromkeys(self.secondary)))

    @property
    def placed(self) -> Diagnostic:
        """Return the diagnostic with the locations of embedded programs mapped to their files."""
        secondary, help = tuple([label.placed for label in self.secondary]), tuple([each.placed for each in self.help])
        return replace(self, primary=self.primary.placed, secondary=secondary, help=help)

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.startswith("W") else Severity.ERROR

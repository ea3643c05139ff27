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


class Option(Struct, frozen=True):
    """A change that may be meant: `text` is the changed expression."""

    text: str
    edits: tuple[Edit, ...]

    @property
    def placed(self) -> Option:
        return Option(self.text, tuple([edit.placed for edit in self.edits]))


class Help(Struct, frozen=True):
    """A piece of advice, with the edits that carry it out where they are known, or with the `options` among which only
    the author can choose."""

    text: str
    edits: tuple[Edit, ...] = ()
    options: tuple[Option, ...] = ()

    @property
    def placed(self) -> Help:
        edits = tuple([edit.placed for edit in self.edits])
        return Help(self.text, edits, tuple([option.placed for option in self.options]))

    @property
    def fixes(self) -> tuple[Option, ...]:
        """Return all changes that it offers; the words of its own edits are those of the advice."""
        return (*((Option(self.text, self.edits),) if self.edits else ()), *self.options)


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

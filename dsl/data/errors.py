"""The words for data that make no batches, and for positions in other data."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic, Help, InputError, Label
from dsl.diagnostics.source import Source, Span


def no_batch(message: str, *help: str) -> InputError:
    """Report data that cannot be cut into batches."""
    return _error("E0975", message, *help)


def other_data(message: str) -> InputError:
    """Report a position that was taken in other data, or in batches of another kind."""
    return _error("E0974", message, "restore it with the same data, size, key and `last`, or start at batch 0")


def _error(code: str, message: str, *help: str) -> InputError:
    place = Label(Span(Source("<python>", ""), 0, 0))
    return InputError([Diagnostic(code, message, place, help=tuple([Help(each) for each in help]))])

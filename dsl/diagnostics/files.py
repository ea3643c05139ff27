"""Reading a file a user named, and what is said when that fails. Knows nothing of what the file holds."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from dsl.diagnostics.diagnostic import Diagnostic, Help, InputError, Label
from dsl.diagnostics.source import Source, Span


def read_source(path: str | PathLike[str]) -> Source:
    """The text of a UTF-8 file, named as it was given.

    Raises `InputError`: E0960 where the file cannot be read, E0961 where it is not UTF-8.
    """
    data = read_bytes(path)
    try:
        return Source(str(path), data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _not_text(path, data, error.start) from None


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The content of a file. Raises `InputError` E0960 where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise file_error("E0960", path, f"cannot read `{path}`: {reason(error)}") from None


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in words that fit behind a colon."""
    words = error.strerror if isinstance(error, OSError) else None
    words = words or str(error)
    return words[:1].lower() + words[1:]


def file_error(code: str, path: str | PathLike[str], message: str, *help: str) -> InputError:
    """An error about a file as a whole."""
    place = Label(Span(Source(str(path), ""), 0, 0))
    return InputError([Diagnostic(code, message, place, help=tuple(Help(text) for text in help))])


def _not_text(path: str | PathLike[str], data: bytes, at: int) -> InputError:
    line = data.count(b"\n", 0, at) + 1
    message = f"`{path}` is not UTF-8 text: byte 0x{data[at]:02X} on line {line} belongs to no character"
    return file_error("E0961", path, message, "save the file as UTF-8")

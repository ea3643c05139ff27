"""One checkpoint as a file: its arrays under dotted names, and in its metadata a note of the step and a digest.

`dsl.load_arrays` and other libraries read the arrays of such a file. Read next: `matching`, `store`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import DecodeError, Struct
from safetensors import SafetensorError, safe_open

from dsl.checkpoints.errors import damaged, other_record
from dsl.checkpoints.matching import differences, filled, storable
from dsl.diagnostics.files import file_error, reason
from dsl.host.files.part_files import Reader
from dsl.host.files.saving import Held, held, named, nested, write
from dsl.host.files.seals import BLANK, SEAL

NOTE = "puredsl.checkpoint"
"""Of the metadata of a file: a `Note`, as JSON."""

VERSION = 1

T = TypeVar("T")


class Checkpoint(Struct, Generic[T], frozen=True):
    """The state of a training after `step` steps, with its metrics and its place in the data."""

    step: int
    state: T
    metrics: dict[str, float]
    position: Any = None


class Note(Struct, frozen=True):
    """The metadata of a file beside its arrays. A metric that is not finite is null in JSON."""

    version: int
    step: int
    metrics: dict[str, float | None]
    position: Any = None

    def numbers(self) -> dict[str, float]:
        """The metrics, with nan for those that are not finite."""
        return {name: float("nan") if value is None else value for name, value in self.metrics.items()}


def prepared(path: Path, state: Any, *, copied: bool) -> Held:
    """The arrays of a state on their way into a file, as copies if other code goes on meanwhile."""
    return held(path, storable(named(path, state)), copied=copied)


def write_checkpoint(path: Path, found: Held, step: int, metrics: Mapping[str, float], position: Any) -> None:
    """Write a checkpoint in place of the one of this name. Raises `InputError` E0966."""
    note = Note(VERSION, step, dict(metrics), position)
    write(path, found, {NOTE: msgspec.json.encode(note).decode(), SEAL: BLANK})


def read_note(path: Path) -> Note:
    """The note of a file. Raises ValueError if it has none that this version reads, OSError if it cannot be read."""
    try:
        with safe_open(path, "numpy") as file:
            return _note(file.metadata() or {})
    except (SafetensorError, DecodeError) as fault:
        raise ValueError(str(fault)) from None


def _note(notes: Mapping[str, str]) -> Note:
    if NOTE not in notes:
        raise ValueError("it has no note of a step, so that something else wrote it")
    version = msgspec.json.decode(notes[NOTE], type=dict[str, Any]).get("version")
    if version != VERSION:
        raise ValueError(f"it is of version {version} of checkpoints, and this is version {VERSION}")
    return msgspec.json.decode(notes[NOTE], type=Note)


def read_checkpoint(path: Path, like: Any, before: int | None) -> Checkpoint[Any]:
    """Read a checkpoint, in the containers of `like` unless that is None. `before` is the step of the one before it.
    Raises `InputError` E0960 if it cannot be read, E0971 if it is not whole, E0972 if it has other arrays."""
    try:
        with ExitStack() as files:
            reader = Reader(path, files, sealed=True)
            note = _note(reader.notes)
            if like is None:
                state = nested(reader)
            elif found := differences(reader, like):
                raise other_record(path, found)
            else:
                state = filled(reader, like)
            return Checkpoint(note.step, state, note.numbers(), note.position)
    except FileNotFoundError as fault:
        if path.exists():
            raise damaged(path, f"`{fault.filename}` is not there", before) from None
        raise file_error("E0960", path, f"cannot read `{path}`: {reason(fault)}") from None
    except OSError as fault:
        raise file_error("E0960", path, f"cannot read `{path}`: {reason(fault)}") from None
    except (SafetensorError, DecodeError, ValueError) as fault:
        raise damaged(path, str(fault), before) from None

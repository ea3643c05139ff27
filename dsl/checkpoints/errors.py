"""The words for checkpoints that cannot be restored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsl.diagnostics.diagnostic import Diagnostic, Help, InputError, Label
from dsl.diagnostics.files import file_error
from dsl.diagnostics.source import Source, Span

SHOWN = 6
"""The number of differences that a message lists."""


def damaged(path: Path, why: str, before: int | None) -> InputError:
    """Report a file that is not a whole checkpoint, and the step of the last one before it."""
    help = [] if before is None else [f"restore the checkpoint before it: `restore(like, step={before})`"]
    return file_error("E0971", path, f"`{path}` is not a whole checkpoint: {why}", *help)


def other_record(path: Path, differences: Sequence[str]) -> InputError:
    """Report the differences between the arrays of a file and the record to fill."""
    message = f"the record does not fit the checkpoint `{path}`: {differences[0]}"
    notes = list(differences[1:SHOWN])
    rest = len(differences) - SHOWN
    if rest > 0:
        notes.append(f"{rest} more leaves differ")
    help = Help("restore without a record, `restore()`, and make the new one from its nested dicts")
    place = Label(Span(Source(str(path), ""), 0, 0))
    return InputError([Diagnostic("E0972", message, place, notes=tuple(notes), help=(help,))])


def no_such_step(folder: Path, step: int, steps: Sequence[int]) -> InputError:
    """Report a step that has no checkpoint."""
    known = ", ".join(map(str, steps))
    help = f"its steps are {known}" if steps else "the folder has no checkpoints"
    return file_error("E0973", folder, f"`{folder}` has no checkpoint of step {step}", help)

"""The folder of the checkpoints of one training: which are kept, which is the best one, and writing in a thread.

A file appears under its name when it is whole. Those that are kept no longer are removed after that, so that a process
that is killed leaves the last one. Read next: `files`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from math import isfinite
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload

import msgspec
from msgspec import Struct

from dsl.checkpoints.errors import no_such_step
from dsl.checkpoints.files import Checkpoint, prepared, read_checkpoint, read_note, write_checkpoint
from dsl.diagnostics.files import file_error, reason
from dsl.diagnostics.settings import choice_of, integer, path_of, setting_error
from dsl.host.files.saving import in_group, met, remove_parts
from lowering.xla.backends import process_id

T = TypeVar("T")

_ENDING = ".safetensors"
_NAME = re.compile(r"step-(\d+)\.safetensors")
_LEFT = re.compile(r"\.?step-\d+\.safetensors\..+")
"""A file that a save has not finished, and one of parts."""

_ABANDONED = 600.0
"""Seconds after which a file that nobody writes to belongs to a process that has ended."""


class Choice(Struct, frozen=True):
    """Which checkpoints are kept: the newest ones, and the best one by a metric."""

    keep: int | None
    best: str | None
    mode: Literal["min", "max"]


class Checkpoints:
    """The checkpoints of one training in a folder, which is made when the first is saved.

    The newest `keep` are kept (all if None), and the best one by the metric `best`: the smallest value, or the largest
    with `mode="max"`. With `asynchronous`, files are written by a thread while the training goes on. Leave the `with`
    block, or call `wait()`, to be sure that the last one is written.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        keep: int | None = 3,
        best: str | None = None,
        mode: Literal["min", "max"] = "min",
        asynchronous: bool = True,
    ) -> None:
        if keep is not None:
            integer("keep", keep, 1)
        choice_of("mode", mode, ("min", "max"))
        self.folder = path_of("folder", folder)
        self._choice = Choice(keep, best, mode)
        self._worker = ThreadPoolExecutor(1, "checkpoints") if asynchronous else None
        self._pending: Future[None] | None = None

    def save(self, step: int, state: Any, *, metrics: Mapping[str, float] | None = None, position: Any = None) -> None:
        """Save the state after so many steps, with its metrics and the place in the data (anything that JSON can hold),
        in place of a checkpoint of the same step. Raises `InputError` E0966, of the save before if that failed in its
        thread, and `SettingError` E0919 if an argument does not fit or the metric that chooses the best one is
        missing."""
        integer("step", step, 0)
        numbers = _numbers({} if metrics is None else metrics)
        if self._choice.best is not None and self._choice.best not in numbers:
            raise setting_error(f"the metrics have no `{self._choice.best}`, which chooses the best checkpoint")
        noted = _as_json(position)
        self.wait()
        self._make_folder()
        path, beside = self._path(step), self._worker is not None and not in_group()
        found = prepared(path, state, copied=beside)

        def write() -> None:
            write_checkpoint(path, found, step, numbers, noted)
            self._remove_others()

        if beside and self._worker is not None:
            self._pending = self._worker.submit(write)
        else:
            write()

    @overload
    def restore(self, like: None = None, *, step: int | None = None) -> Checkpoint[dict[str, Any]] | None: ...
    @overload
    def restore(self, like: T, *, step: int | None = None) -> Checkpoint[T] | None: ...
    def restore(self, like: Any = None, *, step: int | None = None) -> Checkpoint[Any] | None:
        """Return the last checkpoint, or that of a step; None if there are none yet.

        The state has the containers of `like`, whose leaves are arrays or `dsl.ShapeDtypeStruct`s of the same shapes
        and dtypes; arrays over several devices lie as those of `like` do. Without it, the state is nested dicts.
        Raises `InputError` E0971 if the file is not whole, E0972 if the record does not fit it, E0973 if the step has
        no checkpoint, E0960 if the file cannot be read.
        """
        self.wait()
        steps = self.steps()
        last = -1 if not steps else steps[-1]
        (agreed, *_) = met("the checkpoint to restore", str(last if step is None else step))
        wanted = int(agreed)
        if step is None and wanted < 0:
            return None
        if wanted not in steps:
            raise no_such_step(self.folder, wanted, steps)
        before = [each for each in steps if each < wanted]
        return read_checkpoint(self._path(wanted), like, before[-1] if before else None)

    def steps(self) -> list[int]:
        """The steps of the checkpoints in the folder, in order."""
        try:
            names = [_NAME.fullmatch(path.name) for path in self.folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise file_error("E0960", self.folder, f"cannot read `{self.folder}`: {reason(fault)}") from None
        return sorted([int(found[1]) for found in names if found])

    def best_step(self) -> int | None:
        """The step with the best metric, the later of two that are equal; None if no checkpoint has a finite one."""
        if self._choice.best is None:
            raise setting_error("no metric chooses the best checkpoint", "set `best` when the folder is opened")
        self.wait()
        return self._best()

    def wait(self) -> None:
        """Wait until the last save is done. Raises what it raised."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wait()

    def _path(self, step: int) -> Path:
        """Names in the order of their steps, up to 10⁹."""
        return self.folder / f"step-{step:09d}.safetensors"

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise file_error("E0966", self.folder, f"cannot make `{self.folder}`: {reason(fault)}") from None

    def _best(self) -> int | None:
        found = [(value, step) for step in self.steps() if isfinite(value := self._metric(step))]
        sign = 1 if self._choice.mode == "max" else -1
        return max(found, key=lambda each: (sign * each[0], each[1]))[1] if found else None

    def _metric(self, step: int) -> float:
        """The metric that chooses, nan where the file does not say it."""
        try:
            return read_note(self._path(step)).numbers().get(str(self._choice.best), float("nan"))
        except (OSError, ValueError):
            return float("nan")

    def _remove_others(self) -> None:
        """Remove the checkpoints that are not kept, and what processes that were killed have left. Files that cannot be
        read stay."""
        if process_id() != 0:
            return
        for path in self.folder.iterdir():
            if _LEFT.fullmatch(path.name) and self._is_abandoned(path):
                _remove(path)
        for step in self._superfluous(self._choice.keep):
            _remove(self._path(step))
            remove_parts(self._path(step))

    def _superfluous(self, keep: int | None) -> list[int]:
        """The steps of whole checkpoints that are neither among the newest nor the best."""
        if keep is None:
            return []
        best = self._best() if self._choice.best is not None else None
        whole = [step for step in self.steps() if _is_readable(self._path(step))]
        return [step for step in whole[:-keep] if step != best]

    def _is_abandoned(self, path: Path) -> bool:
        """Return whether a file is neither being written nor a part of a checkpoint that is there."""
        whole, _, _ = path.name.partition(_ENDING)
        if (self.folder / (whole + _ENDING)).exists():
            return False
        with suppress(OSError):
            return time.time() - path.stat().st_mtime > _ABANDONED
        return False


def _is_readable(path: Path) -> bool:
    try:
        read_note(path)
    except (OSError, ValueError):
        return False
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _numbers(metrics: object) -> dict[str, float]:
    """The metrics of a save by name."""
    if not isinstance(metrics, Mapping):
        raise setting_error(f"`metrics` is a dict of numbers by name, not a `{type(metrics).__name__}`")
    try:
        return {str(name): float(value) for name, value in metrics.items()}
    except (TypeError, ValueError):
        raise setting_error(f"`metrics` is a dict of numbers by name, not {metrics!r}") from None


def _as_json(position: object) -> Any:
    """The place in the data as it comes back from a file."""
    try:
        return msgspec.json.decode(msgspec.json.encode(position))
    except (TypeError, ValueError, msgspec.MsgspecError) as fault:
        raise setting_error(f"`position` is what JSON can hold: {fault}") from None

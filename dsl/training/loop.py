"""`fit`: steps of a training, one after the other, from the beginning or from the last checkpoint.

A step is any function of the state, and of a batch if there are batches. The next one is started before the metrics of
the one before are read, so that devices do not wait for Python. Read next: `history`, `progress`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, nullcontext
from itertools import repeat
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct

from dsl.checkpoints import Checkpoints
from dsl.data import Batches, prefetch
from dsl.diagnostics.settings import function_of, instance_of, integer, setting_error
from dsl.host import tree
from dsl.training.history import History, Row, append, read_history
from dsl.training.progress import Bar, shown
from lowering.xla.backends import process_id
from lowering.xla.places import Device, Sharding

T = TypeVar("T")

AHEAD = 2
"""The number of steps that may be under way before the metrics of the first are read."""


class Trained(Struct, Generic[T], frozen=True):
    """The state of a training after `step` steps, and its metrics until there."""

    state: T
    step: int
    history: History


class _Begun(Struct, Generic[T], frozen=True):
    """Where a training begins, and the number of the batch for its first step."""

    state: T
    step: int
    batch: int
    history: History


def fit(
    step: Callable[..., tuple[T, Any]],
    state: T,
    batches: Batches | None = None,
    *,
    steps: int,
    every: int,
    to: Device | str | Sharding | None = None,
    evaluate: Callable[[T], Mapping[str, Any]] | None = None,
    checkpoints: Checkpoints | None = None,
    stop: Callable[[History], bool] | None = None,
    progress: bool = True,
) -> Trained[T]:
    """Take `steps` steps from a state: `state, metrics = step(state, batch, i)`, or `step(state, i)` without batches.

    `i` counts from 0 and is the seed of the step, if it needs one. The metrics are a scalar, known as `loss`, or a
    record of scalars; an array counts by its mean. Batches are brought in a thread to the device `to`, or laid out by
    a sharding.

    After `every` so many steps, and after the last, the history gets a row: the means of the metrics since the row
    before, and what `evaluate(state)` returns. The row is printed and saved with the state among the `checkpoints`,
    and the training ends if `stop(history)` is true. If there are checkpoints already, the training goes on after the
    last of them, with the batches it would have had; the first `state` says what it looks like. The metrics are in
    their folder, as `metrics.jsonl`.

    Raises `SettingError` E0919 for arguments that do not fit and for steps that return no pair or metrics that are not
    numbers, and what `step`, `evaluate`, the batches and the checkpoints raise.
    """
    integer("steps", steps, 0)
    integer("every", every, 1)
    for name, function in (("step", step), ("evaluate", evaluate), ("stop", stop)):
        if function is not None or name == "step":
            function_of(name, function)
    if batches is not None:
        instance_of("batches", batches, Batches, "`dsl.data.Batches(source, size)` cuts arrays into batches")
    if checkpoints is not None:
        instance_of("checkpoints", checkpoints, Checkpoints, "`dsl.checkpoints.Checkpoints(folder)` opens a folder")
    begun = _begun(state, batches, checkpoints)
    with _inputs(begun, batches, to) as inputs, shown(steps, begun.step, progress and process_id() == 0) as bar:
        loop = _Loop(step, every, evaluate, checkpoints, batches, begun, bar)
        try:
            return loop.run(inputs, steps, stop)
        finally:
            if checkpoints is not None:
                checkpoints.wait()


def _begun(state: T, batches: Batches | None, checkpoints: Checkpoints | None) -> _Begun[T]:
    """The beginning, or the place of the last checkpoint."""
    found = None if checkpoints is None else checkpoints.restore(state)
    if found is None or checkpoints is None:
        return _Begun(state, 0, 0, History())
    log = _log(checkpoints)
    history = read_history(log).until(found.step)
    if process_id() == 0:
        history.write(log)
    batch = found.step if batches is None or found.position is None else batches.number_at(found.position)
    return _Begun(found.state, found.step, batch, history)


def _inputs(begun: _Begun[T], batches: Batches | None, to: Device | str | Sharding | None) -> Any:
    """The arguments of each step beside the state and its number."""
    if batches is None:
        return nullcontext(repeat(()))
    return closing((batch,) for batch in prefetch(batches.stream(begun.batch), to))


def _log(checkpoints: Checkpoints) -> Path:
    return checkpoints.folder / "metrics.jsonl"


class _Loop(Generic[T]):
    """The steps of a training, and its state so far."""

    def __init__(
        self,
        step: Callable[..., tuple[T, Any]],
        every: int,
        evaluate: Callable[[T], Mapping[str, Any]] | None,
        checkpoints: Checkpoints | None,
        batches: Batches | None,
        begun: _Begun[T],
        bar: Bar,
    ) -> None:
        self._step = step
        self._every = every
        self._evaluate = evaluate
        self._checkpoints = checkpoints
        self._batches = batches
        self._begun = begun
        self._bar = bar
        self._history = begun.history
        self._start = time.monotonic() - (begun.history.rows[-1].get("seconds", 0.0) if begun.history.rows else 0.0)
        self._under_way: deque[tuple[int, Any]] = deque()
        self._read: list[dict[str, float]] = []

    def run(self, inputs: Iterator[tuple[Any, ...]], steps: int, stop: Callable[[History], bool] | None) -> Trained[T]:
        """Take the steps that are left."""
        state, done = self._begun.state, self._begun.step
        if stop is not None and self._history.rows and stop(self._history):
            return Trained(state, done, self._history)
        while done < steps:
            state, metrics = _pair(self._step(state, *next(inputs), done))
            done += 1
            self._under_way.append((done, metrics))
            self._read_metrics(AHEAD)
            if done % self._every == 0 or done == steps:
                self._record(state, done)
                if stop is not None and stop(self._history):
                    break
        return Trained(state, done, self._history)

    def _read_metrics(self, left: int) -> None:
        """Read the metrics of steps until so many are under way."""
        while len(self._under_way) > left:
            step, metrics = self._under_way.popleft()
            self._read.append(numbers(metrics))
            self._bar.stepped(step, self._read[-1])

    def _record(self, state: T, step: int) -> None:
        """Make a row of the history, and save it with the state."""
        self._read_metrics(0)
        found = {} if self._evaluate is None else numbers(self._evaluate(state))
        means = _means(self._read)
        self._read.clear()
        row: Row = {"step": step, **means, **found, "seconds": round(time.monotonic() - self._start, 3)}
        self._history = self._history.and_then(row)
        self._bar.recorded(row)
        if self._checkpoints is not None:
            self._save(state, step, row)

    def _save(self, state: T, step: int, row: Row) -> None:
        assert self._checkpoints is not None
        number = self._begun.batch + step - self._begun.step
        position = None if self._batches is None else self._batches.position(number)
        metrics = {name: value for name, value in row.items() if name not in ("step", "seconds")}
        self._checkpoints.save(step, state, metrics=metrics, position=position)
        if process_id() == 0:
            append(_log(self._checkpoints), row)


def _pair(result: Any) -> tuple[Any, Any]:
    """The state and the metrics that a step returned."""
    if not isinstance(result, tuple) or len(result) != 2:
        found = f"{len(result)} values" if isinstance(result, tuple) else f"a `{type(result).__name__}`"
        raise setting_error(f"a step returns a state and its metrics, not {found}", "without metrics: `(state, None)`")
    return result


def numbers(metrics: Any) -> dict[str, float]:
    """The metrics of a step by name: a scalar is the loss, an array counts by its mean. Raises `SettingError` E0919
    for others."""
    if metrics is None:
        return {}
    names, leaves = tree.paths(metrics), tree.leaves(metrics)
    return {name or "loss": _mean(name or "loss", leaf) for name, leaf in zip(names, leaves, strict=True)}


def _mean(name: str, leaf: Any) -> float:
    values = np.asarray(leaf)
    if values.dtype.kind in "OUSmM" or not values.size:
        raise setting_error(f"the metric `{name}` is not a number: {leaf!r}")
    return float(values.astype(np.float64).mean())


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    """The means of metrics over steps, each over those that have it."""
    names = dict.fromkeys([name for row in rows for name in row])
    return {name: float(np.mean([row[name] for row in rows if name in row])) for name in names}

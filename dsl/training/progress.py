"""The bar of a training on a terminal, and a line for each row of its metrics.

Read next: `loop`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from dsl.training.history import Row, format_number


class Bar:
    """Shows the step and its metrics while they come, and rows of means as lines that stay."""

    def __init__(self, progress: Progress, steps: int, first: int) -> None:
        self._progress = progress
        self._steps = steps
        self._task = progress.add_task("", total=steps, completed=first, metrics="")

    def stepped(self, step: int, metrics: Mapping[str, float]) -> None:
        """Move the bar to a step, and show its metrics."""
        self._progress.update(self._task, completed=step, metrics=_words(metrics))

    def recorded(self, row: Row) -> None:
        """Print a row of the history."""
        numbers = {name: value for name, value in row.items() if name not in ("step", "seconds")}
        text = f"step {row['step']:.0f} of {self._steps}: {_words(numbers)}"
        self._progress.console.print(text, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def shown(steps: int, first: int, visible: bool) -> Iterator[Bar]:
    """A bar for so many steps, of which the first are done. Without a terminal there are only lines."""
    console = Console(quiet=not visible)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[metrics]}", markup=False))
    with Progress(
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not visible or not console.is_terminal,
    ) as progress:
        yield Bar(progress, steps, first)


def _words(metrics: Mapping[str, float]) -> str:
    return ", ".join([f"{name} {format_number(value)}" for name, value in metrics.items()])

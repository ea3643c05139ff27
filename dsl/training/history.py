"""The metrics of a training by steps: rows of numbers, in a file of JSON lines, as a table, as a plot.

Knows nothing of how they came about. Read next: `loop`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from html import escape
from math import isfinite
from os import PathLike
from pathlib import Path

import msgspec
from msgspec import DecodeError, Struct
from rich.table import Table

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.files import file_error, read_bytes, reason
from dsl.diagnostics.settings import known_name, path_of, setting_error

Row = Mapping[str, float]

WIDTH, HEIGHT, LEFT, TOP = 640, 180, 70, 24
"""A panel of the plot, and the space for its words."""


class History(Struct, frozen=True):
    """The metrics after certain steps, one row for each: `step`, the metrics by name, and `seconds` since the start."""

    rows: tuple[Row, ...] = ()

    def and_then(self, row: Row) -> History:
        """The history with a row more."""
        return History((*self.rows, row))

    def until(self, step: int) -> History:
        """The rows of the first steps, up to and with this one."""
        return History(tuple([row for row in self.rows if row["step"] <= step]))

    @property
    def names(self) -> list[str]:
        """The columns in the order in which they came."""
        return list(dict.fromkeys([name for row in self.rows for name in row]))

    def column(self, name: str) -> list[float]:
        """The values of a metric in order, nan where a row has none. Raises `MissingName` E0919 (a KeyError) if no row
        has it."""
        known_name("metric", name, self.names)
        return [row.get(name, float("nan")) for row in self.rows]

    def table(self) -> Table:
        """A table for a terminal or a notebook: `rich.print(history.table())`."""
        made = Table(*self.names)
        for row in self.rows:
            made.add_row(*[format_number(row[name]) if name in row else "" for name in self.names])
        return made

    def svg(self, *names: str) -> str:
        """A plot of metrics over steps, of all that are there without names."""
        chosen = names or [name for name in self.names if name not in ("step", "seconds")]
        panels = [_panel(k, name, self.column("step"), self.column(name)) for k, name in enumerate(chosen)]
        size = f'width="{WIDTH}" height="{max(len(panels), 1) * HEIGHT}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
        return "\n".join([head, *panels, "</svg>", ""])

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, path: str | PathLike[str]) -> None:
        """Write a table (`.csv`, `.jsonl`) or a plot (`.svg`). Raises `SettingError` E0919 for other endings, and
        `InputError` E0966 if the file cannot be written."""
        target = path_of("path", path)
        match target.suffix:
            case ".csv":
                text = self._csv()
            case ".jsonl":
                text = "".join([line(row) for row in self.rows])
            case ".svg":
                text = self.svg()
            case other:
                ending = other or "without an ending"
                raise setting_error(f"a history is written as .csv, .jsonl or .svg, not {ending}")
        write_atomically(target, text.encode())

    def _csv(self) -> str:
        file = io.StringIO()
        writer = csv.DictWriter(file, self.names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return file.getvalue()


def line(row: Row) -> str:
    """A row as a line of JSON; numbers that are not finite are null."""
    return msgspec.json.encode(row).decode() + "\n"


def read_history(path: Path) -> History:
    """The rows of a file of JSON lines; one that was not finished ends them. Raises `InputError` E0960."""
    return History(tuple(_whole_rows(read_bytes(path)))) if path.exists() else History()


def append(path: Path, row: Row) -> None:
    """Add a row to a file. Raises `InputError` E0966."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line(row))
    except OSError as fault:
        raise file_error("E0966", path, f"cannot write `{path}`: {reason(fault)}") from None


def _whole_rows(data: bytes) -> Iterator[Row]:
    for text in data.split(b"\n")[:-1]:
        try:
            row = msgspec.json.decode(text, type=dict[str, int | float | None])
        except DecodeError:
            return
        yield {name: float("nan") if value is None else value for name, value in row.items()}


def format_number(value: float) -> str:
    """A number in few characters."""
    return f"{value:.0f}" if isfinite(value) and value == int(value) and abs(value) < 1e9 else f"{value:.4g}"


def _panel(number: int, name: str, steps: list[float], values: list[float]) -> str:
    """The plot of one metric, at its place below the others."""
    points = [(x, y) for x, y in zip(steps, values, strict=True) if isfinite(y)]
    top, bottom = number * HEIGHT + TOP, (number + 1) * HEIGHT - TOP
    title = f'<text x="{LEFT}" y="{top - 8}">{escape(name)}</text>'
    frame = f'<path d="M{LEFT} {top}V{bottom}H{WIDTH - 8}" fill="none" stroke="#999"/>'
    if not points:
        return title + frame
    (x0, x1), (y0, y1) = (_range([point[k] for point in points]) for k in (0, 1))
    across, down = (WIDTH - 8 - LEFT) / (x1 - x0), (bottom - top) / (y1 - y0)
    path = " ".join([f"{LEFT + (x - x0) * across:.1f},{bottom - (y - y0) * down:.1f}" for x, y in points])
    marks = [(y1, top + 10), (y0, bottom)]
    words = [f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{format_number(value)}</text>' for value, y in marks]
    ends = [(x0, LEFT, "start"), (x1, WIDTH - 8, "end")]
    words += [f'<text x="{x}" y="{bottom + 16}" text-anchor="{a}">{format_number(v)}</text>' for v, x, a in ends]
    curve = f'<polyline points="{path}" fill="none" stroke="#06c" stroke-width="1.5"/>'
    return "\n".join([title, frame, *words, curve])


def _range(values: list[float]) -> tuple[float, float]:
    """The smallest and the largest value, apart from each other."""
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)

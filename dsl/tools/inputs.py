"""Reading data files: .csv, .npz and .json. Knows nothing of programs. Read next: `arguments`."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, InputError, Label
from dsl.diagnostics.files import file_error, read_bytes, read_source
from dsl.diagnostics.source import Source, Span
from dsl.records import replace


class Table(Struct, frozen=True):
    """A .csv file: text in named columns. `lines` has the row of `source` that each row came from."""

    source: Source
    columns: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]

    def span(self, row: int) -> Span:
        """The line a row of the table stands on."""
        start = self.source.line_starts[self.lines[row]]
        return Span(self.source, start, start + len(self.source.line(self.lines[row]).rstrip("\r")))


class Document(Struct, frozen=True):
    """A .json file: names to numbers and nested lists and objects of them, which have no dtype."""

    name: str
    values: Mapping[str, object]


class Archive(Struct, frozen=True):
    """A .npz file: arrays by dotted name, which have the dtype they have."""

    name: str
    arrays: Mapping[str, np.ndarray]


Input: TypeAlias = Table | Document | Archive


def read_input(path: Path) -> Input:
    """Read a data file by its ending. Raises `InputError`: E0960, E0961, or E0962 where it is malformed."""
    match path.suffix.lower():
        case ".csv":
            return _table(read_source(path))
        case ".json":
            return _document(read_source(path))
        case ".npz":
            return _archive(path, read_bytes(path))
        case ending:
            message = f"`{path}` ends in `{ending}`" if ending else f"`{path}` has no ending"
            raise file_error("E0962", path, message, "data is read from .csv, .npz and .json files")


def renamed(source: Input, columns: Mapping[str, str]) -> Input:
    """The same data with columns under the names of parameters, which `columns` maps to theirs."""
    if not isinstance(source, Table):
        return source
    names = {column: name for name, column in columns.items()}
    return replace(source, columns={names.get(name, name): column for name, column in source.columns.items()})


def malformed(span: Span, message: str, label: str = "", *notes: str) -> InputError:
    return InputError([Diagnostic("E0962", message, Label(span, label), notes=notes)])


def _table(source: Source) -> Table:
    """Columns by the names in the first row; blank lines and `#` lines above it do not count."""
    records = [(line, record) for line, record in _records(source) if any(field.strip() for field in record)]
    while records and records[0][1][0].lstrip().startswith("#"):
        del records[0]
    if not records:
        raise file_error("E0962", source.name, f"`{source.name}` is empty", "the first row names the columns")
    (line, names), *rows = records
    header = _header(source, line, [name.strip() for name in names])
    for line, record in rows:
        if len(record) != len(header):
            count = f"{len(record)} value{'s' if len(record) != 1 else ''}"
            raise malformed(_line(source, line), f"{count} in a table of {len(header)} columns", "this row")
    columns = {name: tuple(record[i].strip() for _, record in rows) for i, name in enumerate(header)}
    return Table(source, columns, tuple(line for line, _ in rows))


def _records(source: Source) -> list[tuple[int, list[str]]]:
    """The records of the file, each with the row it starts on."""
    reader = csv.reader(io.StringIO(source.text, newline=""), strict=True, skipinitialspace=True)
    found: list[tuple[int, list[str]]] = []
    start = 0
    try:
        for record in reader:
            found.append((start, record))
            start = reader.line_num
    except csv.Error as error:
        raise malformed(_line(source, start), f"this row cannot be read: {error}") from None
    return found


def _header(source: Source, line: int, names: Sequence[str]) -> Sequence[str]:
    if all(_is_number(name) for name in names):
        span = _line(source, line)
        raise malformed(span, "the first row must name the columns", "all of these are numbers")
    for i, name in enumerate(names):
        if not name or name in names[:i]:
            what = f"two columns are named `{name}`" if name else f"column {i + 1} has no name"
            raise malformed(_line(source, line), what, "the names of the columns")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _line(source: Source, row: int) -> Span:
    row = min(row, len(source.line_starts) - 1)
    start = source.line_starts[row]
    return Span(source, start, start + len(source.line(row).rstrip("\r")))


def _document(source: Source) -> Document:
    try:
        values = json.loads(source.text)
    except json.JSONDecodeError as error:
        at = Span(source, error.pos, error.pos + 1)
        raise malformed(at, f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise file_error("E0962", source.name, f"`{source.name}` is nested too deeply") from None
    if not isinstance(values, dict):
        raise malformed(Span(source, 0, 1), "expected an object with the arguments by name", "not an object")
    return Document(source.name, values)


def _archive(path: Path, data: bytes) -> Archive:
    try:
        archive = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise file_error("E0962", path, f"`{path}` is a single array without a name", "save it with np.savez")
        with archive:
            return Archive(str(path), {name: archive[name] for name in archive.files})
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise file_error("E0962", path, f"`{path}` is not an archive of arrays: {reason}") from None

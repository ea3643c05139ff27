"""Reading data files: .csv, .json, .npz, .npy, .parquet, .arrow. Knows nothing of programs. Read next: `arguments`."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, assert_never

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


class Frame(Struct, frozen=True):
    """A .parquet or .arrow file: columns, with the types that the file has."""

    name: str
    columns: Mapping[str, np.ndarray]


Input: TypeAlias = Table | Document | Archive | Frame
FRAMES: Mapping[str, str] = MappingProxyType({".parquet": "read_parquet", ".arrow": "read_ipc", ".feather": "read_ipc"})
"""Endings of files of columns, and the function of polars that reads them."""


def read_input(path: Path) -> Input:
    """Read a data file by its ending. Raises `InputError`: E0960, E0961, or E0962 where it is malformed."""
    match path.suffix.lower():
        case ".csv":
            return _table(read_source(path))
        case ".json":
            return _document(read_source(path))
        case ".npz":
            return _archive(path, read_bytes(path))
        case ".npy":
            return _single(path, read_bytes(path))
        case ending if ending in FRAMES:
            return _frame(path, read_bytes(path), FRAMES[ending])
        case ending:
            message = f"`{path}` ends in `{ending}`" if ending else f"`{path}` has no ending"
            raise file_error(
                "E0962", path, message, "data is read from .csv, .json, .npz, .npy, .parquet and .arrow files"
            )


def rename_columns(source: Input, columns: Mapping[str, str]) -> Input:
    """Rename data to parameters by `columns`: `p=0` uses the archive entries `0` and `0.w` as `p`."""
    names = {column: name for name, column in columns.items()}
    match source:
        case Table(columns=found):
            return replace(source, columns={_renamed(name, names): column for name, column in found.items()})
        case Frame(columns=arrays):
            return replace(source, columns={_renamed(name, names): column for name, column in arrays.items()})
        case Archive(arrays=arrays):
            return replace(source, arrays={_renamed(name, names): array for name, array in arrays.items()})
        case Document():
            return source
        case _:
            assert_never(source)


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """A name, or a dotted one by its first part."""
    first, dot, rest = name.partition(".")
    return names[name] if name in names else f"{names.get(first, first)}{dot}{rest}"


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
        raise file_error("E0962", path, f"`{path}` is not an archive of arrays: {_first_line(error)}") from None


def _single(path: Path, data: bytes) -> Archive:
    """One array, under the name of its file."""
    try:
        return Archive(str(path), {path.stem: np.load(io.BytesIO(data), allow_pickle=False)})
    except (ValueError, OSError, EOFError) as error:
        raise file_error("E0962", path, f"`{path}` is not an array: {_first_line(error)}") from None


def _frame(path: Path, data: bytes, reader: str) -> Frame:
    try:
        polars = import_module("polars")
    except ImportError:
        message = f"`{path}` needs polars to be read"
        raise file_error("E0962", path, message, "install it: `pip install 'puredsl[tables]'`") from None
    try:
        table = getattr(polars, reader)(io.BytesIO(data))
    except Exception as error:
        raise file_error("E0962", path, f"`{path}` is not a table: {_first_line(error)}") from None
    return Frame(str(path), {name: table[name].to_numpy() for name in table.columns})


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__

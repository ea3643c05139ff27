"""Numbers without a dtype, from text files and the command line, as arrays of a wanted dtype.

Rounding to a float is what a text file asks for; a fraction that becomes an integer, a number out of range
and a word that is not a number are refused. Read next: `arguments`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dsl.diagnostics.source import Span
from dsl.tools.inputs import Table
from dsl.types.dtype import BOOL, F32, I32, DType, Kind

WORDS: Mapping[str, bool] = MappingProxyType({"true": True, "false": False})


class Unfit(Exception):
    """A value that its parameter cannot take: `message` for people, and the place where there is one."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


def parse_column(table: Table, name: str, dtype: DType | None) -> np.ndarray:
    """A column of text as an array of rank 1."""
    words = dtype in (None, BOOL)
    numbers = [_parse(table, name, row, words) for row in range(len(table.columns[name]))]
    try:
        return number_array(numbers, dtype, name)
    except Unfit as unfit:
        row = _first_unfit(numbers, dtype, name)
        span = table.span(row) if row is not None else None
        raise Unfit(unfit.message, span) from None


def _parse(table: Table, name: str, row: int, words: bool) -> int | float | bool:
    text = table.columns[name][row]
    if words and text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    what = f"`{text}` is not a number" if text else "there is no value"
    raise Unfit(f"{what} in column `{name}`", table.span(row))


def _first_unfit(numbers: list[int | float | bool], dtype: DType | None, name: str) -> int | None:
    for row, number in enumerate(numbers):
        try:
            number_array(number, dtype, name)
        except Unfit:
            return row
    return None


def number_array(value: object, dtype: DType | None, name: str) -> np.ndarray:
    """Numbers, or lists of lists of them, as an array of `dtype` (where none is asked: f32, i32 or bool)."""
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):
        raise Unfit(f"`{name}` has rows of different lengths") from None
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype((dtype or F32).numpy)
    if array.dtype.kind not in "biufcO" or (array.dtype.kind == "O" and not _whole(array)):
        raise Unfit(f"`{name}` is not a number: {_short(value)}")
    wanted = dtype or _natural(array)
    _demand_fit(array, wanted, name)
    with np.errstate(over="ignore"):
        result = array.astype(wanted.numpy)
    if wanted.is_inexact and not np.array_equal(np.isfinite(result), np.isfinite(array.astype(complex))):
        raise Unfit(f"`{name}` has a number too large for {wanted}")
    return result


def _whole(array: np.ndarray) -> bool:
    """Return whether an array of Python objects holds integers alone, only too large for any of NumPy's."""
    return all(isinstance(item, int) for item in array.flat)


def _natural(array: np.ndarray) -> DType:
    return {"b": BOOL, "f": F32}.get(array.dtype.kind, I32)


def _demand_fit(array: np.ndarray, wanted: DType, name: str) -> None:
    kind = array.dtype.kind
    if wanted.is_bool != (kind == "b"):
        found = "true and false" if kind == "b" else "numbers"
        raise Unfit(f"`{name}` has {found}, but {wanted} is expected")
    if wanted.is_integer:
        if kind not in "iuO":
            raise Unfit(f"`{name}` has a fraction or an exponent, but {wanted} is expected")
        low, high = _limits(wanted)
        if array.size and not low <= min(array.flat) <= max(array.flat) <= high:
            raise Unfit(f"`{name}` has a number out of the range of {wanted}, {low} to {high}")


def _limits(dtype: DType) -> tuple[int, int]:
    """The least and the largest integer of a dtype."""
    signed = dtype.kind is Kind.SIGNED
    return (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1) if signed else (0, 2**dtype.bits - 1)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"

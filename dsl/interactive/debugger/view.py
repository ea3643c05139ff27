"""The output of the debugger: lines of the text, names with their values, calls, events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, assert_never

import numpy as np

from dsl.diagnostics.source import Source, Span
from dsl.interactive.debugger.frames import Event, Frame, Happening, Key, Leaf, Leaves, Names, Stop, in_order
from dsl.ops.marks import COTANGENT, TANGENT
from dsl.tools.results import RESULT, dtype_name
from dsl.tools.results import leaves as leaves_of

AROUND = 5
"""So many lines `list` shows on each side."""
MOST = 24
"""Arrays with more elements are abridged."""
_PREFIX = MappingProxyType({TANGENT: "tangent of ", COTANGENT: "cotangent of "})


def place(stop: Stop) -> str:
    """Where a stop is, in one line."""
    where = "end" if stop.is_end else f"{_name(stop.span)}:{_line(stop.span)} in {title(stop.frame)}"
    return f"#{stop.number}  {where}"


def title(frame: Frame) -> str:
    """The name of a frame."""
    return f"the derivative of {frame.name}" if frame.is_derivative else frame.name or "the program"


def code(stop: Stop, around: int = 0) -> str:
    """The line of a stop, and some around it."""
    placed = stop.span.placed
    row = stop.span.source.row(stop.span.start)
    return lines(stop.span.source, row, around, placed.source.position(placed.start)[0] - row)


def lines(source: Source, row: int, around: int, first: int) -> str:
    """Lines of a text around a row, which is marked; `first` is the number of its row 0."""
    last = len(source.line_starts) - 1
    rows = range(max(row - around, 0), min(row + around, last) + 1)
    width = len(str(first + rows[-1]))
    return "\n".join(f"{'>' if each == row else ' '} {first + each:>{width}} | {source.line(each)}" for each in rows)


def calls(frame: Frame) -> Iterator[str]:
    """The calls that are open, the innermost first."""
    while frame.caller is not None:
        inside = frame.call is not None and frame.caller.caller is not None and not frame.is_derivative
        yield title(frame) + (f", called at {_name(frame.call)}:{_line(frame.call)}" if inside and frame.call else "")
        frame = frame.caller


def names(found: Names) -> str:
    """All names with their types and values, one below the other."""
    return "\n".join(row for key, leaves in in_order(found) for row in name(key, leaves))


def changed(before: Names, after: Names) -> str:
    """The names that were bound in between."""
    return names({key: leaves for key, leaves in after.items() if before.get(key) is not leaves})


def name(key: Key, leaves: Leaves) -> Iterator[str]:
    """A name, or each part of its value."""
    label, what = key
    for path, leaf in leaves.items():
        yield f"  {_PREFIX.get(what, '')}{label}{path} {_leaf(leaf)}"


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf.value, str):
        return f"= {leaf.value}"
    many, shape = leaf.value.shape[: leaf.axes], leaf.value.shape[leaf.axes :]
    each = f" for each of {' × '.join(map(str, many))}" if many else ""
    return f": {_type(leaf.value, shape)}{each} = {_text(leaf.value)}"


def _type(array: np.ndarray, shape: Sequence[int] | None = None) -> str:
    axes = array.shape if shape is None else shape
    return dtype_name(array) + (f"[{', '.join(map(str, axes))}]" if axes else "")


def _text(array: np.ndarray) -> str:
    """The elements of an array, or what is to be said of many, on a line."""
    if array.size <= MOST:
        return _nested(array)
    flat = array.reshape(-1)
    first, last = (", ".join(map(_nested, part)) for part in (flat[:3], flat[-3:]))
    return f"[{first}, …, {last}]{_summary(flat)}"


def _nested(array: np.ndarray) -> str:
    if array.ndim:
        return f"[{', '.join(_nested(np.asarray(part)) for part in array)}]"
    return _element(array.item(), array.dtype.kind in "fV")


def _element(element: Any, is_real: bool) -> str:
    if isinstance(element, bool):
        return str(element).lower()
    text = f"{element:.6g}" if is_real or isinstance(element, complex) else str(element)
    return f"{text}.0" if is_real and text.lstrip("-").isdigit() else text


def _summary(flat: np.ndarray) -> str:
    """How far real numbers reach, and how many are not finite."""
    if flat.dtype.kind in "cb":
        return ""
    real = flat.astype(np.float64)
    finite = real[np.isfinite(real)]
    parts = [f"{finite.min():.6g} to {finite.max():.6g}"] if finite.size else []
    if np.isnan(real).any():
        parts.append(f"{int(np.isnan(real).sum())} NaN")
    if np.isinf(real).any():
        parts.append(f"{int(np.isinf(real).sum())} infinite")
    return f"  ({', '.join(parts)})"


def event(found: Event) -> str:
    """An event, and where it happened."""
    where = "" if found.span is None else f" ({_name(found.span)}:{_line(found.span)})"
    match found.what:
        case Happening.PRINTED:
            return found.text
        case Happening.FAILED:
            return f"  the check failed: {found.text}{where}"
        case Happening.NOT_FINITE:
            return f"  {found.text}{where}"
        case _:
            assert_never(found.what)


def result(value: object) -> str:
    """The value of an expression: of one that has parts, one below the other."""
    rows = []
    for path, array in leaves_of(value):
        label = f"{path} : " if path != RESULT else ""
        rows.append(f"  {label}{_type(array)} = {_text(array)}")
    return "\n".join(rows) or f"  {value}"


def events(found: Sequence[Event]) -> str:
    """Events in the order in which they happened."""
    return "\n".join(map(event, found))


def _name(span: Span) -> str:
    return span.placed.source.name


def _line(span: Span) -> int:
    placed = span.placed
    return placed.source.position(placed.start)[0]

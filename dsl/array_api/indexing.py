"""Indices of arrays whose elements are not in the memory of the host in one piece: on accelerators, and on several
devices.

An index becomes a program of the language, compiled and kept for the type of the array and the kind of the index.
Integers and arrays of them are arguments, so that one program reads every row of a matrix. The rules are those of
NumPy, which also checks the bounds: for that, index arrays are read, but not the array itself. A result is laid out as
the array is, where its partitioned axes remain. Read next: `eager`; `lowering.xla.array`, which does the same in the
memory of the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.array_api.eager import literal, program_of, type_of
from dsl.types.dtype import BOOL, DType
from lowering.tiling import tiling
from lowering.xla import numeric
from lowering.xla.array import Array
from lowering.xla.places import Sharding

NDArray: TypeAlias = np.ndarray[Any, Any]
Part: TypeAlias = int | slice | NDArray | None
Operands: TypeAlias = dict[str, tuple[str, Any]]
"""The arguments of a program by name, each with its type as the language writes it."""


class Reading(Struct, frozen=True):
    """The program that reads an index, as an expression. `operands`: its arguments beside the array. `axes`: where an
    axis of the array is in the result, for those that remain. `shape`: that of the result. `updates`: what follows
    `x.at` in an update of the same elements, None where there is no such index of the language."""

    expression: str
    operands: Operands
    axes: Mapping[int, int]
    shape: tuple[int, ...]
    updates: str | None


def read(x: Array, key: Any) -> Array:
    """Return `x[key]`. Raises IndexError where an index is out of bounds."""
    if isinstance(key, Array) and key.type.dtype is BOOL and key.devices == x.devices and _leads(key, x):
        return _selected(x, key)
    parts = _parts(key, x.shape)
    if _is_mask(parts[0] if parts else None) and all(isinstance(p, slice) and p == slice(None) for p in parts[1:]):
        return _selected(x, parts[0])
    found = _reading(parts, x.shape, "x")
    return _run(x, found.expression, found.operands, _kept(x.sharding, found))


def update(x: Array, key: Any, operation: str, value: Any) -> Array:
    """Return `x.at[key].operation(value)`. Raises IndexError where an index is out of bounds."""
    parts = _parts(key, x.shape)
    if _is_mask(parts[0] if parts else None) and parts[0].shape == x.shape and not value.shape:
        return _run(x, f"x.at[m].{operation}(v)", {"m": _operand(parts[0]), "v": _operand(value)}, x.sharding)
    found = _reading(parts, x.shape, "q")
    operands = {**found.operands, "v": _operand(value)}
    numeric.agree(found.shape, value.shape)
    whole = f"broadcast_to(v, {literal(found.shape)})"
    if found.updates is not None:
        return _run(x, f"x.at[{found.updates}].{operation}({whole})", operands, x.sharding)
    numbers = f"reshape(iota([{x.size}]), {literal(x.shape)})"
    lines = f"    let q = {numbers}\n    let p = reshape({found.expression}, [{prod(found.shape)}])\n"
    changed = f'reshape(x, [{x.size}]).at[p].{operation}(reshape({whole}, [{prod(found.shape)}]), mode="drop")'
    return _run(x, f"reshape({changed}, {literal(x.shape)})", operands, x.sharding, lines)


def cast(x: Array, target: DType) -> Array:
    """Return the array converted as by `cast`, laid out as it is."""
    return x if x.type.dtype is target else _run(x, f"cast(x, {target})", {}, x.sharding)


def _selected(x: Array, mask: Any) -> Array:
    """The elements that a mask of the leading axes selects."""
    rest = x.shape[len(mask.shape) :]
    expression = f"reshape(x, {literal([mask.size, *rest])})[reshape(m, [{mask.size}])]"
    return _run(x, expression, {"m": _operand(mask)}, None)


def _leads(mask: Array, x: Array) -> bool:
    return mask.ndim > 0 and mask.shape == x.shape[: mask.ndim]


def _operand(value: Any) -> tuple[str, Any]:
    return str(type_of(value)), value


def _run(x: Array, expression: str, operands: Operands, layout: Sharding | None, lines: str = "") -> Array:
    types = (("x", str(x.type)), *[(name, type_) for name, (type_, _) in operands.items()])
    over = layout if layout is not None and len(layout.devices) > 1 else None
    made: Array = program_of(f"{lines}    {expression}\n", types, over)(x, *[value for _, value in operands.values()])
    return made


def _kept(sharding: Sharding, found: Reading) -> Sharding:
    """The sharding of a result: axes that remain are partitioned as they were, if they can be."""
    moved = [(n, None if axis is None else found.axes.get(axis)) for n, axis in sharding.tiling]
    made = Sharding.of(sharding.devices, tiling(moved))
    return made if made.fits(found.shape) else Sharding(sharding.devices)


# ---------------------------------------------------------------- the parts of an index


def _parts(key: Any, shape: tuple[int, ...]) -> list[Any]:
    """The parts of an index, one for each axis and each new one. NumPy checks them: it reads the index of an array of
    this shape that is one element everywhere, and raises IndexError."""
    read = numeric.index(key)
    _ = np.broadcast_to(np.False_, shape)[read]
    given = [_as_part(part) for part in (read if isinstance(read, tuple) else (read,))]
    taken = sum([part.ndim if _is_mask(part) else part is not None and part is not ... for part in given])
    rest: list[Any] = [slice(None)] * (len(shape) - taken)
    where = next((k for k, part in enumerate(given) if part is ...), len(given))
    return [*given[:where], *rest, *given[where + 1 :]]


def _as_part(part: Any) -> Any:
    """An integer, a slice, None, an ellipsis, or an array of integers or bools."""
    if part is None or part is ... or isinstance(part, slice):
        return part
    made = np.asarray(part)
    if made.dtype.kind == "b" and not made.ndim:
        raise IndexError("a single bool is not an index of an array on several devices; write `x[None]`")
    return int(made) if not made.ndim else made if made.dtype.kind in "biu" else made.astype(np.int32)


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind == "b"


def _reading(parts: Sequence[Any], shape: tuple[int, ...], name: str) -> Reading:
    """The program for an index of the array of this name and shape."""
    entries = list(_by_axis(parts))
    if any(isinstance(part, np.ndarray) for part, _ in entries):
        return _of_arrays(entries, shape, name)
    return _basic(entries, shape, name)


def _by_axis(parts: Sequence[Any]) -> Iterator[tuple[Part, int]]:
    """The parts, each with its axis. A mask is an array of integers for each of its axes."""
    axis = 0
    for part in parts:
        for each in np.nonzero(part) if _is_mask(part) else (part,):
            yield each, axis
            axis += each is not None


def _basic(entries: Sequence[tuple[Part, int]], shape: tuple[int, ...], name: str) -> Reading:
    """The program for integers, slices and new axes. A slice backward is one forward, flipped."""
    words: list[str] = []
    flipped: list[int] = []
    sizes: list[int] = []
    operands: Operands = {}
    axes: dict[int, int] = {}
    for part, axis in entries:
        match part:
            case None:
                words.append("None")
                sizes.append(1)
            case slice():
                taken = range(shape[axis])[part]
                flipped += [len(sizes)] if taken.step < 0 else []
                words.append(_written(taken if taken.step > 0 else taken[::-1], shape[axis]))
                axes[axis] = len(sizes)
                sizes.append(len(taken))
            case _:
                words.append(f"i{len(operands)}")
                operands[words[-1]] = f"idx[{shape[axis]}]", int(part) % shape[axis]
    inside = ", ".join(words) or "..."
    made = f"{name}[{inside}]" if any(word != ":" for word in words) else name
    plain = not flipped and len(axes) + len(operands) == len(words)
    made = f"flip({made}, axis={literal(flipped)})" if flipped else made
    return Reading(made, operands, axes, tuple(sizes), inside if plain else None)


def _written(taken: range, extent: int) -> str:
    """A slice as the language writes it."""
    if not taken:
        return "0:0"
    if taken == range(extent):
        return ":"
    step = f":{taken.step}" if len(taken) > 1 and taken.step > 1 else ""
    return f"{taken[0]}:{taken[-1] + 1}{step}"


def _of_arrays(entries: Sequence[tuple[Part, int]], shape: tuple[int, ...], name: str) -> Reading:
    """The program for an index with arrays of integers. These, and integers beside them, are broadcast together: their
    axes are brought to the front and read at once. Where they are neighbours, what is read returns to their place."""
    chosen = [k for k, (part, _) in enumerate(entries) if isinstance(part, int | np.ndarray)]
    rest = [k for k in range(len(entries)) if k not in chosen]
    inner = _basic(
        [(slice(None), axis) if k in chosen else (part, axis) for k, (part, axis) in enumerate(entries)], shape, name
    )
    indices = np.broadcast_arrays(*[np.asarray(entries[k][0]) for k in chosen])
    extents = [shape[entries[k][1]] for k in chosen]
    front = indices[0].shape
    operands = {
        f"i{k}": (f"idx[{n}]{literal(front)}", np.where(each < 0, each + n, each).astype(np.int32))
        for k, (each, n) in enumerate(zip(indices, extents, strict=True))
    }
    found = f"{_transposed(inner.expression, [*chosen, *rest])}[{', '.join(operands)}]"
    first = chosen[0] if chosen[-1] - chosen[0] < len(chosen) else 0
    behind = range(len(front), len(front) + len(rest))
    order = [*behind[:first], *range(len(front)), *behind[first:]]
    axes = {entries[k][1]: order.index(len(front) + j) for j, k in enumerate(rest) if entries[k][0] is not None}
    sizes = (*front, *[inner.shape[k] for k in rest])
    return Reading(_transposed(found, order), operands, axes, tuple([sizes[k] for k in order]), None)


def _transposed(expression: str, order: Sequence[int]) -> str:
    return expression if [*order] == [*range(len(order))] else f"transpose({expression}, {literal(order)})"

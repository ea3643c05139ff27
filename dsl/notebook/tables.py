"""Arrays and records of arrays as tables, and how an array lies over devices, for notebooks: HTML.

Long axes are abridged, as NumPy does. Read next: `magics`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import islice, product
from typing import Any

import numpy as np

from dsl.host.arguments.pytree import Names, leaves_of, map_tree
from lowering.xla.array import Array, Shard

ROWS, COLUMNS, SLICES = 10, 10, 3
"""So many rows, columns and slices of an array are shown."""

_STYLE = "text-align: right; font-family: monospace; padding: 2px 8px"
_HEAD = "text-align: right; opacity: 0.6; font-weight: normal; padding: 2px 8px"
_LEFT = "text-align: left; vertical-align: top; padding: 2px 8px"


def array_html(array: Array) -> str | None:
    """The elements of an array as a table, and its layout if it lies on several devices; a number stays text."""
    if not array.is_fully_addressable or (not array.shape and len(array.devices) == 1):
        return None
    view = np.asarray(array)
    over = f" over {len(array.devices)} devices" if len(array.devices) > 1 else ""
    title = f"<div><code>{escape(str(array.type))}</code>{over}</div>"
    layout = layout_html(array) if over else ""
    return title + "".join(_slices(view)) + layout


def _slices(view: np.ndarray) -> Iterator[str]:
    """An array as matrices, each under its index."""
    if view.ndim <= 2:
        yield _matrix(np.atleast_2d(view), view.ndim == 2)
        return
    outer = view.shape[:-2]
    for index in islice(product(*map(range, outer)), SLICES):
        yield f"<div><code>[{', '.join(map(str, index))}]</code></div>{_matrix(view[index], True)}"
    left = int(np.prod(outer)) - SLICES
    if left > 0:
        yield f"<div>… and {left} more</div>"


def _matrix(view: np.ndarray, rows: bool) -> str:
    """A matrix as a table; the rows of a vector have no numbers."""
    shown, across = _shown(view.shape[0], ROWS), _shown(view.shape[1], COLUMNS)
    corner = [f'<th style="{_HEAD}"></th>'] if rows else []
    head = [f'<th style="{_HEAD}">{_number(column)}</th>' for column in across]
    lines = ["".join([*corner, *head])]
    for row in shown:
        cells = [f'<td style="{_STYLE}">{_element(view, row, column)}</td>' for column in across]
        lines.append("".join([f'<th style="{_HEAD}">{_number(row)}</th>' if rows else "", *cells]))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _shown(extent: int, most: int) -> list[int | None]:
    """The positions of an axis that are shown; None stands for those that are left out."""
    if extent <= most:
        return [*range(extent)]
    return [*range(most - 3), None, extent - 2, extent - 1]


def _number(position: int | None) -> str:
    return "…" if position is None else str(position)


def _element(view: np.ndarray, row: int | None, column: int | None) -> str:
    return "…" if row is None or column is None else format_element(view[row, column])


def format_element(value: Any) -> str:
    """A number as a cell of a table: four digits of what is not whole."""
    match value:
        case np.bool_():
            return str(bool(value)).lower()
        case np.integer():
            return str(int(value))
        case np.complexfloating():
            return f"{complex(value):.4g}"
        case _:
            return f"{float(value):.4g}"


# ---------------------------------------------------------------- records


def tree_html(tree: Any) -> str | None:
    """A record or a tuple as a table, a row for each part; what holds no array of the language stays as it is."""
    with suppress(RecursionError):  # a container of Python may hold itself
        leaves = [leaf for _, leaf in leaves_of(tree)]
        if any(isinstance(leaf, Array) for leaf in leaves):
            table: str = map_tree(_leaf, tree, join=_rows)
            return table
    return None


def _rows(container: Any, names: Names, cells: list[str]) -> str:
    rows = (
        f'<tr><th style="{_LEFT}">{escape(str(name))}</th><td style="{_LEFT}">{cell}</td></tr>'
        for name, cell in zip(names or range(len(cells)), cells, strict=True)
    )
    return f"<table>{''.join(rows)}</table>"


def _leaf(leaf: Any) -> str:
    if not isinstance(leaf, Array):
        return f"<code>{escape(repr(leaf))}</code>"
    return array_html(leaf) or f"<code>{escape(str(leaf))} : {escape(str(leaf.type))}</code>"


# ---------------------------------------------------------------- layouts

Block = tuple[tuple[int, int], ...]
"""Where a part of an array begins and ends along each axis."""


def layout_html(array: Array) -> str:
    """A picture of the devices that hold each part of an array: a block for each part, coloured by device."""
    return _layout(blocks_of(array.addressable_shards), [str(device) for device in array.devices])


def layout_text(array: Array) -> str:
    """A line for each part of an array: its place, and the devices that hold it."""
    return "\n".join(
        [f"{_place(block)}: {', '.join(held)}" for block, held in blocks_of(array.addressable_shards).items()]
    )


def _place(block: Block) -> str:
    return f"[{', '.join([f'{start}:{stop}' for start, stop in block])}]"


def blocks_of(shards: Sequence[Shard]) -> Mapping[Block, Sequence[str]]:
    """The parts of an array, each with the devices that hold it."""
    found: dict[Block, list[str]] = {}
    for shard in shards:
        block = tuple([(int(part.start), int(part.stop)) for part in shard.index])
        found.setdefault(block, []).append(str(shard.device))
    return dict(sorted(found.items()))


def _layout(blocks: Mapping[Block, Sequence[str]], devices: Sequence[str]) -> str:
    """Grids of blocks over the last two axes that are cut, one for each part along the others."""
    rank = len(next(iter(blocks), ()))
    cut = [axis for axis in range(rank) if len({block[axis] for block in blocks}) > 1]
    inner = cut[-2:]
    grids: dict[Block, dict[Block, str]] = {}
    for block, held in blocks.items():
        outside = tuple([part for axis, part in enumerate(block) if axis not in inner])
        inside = tuple([block[axis] for axis in inner])
        grids.setdefault(outside, {})[inside] = _block(block, held, devices)
    return "".join(map(_grid, grids.values()))


def _grid(cells: Mapping[Block, str]) -> str:
    """A table of blocks: those of one axis that is cut stand side by side."""
    rows: dict[Block, list[str]] = {}
    for inside, cell in cells.items():
        rows.setdefault(inside[:-1], []).append(cell)
    lines = [f"<tr>{''.join(row)}</tr>" for row in rows.values()]
    return f"<table>{''.join(lines)}</table>"


def _block(block: Block, held: Sequence[str], devices: Sequence[str]) -> str:
    hue = 137 * devices.index(held[0]) % 360
    style = f"background: hsl({hue}, 60%, 85%); color: #222; border: 1px solid #888; padding: 8px 14px"
    names = ", ".join(held) if len(held) < len(devices) or len(devices) == 1 else f"all {len(devices)} devices"
    return f'<td style="{style}; text-align: center"><code>{_place(block)}</code><br>{escape(names)}</td>'

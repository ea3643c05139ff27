"""IR as a picture: a graph of the equations of each function, from top to bottom, as SVG.

An equation stands a row below the last of what it reads, and in its row about where what it reads stands. Bodies are
above the function that uses them, named as in the text; a line between boxes is a value that the lower one reads, and a
box that is pointed at shows its line of the text. Laid out here: nothing has to be installed. Read next: `text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from msgspec import Struct

from dsl.ir.function import Atom, Function, Var
from dsl.ir.text import Listing, list_functions

CHARACTER, LINE, MARGIN, GAP, ROW = 7.3, 16, 8, 20, 76
"""Pixels: the width of a character, the height of a line, around text, between boxes, from one row to the next."""
LONGEST = 36
"""Characters of a line in a box; the whole line is shown to who points at it."""

_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" font-family="monospace" \
font-size="12">
<style>rect {{ fill: #f6f8fa; stroke: #8c959f; rx: 4 }} path {{ fill: none; stroke: #8c959f }}</style>
<rect width="100%" height="100%" style="fill: white; stroke: none"/>"""


class Node(Struct, frozen=True):
    """A param, an equation or what is returned: its line of the text, and the numbers of the nodes that it reads. A
    param may have a `name`, that of the argument in the source."""

    line: str
    reads: tuple[int, ...]
    name: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The lines in the box: the op or the name of the argument, and below it what it makes."""
        made, _, done = self.line.partition(" = ")
        return tuple([_shortened(words) for words in (self.name, done, made) if words])

    @property
    def title(self) -> str:
        """The line of the text, after the whole name of an argument."""
        return f"{self.name} {self.line}".lstrip()


class Box(Struct, frozen=True):
    """Where a node stands, in pixels: its upper left corner, and how wide it is."""

    left: float
    top: float
    width: float

    @property
    def middle(self) -> float:
        """Half way from left to right."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """Two lines below the top."""
        return self.top + 2 * LINE + MARGIN


def _shortened(words: str) -> str:
    """A line that fits into a box. The parameters of an op are left out before its operands."""
    if len(words) > LONGEST and "{" in words and "}" in words:
        op, operands = words[: words.index("{")], words[words.rindex("}") + 1 :]
        words = f"{op}{{…}}{operands}"
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def draw(function: Function, names: Sequence[str] = ()) -> str:
    """The text of an SVG file with `function` and all functions inside it; `names` are those of its inputs."""
    lines: list[str] = []
    top, width = float(MARGIN), 0.0
    for part in list_functions(function):
        nodes = nodes_of(part, names if part.function is function else ())
        boxes = place(nodes, top + 2 * LINE)
        lines += _drawn(part.head, top, nodes, boxes)
        top = max(box.bottom for box in boxes) + 2 * LINE
        width = max(width, *(box.left + box.width for box in boxes), CHARACTER * len(_caption(part.head)))
    return "\n".join([_HEAD.format(width=width + 2 * MARGIN, height=top), *lines, "</svg>"])


def nodes_of(part: Listing, names: Sequence[str] = ()) -> list[Node]:
    """The params of a function, under these names if there are any, its equations in order, and what it returns."""
    made: dict[Var, int] = {}
    nodes: list[Node] = []

    def add(line: str, inputs: Sequence[Atom], outputs: Sequence[Var], name: str = "") -> None:
        made.update(dict.fromkeys(outputs, len(nodes)))
        nodes.append(Node(line, tuple(dict.fromkeys([made[x] for x in inputs if isinstance(x, Var)])), name))

    for number, param in enumerate(part.function.params):
        add(f"%{number}: {param.type}", (), (param,), names[number] if names else "")
    for line, equation in zip(part.equations, part.function.equations, strict=True):
        add(line, equation.inputs, equation.outputs)
    add(part.returns, part.function.results, ())
    return nodes


def place(nodes: Sequence[Node], top: float) -> list[Box]:
    """A box for each node: below those that it reads, beside all others."""
    rows: list[int] = []
    for node in nodes:
        rows.append(1 + max([rows[k] for k in node.reads], default=-1))
    boxes: dict[int, Box] = {}
    for row, members in groupby(sorted(range(len(nodes)), key=rows.__getitem__), key=rows.__getitem__):
        wanted = {k: _wanted(nodes[k], boxes) for k in members}
        right = float(MARGIN)
        for k in sorted(wanted, key=wanted.__getitem__):
            width = CHARACTER * max(map(len, nodes[k].words)) + 2 * MARGIN
            boxes[k] = Box(max(right, wanted[k] - width / 2), top + ROW * row, width)
            right = boxes[k].left + width + GAP
    return [boxes[k] for k in range(len(nodes))]


def _wanted(node: Node, boxes: dict[int, Box]) -> float:
    """Where the middle of a node should be: that of what it reads."""
    return sum([boxes[k].middle for k in node.reads]) / len(node.reads) if node.reads else 0.0


def _drawn(head: str, top: float, nodes: Sequence[Node], boxes: Sequence[Box]) -> Iterator[str]:
    yield f'<text x="{MARGIN}" y="{top + LINE:.0f}" font-weight="bold">{escape(_caption(head))}</text>'
    for node, box in zip(nodes, boxes, strict=True):
        for k in node.reads:
            yield _line(boxes[k], box)
    for node, box in zip(nodes, boxes, strict=True):
        yield from _box(node, box)


def _caption(head: str) -> str:
    """The name of a function; its params are boxes."""
    return head.partition("(")[0]


def _line(source: Box, target: Box) -> str:
    half = (source.bottom + target.top) / 2
    start, end = f"{source.middle:.1f} {source.bottom:.0f}", f"{target.middle:.1f} {target.top:.0f}"
    return f'<path d="M {start} C {source.middle:.1f} {half:.0f} {target.middle:.1f} {half:.0f} {end}"/>'


def _box(node: Node, box: Box) -> Iterator[str]:
    yield f"<g><title>{escape(node.title)}</title>"
    yield f'<rect x="{box.left:.1f}" y="{box.top:.0f}" width="{box.width:.1f}" height="{box.bottom - box.top:.0f}"/>'
    for number, words in enumerate(node.words, 1):
        yield f'<text x="{box.left + MARGIN:.1f}" y="{box.top + number * LINE:.0f}">{escape(words)}</text>'
    yield "</g>"

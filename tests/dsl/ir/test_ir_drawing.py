"""Pictures of the IR: every equation a box with its line of the text, below all that it reads and over no other."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.ir.drawing import LONGEST, Box, draw, nodes_of, place
from dsl.ir.text import list_functions, show
from tests.support.cases import some
from tests.support.programs import random_program

SVG = "{http://www.w3.org/2000/svg}"


@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_the_boxes_are_the_lines_of_the_text(seed: int) -> None:
    function = random_program(seed)
    drawn = ElementTree.fromstring(draw(function))
    shown = [group.findtext(f"{SVG}title") or "" for group in drawn.iter(f"{SVG}g")]
    lines = [line.strip() for line in show(function).splitlines()]
    assert [line for line in shown if "=" in line or line.startswith("return")] == [
        line for line in lines if not line.startswith("def ")
    ]
    names = [text.text for text in drawn.findall(f"{SVG}text")]
    assert names == [line.partition("(")[0] for line in lines if line.startswith("def ")]


def overlap(one: Box, other: Box) -> bool:
    beside = one.left + one.width <= other.left or other.left + other.width <= one.left
    return not (beside or one.bottom <= other.top or other.bottom <= one.top)


@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_boxes_are_below_what_they_read_and_beside_all_others(seed: int) -> None:
    for part in some(list_functions(random_program(seed, steps=12))):
        nodes = nodes_of(part)
        boxes = place(nodes, 0.0)
        assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
        for node, box in zip(nodes, boxes, strict=True):
            assert all(boxes[k].bottom < box.top for k in node.reads)
            assert all(len(words) <= LONGEST for words in node.words)

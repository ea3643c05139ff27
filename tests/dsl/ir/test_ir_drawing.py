"""Pictures of the IR: every equation a box with its line of the text, below all that it reads and over no other."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.ir.drawing import LONGEST, Box, Node, draw, nodes_of, place
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


def test_a_box_leaves_out_parameters_before_operands() -> None:
    op = "dot_general{lhs_contract=(1,), rhs_contract=(0,), lhs_batch=(), rhs_batch=(), dtype=<f32>}"
    assert Node(f"%3: f32[4] = {op} %1, %0", ()).words == ("dot_general{…} %1, %0", "%3: f32[4]")
    assert Node("%3: f32[4] = neg %1", ()).words == ("neg %1", "%3: f32[4]")


FIELDS = st.sampled_from(["a", "b", "c", "d"])
SAME = dsl.program("def same[T: VSpace](t: T) -> T = t")
NAMED = """
import random

def f(p: {w: f32[n], parts: (f32, f32)}, x: f32[n], static k: int) -> f32[n] = x * p.w + p.parts.1 * k
def total(xs: {a: f32}[n]) -> f32 = sum(xs.a)
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def app(f: (f32) -> f32, x: f32) -> f32 = f(x)
def half(x: f32) -> f32 = x / 2.0
"""


def inputs_of(picture: str) -> list[tuple[str, ...]]:
    """The lines in the box of each input of the last function in a picture. Titles of equations have a ` = `."""
    last = picture.rpartition('font-weight="bold"')[2]
    titles = re.findall(r"<title>(.*)</title>", last)
    lines = [tuple(re.findall(r"<text.*>(.*)</text>", box)) for box in last.split("<g>")[1:]]
    return [box for title, box in zip(titles, lines, strict=True) if " = " not in title][:-1]


def test_inputs_have_the_names_of_the_parameters() -> None:
    m = dsl.program(NAMED)
    p, x = {"w": np.ones(2, np.float32), "parts": (1.0, 2.0)}, np.ones(2, np.float32)
    named = [("p.parts.0", "%0: f32"), ("p.parts.1", "%1: f32"), ("p.w", "%2: f32[2]"), ("x", "%3: f32[2]")]
    assert inputs_of(m.f.ir_svg(p, x, k=3)) == named
    assert "<title>p.parts.1 %1: f32</title>" in m.f.ir_svg(p, x, k=3)
    assert inputs_of(m.noise.ir_svg(x, key=0)) == [("x", "%0: f32[2]"), ("key", "%1: u32[2]")]
    assert inputs_of(dsl.vmap(m.f, in_axes=(None, 0)).ir_svg(p, [x], k=3))[3] == ("x", "%3: f32[1, 2]")
    assert inputs_of(dsl.grad(m.total).ir_svg([{"a": 1.0}, {"a": 2.0}])) == [("xs.a", "%0: f32[2]")]
    assert inputs_of(m.app.ir_svg(m.half, 1.0)) == [("x", "%0: f32")]


TREES = st.recursive(
    st.just(1.0),
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(tuple) | st.dictionaries(FIELDS, inner, min_size=1),
    max_leaves=6,
)


@given(st.dictionaries(FIELDS, TREES, min_size=1))
@settings(max_examples=15, deadline=None)
def test_names_of_inputs_are_the_paths_of_the_tree(tree: dict[str, object]) -> None:
    found = [name for name, _ in inputs_of(SAME.same.ir_svg(tree))]
    assert found == [f"t.{path}" for path in dsl.tree.paths(tree)]


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

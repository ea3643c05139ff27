"""What two modules declare under one name: told apart by handlers, shown with its module to Python and in editors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pygls.workspace import PositionCodec

import dsl
from dsl.lsp.analysis import Analysis
from dsl.lsp.describe import hover
from dsl.lsp.hints import hints
from dsl.lsp.places import Places

LEFT = """
effect ask: (x: f32) -> f32
enum Mode = On | Off
type Pair = {a: f32, b: f32}
def use(x: f32) -> f32 ! ask = ask(x)
def same(p: Pair) -> Pair = p
"""
RIGHT = """
effect ask: (x: f32, y: f32) -> f32
enum Mode = On | Off
type Pair = {a: i32}
def use(x: f32) -> f32 ! ask = ask(x, 10.0 * x)
"""
MAIN = """
import left
import right as other
def both(x: f32) = left.use(x) + other.use(x)
def apart(x: f32) -> f32 =
    with handler left.ask(x) -> resume(2.0 * x), other.ask(x, y) -> resume(x * y) do both(x)
def inside(x: f32) -> f32 = with handler left.ask(x) -> resume(2.0 * x) do
    with handler other.ask(x, y) -> resume(left.ask(x + y)) do both(x)
def outside(x: f32) -> f32 = with handler other.ask(x, y) -> resume(x + y) do
    with handler left.ask(x) -> resume(other.ask(x, 1.0)) do both(x)
def given(f: (f32) -> f32 ! left.ask, x: f32) -> f32 = with handler left.ask(x) -> resume(-x) do f(x)
def use_left(x: f32) -> f32 ! left.ask = left.use(x)
def use_right(x: f32) -> f32 ! other.ask = other.use(x)
def records(p: left.Pair, q: other.Pair, static m: left.Mode, static n: other.Mode) -> left.Pair = p
"""


def program() -> dsl.Program:
    return dsl.program(MAIN, modules={"left": LEFT, "right": RIGHT})


def test_handlers_answer_the_operation_of_their_module() -> None:
    module, x = program(), np.float32(3)
    assert [float(f(x)) for f in (module.apart, module.inside, module.outside)] == [6 + 90, 6 + 66, 4 + 33]
    assert float(dsl.grad(module.apart)(x)) == 2 + 60
    assert float(module.given(module.use_left, x)) == -3


def test_python_is_told_whose_effect_it_is() -> None:
    module, x = program(), np.float32(3)
    assert repr(module.both) == "<dsl def both(x: f32) -> f32 ! {left.ask, right.ask}>"
    assert "p: left.Pair, q: right.Pair, static m: left.Mode, static n: right.Mode" in repr(module.records)
    with pytest.raises(dsl.EffectError, match=r"use_right performs right\.ask, which Python does not handle"):
        module.use_right(x)
    with pytest.raises(dsl.EffectError, match=r"performs `other\.ask`, which is not allowed here"):
        module.given(module.use_right, x)


def test_editors_show_names_as_they_are_written(tmp_path: Path) -> None:
    files = {"left.dsl": LEFT, "right.dsl": RIGHT, "main.dsl": MAIN}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    main = tmp_path / "main.dsl"
    analysis = Analysis()
    analysis.open(main, MAIN)
    checked, places = analysis.programs(main)[0], Places(PositionCodec())
    shown = [str(hint.label) for hint in hints(checked, places)]
    assert " -> f32 ! {left.ask, other.ask}" in shown
    found = hover(checked, MAIN.index("q: other.Pair"), places)
    assert found is not None
    assert "q: other.Pair" in str(found.contents)

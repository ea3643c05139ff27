"""The texts of this project are formatted as `dsl fmt` formats: the library, with its attributes, and the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Source
from dsl.syntax.format import format_source

ROOT = Path(__file__).parents[3]
TEXTS = sorted(
    path.relative_to(ROOT) for folder in ("stdlib", "examples", "docs") for path in (ROOT / folder).rglob("*.dsl")
)


def formatted(text: str) -> str:
    return format_source(Source("x.dsl", text))


def test_there_are_texts() -> None:
    assert {path.parts[0] for path in TEXTS} >= {"stdlib", "examples"}


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_a_text_is_formatted(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert formatted(text) == text, f"run `dsl fmt {path}`"


def test_attributes_stay_above_their_definition() -> None:
    text = "## Doc.\n@elements(x)\n@linear(x)\ndef f(x:f32)->f32=x\n"
    assert formatted(text) == "## Doc.\n@elements(x)\n@linear(x)\ndef f(x: f32) -> f32 = x\n"


def test_a_line_that_is_no_attribute_is_refused() -> None:
    with pytest.raises(DslError, match="decorators are not supported"):
        formatted("@jit(static=3)\ndef f(x: f32) -> f32 = x\n")


NESTED = """def f(x: f32) -> f32 =
    if x > 0.0 then x
        else
            if x > -1.0 then
                1.0
            else
                if x > -2.0 then 2.0
                    else 3.0
"""
FLAT = """def f(x: f32) -> f32 =
    if x > 0.0 then x
    else if x > -1.0 then
        1.0
    else if x > -2.0 then 2.0
    else 3.0
"""


def test_nested_choices_are_flat() -> None:
    assert formatted(NESTED) == FLAT == formatted(FLAT)


@pytest.mark.parametrize("between", ["            # why\n", "            let y = x\n"])
def test_a_block_with_more_than_a_choice_stays_a_block(between: str) -> None:
    text = f"def f(x: f32) -> f32 =\n    if x > 0.0 then x\n    else\n{between.replace('    ', '  ', 2)}"
    text += "        if x > -1.0 then 1.0 else 2.0\n"
    assert "else\n" in formatted(text)


def test_a_comprehension_that_cannot_be_shortened_ends() -> None:
    clause = (
        "for (n, k, step, (low, high)) in zip(sizes, window, each(strides, len(sizes)), widths(len(sizes), padding))"
    )
    text = f"static def f(sizes: ints) -> ints =\n    [(n + low + high - k) // step + 1 {clause}]\n"
    assert formatted(formatted(text)) == formatted(text)

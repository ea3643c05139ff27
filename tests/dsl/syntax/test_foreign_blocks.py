"""Loops, conditionals and calls of Python, rewritten from their text."""

from __future__ import annotations

import pytest

from dsl.syntax import foreign_blocks


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a if b else c", "if b then a else c"),
        ("a if b else c if d else e", "if b then a else if d then c else e"),
        ("f(a if b else c)", None),
        ('"if else"', None),
    ],
)
def test_the_condition_comes_first(text: str, written: str | None) -> None:
    assert foreign_blocks.conditional(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("s = 0.0\nfor v in x:\n    s += v\n", "let s = fold s = s for v in x do s + v"),
        ("s = 0.0\nfor v in x:  # all\n    s -= v + 1.0\n", "let s = fold s = s for v in x do s - (v + 1.0)"),
        (
            "u = x\nfor i in range(n):\n    u[i, 0] *= a[i]\n",
            "let u = fold u = u for i in range(n) do u.at[i, 0].mul(a[i])",
        ),
        ("y = a\nwhile y > b:\n    y = y / 2.0\n", "let y = iterate y = y while y > b limit 1000 do y / 2.0"),
        (
            "c = 0\nfor v in x:\n    if v > 0:\n        c += 1\n",
            "let c = fold c = c for v in x do if v > 0 then c + 1 else c",
        ),
        (
            "a, b = p\nwhile b > 0:\n    a, b = b, a % b\n",
            "let (a, b) = iterate (a, b) = (a, b) while b > 0 limit 1000 do (b, a % b)",
        ),
        ("for v in x:\n    print(v)\n", None),
        ("for v in x:\n    new = v\n", None),
    ],
)
def test_a_loop_carries_what_its_body_assigns(text: str, written: str | None) -> None:
    found = foreign_blocks.loop(text, max(text.find("for"), text.find("while")))
    assert (found and found.text) == written


def test_the_empty_list_goes_with_the_loop_that_fills_it() -> None:
    text = "    out = []\n    for a, b in zip(x, y):\n        out.append(a * b)\n    out\n"
    found = foreign_blocks.loop(text, text.index("for"))
    assert found is not None
    mended = text[: found.start] + found.text + text[found.end :]
    assert mended == "    let out = [a * b for (a, b) in zip(x, y)]\n    out\n"


def test_values_of_a_format_follow_it() -> None:
    assert foreign_blocks.format_string("{a} and {b:.3f}") == '"{} and {:.3f}", a, b'

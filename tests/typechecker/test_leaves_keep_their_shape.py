"""A function over the leaves of an unknown tree keeps their shape; the message says so."""

from __future__ import annotations

import pytest

from dsl.diagnostics.source import Source
from typechecker import check_source


@pytest.mark.parametrize("body", ["tree_map(fn x -> sum(x), p)", "tree_map(fn x -> 2.0, p)"])
def test_the_help_names_the_tree(body: str) -> None:
    text = f"def f[P: VSpace[f32]](p: P) -> P = {body}\n"
    (found,) = check_source(Source("t.dsl", text)).diagnostics
    assert found.code == "E0402"
    (advice,) = found.help
    assert "the leaves of `P` may have any shape" in advice.text and "`tree_reduce`" in advice.text


def test_a_declared_result_gets_another_help() -> None:
    (found,) = check_source(Source("t.dsl", "def f(x: f32[n]) -> f32 = x\n")).diagnostics
    assert "leaves" not in " ".join(advice.text for advice in found.help)

"""A file of the library, checked by its path, is the module that programs import."""

from __future__ import annotations

from pathlib import Path

import pytest

import stdlib
from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from typechecker import check_file, check_source

FILES = [Path(stdlib.FOLDER) / f"{name}.dsl" for name in ("fft", "graph", "stats")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_the_library_is_right(path: Path) -> None:
    result = check_file(path, known_library())
    assert result.diagnostics == ()
    assert result.main is not None and result.main.source.in_library


def test_a_list_of_axes_may_be_none() -> None:
    text = """\
static def same(a: axes) -> shape = [x for x in a]

def f(x: f32[*s], static axis: axes = none) -> f32[*same(axis)] = zeros(same(axis))

def g(x: f32[n]) = f(x)

def h(x: f32[n]) = f(x, axis=[2, 3])
"""
    (wrong,) = check_source(Source("t.dsl", text), cache=known_library()).diagnostics
    assert (wrong.code, wrong.primary.span.text) == ("E0407", "f(x)")

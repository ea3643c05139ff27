"""One row per transformation; every table of rules has exactly the rows, Python's functions and the pages too."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import dsl
from dsl.core.transformation import AT_ONCE, MAKING_FUNCTIONS, TRANSFORMATIONS, Kind
from dsl.host.functions import transforms
from dsl.staging.transforms import apply
from tests.support.cases import some
from typechecker.builtins import table
from typechecker.transforms import linear_functions, transformations

PAGES = Path(__file__).parents[2] / "docs" / "transformations"


def test_every_kind_has_a_row() -> None:
    assert set(TRANSFORMATIONS) == set(Kind)


def test_every_kind_is_typed_by_one_rule() -> None:
    assert set(transformations.RULES) == set(MAKING_FUNCTIONS)
    assert set(linear_functions.RULES) == set(AT_ONCE)


def test_every_kind_is_staged() -> None:
    assert set(apply.KINDS) == set(Kind)
    assert set(apply.CALLS) == set(AT_ONCE)


def test_every_kind_has_its_name_in_programs() -> None:
    assert set(Kind) <= set(table.table())


@pytest.mark.parametrize("kind", Kind)
def test_python_has_a_function_with_the_same_parameters(kind: Kind) -> None:
    function = getattr(transforms, kind)
    assert getattr(dsl, kind) is function and kind in dsl.__all__ and function.__doc__
    named = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert tuple(p.name for p in named) == ("f", *TRANSFORMATIONS[kind].parameters)
    missing = tuple(p.name for p in named[1:] if p.default is p.empty)
    assert missing == TRANSFORMATIONS[kind].required


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_page(kind: Kind) -> None:
    page = TRANSFORMATIONS[kind].page
    assert f"`{kind}" in (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert f"({page}.md)" in (PAGES / "README.md").read_text(encoding="utf-8")


def test_every_page_is_of_a_kind() -> None:
    assert {p.stem for p in PAGES.glob("*.md")} - {"README"} == {row.page for row in TRANSFORMATIONS.values()}


def test_only_derivatives_give_their_value_too() -> None:
    valued = [row for row in TRANSFORMATIONS.values() if row.with_value]
    assert all(row.mode is not None for row in some(valued))

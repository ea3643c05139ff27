"""What the library says of its functions beside their types, held against values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import dsl
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import parse
from tests.stdlib.test_library import MODULES
from tests.support.library import source
from typechecker import check_source
from typechecker.declarations.attributes import Attribute

MATRIX = np.array([[3.0, -1.0, 4.0], [1.5, -5.0, 9.0], [2.0, 6.0, -5.5]], np.float32)
CALLS = {"_max": "max", "_min": "min"}
MORE = {"expand_dims": ", axis=0", "squeeze": ", axis=0", "swapaxes": ", 0, 1", "repeat": ", 2", "flip": ", axis=0"}


def stated() -> Iterator[tuple[str, ast.Def, ast.Attribute]]:
    for module in MODULES:
        tree, _ = parse(source(module))
        defs = {d.name.name: d for d in tree.declarations if isinstance(d, ast.Def)}
        for name, attributes in tree.attributes.items():
            for attribute in attributes:
                yield module, defs[name], attribute


def named(attribute: Attribute) -> list[tuple[str, ast.Def, ast.Attribute]]:
    return [entry for entry in stated() if entry[2].name == attribute.value]


def test_parameters_are_those_of_the_definition() -> None:
    for _, node, attribute in stated():
        assert set(attribute.parameters) <= {p.name.name for p in node.params}, node.name


@pytest.mark.parametrize("attribute", Attribute)
def test_every_attribute_is_stated_of_something(attribute: Attribute) -> None:
    assert named(attribute)


def elements_program(name: str) -> str:
    """A program that applies a function whose result holds elements of its first array."""
    call = CALLS.get(name, name)
    if name == "full":
        return "def run(x: f32[3, 3]) = full([2, 2], x[1, 1])\n"
    if name == "full_like":
        return "def run(x: f32[3, 3]) = full_like(x, x[1, 1])\n"
    given = "x[:1]" if name == "squeeze" else "x"
    return f"def run(x: f32[3, 3]) = {call}({given}{MORE.get(name, '')})\n"


@pytest.mark.parametrize("name", [node.name.name for _, node, _ in named(Attribute.ELEMENTS)])
def test_elements_are_those_of_the_array(name: str) -> None:
    found = np.asarray(dsl.program(elements_program(name)).run(MATRIX))
    assert np.isin(found, MATRIX).all()


def test_a_sum_holds_no_elements() -> None:
    with pytest.raises(AssertionError):
        test_elements_are_those_of_the_array("cumsum")


def test_users_have_no_attributes() -> None:
    text = "@elements(x)\ndef f(x: f32[n]) -> f32[n] = x\n"
    assert [d.code for d in check_source(Source("user.dsl", text)).diagnostics] == ["E0122"]


def test_what_is_no_attribute_is_refused() -> None:
    with pytest.raises(ValueError, match="no attribute"):
        parse(Source("<stdlib>/x.dsl", "@elements[x]\ndef f(x: f32[n]) -> f32[n] = x\n"))

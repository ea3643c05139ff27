"""What is written of a checked program and read again is the same; what has no written form is refused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.core.codec.decode import decode
from dsl.core.codec.encode import Unwritable, encode
from dsl.core.core import Program
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Source, Span
from dsl.types.dtype import ALL
from tests.support.cases import some
from tests.support.checked import differences, with_program
from tests.support.corpus import read_programs
from typechecker import check_file

CASES = Path(__file__).parents[2] / "typechecker" / "cases" / "accept"
EXAMPLES = Path(__file__).parents[3] / "examples"

ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.sampled_from(ALL)
)
VALUES = st.recursive(ATOMS | st.sampled_from(Kind), lambda v: st.lists(v) | st.lists(v).map(tuple))


def again(value: object, sources: Sequence[Source] = ()) -> object:
    names = {source: str(number) for number, source in enumerate(sources)}
    return decode(encode(value, lambda source: names.get(source)), lambda name: sources[int(name)])


@settings(max_examples=40)
@given(VALUES)
def test_values_come_back_as_they_were(value: object) -> None:
    assert repr(again(value)) == repr(value)


def test_what_is_equal_is_written_once() -> None:
    assert len(encode([(1, 2.5, "x")] * 1000, lambda _: None)) < 5000
    found = again([(1, 2.5), (1, 2.5), (1, True), (1, 1)])
    assert isinstance(found, list) and found[0] is found[1] and found[2][1] is True and found[3][1] is not True


@pytest.mark.parametrize("value", [lambda: 0, object(), Path(), [lambda: 0], partial(print, end="")])
def test_what_has_no_name_is_refused(value: object) -> None:
    with pytest.raises(Unwritable):
        encode(value, lambda _: None)


def test_a_place_in_a_text_without_a_name_is_refused() -> None:
    with pytest.raises(Unwritable):
        encode(Span(Source("a.dsl", "x"), 0, 1), lambda _: None)


@pytest.mark.parametrize("file", sorted(CASES.glob("*.dsl")), ids=lambda file: file.stem)
def test_a_checked_program_comes_back_as_it_was(file: Path) -> None:
    for case in some(list(read_programs(file))[::20]):
        result = case.check()
        assert result.program is not None
        found = again(result.program, [module.source for module in result.program.modules.values()])
        assert found == result.program
        assert isinstance(found, Program)
        assert differences(with_program(result, found), result) == []


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.dsl")), ids=lambda file: file.stem)
def test_examples_can_be_written(file: Path) -> None:
    result = check_file(file)
    assert result.program is not None
    assert again(result.program, [module.source for module in result.program.modules.values()]) == result.program


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "builtins:eval",
        "dsl.core.codec.decode:import_module",
        "dsl.core.codec.encode:json.codecs.open",
        "dsl.diagnostics.atomic:write",
        "dsl.types.type:missing",
    ],
)
@pytest.mark.parametrize(
    "text", ['[["{name}"],[[0]]]', '[["named"],["{name}",[0,0]]]', '[["named","partial"],["{name}",[0,0],[1,1]]]']
)
def test_a_text_names_nothing_but_data(name: str, text: str) -> None:
    with pytest.raises((LookupError, AttributeError)):
        decode(text.replace("{name}", name), lambda _: Source("a.dsl", ""))


def test_only_classes_make_rows() -> None:
    with pytest.raises(LookupError):
        decode('[["dsl.types.shapefn.axes:has_axis"],[[0]]]', lambda _: Source("a.dsl", ""))

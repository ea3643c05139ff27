"""Where the text of a program stands: errors name the file of Python, and `inspect` finds functions."""

from __future__ import annotations

import inspect
import linecache
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from IPython.core.oinspect import Inspector

import dsl

BELOW = """
    def sink(x: f32[n]) -> f32 = x
"""
LINES = Path(__file__).read_text("utf-8").splitlines()


def place_of(error: dsl.DslError) -> tuple[str, int, int]:
    span = error.diagnostics[0].primary.span
    return (span.source.name, *span.source.position(span.start))


def line_with(text: str) -> int:
    return next(k for k, line in enumerate(LINES, 1) if text in line)


def test_errors_in_strings_name_the_file_of_python() -> None:
    with pytest.raises(dsl.ShapeError) as found:
        dsl.program("def line(x: f32[n]) -> f32 = x")
    row = line_with("def line(")
    assert place_of(found.value) == (__file__, row, LINES[row - 1].index("= x") + 3)
    with pytest.raises(dsl.ShapeError) as found:
        dsl.program("""
            def good(x: f32[n]) -> f32[n] = x
            def several(x: f32[n]) -> f32 =
                good(x)
        """)
    row = line_with("def several(") + 1
    assert place_of(found.value) == (__file__, row, LINES[row - 1].index("good") + 1)
    with pytest.raises(dsl.ShapeError) as found:
        dsl.program(BELOW)
    assert place_of(found.value)[:2] == (__file__, line_with("def sink("))


def failing() -> dsl.Program:
    return dsl.program("""
        def inverse(x: f32[n]) -> f32[n] ! check =
            assert min(x) > 0.0
            1.0 / x
        def chosen(x: f32[n], i: idx[n]) -> f32 = x[i]
    """)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda m: m.inverse([1.0, 0.0]).tolist(), "assert min(x)"),
        (lambda m: m.chosen([1.0, 2.0], 2), "def chosen("),
        (lambda m: m.chosen([1.0, 2.0]), "def chosen("),
        (lambda m: dsl.vmap(m.inverse, in_axes=(0, 1)), "def inverse("),
    ],
)
def test_errors_of_calls_name_the_file_of_python(call: Callable[[dsl.Program], object], line: str) -> None:
    with pytest.raises(dsl.DslError) as found:
        call(failing())
    assert place_of(found.value)[:2] == (__file__, line_with(line))
    assert f"--> {__file__}:" in str(found.value)


def test_each_call_with_a_text_has_its_own_place() -> None:
    def first() -> dsl.Program:
        return dsl.program("def twice(x: f32[n]) -> f32[2 * n] = concatenate((x, x))  # here")

    def second() -> dsl.Program:
        return dsl.program("def twice(x: f32[n]) -> f32[2 * n] = concatenate((x, x))  # here")

    rows = []
    for program in (first(), second(), pickle.loads(pickle.dumps(second()))):
        with pytest.raises(dsl.ArgumentError) as found:
            program.twice("text")
        rows.append(place_of(found.value)[1])
    (one, two) = [
        k for k, text in enumerate(LINES, 1) if text.lstrip().startswith("return dsl.program") and "twice" in text
    ]
    assert rows == [one, two, two]


def test_strings_that_do_not_stand_in_a_file_have_no_place_in_one() -> None:
    with pytest.raises(dsl.ShapeError) as found:
        dsl.program("def {}(x: f32[n]) -> f32 = x".format("f"))
    assert place_of(found.value) == ("<string>", 1, 27)


def test_inspect_finds_the_text_of_a_function(tmp_path: Path) -> None:
    text = "def f(x: f32[n]) -> f32[n] =\n    let y = x\n    y\n\ndef g(x: f32) -> f32 = x\n"
    (tmp_path / "model.dsl").write_text(text)
    for program in (dsl.program(text), dsl.load(tmp_path / "model.dsl")):
        assert inspect.getsource(program.f) == text[: text.index("\n\n") + 1]
        assert inspect.getsourcelines(program.g) == (["def g(x: f32) -> f32 = x\n"], 5)
        assert str(inspect.signature(program.g)).startswith("(x: ")
    assert str(tmp_path / "model.dsl") in linecache.cache


def test_unwrapped_functions_are_taken_by_all_functions_of_inspect(tmp_path: Path) -> None:
    path = tmp_path / "placed.dsl"
    path.write_text("## Once.\ndef once(x: f32[n]) = x\n\ndef twice(x: f32[n]) =\n    x + x\n")
    loaded = dsl.load(path).twice
    in_string = dsl.program("""
        def twice(x: f32[n]) =
            x + x
    """).twice
    for f in (loaded, in_string, dsl.vmap(loaded)):
        lines, first = inspect.getsourcelines(f)
        unwrapped = inspect.unwrap(f)
        whole, at = inspect.findsource(unwrapped)
        assert [line.strip() for line in lines] == ["def twice(x: f32[n]) =", "x + x"]
        assert whole[at] == lines[0] and at == first - 1
        assert inspect.getfile(unwrapped) == inspect.getsourcefile(unwrapped) == inspect.getfile(inspect.unwrap(f))
    assert inspect.getsourcefile(inspect.unwrap(loaded)) == str(path)


def test_ipython_finds_file_and_text(tmp_path: Path) -> None:
    path = tmp_path / "shown.dsl"
    path.write_text("def twice(x: f32[n]) = x + x\n")
    found = Inspector(theme_name="nocolor").info(dsl.load(path).twice, oname="twice", detail_level=1)
    assert (found["file"], found["source"]) == (str(path), path.read_text().rstrip())

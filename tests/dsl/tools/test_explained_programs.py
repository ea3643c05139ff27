"""`dsl explain FILE` shows the page of each error with the lines of the program, before and after its advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.__main__ import execute
from dsl.diagnostics.explain import blocks
from typechecker import check_file

Streams = pytest.CaptureFixture[str]

PROGRAM = """type Params[d] = {w: f32[d], b: f32}

## The prediction.
def predict(
    w: f32[k], x: f32[n, d]
) -> f32[n] =
    x @ w

def total(x: f32[n]) -> f32 =
    let found = summ(x)
    found

def half(x: f32[n]) -> f32[n] = x / 2
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.dsl").write_text(PROGRAM)
    return tmp_path / "model.dsl"


def test_pages_begin_with_the_lines_of_the_program(model: Path, capsys: Streams) -> None:
    assert execute(["explain", "model.dsl"]) == 0
    said = capsys.readouterr().out
    assert [line for line in said.splitlines() if line.startswith("# ")] == [
        "# E0201: undefined name",
        "# E0401: shapes do not match",
    ]
    assert "## model.dsl, line 10, column 17\n\nUndefined name `summ`." in said
    assert "- `x @ w`: x is f32[n, d] and w is f32[k]; the inner sizes d and k must be equal\n" in said
    assert "- for instance d = 2, k = 3\n" in said
    own = blocks(said.partition("## In general")[0])
    assert [block.words for block in own] == [("bad",), ("good",)]
    assert own[0].text == "def total(x: f32[n]) -> f32 =\n    let found = summ(x)\n    found\n"
    assert own[1].text == own[0].text.replace("summ", "sum")
    assert "No local value, parameter, size, declaration" in said


def test_a_code_picks_its_errors(model: Path, capsys: Streams) -> None:
    assert execute(["explain", "e0401", "model.dsl"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("# E0401: shapes do not match\n\n## model.dsl, line 7, column 5\n")
    assert "def predict(\n    w: f32[k], x: f32[n, d]\n) -> f32[n] =\n    x @ w\n```" in said and "summ" not in said


def test_a_code_that_a_program_does_not_have(model: Path, capsys: Streams) -> None:
    assert execute(["explain", "E0402", "model.dsl"]) == 0
    assert capsys.readouterr().out.startswith("model.dsl: no E0402\n\n# E0402: shape mismatch\n")
    model.write_text("def f(x: f32) -> f32 = x\n")
    assert execute(["explain", "model.dsl"]) == 0
    assert capsys.readouterr().out == "model.dsl: nothing is wrong\n"


def test_what_cannot_be_read_is_told(model: Path, capsys: Streams) -> None:
    assert execute(["explain", "modle.dsl"]) == 2
    assert "no file modle.dsl" in capsys.readouterr().err
    assert execute(["explain", "E0402", "model.dsl", "modle"]) == 2
    assert "no file modle" in capsys.readouterr().err
    model.write_text("def f(x: f32[n]) = (x\n")
    assert execute(["explain", "model.dsl"]) == 0
    assert capsys.readouterr().out.startswith("# E01")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: f32[n], y: f32[n]) -> f32 =\n    sum(x * y) + summ(x)\n",
        "def f(x: f32[n, m]) -> f32[n] = sum(x, axis=0)\n",
        "def g(x: f32[n]) -> f32[n] = x\n\ndef f(x: f32[n]) -> i32[n] = g(x)\n",
    ],
)
def test_the_mended_lines_are_accepted(text: str, tmp_path: Path, capsys: Streams) -> None:
    path = tmp_path / "own.dsl"
    path.write_text(text)
    assert execute(["explain", str(path)]) == 0
    own = blocks(capsys.readouterr().out.partition("## In general")[0])
    mended = [block.text for block in own if "good" in block.words]
    refused = next(block.text for block in own if "bad" in block.words)
    assert mended and refused in text
    path.write_text(text.replace(refused, mended[0]))
    assert check_file(path).diagnostics == ()

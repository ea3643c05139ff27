"""`dsl test`, `dsl doc`, `dsl bench`, `dsl watch`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.__main__ import execute
from dsl.interactive import watch as watching
from dsl.interactive.testing import run_tests

PROGRAM = """\
## Ways to double.
## >>> double([1.0]) + 1.0
## [3.0]

## Twice as much.
## >>> double([1.0, 2.0])
## [2.0, 4.0]
## >>> sum(double([0.1, 0.2]))
## 0.6
def double(x: f32[n]) -> f32[n] = 2.0 * x

## Doubling commutes with sums, whatever the size.
def test_sums(x: f32[n], static k: int) -> f32[n] ! check =
    assert abs(sum(double(x)) - 2.0 * sum(x)) < 0.001
    x

def test_long(x: f32[n]) -> f32 ! check where n >= 3 =
    let y = x[2]
    assert y == x[2]
    y
"""


DOUBLE = "def double(x: f32[n]) -> f32[n] = 2.0 * x\n"
FAILING = """\
from random import normal

type P[d] = {w: f32[d], b: f32}

def test_first(x: f32[n], p: P[d]) -> f32 ! check =
    assert n < 2 or x[0] < 0.5 or sum(p.w) > 100.0
    p.b

def test_draws(static k: int, x: f32[n, m]) -> f32 ! {check, rand} =
    let u = normal(fresh_key(), [k])
    assert sum(x) < 1.5
    u[0]

def test_counts(x: i32[n], k: key, b: bool) -> bool ! check =
    assert sum(x) < i32(1)
    b
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "double.dsl"
    made.write_text(PROGRAM)
    return made


def test_examples_and_properties(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [(o.name, o.wrong) for o in run_tests(path)] == [
        ("double.dsl, example 1", ""),
        ("double, example 1", ""),
        ("double, example 2", ""),
        ("test_sums", ""),
        ("test_long", ""),
    ]
    assert execute(["test", str(path)]) == 0
    assert capsys.readouterr().out == "5 tests passed\n"


def test_what_is_wrong_is_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(PROGRAM.replace("2.0 * x", "3.0 * x").replace("y == x[2]", "y > 100.0").replace("n >= 3", "n >= 9"))
    assert execute(["test", str(path)]) == 1
    said = capsys.readouterr().out
    assert "double([1.0, 2.0]) gives [3. 6.], not [2.0, 4.0]" in said
    assert "test_sums failed" in said and "with x = [1.0], k = 1\n" in said
    assert "no arguments were found that its conditions allow" in said
    assert said.endswith("5 tests, 5 failed\n")


def test_arguments_of_a_failure_are_as_simple_as_possible(path: Path) -> None:
    path.write_text(FAILING)
    outcomes = list(run_tests(path))
    shown = [line for o in outcomes for line in o.wrong.splitlines() if line.startswith("with ")]
    assert shown == [
        "with x = [1.0, 0.0], p = {b = 0.0, w = [0.0]}",
        "with x = [[1.0, 1.0]], k = 1, key = 5",
        "with x = [1], k = 0, b = False",
    ]
    assert outcomes == list(run_tests(path))


def test_a_failure_is_found_again_by_its_seed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(FAILING[: FAILING.index("def test_draws")])
    assert execute(["test", str(path)]) == 1
    said = capsys.readouterr().out
    command = next(line for line in said.splitlines() if line.startswith("found by ")).split("`")[1]
    assert command == f"dsl test --seed 1 {path}"
    assert execute(command.split()[1:]) == 1
    assert capsys.readouterr().out == said


def test_what_a_program_says(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["doc", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Ways to double." in said and "def double(x: f32[n]) -> f32[n]" in said
    page = path.with_suffix(".html")
    assert execute(["doc", str(path), "-o", str(page)]) == 0
    assert "<title>double</title>" in page.read_text() and "Twice as much." in page.read_text()


def test_times(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["bench", str(path), "double", "-n", "n=8", "-r", "3"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("double: first call 0.") and "in the median of 3" in said


def test_programs_are_checked_when_a_file_changes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.0)
    checked: list[str] = []

    def rounds() -> list[int]:
        return [0, 1, 2, 3]

    def check() -> None:
        checked.append(path.read_text())
        if len(checked) == 1:
            path.write_text("## changed\n")

    watching.watch([path], check, iter(rounds()))
    assert checked == [PROGRAM, "## changed\n"]


def test_watching_says_that_all_is_well_also_in_a_file(tmp_path: Path) -> None:
    program, said = tmp_path / "m.dsl", tmp_path / "said.txt"
    program.write_text(DOUBLE)
    with said.open("w") as output:
        command = [sys.executable, "-m", "dsl", "watch", str(program)]
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        watched, well = f"watching {program}\n", f"no errors in {program}\n"
        wait_until(lambda: said.read_text() == watched + well)
        program.write_text(DOUBLE.replace("-> f32[n]", "-> f32"))
        wait_until(lambda: said.read_text().endswith(f"1 error in {program}\n"))
        program.write_text(DOUBLE)
        wait_until(lambda: said.read_text().endswith(watched + well) and said.read_text().count(well) == 2)
    finally:
        process.terminate()
        process.wait()


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("this never came about")

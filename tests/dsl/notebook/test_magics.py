"""The extension for IPython, in a shell of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell

import dsl

GOOD = """
## Twice as much.
def double(x: f32[n]) -> f32[n] = x * 2.0

let width = 3
"""


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "dsl")
    yield made
    InteractiveShell.clear_instance()


def html(shell: Any, value: object) -> str:
    data, _ = shell.display_formatter.format(value)
    return str(data["text/html"])


def test_a_cell_gives_its_names_to_the_notebook(shell: Any) -> None:
    program = shell.run_cell_magic("dsl", "", GOOD)
    assert shell.ev("double([1.0, 2.0]).tolist()") == [2.0, 4.0]
    assert shell.ev("width") == 3
    assert "Twice as much." in html(shell, program) and "<span" in html(shell, shell.ev("double"))
    shell.run_cell_magic("dsl", "model", GOOD.replace("2.0", "3.0"))
    assert shell.ev("model.double([1.0]).tolist()") == [3.0]


def test_the_ir_of_a_call(shell: Any) -> None:
    shell.run_cell_magic("dsl", "", GOOD)
    shown = shell.run_line_magic("dsl_ir", "double([1.0, 2.0])")
    assert "f32[2]" in repr(shown) and "<span" in html(shell, shown)
    for wrong in ("double", "len([1])"):
        assert isinstance(shell.run_cell(f"%dsl_ir {wrong}", silent=True).error_in_exec, Exception)


def test_errors_have_no_frame_of_puredsl(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = shell.run_cell("%%dsl\ndef f(x: f32[n], y: f32[k]) -> f32[n] = x + y\n")
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert "error[E0401]" in said and "<cell 1>:2:" in said
    assert "site-packages" not in said and "dsl/host" not in said and "interactiveshell" not in said
    assert "color: #b00020" in html(shell, result.error_in_exec)


def test_a_wrong_argument_shows_the_line_of_the_cell(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("dsl", "", GOOD)
    shell.run_cell("a = 1\ndouble(a)")
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert "double(a)" in said and "ArgumentError" in said and "binding.py" not in said


def test_names_that_python_has_bound_otherwise_stay(shell: Any) -> None:
    shell.run_cell_magic("dsl", "", "def one() = 1.0\ndef two() = 2.0\n")
    shell.run_cell("two = 'mine'")
    shell.run_cell_magic("dsl", "", "def one() = 3.0\n")
    assert shell.ev("two") == "mine" and float(shell.ev("one()")) == 3.0
    shell.run_cell_magic("dsl", "", "def two() = 4.0\n")
    assert float(shell.ev("two()")) == 4.0


def test_what_means_the_same_stays_compiled(shell: Any) -> None:
    shell.run_cell_magic("dsl", "", "def inner(x: f32) = x\ndef outer(x: f32) = inner(x)\n")
    shell.run_cell_magic("dsl", "", "def other(x: f32) = x + 1.0\n")
    calls = "float(outer(1.0)), float(other(1.0))"
    assert shell.ev(calls) == (1.0, 2.0)
    shell.run_cell_magic("dsl", "", "def new(x: f32) = x\n")
    assert shell.ev(calls) == (1.0, 2.0)
    assert [shell.ev(f"{name}.cache_info().misses") for name in ("outer", "other")] == [0, 0]
    shell.run_cell_magic("dsl", "", "def inner(x: f32) = 3.0 * x\n")
    assert shell.ev(calls) == (3.0, 2.0)
    assert [shell.ev(f"{name}.cache_info().misses") for name in ("outer", "other")] == [1, 0]


def test_what_no_longer_fits_says_so_when_it_is_called(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("dsl", "", "def inner(x: f32) = x\ndef outer(x: f32) = inner(x)\n")
    report = shell.run_cell_magic("dsl", "", "def inner(x: f32, y: f32) = x + y\n")
    assert "no longer fits: outer" in repr(report) and "E0307" in html(shell, report)
    assert repr(shell.ev("outer")).startswith("<`outer` no longer fits: missing argument `y`")
    error = shell.run_cell("outer(1.0)", silent=True).error_in_exec
    assert isinstance(error, dsl.DslError) and error.code == "E0307"
    assert "fits again: outer" in repr(shell.run_cell_magic("dsl", "", "def inner(x: f32) = 2.0 * x\n"))
    assert float(shell.ev("outer(1.0)")) == 2.0


def test_time_cost_and_layout_of_a_call(shell: Any) -> None:
    shell.run_cell_magic("dsl", "", GOOD)
    assert repr(shell.run_line_magic("dsl_time", "double([1.0, 2.0, 3.0])")).startswith("compiled and called in")
    assert repr(shell.run_line_magic("dsl_time", "double([1.0, 2.0, 3.0])")).endswith("µs in the median of 7 calls")
    cost = repr(shell.run_line_magic("dsl_cost", "double([1.0, 2.0, 3.0])"))
    assert cost.splitlines()[0] == "3 flops = n"
    assert "cpu:0" in repr(shell.run_line_magic("dsl_layout", "double([1.0])"))
    for magic, wrong in (("dsl_time", "1"), ("dsl_cost", "nowhere(1)"), ("dsl_layout", "1"), ("dsl_layout", "")):
        with pytest.raises(UsageError):
            shell.run_line_magic(magic, wrong)


def test_a_notebook_draws_the_picture_of_a_function() -> None:
    picture = dsl.program("def f(x: f32[n]) -> f32[n] = 2.0 * x").f.ir_svg([1.0])
    formatter: Any = DisplayFormatter()
    shown, _ = formatter.format(picture)
    assert shown["image/svg+xml"] == picture == str(picture) and picture.startswith("<svg")

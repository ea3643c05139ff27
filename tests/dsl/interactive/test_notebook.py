"""The extension for IPython, in a shell of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
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
    assert "error[E0401]" in said and "<cell>:1:" in said
    assert "site-packages" not in said and "dsl/host" not in said and "interactiveshell" not in said
    assert "color: #b00020" in html(shell, result.error_in_exec)


def test_a_wrong_argument_shows_the_line_of_the_cell(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("dsl", "", GOOD)
    shell.run_cell("a = 1\ndouble(a)")
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert "double(a)" in said and "ArgumentError" in said and "binding.py" not in said


def test_a_notebook_draws_the_picture_of_a_function() -> None:
    picture = dsl.program("def f(x: f32[n]) -> f32[n] = 2.0 * x").f.ir_svg([1.0])
    formatter: Any = DisplayFormatter()
    shown, _ = formatter.format(picture)
    assert shown["image/svg+xml"] == picture == str(picture) and picture.startswith("<svg")

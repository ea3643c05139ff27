"""What Python and pytest print of an error in a program: the user's lines alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dsl
from dsl.diagnostics.tracebacks import shorten_traceback

SCRIPT = """
import dsl

def twice(x):
    return m.double(x)

m = dsl.program("def double(x: f32[n]) -> f32[n] = x * 2.0")
"""
TEST = (
    SCRIPT
    + """
def test_twice():
    twice(1)
"""
)


def printed(folder: Path, *command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stdout + done.stderr


def test_python_prints_the_lines_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT + "twice(1)")
    said = printed(tmp_path, "script.py")
    assert said.count("File ") == 2 and "return m.double(x)" in said
    assert "\ndsl.ArgumentError: error[E0903]" in said
    assert "dispatch.py" in printed(tmp_path, "script.py", DSL_DEBUG="1")


def test_pytest_shows_the_lines_of_the_test(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TEST)
    said = printed(tmp_path, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "puredsl", "test_it.py")
    assert "return m.double(x)" in said and "error[E0903]" in said
    assert "function.py" not in said and "explained" not in said


def test_other_errors_keep_their_frames() -> None:
    m = dsl.program("def double(x: f32[n]) -> f32[n] = x * 2.0")
    with pytest.raises(dsl.ArgumentError) as caught:
        m.double(1)
    whole, short = caught.value.__traceback__, shorten_traceback(caught.value.__traceback__)
    assert whole is not None and short is not None
    assert whole.tb_next is not None and short.tb_next is None and short.tb_frame is whole.tb_frame
    assert shorten_traceback(whole.tb_next) is whole.tb_next

"""`docs/debugging.md`: its sessions print what they show, its Python runs."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

import dsl
from dsl.__main__ import execute
from dsl.diagnostics.explain import blocks
from dsl.interactive.debugger.session import HELP
from tests.support.cases import some

PAGE = Path(__file__).parents[2] / "docs" / "debugging.md"
BLOCKS = list(blocks(PAGE.read_text(encoding="utf-8")))
SESSIONS = [block.text for block in BLOCKS if block.language == "console"]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda text: text.splitlines()[0])
def test_a_session_is_as_it_is_shown(session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in some([block for block in BLOCKS if block.file is not None]):
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
    command, _, shown = session.partition("\n")
    entered = re.findall(r"^\(debug\) (.*)$", shown, re.MULTILINE)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in entered)))
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        assert execute(shlex.split(command.removeprefix("$ "))[1:]) == 0
    assert output.getvalue().strip("\n") == shown.strip("\n")


def test_python_runs_and_prints_the_lines(capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"dsl": dsl}
    for block in some([block for block in BLOCKS if block.language == "python"]):
        exec(compile(block.text, str(PAGE), "exec"), names)
    (printed,) = [block.text for block in BLOCKS if block.language == "text"]
    assert sorted(capfd.readouterr().out.splitlines()) == sorted(printed.splitlines())


def test_the_page_and_the_help_have_the_same_commands() -> None:
    table = "\n".join(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|"))
    heads = " ".join(re.findall(r"^  ([^ ].*?)  ", HELP, re.MULTILINE))
    assert set(re.findall(r"\b[a-z]+\b", heads)) - set(re.findall(r"\b[a-z]+\b", table)) == set()
    assert "continue" in heads

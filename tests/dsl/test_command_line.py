"""The command line: exit codes, streams, and what is said where something is wrong."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import click
import numpy as np
import polars
import pytest

import dsl
from dsl.__main__ import cli, execute

GOOD = "def half(x: f32[n]) -> f32[n] =\n    x / 2.0\n"
BAD = "def f(w: f32[k], x: f32[n, d]) -> f32[n] =\n    x @ w\n"
UGLY = "def half( x:f32[n] )->f32[n]=x/2.0  # a comment\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DSL_DEBUG", raising=False)
    for name, text in (("good.dsl", GOOD), ("bad.dsl", BAD), ("ugly.dsl", UGLY)):
        (tmp_path / name).write_text(text)
    return tmp_path


Streams = pytest.CaptureFixture[str]


def test_help_and_version_are_no_errors(capsys: Streams) -> None:
    assert execute(["--help"]) == 0
    assert "Exit codes: 0 nothing wrong" in capsys.readouterr().out
    assert execute(["--version"]) == 0
    assert capsys.readouterr().out.startswith("dsl ")
    for command in cli.commands:
        assert execute([command, "--help"]) == 0
        assert "Usage: dsl" in capsys.readouterr().out


def test_each_command_says_in_a_line_what_it_does(capsys: Streams) -> None:
    execute(["--help"])
    listed = capsys.readouterr().out.partition("Commands:")[2]
    assert "..." not in listed and len(listed.strip().splitlines()) == len(cli.commands)


def test_a_size_is_no_static_argument(capsys: Streams) -> None:
    assert execute(["ir", "good.dsl", "half", "-s", "n=3"]) == 1
    assert "`n` is a size: the arguments tell it, or `--size n=…`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["run", "good.dsl", "half", "--steps", "50"], "a static one `--static steps=…`."),
        (["run", "good.dsl", "--learning-rate=0.1"], "`--arg learning_rate=…`"),
        (["run", "good.dsl", "half", "x=[1,2]"], "`--arg x=[1,2]`"),
        (["run", "good.dsl", "half", "50"], "`--arg NAME=VALUE`"),
        (["cost", "good.dsl", "half", "n=100"], "a size `--size n=100`"),
        (["cost", "good.dsl", "n=100"], "a size `--size n=100`"),
        (["build", "good.dsl", "--sizes", "n=100"], "Did you mean '--size'?"),
    ],
)
def test_arguments_of_the_function_are_told_their_option(words: list[str], advice: str, capsys: Streams) -> None:
    assert execute(words) == 2
    shown = capsys.readouterr().err
    assert advice in shown and "--help'?" not in shown


def test_what_is_kept_is_shown_and_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    assert execute(["cache", "info"]) == 0
    assert capsys.readouterr().out == "the cache is off, or its folder cannot be used\n"
    monkeypatch.delenv("DSL_CACHE")
    monkeypatch.setenv("DSL_CACHE_DIR", str(folder / "kept"))
    execute(["check", "good.dsl", "bad.dsl"])
    capsys.readouterr()
    execute(["cache", "path"])
    assert capsys.readouterr().out == f"{folder / 'kept'}\n"
    execute(["cache", "info"])
    assert capsys.readouterr().out.startswith("2 checked texts, ")
    assert execute(["cache", "clear"]) == 0
    execute(["cache", "info"])
    assert capsys.readouterr().out.splitlines() == [
        f"0 checked texts, 0.0 MB, in {folder / 'kept'}",
        f"0 compiled programs, 0.0 MB, in {folder / 'kept'}",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["chekc"],
        ["check"],
        ["check", "--format", "xml", "good.dsl"],
        ["explain", "E9999"],
        ["explain", "nonsense"],
        ["run", "good.dsl", "--static", "steps"],
        ["run", "good.dsl", "--static", "a=1", "--static", "a=2"],
        ["run", "good.dsl", "--output", "out.csv"],
        ["ir", "good.dsl", "--size", "n=-1"],
        ["ir", "good.dsl", "--size", "m=1"],
    ],
)
def test_wrong_usage_has_its_own_exit_code(arguments: list[str], capsys: Streams) -> None:
    assert execute(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_explain_prints_the_page_or_the_list(capsys: Streams) -> None:
    assert execute(["explain", "e0960"]) == 0
    assert capsys.readouterr().out.startswith("# E0960: cannot read a file\n")
    assert execute(["explain"]) == 0
    assert "  E0960  cannot read a file\n" in capsys.readouterr().out
    assert execute(["explain", "E0961x"]) == 2
    assert "the nearest is E0961" in capsys.readouterr().err


def test_check_says_nothing_about_a_good_file(capsys: Streams) -> None:
    assert execute(["check", "good.dsl"]) == 0
    assert capsys.readouterr().out == ""


def test_check_reports_and_counts(capsys: Streams) -> None:
    assert execute(["check", "good.dsl", "bad.dsl", "nix.dsl"]) == 1
    out = capsys.readouterr().out
    assert "error[E0401]" in out
    assert "--> bad.dsl:2:5" in out
    assert "error[E0960]: cannot read `nix.dsl`: no such file or directory" in out
    assert out.endswith("2 errors in 2 files\n")


def test_check_reports_json(capsys: Streams) -> None:
    assert execute(["check", "--format", "json", "bad.dsl"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    keys = (
        "code",
        "severity",
        "message",
        "file",
        "line",
        "column",
        "end_line",
        "end_column",
        "label",
        "related",
        "notes",
        "help",
        "fixes",
    )
    assert tuple(found) == keys
    assert (found["code"], found["file"], found["line"]) == ("E0401", "bad.dsl", 2)
    assert execute(["check", "--format", "json", "good.dsl"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_check_takes_folders_and_what_comes_in(folder: Path, capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "sub" / "deep" / "worse.dsl").write_text(BAD)
    (folder / "sub" / "fine.dsl").write_text(GOOD)
    assert execute(["check", "sub", "sub/deep", "good.dsl"]) == 1
    out = capsys.readouterr().out
    assert out.count("--> sub/deep/worse.dsl:2:5") == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("import good\n" + BAD))
    assert execute(["check", "-"]) == 1
    assert "--> <stdin>:3:5" in capsys.readouterr().out


def test_hidden_files_of_a_folder_are_passed_over(folder: Path, capsys: Streams) -> None:
    """Editors lock a file by a link to nothing beside it, and environments have programs of others."""
    (folder / "sub" / ".venv").mkdir(parents=True)
    (folder / "sub" / ".venv" / "worse.dsl").write_text(BAD)
    (folder / "sub" / "fine.dsl").write_text(GOOD)
    (folder / "sub" / ".#fine.dsl").symlink_to("user@machine.1234")
    assert execute(["check", "sub"]) == execute(["fmt", "--check", "sub"]) == execute(["doc", "sub"]) == 0
    assert capsys.readouterr().err == ""


def test_check_reports_to_programs(capsys: Streams) -> None:
    assert execute(["check", "--format", "github", "bad.dsl", "good.dsl"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=bad.dsl,line=2,endLine=2,col=5,title=E0401 shapes do not match::shapes do")
    assert execute(["check", "--format", "github", "good.dsl"]) == 0
    assert capsys.readouterr().out == ""
    assert execute(["check", "--format", "sarif", "bad.dsl"]) == 1
    found = json.loads(capsys.readouterr().out)
    (run,) = found["runs"]
    (result,) = run["results"]
    assert (found["version"], result["ruleId"], result["level"]) == ("2.1.0", "E0401", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "bad.dsl"
    assert place["region"] == {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 10}
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["E0401"]
    assert execute(["check", "--format", "sarif", "good.dsl"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"] == []


def test_fmt_shows_what_would_change_and_formats_what_comes_in(
    folder: Path, capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert execute(["fmt", "--diff", "ugly.dsl", "good.dsl"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- ugly.dsl\n+++ ugly.dsl (formatted)\n@@ -1 +1")
    assert f"\n-{UGLY}" in out
    assert (folder / "ugly.dsl").read_text() == UGLY
    assert execute(["fmt", "--diff", "good.dsl"]) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys, "stdin", io.StringIO(UGLY))
    assert execute(["fmt", "-"]) == 0
    formatted = capsys.readouterr().out
    assert execute(["fmt", "ugly.dsl"]) == 0
    assert (folder / "ugly.dsl").read_text() == formatted


def test_fmt_rewrites_once_and_keeps_what_it_cannot_read(folder: Path, capsys: Streams) -> None:
    (folder / "broken.dsl").write_text("def (\n")
    assert execute(["fmt", "--check", "ugly.dsl", "good.dsl"]) == 1
    assert capsys.readouterr().out == "would format ugly.dsl\n"
    assert (folder / "ugly.dsl").read_text() == UGLY
    assert execute(["fmt", "broken.dsl", "ugly.dsl", "good.dsl"]) == 1
    streams = capsys.readouterr()
    assert streams.out == "formatted ugly.dsl\n"
    assert "error[E01" in streams.err
    assert "# a comment" in (folder / "ugly.dsl").read_text()
    assert (folder / "broken.dsl").read_text() == "def (\n"
    assert execute(["fmt", "ugly.dsl", "good.dsl"]) == 0
    assert capsys.readouterr().out == ""


def test_run_prints_and_saves(folder: Path, capsys: Streams) -> None:
    (folder / "data.csv").write_text("x\n1\n3\n")
    assert execute(["run", "good.dsl", "--input", "data.csv", "--output", "out.npz"]) == 0
    assert capsys.readouterr().out == "result : f32[2] = [0.5, 1.5]\n"
    with np.load(folder / "out.npz") as saved:
        assert saved["result"].tolist() == [0.5, 1.5]


def test_run_takes_a_column_of_another_name(folder: Path, capsys: Streams) -> None:
    (folder / "data.csv").write_text("# a source\nlength,name\n1,a\n3,b\n")
    assert execute(["run", "good.dsl", "--input", "data.csv"]) == 1
    assert "help: a column of another name is named by --column x=…" in capsys.readouterr().err
    assert execute(["run", "good.dsl", "--input", "data.csv", "--column", "x=length"]) == 0
    assert capsys.readouterr().out == "result : f32[2] = [0.5, 1.5]\n"
    assert execute(["run", "good.dsl", "--input", "data.csv", "--column", "x=width"]) == 2
    assert "no file has a column 'width'" in capsys.readouterr().err


def test_run_reports_errors_of_the_program_and_of_the_data(folder: Path, capsys: Streams) -> None:
    assert execute(["run", "bad.dsl"]) == 1
    assert "error[E0401]" in capsys.readouterr().err
    assert execute(["run", "good.dsl"]) == 1
    assert "error[E0963]: missing value for `x`" in capsys.readouterr().err
    assert execute(["run", "good.dsl", "halve"]) == 1
    assert "did you mean `half`?" in capsys.readouterr().err


def test_ir_and_hlo_print_what_they_are_asked_for(capsys: Streams) -> None:
    assert execute(["ir", "good.dsl", "half"]) == 1
    assert "help: give every size that no --input file gives: --size n=…" in capsys.readouterr().err
    assert execute(["ir", "good.dsl", "half", "--size", "n=4"]) == 0
    assert "f32[4]" in capsys.readouterr().out
    assert execute(["ir", "good.dsl", "half", "--size", "n=4", "--format", "svg"]) == 0
    assert "f32[4]" in "".join(ElementTree.fromstring(capsys.readouterr().out).itertext())
    assert execute(["hlo", "good.dsl", "--size", "n=4"]) == 0
    assert "stablehlo.divide" in capsys.readouterr().out
    assert execute(["hlo", "good.dsl", "--size", "n=4", "--kind", "optimized"]) == 0
    assert "HloModule" in capsys.readouterr().out


def test_a_bug_is_called_a_bug(monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    def explode(**_: object) -> int:
        error = ZeroDivisionError("three")
        error.add_note("the last good IR")
        raise error

    monkeypatch.setitem(cli.commands, "boom", click.Command("boom", callback=explode))
    assert execute(["boom"]) == 70
    quiet = capsys.readouterr().err
    assert quiet.startswith("internal error: ZeroDivisionError: three\n")
    assert "the last good IR\n" in quiet
    assert "report" in quiet
    assert "Traceback" not in quiet
    monkeypatch.setenv("DSL_DEBUG", "1")
    assert execute(["boom"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(cli.commands, "wait", click.Command("wait", callback=interrupt))
    assert execute(["wait"]) == 130


def test_a_terminal_gets_colours_unless_it_declines(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; from dsl.__main__ import execute; sys.exit(execute(['fmt', 'nix.dsl']))"
    for environment, coloured in (
        ({"TERM": "xterm"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ):
        leader, follower = pty.openpty()
        variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | environment
        subprocess.run([sys.executable, "-c", code], stderr=follower, env=variables, timeout=60, check=False)
        os.close(follower)
        shown = os.read(leader, 10_000)
        os.close(leader)
        assert b"E0960" in shown
        assert (b"\x1b[" in shown) is coloured


def test_a_closed_pipe_is_quiet() -> None:
    code = "import sys; from dsl.__main__ import execute; sys.exit(execute(['explain']))"
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write)
    assert (result.returncode, result.stderr) == (1, b"")


FITTED = """
type Params[d] = {w: f32[d], b: f32}

def fit(p: Params[d], x: f32[n, d], y: f32[n]) -> (Params[d], f32[n]) = (p + {w = sum(x, axis=0), b = sum(y)}, y)

def predict(p: Params[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b
"""


def test_what_was_written_is_fed_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.dsl").write_text(FITTED)
    (tmp_path / "start.json").write_text('{"p": {"w": [0, 0], "b": 0}}')
    polars.DataFrame({"a": [1.0, 2.0], "b": [0.5, 0.5], "target": [1, 3]}).write_parquet(tmp_path / "data.parquet")
    polars.DataFrame({"a": [1.0], "b": [2.0]}).write_ipc(tmp_path / "new.arrow")

    def run(*words: str) -> str:
        capsys.readouterr()
        assert execute(["run", str(tmp_path / "m.dsl"), *words]) == 0
        return capsys.readouterr().out

    fitted = str(tmp_path / "fitted.npz")
    data, start = str(tmp_path / "data.parquet"), str(tmp_path / "start.json")
    run("fit", "-i", data, "-i", start, "-c", "y=target", "-o", fitted)
    said = run("predict", "-i", fitted, "-c", "p=0", "-i", str(tmp_path / "new.arrow"))
    assert said.startswith("result : f32[1] = [9.]")


def test_success_is_said_on_a_terminal_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.dsl"
    path.write_text("def f(x: f32) -> f32 = x\n")
    assert execute(["check", str(path)]) == 0 and capsys.readouterr().out == ""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert execute(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"no errors in {path}\n"


def test_the_version_is_that_of_the_package() -> None:
    assert dsl.__version__ == version("puredsl")


def test_a_command_says_what_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "dsl.interactive.repl", raising=False)
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    assert execute(["repl"]) == 2
    assert capsys.readouterr().err == "this command needs `prompt_toolkit`: pip install 'puredsl[repl]'\n"


def test_a_drawn_page_says_which_example_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert execute(["explain", "E0401"]) == 0
    said = click.unstyle(capsys.readouterr().out)
    assert said.index("Refused:") < said.index("w: f32[k]") < said.index("Accepted:") < said.index("w: f32[d]")
